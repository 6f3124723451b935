// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// One nest in three shapes that compilers produce: as written, with loops normalised to start at 0, and with the
// recomputed index propagated in part. j runs across threads: B[i*(NK*NJ) + j*NK + k] is 4*NK bytes apart in all three,
// with NJ - 2, NI - 2 and NK - 2 iterations.
//
// ARGS: NI: 12
// ARGS: NJ: 40
// ARGS: NK: 14

void as_written(int NI, int NJ, int NK, float *B) {
#pragma omp target teams distribute parallel for map(from : B[0 : NI * NJ * NK])
  for (int j = 1; j < NJ - 1; ++j)
    for (int i = 1; i < NI - 1; ++i)
      for (int k = 1; k < NK - 1; ++k)
        B[i * (NK * NJ) + j * NK + k] = (float)(j - 2 * i + 3 * k);
}

void normalised(int NI, int NJ, int NK, float *B) {
#pragma omp target teams distribute parallel for map(from : B[0 : NI * NJ * NK])
  for (int cj = 0; cj < NJ - 2; ++cj) {
    int j = cj + 1;
    for (int ci = 0; ci < NI - 2; ++ci) {
      int i = ci + 1;
      for (int ck = 0; ck < NK - 2; ++ck) {
        int k = ck + 1;
        B[i * (NK * NJ) + j * NK + k] = (float)(j - 2 * i + 3 * k);
      }
    }
  }
}

void copy_propagated(int NI, int NJ, int NK, float *B) {
#pragma omp target teams distribute parallel for map(from : B[0 : NI * NJ * NK])
  for (int cj = 0; cj < NJ - 2; ++cj) {
    int j = cj + 1;
    for (int ci = 0; ci < NI - 2; ++ci) {
      int i = ci + 1;
      for (int ck = 0; ck < NK - 2; ++ck)
        B[i * (NK * NJ) + j * NK + (ck + 1)] = (float)(j - 2 * i + 3 * (ck + 1));
    }
  }
}

// CHECK: region 'as_written' at {{.*}}loop-normalisation.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for j {{.*}}trips [NJ] - 2 schedule
// CHECK: loop1 in loop0 sequential i {{.*}}trips [NI] - 2{{$}}
// CHECK: loop2 in loop1 sequential k {{.*}}trips [NK] - 2{{$}}
// CHECK: acc0 store B 4 bytes
// CHECK: stride symbolic 4*[NK] class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
// CHECK: region 'normalised' at {{.*}}loop-normalisation.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for cj {{.*}}trips [NJ] - 2 schedule
// CHECK: loop1 in loop0 sequential ci {{.*}}trips [NI] - 2{{$}}
// CHECK: loop2 in loop1 sequential ck {{.*}}trips [NK] - 2{{$}}
// CHECK: acc0 store B 4 bytes
// CHECK: stride symbolic 4*[NK] class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
// CHECK: region 'copy_propagated' at {{.*}}loop-normalisation.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for cj {{.*}}trips [NJ] - 2 schedule
// CHECK: loop1 in loop0 sequential ci {{.*}}trips [NI] - 2{{$}}
// CHECK: loop2 in loop1 sequential ck {{.*}}trips [NK] - 2{{$}}
// CHECK: acc0 store B 4 bytes
// CHECK: stride symbolic 4*[NK] class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
