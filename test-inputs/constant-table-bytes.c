// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Reads from constant tables that do not meet one entry: they put bytes of several together, or read entries of another width as one, so
// that the entries say nothing of the value. shifted: from byte i % 4 of equal entries 0x100, of which only the read at 0 is 0x100.
// halves: two entries of 16 bits as one of 32; the table's entries of 32 bits are other ones. The twin `whole` reads entry i % 4: 0x100 each
// time, so x moves by 4 bytes.
//
// ARGS: n: 40
// ARGS: x: { type: f32, count: 66000 }

void shifted(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 66000]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    static const int table[4] = {0x100, 0x100, 0x100, 0x100};
    int offset;
    __builtin_memcpy(&offset, (const char *)table + i % 4, 4);
    y[i] = x[i + (offset & 0xffff)];
  }
}

void halves(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 66000]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    static const struct {
      unsigned short low[4];
      int high[2];
    } table = {{1, 0, 3, 0}, {0, 0}};
    int offset;
    __builtin_memcpy(&offset, (const char *)&table + 4 * (i % 2), 4);
    y[i] = x[i + offset];
  }
}

void whole(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 66000]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    static const int table[4] = {0x100, 0x100, 0x100, 0x100};
    int offset;
    __builtin_memcpy(&offset, (const char *)table + 4 * (i % 4), 4);
    y[i] = x[i + (offset & 0xffff)];
  }
}

// CHECK: region 'shifted'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent
// CHECK: region 'halves'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent
// CHECK: region 'whole'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
