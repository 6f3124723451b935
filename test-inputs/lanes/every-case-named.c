// A switch that names every case, and a chain of ifs of which one always holds: the compiler knows that nothing else is reached. That is no way out of a loop.
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
//
// ARGS: n: 33
// ARGS: m: 45

enum side { NORTH, EAST, SOUTH, WEST };

void by_sides(int n, int m, double *restrict flux, const unsigned char *restrict side) {
#pragma omp target teams distribute parallel for map(tofrom : flux[0 : n * m]) map(to : side[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      switch ((enum side)(side[j * n + i] & 3)) {
      case NORTH:
        flux[j * n + i] += 1;
        break;
      case EAST:
        flux[j * n + i] -= 1;
        break;
      case SOUTH:
        flux[j * n + i] *= 2;
        break;
      case WEST:
        flux[j * n + i] = i;
        break;
      default:
        __builtin_unreachable();
      }
    }
}

void by_rests(int n, int m, double *restrict a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const int rest = j % 4;
      double factor;
      if (rest == 0)
        factor = 1;
      else if (rest == 1)
        factor = 2;
      else if (rest == 2)
        factor = 3;
      else
        factor = 7;
      a[j * n + i] *= factor;
    }
}

// What may be reached after all ends the program: then other iterations show.
void with_a_trap(int n, int m, double *restrict a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      if (a[j * n + i] < 0)
        __builtin_trap();
      a[j * n + i] += 1;
    }
}

// CHECK: region 'by_sides'
// CHECK: transformation possible threads j i
// CHECK: region 'by_rests'
// CHECK: transformation possible threads j i
// CHECK: region 'with_a_trap'
// CHECK: transformation left
// CHECK-NEXT: because 'the shared loop can be left in its middle'
//
// JUDGE: of these new code ran in 2,
// JUDGE: launches compared, 0 wrong
