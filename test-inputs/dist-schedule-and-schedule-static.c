// RUN: %device | %FileCheck %s 
// RUN: %host | %FileCheck %s --check-prefix=HOST
//
// A team takes 100 iterations at a time, and schedule(static) divides them evenly among its threads: with 32 threads each
// gets a block of 3 or 4, with 128 threads one or none. No single distance between neighbours exists: it is that of
// schedule-static-one-team.c, over the iterations that the team has.
// The host's module alone does not tell schedule(static) from no clause, and says what it assumes.
// The twin: schedule-static.c, where a team's chunk is as long as it has threads.

void vector_add(int n, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for dist_schedule(static, 100) schedule(static) \
    map(to : a[0 : n], b[0 : n]) map(from : c[0 : n])
  for (int i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

// CHECK: region 'vector_add' at {{.*}}dist-schedule-and-schedule-static.c:{{[0-9]+}}
// CHECK-SAME: (device, spmd
// CHECK: acc0 load a 4 bytes
// CHECK: stride per-lane 4*[lane number]*floor([iterations of team] / [threads of loop]) + 4*min({{.*}}) class symbolic{{$}}
// CHECK: acc1 load b 4 bytes
// CHECK: stride per-lane 4*[lane number]*floor([iterations of team] / [threads of loop]) + 4*min({{.*}}) class symbolic{{$}}
// CHECK: acc2 store c 4 bytes
// CHECK: stride per-lane 4*[lane number]*floor([iterations of team] / [threads of loop]) + 4*min({{.*}}) class symbolic{{$}}
// CHECK: total sectors 0 without-count 3

// HOST: region 'vector_add'
// HOST: assumes 'the device's compilation is not at hand: its default schedule is assumed'
