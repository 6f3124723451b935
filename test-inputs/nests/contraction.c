// RUN: %c-dependences | %FileCheck %s
//
// A three-dimensional tensor times a matrix along the last dimension, by way of one line that is computed whole and then copied back.
// The line stands between the iterations of q and r, which are parallel with copies of it; the loops over p are parallel as they are.

void contract(int nr, int nq, int np, double a[restrict nr][nq][np], double c[restrict np][np], double line[restrict np]) {
  for (int r = 0; r < nr; ++r)
    for (int q = 0; q < nq; ++q) {
      for (int p = 0; p < np; ++p) {
        line[p] = 0;
        for (int s = 0; s < np; ++s)
          line[p] += a[r][q][s] * c[s][p];
      }
      for (int p = 0; p < np; ++p)
        a[r][q][p] = line[p];
    }
}

// CHECK-LABEL: dependences of function 'contract'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}r at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}q at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}p at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop3 {{(in loop[0-9]+ )?}}s at {{.*}} trips {{[^:]*}}: parallel if the reduction is made one: reduction(+ : {{.*}}){{$}}
// CHECK: {{^ +}}loop4 {{(in loop[0-9]+ )?}}p at {{.*}} trips {{[^:]*}}: parallel{{$}}
