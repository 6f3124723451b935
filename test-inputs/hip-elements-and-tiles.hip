// RUN: %hip | %FileCheck %s
//
// Kernels in the language of HIP for an AMD GPU: 64 lanes a warp, sectors of 64 bytes. The team's width is read from memory beside the
// arguments; that is no access of the program's. saxpy moves by 4 bytes: 256 bytes in 4 sectors.
// The tile's rows are 64 words, in 32 banks: 2 passes at least, and 2 are enough; its columns are 256 bytes apart, all in one bank:
// 64 passes. In y and z a team may have up to 1024 threads, on NVIDIA's GPUs up to 64 in z: z < 64 is no known truth here.
// The number of the lane comes from counting the lanes below, in two halves; one half's count is something else.

#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void transpose(const float *in, float *out) {
  __shared__ float tile[64][64];
  int tx = __builtin_amdgcn_workitem_id_x(), ty = __builtin_amdgcn_workitem_id_y();
  tile[ty][tx] = in[64 * ty + tx];
  __builtin_amdgcn_s_barrier();
  out[64 * ty + tx] = tile[tx][ty];
}

__global__ void deep(int *y) {
  int z = __builtin_amdgcn_workitem_id_z();
  if (z < 64)
    y[__builtin_amdgcn_workitem_id_x()] = z;
}

__global__ void by_lane(int *y) {
  int lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  int lower_lanes = __builtin_amdgcn_mbcnt_lo(~0u, 0);
  y[lane] = 1;
  y[1024 + lower_lanes] = 2;
}

// CHECK: kernel 'saxpy' at {{.*}}hip-elements-and-tiles.hip:[[#]] (device, spmd
// CHECK: capture n i32
// CHECK: capture x pointer
// CHECK: capture y pointer
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 2..3
// CHECK: runs 1 if {{.*}}active symbolic {{.*}}[lane number]
// CHECK: acc1 load y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 2..3
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 2..3
// CHECK: total sectors 12 without-count 0

// CHECK: kernel 'transpose'
// CHECK: acc0 load in 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 2..3
// CHECK: acc1 store shared tile 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 2 of 2{{$}}
// CHECK: acc2 load shared tile 4 bytes
// CHECK: stride constant 256 class bank-conflict bank passes 64 of 2{{$}}
// CHECK: acc3 store out 4 bytes

// CHECK: kernel 'deep'
// CHECK: acc0 store y 4 bytes
// CHECK: active by-warp{{$}}
// CHECK: branch {{.*}}by-warp{{$}}

// CHECK: kernel 'by_lane'
// CHECK: acc0 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 2..3
// CHECK: acc1 store y 4 bytes
// CHECK: stride unknown {{.*}} class unknown
// ARGS: launch: { teams: 1, threads: 64 }
// ORACLE: depends on the launch: transpose
// ORACLE: has races: by_lane
