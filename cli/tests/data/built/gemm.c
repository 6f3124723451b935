//
// C = BETA*C + ALPHA*A*B, row-major, one row of C per thread.
// Neighbouring threads have neighbouring i, 4-byte elements:
//   C[i*NJ + j]: 4*NJ bytes apart;  A[i*NK + k]: 4*NK bytes apart;  B[k*NJ + j]: the same element.
// One iteration of i runs the scaling of C NJ times and the innermost statement NJ*NK times.
// gemm-collapse2.c is the same product with two fused loops.

void gemm(int NI, int NJ, int NK, float ALPHA, float BETA, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : NI * NK], B[0 : NK * NJ]) map(tofrom : C[0 : NI * NJ])
  for (int i = 0; i < NI; ++i)
    for (int j = 0; j < NJ; ++j) {
      C[i * NJ + j] *= BETA;
      for (int k = 0; k < NK; ++k)
        C[i * NJ + j] += ALPHA * A[i * NK + k] * B[k * NJ + j];
    }
}
