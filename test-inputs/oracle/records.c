// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --records %t.json | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=RECORD < %t.json
//
// The file of records has a line for each access of a warp: 40 iterations are two warps, with 32 and 8 lanes.
// ARGS: launch: { teams: 1, threads: 64 }
// ARGS: n: 40

void copy_even(int n, const float *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 2 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[2 * i];
}

// CHECK: 14:12 load acc0 4 2 20 5 8..9 yes
// CHECK: 14:10 store acc1 8 2 20 5 8..9 yes

// x begins at a multiple of 256 bytes: 32 lanes at 8 bytes apart touch 8 sectors in 2 lines.
// RECORD-DAG: {"kernel":"copy_even:12","id":"acc0","kind":"load","place":"{{.*}}records.c:14:12","called_from":[],"team":0,"warp":0,"iteration":[0, 0],"active":"0xffffffff","bytes":4,"sectors":8,"lines":2,"addresses":[{{([0-9]+,){31}[0-9]+}}]}
// RECORD-DAG: "id":"acc1","kind":"store",{{.*}}"warp":0,{{.*}}"active":"0xffffffff","bytes":8,"sectors":8,"lines":2,
// RECORD-DAG: "id":"acc0","kind":"load",{{.*}}"warp":1,{{.*}}"active":"0xff","bytes":4,"sectors":2,"lines":1,"addresses":[{{([0-9]+,){7}[0-9]+}}]}
// RECORD-DAG: "id":"acc1","kind":"store",{{.*}}"warp":1,{{.*}}"active":"0xff","bytes":8,"sectors":2,"lines":1,
