// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | env IPDA_MAPPING='i j/3 | j%%3' %analyse | %FileCheck %s
// RUN: %ipda-oracle transform --sectors --mapping 'i j/3 | j%%3' %s | %FileCheck %s --check-prefix=COUNTED
//
// What a warp touches in an iteration is a mean over all digits that a thread runs through, and what the executor counts.
//
// The 32 lanes of a warp run one row, and lane t has the columns 3t, 3t + 1 and 3t + 2, one after the other. From the array's beginning, which is that of a sector, they
// go to the bytes from o = 4 (97i + d) to o + 376, at digit d: these are 12 sectors where o is no more than 8 bytes into a sector, else 13. (97i + d) mod 8 is
// 0, 1, 2 in the first row and 1, 2, 3 in the second one, so that five of six are 12 and the last one 13: 73 sectors, as many again for the store, and
// 24.33 in an iteration. In the middle of the digits it would be 24.

// CHECK: region 'scaled'
// CHECK: transformation possible threads i j/3 | j%3 sectors {{[0-9.]+}} to 24.33 of 2 to 64 threads
// COUNTED: | sectors-of-digits.c | scaled:{{[0-9]+}} | {{ *[0-9]+}} | {{ *}}146 |
void scaled(const float a[2][97], float b[2][97]) {
#pragma omp target teams distribute parallel for map(to : a[0 : 2][0 : 97]) map(tofrom : b[0 : 2][0 : 97])
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 96; ++j)
      b[i][j] = 2 * a[i][j];
}
