// Constructs that keep launches on a GPU are reported by their names, with their places: a critical section has other code there, and what one thread
// of a team does may have other effects. The same sum by an
// atomic update may be computed on the host.
// RUN: rm -rf %t && mkdir %t && cd %t && env IPDA_REPORT=%t/report.yaml %ipda cc --look -- %clang -O2 -fopenmp --offload-arch=sm_90 %s -Rpass-missed=ipda -Rpass-analysis=ipda 2>&1 | %FileCheck %s
// RUN: cd %t && env IPDA_REPORT=%t/amd.yaml %ipda cc --look -- %clang -O2 -fopenmp --offload-arch=gfx90a -S %s -Rpass-missed=ipda -Rpass-analysis=ipda 2>&1 | %FileCheck %s
// RUN: %ipda report %t/report.yaml | %FileCheck %s --check-prefix=REPORT
void sums(int n, const float *a, float *sum) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : sum[0 : 1])
// CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: its launches stay on the device: a critical section ({{.*}}critical-section.c:[[@LINE+2]]) has other code on a GPU, {{.*}} [CriticalSection]
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    sum[0] += a[i];
  }
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : sum[0 : 1])
// CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: each launch may run on the host as well
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    sum[0] += a[i];
  }
}
void one_thread(int n, const float *a, float *sum) {
#pragma omp target parallel map(to : a[0 : n]) map(tofrom : sum[0 : 1])
// CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: its launches stay on the device: a single construct ({{.*}}critical-section.c:[[@LINE+2]]) may do something else on the device [UnknownEffect]
  {
#pragma omp single
    sum[0] += a[0];
  }
}
// REPORT: launches stay on the device: a critical section
// REPORT: launches may run on the host
// REPORT: launches stay on the device: a single construct
