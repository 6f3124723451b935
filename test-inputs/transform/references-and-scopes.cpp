// REQUIRES: libomp-device-bc
// RUN: %device++ | %FileCheck %s
// RUN: %amdgcn++ | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// `std::max` takes and returns references, and a helper may promise that what it is given does not overlap: both are no obstacles. What a promise
// says, it says of one call.
//
// ARGS: radius: 2
// ARGS: width: 31

template <typename T> static inline const T &greater(const T &a, const T &b) { return a < b ? b : a; }
template <typename T> static inline const T &lesser(const T &a, const T &b) {
  if (b < a)
    return b;
  return a;
}

#define REGION _Pragma("omp target teams distribute parallel for")

void blur(int height, int width, int radius, const float *from, float *to) {
  REGION
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int k = -radius; k <= radius; ++k)
        sum += from[y * width + lesser(greater(x + k, 0), width - 1)];
      to[y * width + x] = sum;
    }
}

// CHECK: region 'blur'
// CHECK: address [from] + 4*y*[width] + 4*min([width] - 1, max(x + #k - [radius], 0))
// CHECK: transformation possible threads y x

// The variable is written again before its address is used: it is what it is then.
void written_between(int n, int m, const int *of, float *to) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int here = j, other = 0;
      const int &chosen = of[j % 8] > 2 ? here : other;
      here = 1;
      to[i * 64 + chosen] = 1;
    }
}

// CHECK: region 'written_between'
// CHECK: transformation

static inline void scaled(float *__restrict to, const float *__restrict from) { *to = 2 * *from; }

void apart(int n, int m, const float *from, float *to) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      scaled(&to[i * m + j], &from[i * m + j]);
}

// CHECK: region 'apart'
// CHECK: transformation possible threads i j

// Each call is right, and needs what the one before has written.
void in_turn(int n, int m, float *row) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      scaled(&row[i * 64 + j], &row[i * 64 + j - 1]);
}

// CHECK: region 'in_turn'
// CHECK: transformation {{left|best}}

static inline int next(int *__restrict count, const int *__restrict limit, bool asks) {
  if (asks)
    *count = *limit + 1;
  return *count;
}

// What one call reads, another may have written: the limit is no constant.
void limits(int n, int m, const int *of, int *numbers, float *to) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      to[i * 64 + j] = next(&numbers[8 * i + j % 8], &numbers[8 * i], j % 8 != 0 && of[j % 8] > 2);
}

// CHECK: region 'limits'
// CHECK: transformation left
