/* A CUDA driver without a GPU, for tests of the backend: memory is the host's, kernels are not run but named.
 *
 * FAKE_FAIL=FUNCTION=NUMBER makes that function fail with that error. With FAKE_FAIL_ONLY=N only its Nth call fails. FAKE_DEVICES says how many devices there are (1).
 * FAKE_OLD leaves a function out, as an old driver would (compile with -DFAKE_OLD).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int result;
enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_CONTEXT = 201, NOT_FOUND = 500, NOT_READY = 600 };

static result failing(const char *function) {
  const char *wanted = getenv("FAKE_FAIL");
  const size_t length = strlen(function);
  if (wanted && strncmp(wanted, function, length) == 0 && wanted[length] == '=') {
    static int calls;
    const char *only = getenv("FAKE_FAIL_ONLY");
    if (!only || __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == atoi(only))
      return atoi(wanted + length + 1);
  }
  return SUCCESS;
}
#define ENTER                                                                                                                             \
  do {                                                                                                                                    \
    result failure = failing(__func__);                                                                                                   \
    if (failure)                                                                                                                          \
      return failure;                                                                                                                     \
  } while (0)

/* What was allocated, and must be freed by the function that belongs to it. */
enum kind { NONE, DEVICE, MANAGED, HOST, POOL };
static struct {
  char *address;
  size_t size;
  enum kind kind;
} blocks[64];

static result allocate(void **out, size_t size, enum kind kind) {
  for (int i = 0; i < 64; ++i)
    if (blocks[i].kind == NONE) {
      blocks[i].address = aligned_alloc(256, (size + 255) / 256 * 256);
      blocks[i].size = size;
      blocks[i].kind = kind;
      *out = blocks[i].address;
      return SUCCESS;
    }
  return 2;
}
/* `by`: HOST, POOL, or NONE for the function of the others. */
static result release(void *address, enum kind by) {
  for (int i = 0; i < 64; ++i)
    if (blocks[i].kind != NONE && blocks[i].address == address) {
      const enum kind own = blocks[i].kind == HOST || blocks[i].kind == POOL ? blocks[i].kind : NONE;
      if (own != by)
        return INVALID_VALUE;
      free(address);
      blocks[i].kind = NONE;
      return SUCCESS;
    }
  return INVALID_VALUE;
}

result cuInit(unsigned flags) {
  ENTER;
  return flags ? INVALID_VALUE : SUCCESS;
}
result cuDriverGetVersion(int *version) {
  ENTER;
  *version = 12040;
  return SUCCESS;
}
result cuDeviceGetCount(int *count) {
  ENTER;
  *count = getenv("FAKE_DEVICES") ? atoi(getenv("FAKE_DEVICES")) : 1;
  return SUCCESS;
}
result cuDeviceGet(int *device, int ordinal) {
  ENTER;
  *device = ordinal;
  return SUCCESS;
}
result cuDeviceGetName(char *name, int size, int device) {
  ENTER;
  snprintf(name, size, "Fake %d", device);
  return SUCCESS;
}
result cuDeviceTotalMem_v2(size_t *bytes, int device) {
  ENTER;
  (void)device;
  *bytes = (size_t)1 << 30;
  return SUCCESS;
}
result cuDeviceGetAttribute(int *value, int what, int device) {
  ENTER;
  (void)device;
  switch (what) {
  case 1: /* threads of a block */
  case 2: /* in x */
  case 3: /* in y */
    *value = 1024;
    return SUCCESS;
  case 4: /* in z */
    *value = 64;
    return SUCCESS;
  case 5: /* blocks in x */
    *value = 0x7FFFFFFF;
    return SUCCESS;
  case 6:
  case 7:
    *value = 65535;
    return SUCCESS;
  case 8: /* shared memory */
    *value = 49152;
    return SUCCESS;
  case 97: /* the same for those who ask for it */
    *value = 100000;
    return SUCCESS;
  case 10:
    *value = 32;
    return SUCCESS;
  case 16:
    *value = 4;
    return SUCCESS;
  case 115: /* memory pools */
    *value = !getenv("FAKE_NO_POOLS");
    return SUCCESS;
  case 41: /* unified addressing */
  case 83: /* managed memory */
  case 89: /* concurrently */
    *value = 1;
    return SUCCESS;
  case 75:
    *value = 9;
    return SUCCESS;
  case 76:
    *value = 0;
    return SUCCESS;
  default:
    *value = 0;
    return SUCCESS;
  }
}
result cuGetErrorName(result error, const char **text) {
  *text = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : error == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR_LAUNCH_FAILED";
  return SUCCESS;
}
result cuGetErrorString(result error, const char **text) {
  *text = error == 2 ? "out of memory" : error == NOT_FOUND ? "named symbol not found" : "unspecified launch failure";
  return SUCCESS;
}

static int retained, depth;
result cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER;
  (void)device;
  ++retained;
  *context = &retained;
  return SUCCESS;
}
result cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  --retained;
  return SUCCESS;
}
/* A program's own contexts. */
static int made[4], made_count;
static __thread void *current[8];
static __thread int entered;
static int is_context(void *context) {
  for (int i = 0; i < made_count; ++i)
    if (context == &made[i])
      return 1;
  return context == &retained;
}
result cuCtxCreate_v2(void **context, unsigned flags, int device) {
  (void)flags, (void)device;
  *context = &made[made_count++];
  return SUCCESS;
}
result cuCtxPushCurrent_v2(void *context) {
  ENTER;
  if (!is_context(context))
    return INVALID_CONTEXT;
  __atomic_add_fetch(&depth, 1, __ATOMIC_RELAXED);
  current[entered++] = context;
  return SUCCESS;
}
result cuCtxPopCurrent_v2(void **context) {
  ENTER;
  *context = entered > 0 ? current[--entered] : 0;
  return __atomic_sub_fetch(&depth, 1, __ATOMIC_RELAXED) < 0 ? INVALID_VALUE : SUCCESS;
}
result cuCtxGetDevice(int *device) {
  ENTER;
  *device = 0;
  return entered > 0 ? SUCCESS : INVALID_CONTEXT;
}

result cuMemAlloc_v2(uint64_t *address, size_t size) {
  ENTER;
  return allocate((void **)address, size, DEVICE);
}
result cuMemAllocManaged(uint64_t *address, size_t size, unsigned flags) {
  ENTER;
  return flags == 1 ? allocate((void **)address, size, MANAGED) : INVALID_VALUE;
}
result cuMemHostAlloc(void **address, size_t size, unsigned flags) {
  ENTER;
  return flags == 3 ? allocate(address, size, HOST) : INVALID_VALUE;
}
result cuMemFree_v2(uint64_t address) {
  ENTER;
  return release((void *)address, NONE);
}
result cuMemFreeHost(void *address) {
  ENTER;
  return release(address, HOST);
}
/* An address that is not known has no attributes, and asking for them is no error. */
result cuPointerGetAttributes(unsigned count, int *what, void **values, uint64_t address) {
  ENTER;
  for (unsigned k = 0; k < count; ++k) {
    unsigned *value = values[k];
    *value = 0;
    for (int i = 0; i < 64; ++i)
      if (blocks[i].kind != NONE && address - (uint64_t)blocks[i].address < blocks[i].size)
        *value = what[k] == 8 ? blocks[i].kind == MANAGED : blocks[i].kind == HOST ? 1 : 2;
  }
  return SUCCESS;
}
struct pool {
  int device, peers;
};
result cuMemPoolCreate(struct pool **pool, const int *properties) {
  ENTER;
  *pool = calloc(1, sizeof **pool);
  (*pool)->device = properties[3];
  /* pinned memory, without handles, of a device */
  return properties[0] == 1 && properties[1] == 0 && properties[2] == 1 ? SUCCESS : INVALID_VALUE;
}
result cuMemPoolSetAttribute(struct pool *pool, int what, void *value) {
  ENTER;
  printf("pool of %d: attribute %d is %ld\n", pool->device, what, what == 4 ? (long)*(uint64_t *)value : (long)*(int *)value);
  return SUCCESS;
}
result cuMemPoolSetAccess(struct pool *pool, const int *descriptors, size_t count) {
  ENTER;
  for (size_t i = 0; i < count; ++i)
    printf("pool of %d: device %d has access %d\n", pool->device, descriptors[3 * i + 1], descriptors[3 * i + 2]);
  return SUCCESS;
}
result cuDeviceCanAccessPeer(int *can, int device, int other) {
  ENTER;
  *can = device != other;
  return SUCCESS;
}
result cuMemcpyAsync(uint64_t to, uint64_t from, size_t size, void *stream) {
  ENTER;
  (void)stream;
  memmove((void *)to, (void *)from, size);
  return SUCCESS;
}
result cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
  ENTER;
  (void)stream;
  memset((void *)to, value, count);
  return SUCCESS;
}
result cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
  ENTER;
  (void)stream;
  for (size_t i = 0; i < count; ++i)
    ((unsigned short *)to)[i] = value;
  return SUCCESS;
}
result cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  ENTER;
  (void)stream;
  for (size_t i = 0; i < count; ++i)
    ((unsigned *)to)[i] = value;
  return SUCCESS;
}

/* The error log is the first option, its size the second. */
static void say(unsigned options, int *names, void **values, const char *words) {
  if (options == 2 && names[0] == 5 && names[1] == 6)
    snprintf(values[0], (size_t)values[1], "%s", words);
}
static int loads;
/* How many modules were loaded; for programs that wait for one. */
int fake_loads(void) {
  return __atomic_load_n(&loads, __ATOMIC_SEQ_CST);
}
result cuModuleLoadDataEx(void **module, const void *image, unsigned options, int *names, void **values) {
  const int is_elf = memcmp(image, "\177ELF", 4) == 0;
  result failure = failing(__func__);
  if (failure) {
    say(options, names, values, "the driver's words about the image");
    return failure;
  }
  printf("load %s\n", is_elf ? "machine code" : strstr(image, ".target") ? "PTX" : "what the linker made");
  *module = strdup(is_elf ? "" : image);
  __atomic_add_fetch(&loads, 1, __ATOMIC_SEQ_CST);
  return SUCCESS;
}
result cuModuleUnload(void *module) {
  free(module);
  return SUCCESS;
}
result cuModuleGetFunction(void **function, void *module, const char *name) {
  ENTER;
  /* PTX tells whether it has the kernel. */
  if (*(char *)module && !strstr(module, name))
    return NOT_FOUND;
  *function = strdup(name);
  return SUCCESS;
}
result cuFuncGetAttribute(int *value, int what, void *function) {
  ENTER;
  (void)function;
  *value = what == 0 ? 512 : 0;
  return SUCCESS;
}
result cuFuncSetAttribute(void *function, int what, int value) {
  ENTER;
  (void)function;
  printf("attribute %d is %d\n", what, value);
  return SUCCESS;
}
/* A stream is busy as long as the test says so. */
struct stream {
  void *context;
  int busy;
};
result cuStreamCreate(struct stream **stream, unsigned flags) {
  ENTER;
  *stream = calloc(1, sizeof **stream);
  (*stream)->context = entered > 0 ? current[entered - 1] : 0;
  return flags == 1 ? SUCCESS : INVALID_VALUE;
}
result cuStreamDestroy_v2(struct stream *stream) {
  free(stream);
  return SUCCESS;
}
result cuStreamSynchronize(struct stream *stream) {
  ENTER;
  return stream ? SUCCESS : INVALID_VALUE;
}
static int is_held_back(void);
result cuStreamQuery(struct stream *stream) {
  ENTER;
  return is_held_back() || __atomic_load_n(&stream->busy, __ATOMIC_SEQ_CST) ? NOT_READY : SUCCESS;
}
result cuMemAllocFromPoolAsync(uint64_t *address, size_t size, struct pool *pool, struct stream *stream) {
  ENTER;
  return pool && stream ? allocate((void **)address, size, POOL) : INVALID_VALUE;
}
result cuMemFreeAsync(uint64_t address, struct stream *stream) {
  ENTER;
  return stream ? release((void *)address, POOL) : INVALID_VALUE;
}
result cuStreamGetCtx(struct stream *stream, void **context) {
  ENTER;
  *context = stream->context;
  return SUCCESS;
}
void fake_busy(struct stream *stream, int busy) { __atomic_store_n(&stream->busy, busy, __ATOMIC_SEQ_CST); }

/* An event is over when its stream was idle once since it was recorded; with FAKE_UNTIL_WAIT none before a stream waits for one. One with times counts what was recorded. */
struct event {
  struct stream *stream;
  int timed;
  long at;
};
static long recorded;
/* How many events were recorded so far. */
long fake_records(void) { return __atomic_load_n(&recorded, __ATOMIC_RELAXED); }
result cuEventCreate(struct event **event, unsigned flags) {
  ENTER;
  *event = calloc(1, sizeof **event);
  (*event)->timed = !(flags & 2);
  return entered > 0 ? SUCCESS : INVALID_CONTEXT;
}
result cuEventDestroy_v2(struct event *event) {
  printf("an event is destroyed\n");
  free(event);
  return SUCCESS;
}
result cuEventRecord(struct event *event, struct stream *stream) {
  ENTER;
  if (entered == 0 || stream->context != current[entered - 1])
    return INVALID_CONTEXT;
  event->stream = stream;
  event->at = __atomic_add_fetch(&recorded, 1, __ATOMIC_RELAXED);
  return SUCCESS;
}
static int waited;
static int is_held_back(void) { return getenv("FAKE_UNTIL_WAIT") && !__atomic_load_n(&waited, __ATOMIC_SEQ_CST); }
result cuEventQuery(struct event *event) {
  ENTER;
  if (is_held_back())
    return NOT_READY;
  return event->stream && __atomic_load_n(&event->stream->busy, __ATOMIC_SEQ_CST) ? NOT_READY : SUCCESS;
}
result cuEventSynchronize(struct event *event) {
  ENTER;
  while (cuEventQuery(event) == NOT_READY)
    ;
  return SUCCESS;
}
result cuEventElapsedTime(float *milliseconds, struct event *from, struct event *to) {
  ENTER;
  *milliseconds = (float)(to->at - from->at);
  return from->timed && to->timed ? SUCCESS : INVALID_VALUE;
}
result cuStreamWaitEvent(struct stream *stream, struct event *event, unsigned flags) {
  ENTER;
  printf("a stream waits\n");
  __atomic_store_n(&waited, 1, __ATOMIC_SEQ_CST);
  return stream && event && flags == 0 ? SUCCESS : INVALID_VALUE;
}
result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned memory,
                      void *stream, void **parameters, void **extra) {
  ENTER;
  (void)stream;
  (void)extra;
  if (strcmp(function, "aspen_fill") == 0) {
    const uint64_t count = *(uint64_t *)parameters[1];
    printf("fill %lu quads, grid %ux%ux%u, block %ux%ux%u\n", count, gx, gy, gz, bx, by, bz);
    for (uint64_t i = 0; i < count; ++i)
      memcpy((char *)*(uint64_t *)parameters[0] + 16 * i, parameters[2], 16);
    return SUCCESS;
  }
  const uint64_t *shape = parameters[1];
  printf("launch %s: grid %ux%ux%u, block %ux%ux%u, %u bytes, global %lux%lux%lu, offset %lux%lux%lu, local %lux%lux%lu\n", (char *)function,
         gx, gy, gz, bx, by, bz, memory, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], shape[6], shape[7], shape[8]);
  fflush(stdout);
  return SUCCESS;
}

static char linked[1 << 20];
result cuLinkCreate_v2(unsigned options, int *names, void **values, void **state) {
  ENTER;
  say(options, names, values, "the linker's words");
  linked[0] = 0;
  *state = linked;
  return SUCCESS;
}
result cuLinkAddData_v2(void *state, int type, void *data, size_t size, const char *name, unsigned options, int *names, void **values) {
  ENTER;
  (void)state, (void)options, (void)names, (void)values;
  printf("link %s, %s\n", type == 1 ? "PTX" : "machine code", strstr(name, "image") ? "named" : "without name");
  /* PTX is a C string, and nothing else may remind of it in the result. */
  if (type != 1 || ((char *)data)[size - 1] != 0)
    return INVALID_VALUE;
  for (char *p = data; *p; ++p)
    strncat(linked, *p == '.' ? "" : (char[]){*p, 0}, 1);
  return SUCCESS;
}
result cuLinkComplete(void *state, void **cubin, size_t *size) {
  ENTER;
  *cubin = state;
  *size = strlen(linked);
  return SUCCESS;
}
#ifndef FAKE_OLD
result cuLinkDestroy(void *state) {
  (void)state;
  return SUCCESS;
}
#endif
