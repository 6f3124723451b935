// A transpose through shared tiles, with blocks of 32 x 8 threads: thread (x, y) is number x + 32 y, so that a warp is a row of the
// block. The first grid dimension walks along rows, the second along columns. A row of the tile is 33 words long: neither its rows
// nor its columns have words in one bank. Global memory is touched in rows both ways.
// RUN: %ipda-oracle inputs %s | %FileCheck %s
// CHECK: in the report but never ran 0, ran but not in the report 0
// CHECK: agreement: 100.0000 % of {{[0-9]+}} compared; 0 wrong
// ARGS: n: 96
// ARGS: launch: { teams: [3, 3], threads: [32, 8] }

__attribute__((global)) void transpose(int n, const float *A, float *B) {
  __attribute__((shared)) float tile[32][33];
  int x = __nvvm_read_ptx_sreg_tid_x(), y = __nvvm_read_ptx_sreg_tid_y();
  int column = __nvvm_read_ptx_sreg_ctaid_x() * 32, row = __nvvm_read_ptx_sreg_ctaid_y() * 32;
  for (int k = y; k < 32; k += 8)
    tile[k][x] = A[(row + k) * n + column + x];
  __syncthreads();
  for (int k = y; k < 32; k += 8)
    B[(column + k) * n + row + x] = tile[x][k];
}
