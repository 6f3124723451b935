// A libcuda.so.1 for tests on machines without a GPU. It says that there is one, of the compute capability in $FAKE_CAPABILITY (90 is 9.0),
// keeps "device" memory on the host, loads images and launches kernels, but runs nothing: results are wrong, and must be found so. With
// $FAKE_LOG it writes there which images were loaded and how many teams of how many threads each kernel got.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long pointer;  // CUdeviceptr

static int capability(void) {
  const char *text = getenv("FAKE_CAPABILITY");
  return text ? atoi(text) : 90;
}

static void report(const char *what, const char *name, unsigned number) {
  const char *path = getenv("FAKE_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (file) {
    fprintf(file, "%s %s %u\n", what, name, number);
    fclose(file);
  }
}

int cuInit(unsigned flags) { return (int)flags; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int number) { return *device = number, 0; }
int cuDeviceGetName(char *name, int size, int device) { return snprintf(name, (size_t)size, "pretended GPU %d", device), 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = (size_t)8 << 30, device; }
int cuGetErrorString(int error, const char **text) { return *text = "an error of the driver without a GPU", error < 0; }

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
    case 75: *value = capability() / 10; break;
    case 76: *value = capability() % 10; break;
    case 10: *value = 32; break;  // warp
    case 16: *value = 8; break;   // multiprocessors
    default: *value = attribute <= 7 ? 1024 : 65536;
  }
  return device;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) { return *flags = 0, *active = 0, device; }
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) { return (void)flags, device; }
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &context, device; }
int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
int cuCtxSetCurrent(void *context) { return (void)context, 0; }
int cuCtxGetDevice(int *device) { return *device = 0; }
int cuCtxGetLimit(size_t *value, int limit) { return *value = 1024, (void)limit, 0; }
int cuCtxSetLimit(int limit, size_t value) { return (void)limit, (void)value, 0; }
int cuCtxEnablePeerAccess(void *context, unsigned flags) { return (void)context, (int)flags; }
int cuDeviceCanAccessPeer(int *can, int device, int peer) { return *can = 0, (void)device, (void)peer, 0; }

int cuMemAlloc_v2(pointer *memory, size_t bytes) { return *memory = (pointer)calloc(1, bytes + 256), *memory == 0; }
int cuMemAllocManaged(pointer *memory, size_t bytes, unsigned flags) { return (void)flags, cuMemAlloc_v2(memory, bytes); }
int cuMemAllocHost_v2(void **memory, size_t bytes) { return *memory = calloc(1, bytes + 256), *memory == NULL; }
int cuMemAllocAsync(pointer *memory, size_t bytes, void *stream) { return (void)stream, cuMemAlloc_v2(memory, bytes); }
int cuMemFree_v2(pointer memory) { return free((void *)memory), 0; }
int cuMemFreeHost(void *memory) { return free(memory), 0; }
int cuMemFreeAsync(pointer memory, void *stream) { return (void)stream, cuMemFree_v2(memory); }

static int copy(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes), 0; }
int cuMemcpyHtoD_v2(pointer to, const void *from, size_t bytes) { return copy((void *)to, from, bytes); }
int cuMemcpyDtoH_v2(void *to, pointer from, size_t bytes) { return copy(to, (void *)from, bytes); }
int cuMemcpyHtoDAsync_v2(pointer to, const void *from, size_t bytes, void *s) { return (void)s, copy((void *)to, from, bytes); }
int cuMemcpyDtoHAsync_v2(void *to, pointer from, size_t bytes, void *s) { return (void)s, copy(to, (void *)from, bytes); }
int cuMemcpyDtoDAsync_v2(pointer to, pointer from, size_t bytes, void *s) { return (void)s, copy((void *)to, (void *)from, bytes); }
int cuMemcpyPeerAsync(pointer to, void *c, pointer from, void *d, size_t bytes, void *s) {
  return (void)c, (void)d, (void)s, copy((void *)to, (void *)from, bytes);
}

int cuStreamCreate(void **stream, unsigned flags) { return *stream = malloc(1), (void)flags, 0; }
int cuStreamDestroy_v2(void *stream) { return free(stream), 0; }
int cuStreamQuery(void *stream) { return (void)stream, 0; }
int cuStreamSynchronize(void *stream) { return (void)stream, 0; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { return (void)stream, (void)event, (int)flags; }
int cuEventCreate(void **event, unsigned flags) { return *event = malloc(1), (void)flags, 0; }
int cuEventDestroy(void *event) { return free(event), 0; }
int cuEventRecord(void *event, void *stream) { return (void)event, (void)stream, 0; }
int cuEventSynchronize(void *event) { return (void)event, 0; }

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  (void)count, (void)options, (void)values;
  *module = (void *)image;
  report("image", "sm", ((const Elf64_Ehdr *)image)->e_flags & 0xff);
  return 0;
}
int cuModuleUnload(void *module) { return (void)module, 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { return *function = strdup(name), (void)module, 0; }
int cuFuncGetAttribute(int *value, int attribute, void *function) { return *value = attribute == 0 ? 1024 : 0, (void)function, 0; }

// Memory as large as the symbol.
int cuModuleGetGlobal_v2(pointer *memory, size_t *bytes, void *module, const char *name) {
  const char *image = module;
  const Elf64_Ehdr *header = module;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + header->e_shoff);
  for (int s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB)
      continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(image + sections[s].sh_offset);
    const char *names = image + sections[sections[s].sh_link].sh_offset;
    for (size_t at = 0; at < sections[s].sh_size / sizeof *symbols; ++at)
      if (!strcmp(names + symbols[at].st_name, name)) {
        size_t unused;
        return cuMemAlloc_v2(memory, *(bytes ? bytes : &unused) = symbols[at].st_size);
      }
  }
  return 500;  // CUDA_ERROR_NOT_FOUND
}

int cuLaunchKernel(void *function, unsigned teams, unsigned y, unsigned z, unsigned threads, unsigned ty, unsigned tz, unsigned shared,
                   void *stream, void **arguments, void **extra) {
  (void)y, (void)z, (void)ty, (void)tz, (void)shared, (void)stream, (void)arguments, (void)extra;
  report("launch", function, teams);
  report("threads", function, threads);
  return 0;
}
