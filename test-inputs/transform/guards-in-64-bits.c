// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=IR
// RUN: %ipda-oracle transform %s
//
// Sizes in bytes are products of four numbers of up to 32 bits. They are computed in 64 bits, and right where the numbers have no more than 52
// bits together, which is tested. How often loops run is tested first; the rest, in a block of its own, leaves nothing in registers.

void step(int nx, int ny, int nz, float *before, float *after) {
#pragma omp target teams distribute parallel for
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        after[x + nx * (y + ny * z)] = before[x + nx * (y + ny * z)];
}

// CHECK: region 'step'
// CHECK: transformation possible threads z y x

// IR: define internal i64 @{{.*}}step{{.*}}.guard(
// IR-NOT: i128
// IR-NOT: call
// IR: br i1
// IR: icmp uge i64
// IR-COUNT-3: call i32 @llvm.ctlz.i32
// IR: ret i64
// IR-NOT: i128
// IR: }
