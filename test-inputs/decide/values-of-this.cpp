// Members that the kernel reads through `this` are read at the launch: the second loop runs as often as the object says that is launched, 40 and 80 times.
// RUN: env IPDA_GPU=h200 IPDA_CPU=epyc-milan %clang++ -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: env IPDA_LOG=calls %t 2>&1 | grep -v ': took ' | %FileCheck %s
class Field {
  int rows, columns;

public:
  Field(int rows, int columns) : rows(rows), columns(columns) {}
  void relax(double *a) {
#pragma omp target teams distribute parallel for map(to : this[0 : 1]) map(tofrom : a[0 : 1000])
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        a[i] = a[i] * 0.5 + j;
  }
};

int main() {
  static double a[1000];
  // CHECK: Field::relax at {{.*}} (trips(i) = 1000, this[1] = 40): on the
  // CHECK: Field::relax at {{.*}} (trips(i) = 500, this[1] = 80): on the
  Field fields[] = {Field(1000, 40), Field(500, 80)};
  for (Field &field : fields)
    field.relax(a);
}
