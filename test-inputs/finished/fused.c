// Of a kernel whose loops were fused the version counts that is expected to run; the other one is there, and does not happen.
// RUN: %compile-device %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s

void gemm(int ni, int nj, int nk, float alpha, float beta, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for map(to : A[0 : ni * nk], B[0 : nk * nj]) map(tofrom : C[0 : ni * nj])
  for (int i = 0; i < ni; ++i)
    for (int j = 0; j < nj; ++j) {
      C[i * nj + j] *= beta;
      for (int k = 0; k < nk; ++k)
        C[i * nj + j] += alpha * A[i * nk + k] * B[k * nj + j];
    }
}

// CHECK: region 'gemm'
// CHECK-DAG: of loop0 runs floor([nk] / 2):
// CHECK-DAG: of loop0 runs [nj] chance 0:
// CHECK-DAG: of loop0 runs [nj]*[nk] chance 0:
