// What one iteration of a thread's own loop has brought, the next one finds, and so do threads beside it that go through theirs at the same time, though all
// that such loops touch is far more than the L2 of 50 MB holds.
// `sweep` solves 262,144 systems of 512 unknowns, one a thread, of doubles that lie 2.1 MB apart: forward a, b, c and d are read and c and d written, back c
// and d read and d written, 9 * 512 * 262144 * 8 bytes = 9.66 GB. The places of the iteration before lie in the L2. (As if they came from memory, 12.9 GB.)
// In `reds` a thread has every second place of a row of 8192: rows above and below are those of the threads beside it. u is read, rhs read and u written,
// 3 * 8192 * 8192 * 8 bytes = 1.61 GB. (As if each row came three times, 2.7 GB.)
// In `far` what is shared is 4 million threads further on: both come from memory as the loops are written, 3 * 64 * 4 * 2^23 bytes = 6.4 GB with what is written, less a
// little that is found by chance.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D unknowns=512 -D systems=262144 --region sweep --details | %FileCheck %s --check-prefix=SWEEP
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=8192 -D colour=0 --region reds --details | %FileCheck %s --check-prefix=REDS
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=8388608 -D ahead=4194304 --region far --details | %FileCheck %s --check-prefix=FAR
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=8192 -D colour=0 -D unknowns=512 -D systems=262144 -D ahead=4194304 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=8192 -D colour=0 -D unknowns=512 -D systems=262144 -D ahead=4194304 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// SWEEP: memory bytes 9.{{[5-8][0-9]*}} GB
void sweep(int unknowns, int systems, const double *restrict a, const double *restrict b, double *restrict c, double *restrict d) {
#pragma omp target teams distribute parallel for map(to : a[0 : unknowns * systems], b[0 : unknowns * systems]) \
    map(tofrom : c[0 : unknowns * systems], d[0 : unknowns * systems])
  for (int s = 0; s < systems; s++) {
    c[s] /= b[s];
    d[s] /= b[s];
    for (int i = 1; i < unknowns; i++) {
      int here = i * systems + s, before = (i - 1) * systems + s;
      double scale = 1.0 / (b[here] - a[here] * c[before]);
      c[here] *= scale;
      d[here] = (d[here] - a[here] * d[before]) * scale;
    }
    for (int i = unknowns - 2; i >= 0; i--)
      d[i * systems + s] -= c[i * systems + s] * d[(i + 1) * systems + s];
  }
}

// REDS: memory bytes 1.{{(5[89]|6[0-5])[0-9]*}} GB
void reds(int n, int colour, double *u, const double *rhs, double area) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n]) map(to : rhs[0 : n * n])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2)
      u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] - area * rhs[i * n + j]);
}

// FAR: memory bytes 6.{{[0-6][0-9]*}} GB
void far(int n, int ahead, const float *restrict from, float *restrict to) {
#pragma omp target teams distribute parallel for map(to : from[0 : 64 * n + ahead]) map(from : to[0 : 64 * n])
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 64; k++)
      to[k * n + i] = from[k * n + i] + from[k * n + i + ahead];
}
