// RUN: %c-dependences | %FileCheck %s
//
// indices[i*K + j] with 0 <= j < K: each pair (i, j) has an element of its own. The twin goes one further in j: the last element of a row is
// the first of the next.

void rows(int *indices, int M, int K) {
// CHECK-LABEL: dependences of function 'rows'
// CHECK-NEXT: loop0 i {{.*}}: parallel{{$}}
// CHECK-NEXT: loop1 in loop0 j {{.*}}: parallel{{$}}
// CHECK: footprint indices from [indices] to before [indices] + 4*[M]*[K]
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < K; ++j)
      indices[i * K + j] = j;
}

void one_further(int *indices, int M, int K) {
// CHECK-LABEL: dependences of function 'one_further'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown|serial}}: output dependence of indices
// CHECK-NEXT: loop1 in loop0 j {{.*}}: parallel{{$}}
  for (int i = 0; i < M; ++i)
    for (int j = 0; j <= K; ++j)
      indices[i * K + j] = j;
}
