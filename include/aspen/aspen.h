/* aspen.h: the C ABI of libaspen.so. The SYCL headers are written on this file alone.
 *
 * Rules
 * - Every function that can fail returns an aspen_error_t*: null is success; the caller frees a non-null one with aspen_error_delete.
 * - Handles are opaque. Functions named *_create or with an `out` parameter give the caller one reference; *_retain adds one, *_release
 *   gives one back. Devices live as long as the process and are never released.
 * - No C++ exception and no Rust panic leaves this ABI. Callbacks must not throw.
 * - All functions may be called from any thread.
 * - Dimensions are in SYCL order (the last one runs fastest); unused dimensions of a range are 1, of an id or offset 0.
 * - Sizes are bytes and times are nanoseconds unless a name says otherwise.
 */
#ifndef ASPEN_ASPEN_H
#define ASPEN_ASPEN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASPEN_ABI_VERSION 3u

/* --- errors -------------------------------------------------------------------------------------------------------------------- */

typedef struct aspen_error aspen_error_t;

/* Values of sycl::errc; ASPEN_ERRC_* and the C++ enumerators are the same numbers. */
typedef enum aspen_errc {
  ASPEN_ERRC_SUCCESS = 0,
  ASPEN_ERRC_RUNTIME = 1,
  ASPEN_ERRC_KERNEL = 2,
  ASPEN_ERRC_ACCESSOR = 3,
  ASPEN_ERRC_ND_RANGE = 4,
  ASPEN_ERRC_EVENT = 5,
  ASPEN_ERRC_KERNEL_ARGUMENT = 6,
  ASPEN_ERRC_BUILD = 7,
  ASPEN_ERRC_INVALID = 8,
  ASPEN_ERRC_MEMORY_ALLOCATION = 9,
  ASPEN_ERRC_PLATFORM = 10,
  ASPEN_ERRC_PROFILING = 11,
  ASPEN_ERRC_FEATURE_NOT_SUPPORTED = 12,
  ASPEN_ERRC_KERNEL_NOT_SUPPORTED = 13,
  ASPEN_ERRC_BACKEND_MISMATCH = 14
} aspen_errc_t;

int aspen_error_code(const aspen_error_t *error);            /* an aspen_errc_t */
const char *aspen_error_message(const aspen_error_t *error); /* UTF-8, lives as long as the error */
void aspen_error_delete(aspen_error_t *error);               /* null is allowed */

uint32_t aspen_abi_version(void);

/* --- modules: executables and shared libraries that hold device images ---------------------------------------------------------- */

/* Written by aspen++ into every linked module that launches kernels; registered by a constructor, unregistered by a destructor. */
typedef struct aspen_module_record {
  uint32_t abi_version;     /* ASPEN_ABI_VERSION of the aspen++ that linked the module */
  uint32_t record_size;     /* sizeof(aspen_module_record_t) there */
  const char *producer;     /* "aspen++ 0.1.0" */
  const void *images_begin; /* OffloadBinary entries, as in the section .llvm.offloading */
  const void *images_end;
  const void *anchor;       /* the module's own __aspen_link_with_aspenxx: identifies the module in a launch */
} aspen_module_record_t;

void aspen_register_module(const aspen_module_record_t *record); /* keeps only the pointer; reads images when one is needed */
void aspen_unregister_module(const aspen_module_record_t *record);

/* --- platforms and devices ------------------------------------------------------------------------------------------------------ */

typedef struct aspen_platform aspen_platform_t;
typedef struct aspen_device aspen_device_t;

/* All platforms that ASPEN_DEVICE_SELECTOR admits. Fails for nonsense in the environment variables and names it. */
aspen_error_t *aspen_platforms(const aspen_platform_t *const **out, size_t *count); /* the array lives as long as the process */
const aspen_device_t *const *aspen_platform_devices(const aspen_platform_t *platform, size_t *count);
const aspen_platform_t *aspen_device_platform(const aspen_device_t *device);

typedef enum aspen_platform_info {
  ASPEN_PLATFORM_NAME = 0,
  ASPEN_PLATFORM_VENDOR = 1,
  ASPEN_PLATFORM_VERSION = 2,
  ASPEN_PLATFORM_EXTENSIONS = 3 /* of the backend's interface; names with blanks between them */
} aspen_platform_info_t;
/* Lives as long as the process. */
const char *aspen_platform_string(const aspen_platform_t *platform, aspen_platform_info_t what);

typedef enum aspen_backend { ASPEN_BACKEND_NATIVE_CPU = 0, ASPEN_BACKEND_OPENCL = 1, ASPEN_BACKEND_CUDA = 2, ASPEN_BACKEND_HIP = 3 } aspen_backend_t;
typedef enum aspen_device_type {
  ASPEN_DEVICE_TYPE_CPU = 0,
  ASPEN_DEVICE_TYPE_GPU = 1,
  ASPEN_DEVICE_TYPE_ACCELERATOR = 2,
  ASPEN_DEVICE_TYPE_CUSTOM = 3
} aspen_device_type_t;

int aspen_device_backend(const aspen_device_t *device); /* an aspen_backend_t */
int aspen_device_type(const aspen_device_t *device);    /* an aspen_device_type_t; a profile does not change it */
/* Whether the device, as the active profile presents it, has the aspect of that number. */
int aspen_device_has(const aspen_device_t *device, uint32_t aspect);
/* Whether its kernels may access memory that belongs to the other device: 1 or 0. */
int aspen_device_reaches(const aspen_device_t *device, const aspen_device_t *other);
/* Says that they are to (1) or not to any more (0). Fails with ASPEN_ERRC_INVALID if they cannot, or that was said already. */
aspen_error_t *aspen_device_reach(const aspen_device_t *device, const aspen_device_t *other, int enable);
/* The numbers of its aspects, ascending; lives as long as the process. */
const uint32_t *aspen_device_aspects(const aspen_device_t *device, size_t *count);
/* Ascending; as the active profile presents them. */
const size_t *aspen_device_sub_group_sizes(const aspen_device_t *device, size_t *count);

typedef enum aspen_device_string {
  ASPEN_DEVICE_NAME = 0,
  ASPEN_DEVICE_VENDOR = 1,
  ASPEN_DEVICE_DRIVER_VERSION = 2,
  ASPEN_DEVICE_VERSION = 3,
  ASPEN_DEVICE_BACKEND_VERSION = 4,
  ASPEN_DEVICE_SELECTOR_NAME = 5, /* "native_cpu:0" */
  ASPEN_DEVICE_EXTENSIONS = 6,    /* of the backend's interface; names with blanks between them */
  ASPEN_DEVICE_RUNS_NOTHING = 7   /* why no kernel runs there, as of a driver without SPIR-V; empty for others */
} aspen_device_string_t;
const char *aspen_device_string(const aspen_device_t *device, aspen_device_string_t what);

typedef enum aspen_device_number {
  ASPEN_DEVICE_VENDOR_ID = 0,
  ASPEN_DEVICE_MAX_COMPUTE_UNITS = 1,
  ASPEN_DEVICE_MAX_WORK_GROUP_SIZE = 2,
  ASPEN_DEVICE_MAX_WORK_ITEM_SIZE_0 = 3, /* SYCL order: of a 3-D range's first dimension */
  ASPEN_DEVICE_MAX_WORK_ITEM_SIZE_1 = 4,
  ASPEN_DEVICE_MAX_WORK_ITEM_SIZE_2 = 5,
  ASPEN_DEVICE_MAX_NUM_SUB_GROUPS = 6,
  ASPEN_DEVICE_GLOBAL_MEM_SIZE = 7,
  ASPEN_DEVICE_LOCAL_MEM_SIZE = 8,
  ASPEN_DEVICE_MAX_MEM_ALLOC_SIZE = 9,
  ASPEN_DEVICE_MAX_CLOCK_FREQUENCY_MHZ = 10,
  ASPEN_DEVICE_ADDRESS_BITS = 11,
  ASPEN_DEVICE_MEM_BASE_ADDR_ALIGN_BITS = 12,
  ASPEN_DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE = 13,
  ASPEN_DEVICE_GLOBAL_MEM_CACHE_SIZE = 14,
  ASPEN_DEVICE_MAX_PARAMETER_SIZE = 15,
  ASPEN_DEVICE_PROFILING_TIMER_RESOLUTION = 16,
  ASPEN_DEVICE_HAS_IMAGE = 17 /* 1 if the program, as far as it is registered, has an image that the device takes, whatever its kernels need */
} aspen_device_number_t;
uint64_t aspen_device_number(const aspen_device_t *device, aspen_device_number_t what);

/* Objects of the backend's own interface: cl_platform_id, cl_device_id and so on; CUdevice, CUcontext, CUstream, CUevent. */
typedef enum aspen_native {
  ASPEN_NATIVE_PLATFORM = 0,
  ASPEN_NATIVE_DEVICE = 1,
  ASPEN_NATIVE_CONTEXT = 2,
  ASPEN_NATIVE_QUEUE = 3,
  ASPEN_NATIVE_EVENT = 4,
  ASPEN_NATIVE_MEMORY = 5,
  ASPEN_NATIVE_PROGRAM = 6,
  ASPEN_NATIVE_KERNEL = 7
} aspen_native_t;
/* Of the first four; they live as long as the process. With `retain` the caller gets a reference of its own where the interface counts references (OpenCL).
 * Fails with ASPEN_ERRC_FEATURE_NOT_SUPPORTED if the backend has no such object. */
aspen_error_t *aspen_device_native(const aspen_device_t *device, aspen_native_t what, int retain, uintptr_t *out);

/* Compiles an image for the device as for a launch, and throws the result away: whether the device's compiler takes it. `blobs` are
 * OffloadBinary blobs back to back; the first image is compiled, linked with the others, from which it takes functions. Fails with
 * ASPEN_ERRC_BUILD and the compiler's words if it is not taken. No kernel runs. */
aspen_error_t *aspen_device_compile(const aspen_device_t *device, const void *blobs, size_t size);

/* --- parts of a device ---------------------------------------------------------------------------------------------------------- */

typedef enum aspen_partition {
  ASPEN_PARTITION_NONE = 0,
  ASPEN_PARTITION_EQUALLY = 1,   /* `counts`: one number, the compute units of each part */
  ASPEN_PARTITION_BY_COUNTS = 2, /* `counts`: the compute units of each part; 0 stands for no part */
  ASPEN_PARTITION_BY_NUMA = 3    /* no `counts`: a part for each node whose processors the process may use */
} aspen_partition_t;
/* Whether it can be divided that way: 1 or 0. */
int aspen_device_can_divide(const aspen_device_t *device, int how);
/* The device that it is a part of and how that was divided; null and ASPEN_PARTITION_NONE of a whole device. `how` may be null. */
const aspen_device_t *aspen_device_part_of(const aspen_device_t *device, int *how);
/* Calls `part` for each part, in order. Parts have threads of their own and live as long as the process; the same part is the same device
 * each time. Fails with ASPEN_ERRC_FEATURE_NOT_SUPPORTED, or with INVALID for more compute units than there are. */
aspen_error_t *aspen_device_divide(const aspen_device_t *device, int how, const size_t *counts, size_t count,
                                   void (*part)(const aspen_device_t *part, void *data), void *data);

/* --- queues and events ---------------------------------------------------------------------------------------------------------- */

typedef struct aspen_queue aspen_queue_t;
typedef struct aspen_event aspen_event_t;

#define ASPEN_QUEUE_IN_ORDER 1u
#define ASPEN_QUEUE_PROFILING 2u

aspen_error_t *aspen_queue_create(const aspen_device_t *device, uint32_t flags, aspen_queue_t **out);
void aspen_queue_retain(aspen_queue_t *queue);
void aspen_queue_release(aspen_queue_t *queue); /* commands go on; their events stay valid */
const aspen_device_t *aspen_queue_device(const aspen_queue_t *queue);
void aspen_queue_wait(aspen_queue_t *queue); /* until every command submitted so far is complete */
int aspen_queue_is_complete(const aspen_queue_t *queue); /* whether every command submitted so far is complete: 1 or 0 */
/* Takes the errors of completed commands that nobody has taken yet, oldest first: null when there are none left. */
aspen_error_t *aspen_queue_take_async_error(aspen_queue_t *queue);

typedef enum aspen_event_status { ASPEN_EVENT_SUBMITTED = 0, ASPEN_EVENT_RUNNING = 1, ASPEN_EVENT_COMPLETE = 2 } aspen_event_status_t;
aspen_event_t *aspen_event_create_complete(void); /* a default-constructed sycl::event */
void aspen_event_retain(aspen_event_t *event);
void aspen_event_release(aspen_event_t *event);
/* The same for whoever only keeps it for others, who retain it before they wait. In an in-order queue a command that is merely kept may be
 * found to be over as late as those behind it. */
void aspen_event_keep(aspen_event_t *event);
void aspen_event_drop(aspen_event_t *event);
int aspen_event_status(const aspen_event_t *event);
void aspen_event_wait(aspen_event_t *event);

typedef enum aspen_profiling { ASPEN_PROFILING_SUBMIT = 0, ASPEN_PROFILING_START = 1, ASPEN_PROFILING_END = 2 } aspen_profiling_t;
/* Nanoseconds of a steady clock. Waits until it is known: for the end, or where threads of the host run the command, for the start; the time
 * of their submission is known at once. Fails with ASPEN_ERRC_INVALID if its queue does not profile. */
aspen_error_t *aspen_event_profiling(aspen_event_t *event, aspen_profiling_t what, uint64_t *out);
/* The event's times become those of these commands, of which it may be one: submitted and started with the first of them, over with the last. Only
 * the first call counts, and only of a queue that profiles. */
void aspen_event_set_parts(aspen_event_t *event, aspen_event_t *const *parts, size_t count);

/* --- buffers -------------------------------------------------------------------------------------------------------------------- */

typedef struct aspen_buffer aspen_buffer_t;

typedef enum aspen_access {
  ASPEN_ACCESS_READ = 1,
  ASPEN_ACCESS_WRITE = 2,
  ASPEN_ACCESS_READ_WRITE = 3,
  /* Added to one of them in aspen_buffer_use_t: a host task finds the content where the own interface of the queue's device does. Other
   * commands do not look at it. */
  ASPEN_ACCESS_ON_DEVICE = 4
} aspen_access_t;

/* `host` may be null. With `use_host` the buffer works on that memory, which must outlive it; otherwise it copies from it. 2: nowhere else; 1:
 * it may work on a copy while accesses are checked (ASPEN_CHECK), which goes back at each host access. */
aspen_error_t *aspen_buffer_create(size_t size, size_t alignment, void *host, int use_host, aspen_buffer_t **out);
void aspen_buffer_retain(aspen_buffer_t *buffer);
void aspen_buffer_release(aspen_buffer_t *buffer); /* never blocks; memory goes when the last user is complete */
size_t aspen_buffer_size(const aspen_buffer_t *buffer); /* in bytes */
int aspen_buffer_written(const aspen_buffer_t *buffer); /* whether any command or host access that writes has been submitted */
void aspen_buffer_wait(aspen_buffer_t *buffer);    /* until no command uses it: what ~buffer does before it writes back */
/* The host memory of `use_host` 1 is to be afterwards as it was before. `how` becomes 1 if the buffer has left it (nobody had asked for an
 * address), 2 if aspen_buffer_restore_host will put back what was there (nobody had written yet, or it is little), 0 if that is lost. */
aspen_error_t *aspen_buffer_spare_host(aspen_buffer_t *buffer, int *how);
/* When no command uses the buffer: what was there goes back. Returns where the content is that was there until now, while the buffer lives;
 * null if nothing was kept. */
void *aspen_buffer_restore_host(aspen_buffer_t *buffer);
/* The address that kernels on `device` see; with a null device, the address that host tasks see. Stays the same for the buffer's life.
 * What is behind it is current only while a command or host access that uses the buffer runs there. */
aspen_error_t *aspen_buffer_address(aspen_buffer_t *buffer, const aspen_device_t *device, void **out);
/* In a host task that uses the buffer with ASPEN_ACCESS_ON_DEVICE: the object that has the content (cl_mem), which belongs to the buffer; 0
 * where the device's own interface takes the address. */
aspen_error_t *aspen_buffer_native(aspen_buffer_t *buffer, const aspen_device_t *device, uintptr_t *out);
/* For host accessors: waits until the host may access, then holds back commands that conflict, until the matching end. */
aspen_error_t *aspen_buffer_host_access_begin(aspen_buffer_t *buffer, aspen_access_t access, void **address);
void aspen_buffer_host_access_end(aspen_buffer_t *buffer, aspen_access_t access);

/* --- submission ----------------------------------------------------------------------------------------------------------------- */

typedef struct aspen_buffer_use {
  aspen_buffer_t *buffer;
  int access; /* an aspen_access_t, perhaps with ASPEN_ACCESS_ON_DEVICE */
} aspen_buffer_use_t;

/* What a command waits for and holds; a command that is refused changes none of it. */
typedef struct aspen_dependencies {
  const aspen_buffer_use_t *buffers;
  size_t buffer_count;
  aspen_event_t *const *events;
  size_t event_count;
} aspen_dependencies_t;

typedef enum aspen_launch_kind {
  ASPEN_LAUNCH_SINGLE_TASK = 0,
  ASPEN_LAUNCH_RANGE = 1,       /* parallel_for(range) */
  ASPEN_LAUNCH_ND_RANGE = 2,    /* parallel_for(nd_range) */
  ASPEN_LAUNCH_WORK_GROUPS = 3  /* parallel_for_work_group: `global` counts groups, the entry runs once a group */
} aspen_launch_kind_t;

typedef struct aspen_launch {
  uint32_t struct_size;      /* sizeof(aspen_launch_t) */
  int kind;                  /* an aspen_launch_kind_t */
  const void *module;        /* &__aspen_link_with_aspenxx */
  const char *object_tag;    /* 16 hexadecimal digits; chooses among kernels of internal linkage */
  const char *symbol;        /* __builtin_sycl_unique_stable_name of the kernel's name type */
  uint32_t dimensions;       /* 1 to 3 */
  uint64_t global[3];        /* work-items in SYCL order, from index 0 on; unused ones 1 */
  uint64_t local[3];         /* ND_RANGE: the work-group; WORK_GROUPS: the logical group (0: the device chooses); else 0 */
  uint64_t offset[3];
  uint64_t local_memory;     /* bytes of work-group local memory that accessors ask for */
  const void *closure;       /* copied before the call returns */
  uint64_t closure_size;
  uint64_t closure_alignment;
} aspen_launch_t;

/* Checks first and touches no image if the device lacks something: ASPEN_ERRC_KERNEL_NOT_SUPPORTED, ASPEN_ERRC_ND_RANGE. */
aspen_error_t *aspen_submit_kernel(aspen_queue_t *queue, const aspen_launch_t *launch, const aspen_dependencies_t *after, aspen_event_t **out);
aspen_error_t *aspen_submit_copy(aspen_queue_t *queue, void *to, const void *from, size_t size, const aspen_dependencies_t *after,
                                 aspen_event_t **out);
/* Repeats the `pattern_size` bytes of `pattern` (copied before the call returns) `count` times. */
aspen_error_t *aspen_submit_fill(aspen_queue_t *queue, void *to, const void *pattern, size_t pattern_size, size_t count,
                                 const aspen_dependencies_t *after, aspen_event_t **out);
/* Runs `task(data)` on a runtime thread. A non-null result is an asynchronous error, made by aspen_error_create. `drop(data)` is called
 * exactly once, also when the command is refused. */
aspen_error_t *aspen_submit_host_task(aspen_queue_t *queue, aspen_error_t *(*task)(void *data), void (*drop)(void *data), void *data,
                                      const aspen_dependencies_t *after, aspen_event_t **out);
aspen_error_t *aspen_submit_nothing(aspen_queue_t *queue, const aspen_dependencies_t *after, aspen_event_t **out);
/* A command that does nothing after the events it is given or, without any, after every command of the queue so far; all later commands of
 * the queue wait for it. */
aspen_error_t *aspen_submit_barrier(aspen_queue_t *queue, const aspen_dependencies_t *after, aspen_event_t **out);

/* The same in two steps, for command groups: everything is checked when a command is prepared, and it runs only if it is submitted. What
 * `aspen_prepare_*` gives is either submitted, to the same queue, or discarded; both end it, whether or not submitting succeeds. */
typedef struct aspen_prepared aspen_prepared_t;
aspen_error_t *aspen_prepare_kernel(aspen_queue_t *queue, const aspen_launch_t *launch, aspen_prepared_t **out);
aspen_error_t *aspen_prepare_copy(aspen_queue_t *queue, void *to, const void *from, size_t size, aspen_prepared_t **out);
aspen_error_t *aspen_prepare_fill(aspen_queue_t *queue, void *to, const void *pattern, size_t pattern_size, size_t count,
                                  aspen_prepared_t **out);
aspen_error_t *aspen_prepare_host_task(aspen_queue_t *queue, aspen_error_t *(*task)(void *data), void (*drop)(void *data), void *data,
                                       aspen_prepared_t **out);
aspen_error_t *aspen_submit(aspen_queue_t *queue, aspen_prepared_t *prepared, const aspen_dependencies_t *after, aspen_event_t **out);
/* Submits `count` parts of one command, at least one: each waits for the one before, and no command that uses the queue or the buffers comes in between.
 * `out` gets the events of all; the last one's is that of the command. All parts are given up, also when the command is refused. */
aspen_error_t *aspen_submit_parts(aspen_queue_t *queue, aspen_prepared_t *const *parts, size_t count, const aspen_dependencies_t *after, aspen_event_t **out);
void aspen_prepared_discard(aspen_prepared_t *prepared); /* a host task's data is dropped */
aspen_error_t *aspen_error_create(int code, const char *message);
/* Gives the error an object of the caller's, which goes with it, also to whoever takes it from a queue; `drop(object)` is called once, with the error's end,
 * or now if `error` is null. Any thread may do so. Without `object` or `drop` nothing happens. An error has one object: a second call drops the first. */
void aspen_error_attach(aspen_error_t *error, void *object, void (*drop)(void *object));
/* That object, as long as the error lives; null if it has none. */
void *aspen_error_attached(const aspen_error_t *error);

/* --- USM ------------------------------------------------------------------------------------------------------------------------ */

typedef enum aspen_usm_kind { ASPEN_USM_HOST = 0, ASPEN_USM_DEVICE = 1, ASPEN_USM_SHARED = 2, ASPEN_USM_UNKNOWN = 3 } aspen_usm_kind_t;

/* Null when there is no memory, size is 0 or `alignment` no power of two; `alignment` 0: suitable for every type. Fails with
   FEATURE_NOT_SUPPORTED without the aspect. */
aspen_error_t *aspen_usm_alloc(const aspen_device_t *device, aspen_usm_kind_t kind, size_t size, size_t alignment, void **out);
void aspen_usm_free(void *pointer); /* null is allowed */
int aspen_usm_pointer_kind(const void *pointer, const aspen_device_t **device); /* an aspen_usm_kind_t; any address inside counts */

/* --- device globals ------------------------------------------------------------------------------------------------------------- */

/* A variable of which every device has a value of its own: the address is the host's variable, which kernels know by `id`. */
typedef struct aspen_device_global {
  const void *variable;
  const char *id;          /* as in the property set "SYCL/device globals" of the module's images */
  const void *initial;     /* `size` bytes: what it is at first; inside the host's variable */
  uint64_t size;
  uint64_t in_image;       /* not 0: the value lies in the image, which has its initial value, too */
} aspen_device_global_t;

typedef struct aspen_device_globals {
  uint32_t struct_size;    /* sizeof(aspen_device_globals_t) */
  uint32_t global_size;    /* sizeof(aspen_device_global_t) */
  const void *module;      /* &__aspen_link_with_aspenxx */
  const aspen_device_global_t *globals;
  uint64_t count;
} aspen_device_globals_t;

/* Called by constructors and destructors that the compiler writes into each object that has such variables. Keeps the pointer. */
void aspen_register_device_globals(const aspen_device_globals_t *globals);
void aspen_unregister_device_globals(const aspen_device_globals_t *globals);
/* Where the device has the value of the variable, by the host's address of it. Makes the value, or loads the image that has it. Fails with
 * ASPEN_ERRC_INVALID for what is no such variable, with KERNEL_NOT_SUPPORTED if the value lies in an image and none for the device uses it. */
aspen_error_t *aspen_device_global_address(const aspen_device_t *device, const void *variable, void **out);

/* --- kernels -------------------------------------------------------------------------------------------------------------------- */

/* Whether the device can run the kernel (check of all its images; never an error for an unsupported one): 1, 0; -1: no such kernel. */
int aspen_kernel_is_supported(const aspen_device_t *device, const void *module, const char *object_tag, const char *symbol);
/* What a kernel's attributes require, 0 where they require nothing; and what it gets. */
typedef struct aspen_kernel_facts {
  uint64_t work_group_size[3]; /* in the attribute's order; dimensions that it does not name are 1 */
  uint32_t sub_group_size;
  uint32_t actual_sub_group_size; /* 0 if whoever compiles the kernel chooses */
} aspen_kernel_facts_t;
/* Loads the kernel for the device as its first launch would, with a launch's errors. `out` may be null. */
aspen_error_t *aspen_kernel_load(const aspen_device_t *device, const void *module, const char *object_tag, const char *symbol,
                                 aspen_kernel_facts_t *out);
/* The most work-items of a work-group of the kernel: the device's limit, or less where the kernel has one of its own. Loads it likewise. */
aspen_error_t *aspen_kernel_max_work_group_size(const aspen_device_t *device, const void *module, const char *object_tag, const char *symbol,
                                                uint64_t *out);
/* Symbols of all kernels of all registered modules, sorted, each once. The array lives until the next call on the same thread. */
const char *const *aspen_kernel_symbols(size_t *count);
/* What launches call a kernel. The tag is that of the object that has the kernel for itself, "" if all objects share it. */
typedef struct aspen_kernel_name {
  const char *symbol;
  const char *object_tag;
} aspen_kernel_name_t;
/* All of them likewise: objects that each have a kernel of one symbol have one each. */
const aspen_kernel_name_t *aspen_kernels(size_t *count);
/* Whether the object has the kernel for itself: 1, 0. Others have another one of that symbol, or none. */
int aspen_kernel_is_internal(const char *object_tag, const char *symbol);

/* --- objects of a backend's own interface ---------------------------------------------------------------------------------------- */

/* Handles belong to the interface of the backend of `device` and must be alive; for CUDA and HIP, which count no references, retaining and
 * releasing do nothing. `context` 0 is the runtime's own. All fail with ASPEN_ERRC_FEATURE_NOT_SUPPORTED if the backend has no such objects,
 * and with ASPEN_ERRC_INVALID if the driver does not know a handle. */
int aspen_error_native(const aspen_error_t *error); /* the driver's number of the error (cl_int, CUresult); 0 if it is none */
aspen_error_t *aspen_native_retain(const aspen_device_t *device, aspen_native_t what, uintptr_t handle);
void aspen_native_release(const aspen_device_t *device, aspen_native_t what, uintptr_t handle);
aspen_error_t *aspen_native_references(const aspen_device_t *device, aspen_native_t what, uintptr_t handle, uint32_t *out);
aspen_error_t *aspen_native_is_in(const aspen_device_t *device, uintptr_t context, int *out); /* whether the context has the device */

/* What the interface says of the device (clGetDeviceInfo): how many bytes the answer has, 0 if there is none. It is written to `out`, unless
 * that is null or has less than those. */
size_t aspen_native_device_info(const aspen_device_t *device, uint32_t what, void *out, size_t size);

typedef struct aspen_native_queue {
  uintptr_t device;
  uintptr_t context;
  int in_order;
  int profiling;
} aspen_native_queue_t;
aspen_error_t *aspen_native_queue(const aspen_device_t *device, uintptr_t queue, aspen_native_queue_t *out);
/* Once a queue, before its first command: what aspen_queue_native gives from now on. `native` 0: a queue is made in that context. Commands
 * wait for all that is in a `native` that keeps its order when they are submitted; it does not wait for them. */
aspen_error_t *aspen_queue_bind_native(aspen_queue_t *queue, uintptr_t context, uintptr_t native);
aspen_error_t *aspen_queue_native(aspen_queue_t *queue, aspen_native_t what, int retain, uintptr_t *out); /* else the device's */

/* An event that is complete when all of these are; whether they failed nobody is told. */
aspen_error_t *aspen_event_of_native(const aspen_device_t *device, const uintptr_t *events, size_t count, aspen_event_t **out);
/* The interface's event of a command, the same each time. On CUDA and HIP the call waits for the command. */
aspen_error_t *aspen_event_native(aspen_event_t *event, const aspen_device_t *device, uintptr_t context, int retain, uintptr_t *out);

/* A buffer of `size` bytes over memory of that context, which has the content when `after` (or null) is complete, and gets it back by
 * aspen_buffer_settle_native: when no command uses the buffer, in a host access that reads. */
aspen_error_t *aspen_buffer_of_native(const aspen_device_t *device, uintptr_t context, uintptr_t memory, const aspen_event_t *after, size_t *size,
                                      aspen_buffer_t **out);
aspen_error_t *aspen_buffer_settle_native(aspen_buffer_t *buffer, const aspen_device_t *device, uintptr_t context);
/* aspen_buffer_native for tasks of `queue`: memory of its context. */
aspen_error_t *aspen_buffer_native_on(aspen_buffer_t *buffer, aspen_queue_t *queue, uintptr_t *out);
/* All memory of the interface's that the buffer has on the device by now: writes at most `capacity` handles, returns how many there are. */
size_t aspen_buffer_natives(const aspen_buffer_t *buffer, const aspen_device_t *device, uintptr_t *out, size_t capacity);

/* `state`: 0 not compiled, 1 compiled, 2 linked, as sycl::bundle_state. */
aspen_error_t *aspen_native_program(const aspen_device_t *device, uintptr_t program, int *state, uintptr_t *context);
/* Compiles and links programs of one context until they are in that state. The result, one of them or another, has a reference for the
 * caller. Fails with ASPEN_ERRC_BUILD and the compiler's words. */
aspen_error_t *aspen_native_build(const aspen_device_t *device, const uintptr_t *programs, size_t count, int state, uintptr_t *out);

typedef struct aspen_native_kernel {
  uintptr_t context;
  uintptr_t program;
  uint64_t max_work_group_size;
  uint64_t work_group_size[3]; /* what it was compiled for, in SYCL order; zeros for any */
  uint64_t preferred_multiple;
  uint64_t private_memory; /* bytes of a work-item */
  uint32_t arguments;
} aspen_native_kernel_t;
aspen_error_t *aspen_native_kernel(const aspen_device_t *device, uintptr_t kernel, aspen_native_kernel_t *out);
/* Calls `take` once with the attributes that the kernel's source has; the text is `size` bytes and has no NUL. */
aspen_error_t *aspen_native_kernel_attributes(const aspen_device_t *device, uintptr_t kernel, void (*take)(const char *text, size_t size, void *data),
                                              void *data);
/* A kernel of the program's images, or its program, in the interface: with a reference for the caller. Loads it as a launch would. */
aspen_error_t *aspen_kernel_native(const aspen_device_t *device, const void *module, const char *object_tag, const char *symbol,
                                   aspen_native_t what, uintptr_t *out);

typedef enum aspen_native_argument_kind {
  ASPEN_ARGUMENT_BYTES = 0,   /* `size` bytes of `data`, copied before the call returns */
  ASPEN_ARGUMENT_LOCAL = 1,   /* `size` bytes of local memory */
  ASPEN_ARGUMENT_POINTER = 2, /* `data` is an address of USM */
  ASPEN_ARGUMENT_BUFFER = 3   /* `size` bytes of `buffer` from `offset` on, which the command uses with ASPEN_ACCESS_ON_DEVICE */
} aspen_native_argument_kind_t;
typedef struct aspen_native_argument {
  uint32_t index;
  int kind; /* an aspen_native_argument_kind_t */
  const void *data;
  size_t size;
  aspen_buffer_t *buffer;
  size_t offset;
} aspen_native_argument_t;
typedef struct aspen_native_launch {
  uint32_t struct_size; /* sizeof(aspen_native_launch_t) */
  uint32_t dimensions;  /* 1 to 3 */
  uintptr_t kernel;
  uint64_t global[3];
  uint64_t local[3]; /* zeros: the driver chooses */
  uint64_t offset[3];
  const aspen_native_argument_t *arguments; /* those that are not here stay as the program has set them */
  size_t argument_count;
} aspen_native_launch_t;
/* As aspen_prepare_kernel. A thread of the runtime waits for the kernel. */
aspen_error_t *aspen_prepare_native_kernel(aspen_queue_t *queue, const aspen_native_launch_t *launch, aspen_prepared_t **out);

#ifdef __cplusplus
}
#endif
#endif
