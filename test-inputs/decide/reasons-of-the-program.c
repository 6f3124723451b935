// RUN: %clang %load %remarks -O2 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -c %s -o /dev/null 2>&1 | %FileCheck %s
//
// Why launches stay on the device: what the program says comes before what its code does, and of a member that is copied back nobody says that it is not.

struct row {
  int n;
  int v[4];
};

// CHECK: reasons-of-the-program.c:[[@LINE+2]]:1: its launches stay on the device: is_device_ptr or has_device_addr {{.*}} [DevicePointer]
void walk(int n, double *first) {
#pragma omp target teams distribute parallel for is_device_ptr(first)
  for (double *at = first; at < first + n; ++at)
    *at *= 2.0;
}

// CHECK: reasons-of-the-program.c:[[@LINE+3]]:1: its launches stay on the device: members of structures{{.*}} [MappedMembers]
int part(void) {
  struct row r = {4, {1, 2, 3, 4}};
#pragma omp target map(tofrom : r.v[1 : 2])
  {
    r.v[1] += 1;
    r.v[2] += 1;
  }
  return r.v[1] + r.v[2];
}
