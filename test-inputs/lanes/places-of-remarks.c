// RUN: rm -rf %t && mkdir %t && cp %s %t/a.c && cd %t && env IPDA_REPORT=a.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s -Rpass-missed=ipda 2>&1 | %FileCheck %s
// RUN: cd %t && %ipda explain a.c:18:11 --report a.yaml | %FileCheck %s --check-prefix=OBSTACLE
// RUN: cd %t && %ipda explain a.c:18 --report a.yaml | %FileCheck %s --check-prefix=OBSTACLE
//
// What a remark names as standing in the way of better loops can be explained, also where there is nothing else at its place.
//
// CHECK: a.c:18:11: remark: the loops are left as they are: sum goes from one iteration to the next, or is used after the loop
//
// OBSTACLE: the loops of the target region of interpolate
// OBSTACLE: in the way {{ *}}sum goes from one iteration to the next
// OBSTACLE: at a.c:18:11
// OBSTACLE: what helps

// A receiver's value from the points of a grid around it.
void interpolate(int receivers, int nx, const int *restrict place, const float *restrict field, float *restrict seen) {
#pragma omp target teams distribute parallel for map(to : place[0 : receivers], field[0 : nx * nx]) map(from : seen[0 : receivers])
  for (int receiver = 0; receiver < receivers; receiver++) {
    float sum = 0;
    for (int x = 0; x <= 1; x++)
      for (int y = 0; y <= 1; y++)
        sum += field[(place[receiver] + x) * nx + y];
    seen[receiver] = sum;
  }
}
