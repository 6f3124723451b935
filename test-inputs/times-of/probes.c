// A hash is looked up in a table with open addressing: the loop goes from place to place until it finds the key or an empty place. How often is not known, but no
// more often than the table has places, as it would come to one again and never end. Of a count whose logarithm is as likely anywhere from 1 to 128, the middle is
// 11, and 80 % lie within a factor of 128^0.4 = 7 of it; a table of 16 places allows 8 at the most on average, (16 + 1) / 2.
// The table of 4 MB fits into a V100's L2: 1048576 keys and results of 4 bytes move 8.4 MB, the table 4.2 MB, and what its L2 of 6 MB does not keep of probes at
// random, which are 11 for each key instead of 128.
// `first` walks along a row of 32 to a mark, in places one after the other: half of the row.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region find -D keys=1048576 -D mask=1048575 --details --width 300 | %FileCheck --check-prefix=LARGE %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region find -D keys=1048576 -D mask=15 --details --width 300 | %FileCheck --check-prefix=SMALL %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region first -D rows=1048576 --details --width 300 | %FileCheck --check-prefix=ALONG %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region find -D keys=1048576 -D mask=1048575 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region find -D keys=1048576 -D mask=1048575 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// LARGE: an unknown number of probes (x 7.0)
// LARGE: table load {{[0-9]+}} 11.3 4.1943 MB
// LARGE: ends after 1 to 128 iterations, each as likely at double as at half, so that 11 are counted, and no more than half of the places of table
// SMALL: table load {{[0-9]+}} 8.5 64 B
void find(int keys, unsigned mask, const unsigned *restrict table, const int *restrict values, const unsigned *restrict wanted, int *restrict out) {
#pragma omp target teams distribute parallel for map(to : table[0 : mask + 1], values[0 : mask + 1], wanted[0 : keys]) map(from : out[0 : keys])
  for (int i = 0; i < keys; i++) {
    unsigned key = wanted[i], h = (key * 2654435761u) & mask;
    while (table[h] != key && table[h] != 0)
      h = (h + 1) & mask;
    out[i] = table[h] == key ? values[h] : -1;
  }
}

#define ROW 32
// ALONG-NOT: number of probes
// ALONG: marks load {{[0-9]+}} 16
// ALONG-NOT: number of probes
void first(int rows, const int *restrict marks, int *restrict out) {
#pragma omp target teams distribute parallel for map(to : marks[0 : rows * ROW]) map(from : out[0 : rows])
  for (int i = 0; i < rows; i++) {
    int k = 0;
    while (marks[i * ROW + k] != 0)
      k++;
    out[i] = k;
  }
}
