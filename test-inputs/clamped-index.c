// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
// RUN: %compile-device %s | env IPDA_TRANSFORM=off %opt -passes='default<O2>' -o - | %analyse | %FileCheck %s --check-prefix=OPTIMISED
//
// Indices that are brought between bounds by ?: and if are least and greatest values, as they are where the optimiser has made intrinsics of
// them. With T = t + 32w for lane t of warp w, x[left] is read at 4*max(T - 1, 0): the difference from lane 0 is
// 4*max(T - 1, 0) - 4*max(32w - 1, 0), and likewise for the others. Within n iterations n is at least 1, so that the bounds of the second kernel
// are the right way round; those of the third are numbers. A length that is the least of two is one value for all lanes. Distances are
// max(d, -d).
//
// ARGS: n: 300
// ARGS: m: 7
// ARGS: k: 90
// ARGS: q: 9

void edges(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int left = i - 1 < 0 ? 0 : i - 1;
    int right = i + 1 > n - 1 ? n - 1 : i + 1;
    y[i] = x[left] + x[right];
  }
}

// CHECK: region 'edges'
// DEVICE-SAME: (device, spmd
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*max(i - 1, 0){{$}}
// CHECK-NEXT: stride per-lane 4*max([lane number] + 32*[warp number] - 1, 0) - 4*max(32*[warp number] - 1, 0) class symbolic
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*min([n] - 1, i + 1){{$}}
// CHECK-NEXT: stride per-lane 4*min([n] - 1, [lane number] + 32*[warp number] + 1) - 4*min([n] - 1, 32*[warp number] + 1) class symbolic
// OPTIMISED: region 'edges'
// The optimiser takes the 1 out of the greatest value.
// OPTIMISED: stride per-lane 4*max([lane number] + 32*[warp number], 1) - 4*max(32*[warp number], 1) class symbolic
// OPTIMISED: stride per-lane 4*min([n] - 1, [lane number] + 32*[warp number] + 1) - 4*min([n] - 1, 32*[warp number] + 1) class symbolic

void between(int n, int k, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int at = i - k;
    at = at < 0 ? 0 : at > n - 1 ? n - 1 : at;
    y[i] = x[at];
  }
}

// CHECK: region 'between'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*max(min([n] - 1, i - [k]), 0){{$}}
// CHECK-NEXT: stride per-lane 4*max(min([n] - 1, [lane number] - [k] + 32*[warp number]), 0) - 4*max(min([n] - 1, -[k] + 32*[warp number]), 0) class symbolic
// OPTIMISED: region 'between'
// OPTIMISED: stride per-lane 4*max(min([n] - 1, [lane number] - [k] + 32*[warp number]), 0) - 4*max(min([n] - 1, -[k] + 32*[warp number]), 0) class symbolic

void between_numbers(int n, int k, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 100]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int at = i - k;
    if (at < 0)
      at = 0;
    else if (at > 99)
      at = 99;
    y[i] = x[at];
  }
}

// CHECK: region 'between_numbers'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*max(min(i - [k], 99), 0){{$}}
// CHECK-NEXT: stride per-lane 4*max(min([lane number] - [k] + 32*[warp number], 99), 0) - 4*max(min(-[k] + 32*[warp number], 99), 0) class symbolic
// OPTIMISED: region 'between_numbers'
// OPTIMISED: stride per-lane 4*max(min([lane number] - [k] + 32*[warp number], 99), 0) - 4*max(min(-[k] + 32*[warp number], 99), 0) class symbolic

void least_length(int n, int m, int q, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n * m])
  for (int i = 0; i < n; ++i) {
    int least = m < q ? m : q;
    float sum = 0;
    for (int j = 0; j < least; ++j)
      sum += x[i * m + j];
    y[i * least] = sum;
  }
}

// CHECK: region 'least_length'
// CHECK: loop1 in loop0 sequential j {{.*}}trips min([m], [q]){{$}}
// CHECK: store y 4 bytes
// CHECK-NEXT: address [y] + 4*i*min([m], [q]){{$}}
// CHECK-NEXT: stride symbolic 4*min([m], [q]) class symbolic
// OPTIMISED: region 'least_length'
// OPTIMISED: store y 4 bytes
// OPTIMISED: stride symbolic 4*min([m], [q]) class symbolic

void distance(int n, int k, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int d = i - k;
    y[i] = x[d < 0 ? -d : d];
  }
}

// CHECK: region 'distance'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*max(i - [k], [k] - i){{$}}
// CHECK-NEXT: stride per-lane 4*max([k] - [lane number] - 32*[warp number], [lane number] - [k] + 32*[warp number]) - 4*max([k] - 32*[warp number], -[k] + 32*[warp number]) class symbolic
// OPTIMISED: region 'distance'
// OPTIMISED: stride per-lane 4*max([k] - [lane number] - 32*[warp number], [lane number] - [k] + 32*[warp number]) - 4*max([k] - 32*[warp number], -[k] + 32*[warp number]) class symbolic

void counted_from_least(int n, int k, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    unsigned least = i < k ? i : k;
    y[i] = x[i - least];
  }
}

// What is taken away is at most i, so the unsigned difference does not wrap.
// CHECK: region 'counted_from_least'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*i - 4*min(i, [k]){{$}}
// CHECK-NEXT: stride per-lane 4*[lane number] - 4*min({{.*}}) + 4*min({{.*}}) class symbolic

// What LLVM's analysis says of these (scripts/bench dependence):
// RIVALS: 80:18 80:18: wrong: where m or q is 0, all iterations store to y[0]
