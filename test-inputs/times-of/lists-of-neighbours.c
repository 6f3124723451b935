// A diffusion step whose rows above and below, and columns left and right, come from lists that the program built before: what they name is not known, but it is
// data of the same image, which another load goes through in order. Of 4096 x 4096 floats, 67.1 MB, the image and five results have to move, 403 MB.
// The columns are of the thread's own row, 16 kB: as much as teams at a time go through together, it is there, whatever the list says. The rows are anywhere in
// the image, of which a V100's L2 of 6 MB keeps next to nothing: 4096 rows at random are 63 % of the rows, twice 42 MB. So 487 MB are predicted, between
// 403 where lists name the rows beside and 537 where they name others. (Each list by itself took 620 MB, more than any lists can.)
// Of 512 x 512 floats, 1.05 MB, all is as large as L2, in which it is found whatever lists say: the six arrays once, 6.3 MB.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region diffuse -D rows=4096 -D cols=4096 --details | %FileCheck --check-prefix=LARGE %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region diffuse -D rows=512 -D cols=512 --details | %FileCheck --check-prefix=SMALL %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region diffuse -D rows=4096 -D cols=4096 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region diffuse -D rows=4096 -D cols=4096 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// LARGE: memory bytes 48{{[5-9](\.[0-9]+)?}} MB
// SMALL: memory bytes 6.{{3[0-9]*}} MB
void diffuse(int rows, int cols, const float *restrict image, const int *restrict north, const int *restrict south, const int *restrict west,
             const int *restrict east, float *restrict dn, float *restrict ds, float *restrict dw, float *restrict de, float *restrict c) {
#pragma omp target teams distribute parallel for collapse(2)                                                                                         \
    map(to : image[0 : rows * cols], north[0 : rows], south[0 : rows], west[0 : cols], east[0 : cols])                                                \
    map(from : dn[0 : rows * cols], ds[0 : rows * cols], dw[0 : rows * cols], de[0 : rows * cols], c[0 : rows * cols])
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      int k = i * cols + j;
      float own = image[k];
      float n = image[north[i] * cols + j] - own, s = image[south[i] * cols + j] - own;
      float w = image[i * cols + west[j]] - own, e = image[i * cols + east[j]] - own;
      dn[k] = n;
      ds[k] = s;
      dw[k] = w;
      de[k] = e;
      c[k] = 1.0f / (1.0f + n * n + s * s + w * w + e * e);
    }
}
