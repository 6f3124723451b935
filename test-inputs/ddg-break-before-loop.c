// RUN: %compile-device %s | %dependences | %FileCheck %s
// RUN: %ipda-oracle dependences %s
// ORACLE: has races: settle
//
// A block after a loop can come before parts of the loop in a reverse postorder, where a `break` leads there from before them. What the second
// scan reads comes before what is stored behind the rounds all the same: in one iteration of i both touch a[i], at j = i, the load first.

void settle(int *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i) {
    int last = i;
    for (int round = 0; round < n; ++round) {
      if (last >= n) break;
      for (int j = last; j < n; ++j) {
        if (a[j] > round) break;
        last = j;
      }
      if (last > i + 8) break;
      for (int j = i; j < n; ++j)
        if (a[j] == round) last = j + 1;
    }
    a[i] = last;
  }
}

// CHECK: acc[[#SCAN:]] load a {{.*}}ddg-break-before-loop.c:[[#@LINE-6]]:
// CHECK: anti acc[[#SCAN]] -> acc[[#]] {{.*}}in one iteration
