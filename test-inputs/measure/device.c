// Asks NVIDIA's driver what the first GPU is: its name, its compute capability and the newest CUDA that the driver serves, separated by tabs. Where there
// is none: one sentence, and exit status 1.
#include <dlfcn.h>
#include <stdio.h>

enum { COMPUTE_CAPABILITY_MAJOR = 75, COMPUTE_CAPABILITY_MINOR = 76 };  // CUdevice_attribute

static int nothing(const char *why) {
  printf("no GPU here: %s\n", why);
  return 1;
}

int main(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver)
    return nothing("there is no NVIDIA driver (libcuda.so.1)");
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*version)(int *) = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
  int (*count)(int *) = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
  int (*name)(char *, int, int) = (int (*)(char *, int, int))dlsym(driver, "cuDeviceGetName");
  int (*attribute)(int *, int, int) = (int (*)(int *, int, int))dlsym(driver, "cuDeviceGetAttribute");
  if (!init || !version || !count || !name || !attribute)
    return nothing("libcuda.so.1 lacks functions of NVIDIA's driver");
  int devices = 0, cuda = 0, major = 0, minor = 0;
  char text[256] = "";
  if (init(0) || count(&devices) || devices == 0)
    return nothing("NVIDIA's driver finds no device");
  if (version(&cuda) || name(text, sizeof text, 0) || attribute(&major, COMPUTE_CAPABILITY_MAJOR, 0) ||
      attribute(&minor, COMPUTE_CAPABILITY_MINOR, 0))
    return nothing("NVIDIA's driver does not describe its device");
  printf("%s\t%d.%d\t%d.%d\n", text, major, minor, cuda / 1000, cuda % 1000 / 10);
  return 0;
}
