// RUN: %optimise-device %s > %t.bc
// RUN: %analyse %t.bc | %FileCheck %s
//
// LLVM unrolls the outer loop: nine loops follow each other, each behind a guard and each with an accumulator that goes on with what the one
// before it left behind. What one iteration makes of an accumulator is looked at with a stand-in for it; looking anew at all that came before
// for each stand-in would double the work with every loop.

void rows(int n, int m, const int *B, long *out) {
#pragma omp target teams distribute parallel for collapse(3) map(to : B[0 : 9 * n + 5]) map(from : out[0 : 20 * n * m])
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < 5; ++k) {
        int sum = 5;
        for (int l = 0; l < 9; ++l)
          for (int c = 0; c < k; ++c)
            sum += B[l * n + c];
        out[(i * n + j) * m + k] = sum;
      }
}

// CHECK: region 'rows'
// CHECK: load B 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: store out 8 bytes in loop0
