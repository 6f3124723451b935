// What --guard writes does the same as what was written, for sizes and arrays on both sides of the conditions: m up to 2000 and above, arrays
// apart, the same, and partly the same. The loops are in several forms: with braces and without, as the branch of another `if`.
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c && cp %t/a.c %t/original.c
// RUN: cd %t && env IPDA_REPORT=a.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %not %ipda fix a.yaml 2>&1 | %FileCheck %s
// RUN: cd %t && cmp a.c original.c && %ipda fix --guard a.yaml && %not cmp a.c original.c
// RUN: cd %t && %clang -O1 -fopenmp -Wall -Werror a.c -o changed && %clang -O1 -fopenmp original.c -o unchanged
// RUN: cd %t && env OMP_NUM_THREADS=1 ./changed > changed.txt && env OMP_NUM_THREADS=1 ./unchanged > unchanged.txt && cmp changed.txt unchanged.txt
// CHECK-DAG: a.c:{{.*}} right only where m <= 2000;
// CHECK-DAG: a.c:{{.*}} right only where b and x do not overlap;

#include <stdio.h>
#include <stdlib.h>

void far(int n, int m, float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * 4096])
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      a[j * 4096 + i] = a[j * 4096 + i + 2000] + 1;
    } /* rows */
}
void below(int nk, int nj, int ni, const double *b, double *x) {
  if (nk > 3)
#pragma omp target teams distribute parallel for \
    map(to : b[0 : nk * nj * ni]) map(tofrom : x[0 : nk * nj * ni])
  for (int k = 0; k < nk; ++k)
    for (int j = 1; j < nj; ++j)
      for (int i = 0; i < ni; ++i)
        x[(k * nj + j) * ni + i] -= b[(k * nj + j) * ni + i] * x[(k * nj + j - 1) * ni + i];
  else
    x[0] = 7;
}

int main(void){ unsigned long h=1; int ms[]={0,1,1999,2000,2001,2090};
 for(int t=0;t<6;t++){float*a=calloc(8*4096,4); for(int i=0;i<8*4096;i++)a[i]=i%97; far(3,ms[t],a); for(int i=0;i<8*4096;i++)h=h*31+(long)a[i]; free(a);}
 for(int off=0;off<3;off++){double*b=calloc(4000,8);for(int i=0;i<4000;i++)b[i]=i%5-2; below(5,6,7,b,b+(off==0?1000:off==1?0:30)); for(int i=0;i<4000;i++)h=h*31+(long)b[i]; below(3,6,7,b,b+500); for(int i=0;i<4000;i++)h=h*31+(long)b[i];}
 printf("%lx\n",h);}
