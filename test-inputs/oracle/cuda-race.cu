// Each thread reads its neighbour's word of the shared tile with no __syncthreads() in front: a race, and so another result in
// another order of threads.
// RUN: %ipda-oracle inputs %s | %FileCheck %s
// CHECK: agreement: 100.0000 % of {{[0-9]+}} compared; 0 wrong
// ORACLE: has races

__attribute__((global)) void neighbours(const float *x, float *y) {
  __attribute__((shared)) float tile[256];
  unsigned t = __nvvm_read_ptx_sreg_tid_x(), threads = __nvvm_read_ptx_sreg_ntid_x();
  unsigned i = __nvvm_read_ptx_sreg_ctaid_x() * threads + t;
  tile[t] = x[i];
  y[i] = tile[(t + 1) % threads];
}
