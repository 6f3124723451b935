// REQUIRES: cuda
// LLVM 19 hands loops out to teams in chunks of as many iterations as the kernel is compiled for threads at most, which is more than the runtime
// starts for few iterations. Reports say so where loops are left as they are.
// RUN: %clang -O2 %nvptx --offload-device-only -emit-llvm -S %s -o - | %FileCheck %s --check-prefix=CODE
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 %nvptx --offload-device-only -c %load %s -o %t.o
// RUN: %FileCheck %s --check-prefix=OFF --input-file=%t.yaml
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.host.yaml %clang -O2 %nvptx -c %load %s -o %t.o
// RUN: %FileCheck %s --check-prefix=OFF --input-file=%t.host.yaml
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.O0.yaml %clang -O0 %nvptx --offload-device-only -c %load %s -o %t.o
// RUN: %not grep -q team_chunk %t.O0.yaml

// CODE: define {{.*}}without_limit
// CODE: call void @__kmpc_distribute_static_init_4({{.*}}, i32 91, {{.*}} i32 128)
// OFF: function: without_limit
// OFF: team_chunk: 128
void without_limit(int n, float *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    A[i] *= 2;
}

// CODE: define {{.*}}constant_limit
// CODE: call void @__kmpc_distribute_static_init_4({{.*}}, i32 91, {{.*}} i32 256)
// OFF: function: constant_limit
// OFF: team_chunk: 256
void constant_limit(int n, float *A) {
#pragma omp target teams distribute parallel for thread_limit(256)
  for (int i = 0; i < n; ++i)
    A[i] *= 2;
}

// Nobody knows the number, and the code asks for it.
// CODE: define {{.*}}limit_at_run_time
// CODE: call i32 @__kmpc_get_hardware_num_threads_in_block()
// OFF: function: limit_at_run_time
// OFF-NOT: team_chunk
void limit_at_run_time(int n, float *A, int threads) {
#pragma omp target teams distribute parallel for thread_limit(threads)
  for (int i = 0; i < n; ++i)
    A[i] *= 2;
}

// The same of threads that are counted by the program.
// CODE: define {{.*}}threads_at_run_time
// OFF: function: threads_at_run_time
// OFF-NOT: team_chunk
void threads_at_run_time(int n, float *A, int threads) {
#pragma omp target teams distribute parallel for num_threads(threads)
  for (int i = 0; i < n; ++i)
    A[i] *= 2;
}

// The program's own chunks stay as they are.
// CODE: define {{.*}}own_chunks
// CODE: call void @__kmpc_distribute_static_init_4({{.*}}, i32 91, {{.*}} i32 64)
// OFF: function: own_chunks
// OFF-NOT: team_chunk
void own_chunks(int n, float *A) {
#pragma omp target teams distribute parallel for dist_schedule(static, 64)
  for (int i = 0; i < n; ++i)
    A[i] *= 2;
}
