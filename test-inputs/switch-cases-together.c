// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Several cases of a switch lead to one place without a body of their own: what is chosen there is chosen once, however many cases
// there are. In `shifted` i % 8 being 1, 2 or 5 leaves 1, all else gives i: x at 3 * i moves by 12 bytes but for these lanes, which are at
// 12 bytes. In `scaled` all threads take the same way: x moves by 4 or by 8 bytes.
//
// ARGS: n: 40
// ARGS: m: 2
// ARGS: x: { type: f32, count: 200 }

void shifted(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 3 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int at = 1;
    switch (i % 8) {
    case 1:
    case 2:
    case 5:
      break;
    default:
      at = i;
    }
    y[i] = x[3 * at];
  }
}

void scaled(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 3 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int at = i;
    switch (m) {
    case 1:
    case 2:
    case 5:
      break;
    default:
      at = 2 * i;
    }
    y[i] = x[at];
  }
}

// CHECK: region 'shifted'
// CHECK: load x 4 bytes
// CHECK: stride {{vector|per-lane}}
// CHECK: region 'scaled'
// CHECK: load x 4 bytes
// CHECK-NEXT: address {{\[x\] - 4\*i\*\[\[m\] == 1\] - 4\*i\*\[\[m\] == 2\] - 4\*i\*\[\[m\] == 5\] \+ 8\*i$}}
