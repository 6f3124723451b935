// REQUIRES: cuda
// A source in the CUDA language is compiled for each processor that is named, and for the host. The host's module knows no kernels, so each
// device's compilation speaks for itself, once; in a folder each has a report of its own.
// RUN: rm -rf %t.folder
// RUN: env IPDA_REPORT=%t.folder/ %clang++ -x cuda -O2 --offload-arch=sm_80 --offload-arch=sm_90 -nocudainc -nocudalib \
// RUN:   --cuda-path=%cuda-path --offload-new-driver -fgpu-rdc %load %remarks -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: ls %t.folder | %FileCheck %s --check-prefix=FILES
// RUN: %ipda report %t.folder | %FileCheck %s --check-prefix=TABLE

#define __global__ __attribute__((global))

// What the host's side of a kernel refers to.
struct dim3 {
  unsigned x, y, z;
};
int cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, unsigned long shared, struct stream *stream);

__global__ void column(int n, float *x) {
#ifdef __CUDA_ARCH__
  x[n * __nvvm_read_ptx_sreg_tid_x()] = 0.0f;
#endif
}

// CHECK-COUNT-2: kernel 'column', SPMD mode: all threads start the kernel together; 0 loops, 1 access to global memory (1 dependent on sizes)
// CHECK-NOT: kernel 'column'
// FILES: kernels-once-for-each-processor.cu.sm_80.ipda.yaml
// FILES-NEXT: kernels-once-for-each-processor.cu.sm_90.ipda.yaml
// TABLE-COUNT-2: kernels-once-for-each-processor.cu: 1 kernel
