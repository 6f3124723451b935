// What the host's code becomes: the launch of a kernel that never writes an array which is mapped both ways goes through a function that asks for other
// map types (of x and weights, which come behind n and y), gives them to the runtime, and puts the old ones back. Other launches stay as they are.
// RUN: env IPDA_DECISION=off %clang -O1 -mllvm -inline-threshold=-1000000 %x86-offload %load -S -emit-llvm %s -o - | grep -v embedded.object | %FileCheck %s
// The option's other places.
// RUN: env IPDA_DECISION=off IPDA_MAPS=off %clang -O1 %x86-offload %load -S -emit-llvm %s -o - | grep -v embedded.object | %FileCheck %s --check-prefix=WRITTEN
// RUN: echo 'maps: off' > %t.yaml
// RUN: env IPDA_DECISION=off IPDA_CONFIG=%t.yaml %clang -O1 %x86-offload %load -S -emit-llvm %s -o - | grep -v embedded.object | %FileCheck %s --check-prefix=WRITTEN
// RUN: env IPDA_DECISION=off IPDA_MAPS=never %clang -O1 %x86-offload %load -S -emit-llvm %s -o - 2>&1 | %FileCheck %s --check-prefix=WORD
// Without facts, types stay: the device's side has said nothing, or there is none.
// RUN: env IPDA_DECISION=off %clang -O1 -fopenmp %load -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=WRITTEN

void apply(int n, double *x, double *weights, double *y) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n], weights[0 : n], y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * weights[n - 1 - i];
}

void scale(int n, double *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}

double dot(int n, const double *x, const double *y) {
  double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : x[0 : n], y[0 : n])
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

// CHECK: @__ipda_read_only_[[KERNEL:__omp_offloading_[0-9a-f_]+apply_l[0-9]+]] = private {{.*}}constant [2 x i32] [i32 2, i32 3]
// CHECK-NOT: @__ipda_read_only_
// CHECK-LABEL: define {{.*}} @apply(
// CHECK: call {{.*}}i32 @__ipda_launch_[[KERNEL]](
// CHECK-LABEL: define {{.*}} @scale(
// CHECK: call i32 @__tgt_target_kernel({{.*}}scale_l{{[0-9]+}}.region_id
// CHECK-LABEL: define {{.*}} @dot(
// CHECK: call i32 @__tgt_target_kernel({{.*}}dot_l{{[0-9]+}}.region_id
// CHECK-LABEL: define internal {{.*}}i32 @__ipda_launch_{{.*}}apply_l
// CHECK: [[COPY:%[0-9]+]] = alloca [4 x i64]
// CHECK: [[TYPES_AT:%[0-9]+]] = getelementptr inbounds i8, ptr [[ARGUMENTS:%[0-9]+]], i64 32
// CHECK: [[TYPES:%[0-9]+]] = load ptr, ptr [[TYPES_AT]]
// What it overwrites is given in numbers: y, that its section is known where n is positive, in n stores of 8 bytes, each 8 bytes further on.
// CHECK: [[STORES:%[0-9]+]] = alloca [13 x i64]
// CHECK: icmp sgt i64
// CHECK: [[NEW:%[0-9]+]] = call ptr @__ipda_map_types{{[.0-9a-f]*}}(i64 {{.*}}, ptr {{.*}}[[ARGUMENTS]], ptr {{.*}}@__ipda_read_only_[[KERNEL]], i32 {{.*}}2, ptr {{.*}}[[COPY]], ptr {{.*}}[[STORES]], i32 {{.*}}1)
// CHECK: store ptr [[NEW]], ptr [[TYPES_AT]]
// CHECK: [[RESULT:%[0-9]+]] = {{(tail )?}}call i32 @__tgt_target_kernel({{.*}}apply_l{{[0-9]+}}.region_id, ptr {{.*}}[[ARGUMENTS]])
// CHECK: store ptr [[TYPES]], ptr [[TYPES_AT]]
// CHECK: ret i32 [[RESULT]]

// WRITTEN-NOT: __ipda_launch
// WRITTEN-NOT: __ipda_map_types

// WORD: IPDA_MAPS{{.*}}never{{.*}}off{{.*}}on
