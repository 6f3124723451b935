// RUN: %device | %FileCheck %s
//
// A region whose work is shared out by thread number instead of a loop. Neighbouring threads have neighbouring numbers:
// 4 bytes. A tool that does not follow the number must say unknown, never uniform.
//
// ORACLE: depends on the launch

int omp_get_thread_num(void);

void number(float *a) {
#pragma omp target parallel num_threads(128) map(from : a[0 : 128])
  a[omp_get_thread_num()] = 1.0f;
}

// CHECK: region 'number' at {{.*}}no-loop.c:{{[0-9]+}} (device
// CHECK-NOT: loop0
// CHECK: acc0 store a 4 bytes
// CHECK: stride {{constant 4 class coalesced sectors 4\.\.5 lines 1\.\.2|unknown '.+' class unknown}}
