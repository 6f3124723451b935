// Variables with names that YAML 1.1 takes for truth values, and a direction that it takes for a mark of its own, are texts to readers of that
// version: y, n, no and on are captured, and the distance between the accesses of `off` is 0 in the shared loop, whose direction is "=".
//
// REQUIRES: python-yaml
// RUN: rm -rf %t && mkdir %t
// RUN: env IPDA_REPORT=%t/a.yaml %clang -O1 -g -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only -S -emit-llvm -o /dev/null %load %s
// RUN: env IPDA_REPORT=%t/b.yaml %clang -O1 -g -Xclang -debug-info-kind=constructor -fopenmp --offload-arch=sm_90 -nogpulib --offload-device-only -S -emit-llvm -o /dev/null %load %s
// RUN: python3 %S/readers.py yaml %t
// RUN: python3 -c 'import yaml, sys; print(sorted(c["name"] for c in yaml.safe_load(open(sys.argv[1]))["regions"][0]["captures"]))' %t/a.yaml | %FileCheck %s --check-prefix=NAMES
// RUN: grep 'direction:' %t/b.yaml | sort -u | %FileCheck %s --check-prefix=DIRECTION
// NAMES: ['n', 'no', 'off', 'on', 'y']
// DIRECTION: direction: '='
void sums(int n, int no, int on, const float *y, float *restrict off) {
#pragma omp target teams distribute parallel for map(to : y[0 : n]) map(tofrom : off[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = no; j < on; ++j)
      off[i] += 2 * y[j];
}
