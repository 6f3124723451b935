// A kernel of the CUDA language runs as its launch says: blocks add up what they hold in memory that their threads share, and
// __syncthreads() keeps the steps apart. The tile's rows are read in neighbouring words: no bank conflict.
// RUN: %ipda-oracle inputs %s | %FileCheck %s
// CHECK: agreement: 100.0000 % of {{[0-9]+}} compared; 0 wrong
// ARGS: n: 500
// ARGS: launch: { threads: 128 }

__attribute__((global)) void sums(int n, const float *x, float *y) {
  __attribute__((shared)) float part[128];
  unsigned t = __nvvm_read_ptx_sreg_tid_x();
  unsigned i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (unsigned half = __nvvm_read_ptx_sreg_ntid_x() / 2; half > 0; half /= 2) {
    if (t < half)
      part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0)
    y[__nvvm_read_ptx_sreg_ctaid_x()] = part[0];
}
