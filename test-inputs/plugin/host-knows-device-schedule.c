// REQUIRES: cuda, libomp-device-bc
// What the host's code cannot show comes from the embedded device object: an explicit schedule(static) gives each thread one block of
// iterations on the device, and no schedule neighbouring iterations to neighbouring threads. The host's code is the same for both.
// RUN: %clang -O2 -g %nvptx %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -g -foffload-lto %nvptx %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -g %nvptx-two %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s

void neighbours(int n, float *x) {
#pragma omp target parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

void blocks(int n, float *x) {
#pragma omp target parallel for schedule(static) map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

void chunks(int n, float *x) {
#pragma omp target parallel for schedule(static, 4) map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// CHECK: target region in 'neighbours'
// CHECK: loop over i: {{.*}}schedule static, chunk 1
// CHECK: store to x (4 bytes): neighbouring threads are 4 bytes apart; coalesced
// CHECK: target region in 'blocks'
// CHECK: loop over i: {{.*}}schedule static, one block
// CHECK-NOT: neighbouring threads are 4 bytes apart
// CHECK: target region in 'chunks'
// CHECK: loop over i: {{.*}}schedule static, chunk{{s of| }}{{.*}}4
// CHECK: store to x (4 bytes): neighbouring threads are 16 bytes apart
