// RUN: %optimise-device %s > %t.bc
// RUN: %analyse %t.bc | %FileCheck %s
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check
//
// The bits that are set in s & 7 are at most 3, which the optimiser writes at the call that counts them: t * 3 is below 60000, and taking its
// low 16 bits changes nothing, so x moves by the number of bits. Of s & 15 they are at most 4, and t * 4 up to 80000 does not fit.
//
// ARGS: s: 13

void fits(unsigned s, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 65536]) map(from : y[0 : 20000])
  for (int t = 0; t < 20000; ++t)
    y[t] = x[(unsigned short)(t * __builtin_popcount(s & 7))];
}

// CHECK: region 'fits'
// CHECK: load x 4 bytes
// CHECK: stride symbolic 4*[a value] class symbolic

void may_wrap(unsigned s, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 65536]) map(from : y[0 : 20000])
  for (int t = 0; t < 20000; ++t)
    y[t] = x[(unsigned short)(t * __builtin_popcount(s & 15))];
}

// CHECK: region 'may_wrap'
// CHECK: load x 4 bytes
// CHECK: stride per-lane 4*[a value]*[lane number] - 262144*floor(([a value]*[lane number] + 32*[a value]*[warp number]) / 65536)
