// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A partial sum per thread, addressed by the thread's number: neighbouring threads have neighbouring numbers, 4 bytes. A tool
// that does not follow the number must say unknown, never uniform.
//
// ORACLE: depends on the launch

int omp_get_thread_num(void);

void partial_sums(int n, const float *x, float *sums) {
#pragma omp target parallel for map(to : x[0 : n]) map(tofrom : sums[0 : 1024])
  for (int i = 0; i < n; ++i)
    sums[omp_get_thread_num()] += x[i];
}

// CHECK: region 'partial_sums' at {{.*}}thread-number-index.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 for i {{.*}}trips [n] schedule
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load sums 4 bytes
// CHECK: stride {{constant 4 class coalesced sectors 4\.\.5 lines 1\.\.2|unknown '.+' class unknown}}
// CHECK: acc2 store sums 4 bytes
// CHECK: stride {{constant 4 class coalesced sectors 4\.\.5 lines 1\.\.2|unknown '.+' class unknown}}
