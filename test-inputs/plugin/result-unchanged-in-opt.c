// opt writes the same module with and without the analysis, down to the declarations and attribute numbers.
// RUN: %compile-device %s -o %t.device.bc
// RUN: %opt -S %t.device.bc -o %t.without.ll
// RUN: env IPDA_TRANSFORM=off %opt -passes=ipda -pass-remarks-analysis=ipda -S %t.device.bc -o %t.with.ll 2>&1 | %FileCheck %s
// RUN: cmp %t.without.ll %t.with.ll
// RUN: %compile-host %s -o %t.host.bc
// RUN: %opt -S %t.host.bc -o %t.without.ll
// RUN: %opt -passes='ipda<report=%t.yaml>' -S %t.host.bc -o %t.with.ll
// RUN: cmp %t.without.ll %t.with.ll
// RUN: %FileCheck %s --check-prefix=REPORT < %t.yaml

static float average(const float *restrict row, float *restrict last, int n) {
  float sum = 0.0f;
  for (int j = 0; j < n; ++j)
    sum += row[j];
  if (sum < 0.0f)
    __builtin_unreachable();
  *last = row[n - 1];
  return sum / n;
}

void averages(int n, const float *a, float *last, float *result) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(from : last[0 : n], result[0 : n])
  for (int i = 0; i < n; ++i)
    result[i] = average(a + i * n, last + i, n);
}

// CHECK: target region in 'averages'
// REPORT: function: averages
