// RUN: %c-dependences | %FileCheck %s
//
// Dynamic programming over a table with one row and column more than the two words are long: each entry takes from above, from the left
// and from both: distances (1, 0), (0, 1) and (1, 1). No loop is parallel.

void lengths(int n, int m, const char *restrict a, const char *restrict b, int *restrict table) {
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= m; ++j) {
      int above = table[(i - 1) * (m + 1) + j], left = table[i * (m + 1) + j - 1];
      int longest = above > left ? above : left;
      table[i * (m + 1) + j] = a[i - 1] == b[j - 1] ? table[(i - 1) * (m + 1) + j - 1] + 1 : longest;
    }
}

// CHECK-LABEL: dependences of function 'lengths'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
