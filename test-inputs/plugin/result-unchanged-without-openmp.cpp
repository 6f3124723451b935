// Code without OpenMP passes through untouched and unmentioned.
// RUN: rm -f %t.yaml
// RUN: env IPDA_REPORT=%t.yaml %same-result %clang++ -O0 %remarks -c %s > %t.out 2>&1
// RUN: env IPDA_REPORT=%t.yaml %same-result %clang++ -O1 %remarks -c %s >> %t.out 2>&1
// RUN: env IPDA_REPORT=%t.yaml %same-result %clang++ -O3 -g %remarks -c %s >> %t.out 2>&1
// RUN: env IPDA_REPORT=%t.yaml %same-result %clang++ -O2 %remarks -fopenmp --offload-arch=sm_90 -nogpulib --offload-device-only -S %s >> %t.out 2>&1
// RUN: test ! -s %t.out
// RUN: test ! -e %t.yaml

template <typename T> T dot(int n, const T *x, const T *y) {
  T sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

template float dot(int, const float *, const float *);
