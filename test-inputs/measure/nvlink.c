// Does what clang's offload linker asks of `nvlink`, by CUDA 12's library, which PyPI has where it lacks the program: nvlink -o FILE -arch sm_XY [-v] [-L FOLDER]
// CUBIN... The library lies in the folder lib beside that of the program.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_ANY = 10 };  // nvJitLinkInputType

static void *library;

static void *function(const char *name) {
  char versioned[64];
  snprintf(versioned, sizeof versioned, "__%s_12_4", name);
  void *found = dlsym(library, versioned);
  if (!found) {
    fprintf(stderr, "nvlink: libnvJitLink.so.12 lacks %s\n", versioned);
    exit(1);
  }
  return found;
}

int main(int argc, char **argv) {
  const char *output = NULL, *architecture = NULL, **inputs = (const char **)calloc((size_t)argc, sizeof *inputs);
  int count = 0;
  for (int arg = 1; arg < argc; ++arg) {
    if (!strcmp(argv[arg], "-o") && arg + 1 < argc)
      output = argv[++arg];
    else if (!strcmp(argv[arg], "-arch") && arg + 1 < argc)
      architecture = argv[++arg];
    else if (!strcmp(argv[arg], "-L") && arg + 1 < argc)
      ++arg;
    else if (argv[arg][0] != '-')
      inputs[count++] = argv[arg];
    else if (strcmp(argv[arg], "-v")) {
      fprintf(stderr, "nvlink: the option %s is not known to this stand-in\n", argv[arg]);
      return 1;
    }
  }
  char path[4096], option[64];
  snprintf(path, sizeof path, "%.*s/../lib/libnvJitLink.so.12", (int)(strrchr(argv[0], '/') ? strrchr(argv[0], '/') - argv[0] : 0), argv[0]);
  snprintf(option, sizeof option, "-arch=%s", architecture ? architecture : "");
  if (!output || !architecture || count == 0 || !(library = dlopen(path, RTLD_NOW))) {
    fprintf(stderr, "nvlink: %s\n", library ? "-o, -arch and inputs are needed" : dlerror());
    return 1;
  }

  int (*create)(void **, uint32_t, const char **) = (int (*)(void **, uint32_t, const char **))function("nvJitLinkCreate");
  int (*add)(void *, int, const char *) = (int (*)(void *, int, const char *))function("nvJitLinkAddFile");
  int (*complete)(void *) = (int (*)(void *))function("nvJitLinkComplete");
  int (*size_of)(void *, size_t *) = (int (*)(void *, size_t *))function("nvJitLinkGetLinkedCubinSize");
  int (*get)(void *, void *) = (int (*)(void *, void *))function("nvJitLinkGetLinkedCubin");
  int (*log)(void *, char *) = (int (*)(void *, char *))function("nvJitLinkGetErrorLog");
  int (*log_size)(void *, size_t *) = (int (*)(void *, size_t *))function("nvJitLinkGetErrorLogSize");

  void *handle = NULL, *cubin = NULL;
  size_t size = 0;
  const char *options[] = {option};
  int error = create(&handle, 1, options);
  for (int input = 0; input < count && !error; ++input)
    error = add(handle, INPUT_ANY, inputs[input]);
  if (error || (error = complete(handle)) || (error = size_of(handle, &size)) || !(cubin = malloc(size)) ||
      (error = get(handle, cubin))) {
    char *text = NULL;
    if (handle && !log_size(handle, &size) && (text = calloc(1, size + 1)))
      log(handle, text);
    fprintf(stderr, "nvlink: error %d of libnvJitLink.so.12: %s\n", error, text ? text : "");
    return 1;
  }
  FILE *file = fopen(output, "wb");
  if (!file || fwrite(cubin, 1, size, file) != size || fclose(file)) {
    fprintf(stderr, "nvlink: cannot write to %s\n", output);
    return 1;
  }
  return 0;
}
