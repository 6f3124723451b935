// A CUDA driver with an H100 and an L4, and an OpenMP runtime that counts them the other way round; there are no devices behind.
#include <stdint.h>
#include <stddef.h>
#include <string.h>

int cuInit(unsigned flags) { return flags; }
int cuDeviceGetCount(int *count) { return *count = 2, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int length, int device) {
  strncpy(name, device == 0 ? "NVIDIA H100 PCIe" : "NVIDIA L4", length);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 16: *value = device == 0 ? 114 : 58; return 0;
  case 75: *value = device == 0 ? 9 : 8; return 0;
  case 76: *value = device == 0 ? 0 : 9; return 0;
  }
  return 1;
}
int cuPointerGetAttribute(void *value, int attribute, uint64_t address) {
  *(int *)value = address == 0x1000;
  return attribute != 9 || (address != 0x1000 && address != 0x2000);
}

int omp_get_num_devices(void) { return 2; }
int omp_get_default_device(void) { return 0; }
int omp_get_initial_device(void) { return 2; }
void *omp_target_alloc(size_t bytes, int device) { return (void *)(uintptr_t)(0x1000 * (device + 1)); }
void omp_target_free(void *memory, int device) {}
