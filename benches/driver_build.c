/* What an OpenCL driver takes to build SPIR-V modules, which a link for spir64 leaves to each run of a program: CPU seconds of the whole process
 * for clCreateProgramWithIL and clBuildProgram of the files named, as `build ns=N`. The first device of the first platform builds them. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef void *handle;

enum { PROGRAM_BUILD_LOG = 0x1183 };
static const uint64_t any_device = 0xFFFFFFFF;

static void check(const char *what, cl_int error) {
  if (error) {
    fprintf(stderr, "%s: error %d\n", what, error);
    exit(1);
  }
}

static double cpu_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *contents(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) || (*size = ftell(file)) == 0) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  rewind(file);
  void *bytes = malloc(*size);
  if (!bytes || fread(bytes, 1, *size, file) != *size) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  fclose(file);
  return bytes;
}

int main(int count, char **files) {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  cl_int (*clGetPlatformIDs)(cl_uint, handle *, cl_uint *) = dlsym(library, "clGetPlatformIDs");
  cl_int (*clGetDeviceIDs)(handle, uint64_t, cl_uint, handle *, cl_uint *) = dlsym(library, "clGetDeviceIDs");
  handle (*clCreateContext)(const intptr_t *, cl_uint, const handle *, const void *, void *, cl_int *) = dlsym(library, "clCreateContext");
  handle (*clCreateProgramWithIL)(handle, const void *, size_t, cl_int *) = dlsym(library, "clCreateProgramWithIL");
  cl_int (*clBuildProgram)(handle, cl_uint, const handle *, const char *, void *, void *) = dlsym(library, "clBuildProgram");
  cl_int (*clGetProgramBuildInfo)(handle, handle, cl_uint, size_t, void *, size_t *) = dlsym(library, "clGetProgramBuildInfo");
  handle platform, device;
  cl_int error;
  check("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
  check("clGetDeviceIDs", clGetDeviceIDs(platform, any_device, 1, &device, NULL));
  handle context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check("clCreateContext", error);
  double took = 0;
  for (int i = 1; i < count; ++i) {
    size_t size;
    void *bytes = contents(files[i], &size);
    const double start = cpu_time();
    handle program = clCreateProgramWithIL(context, bytes, size, &error);
    check(files[i], error);
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    took += cpu_time() - start;
    if (error) {
      char said[4096] = "";
      clGetProgramBuildInfo(program, device, PROGRAM_BUILD_LOG, sizeof said - 1, said, NULL);
      fprintf(stderr, "%s: %s\n", files[i], said);
      return 1;
    }
    free(bytes);
  }
  printf("build ns=%.0f\n", took);
  return 0;
}
