/* What devices say, what they refuse and why, and which image is taken. */
#include "harness.h"

static aspen_queue_t *new_queue(void) {
  aspen_queue_t *queue;
  OK(aspen_queue_create(first_device(), 0, &queue));
  return queue;
}

/* Prints the facts in a form that the test compares. */
static void devices(int argc, char **argv) {
  (void)argc, (void)argv;
  const aspen_platform_t *const *platforms;
  size_t count, devices, length;
  aspen_error_t *error = aspen_platforms(&platforms, &count);
  if (error) {
    printf("error %d: %s\n", aspen_error_code(error), aspen_error_message(error));
    aspen_error_delete(error);
    return;
  }
  printf("platforms %zu\n", count);
  for (size_t p = 0; p < count; p++) {
    CHECK(aspen_platform_string(platforms[p], ASPEN_PLATFORM_NAME)[0] && aspen_platform_string(platforms[p], ASPEN_PLATFORM_VENDOR)[0]);
    CHECK(aspen_platform_string(platforms[p], ASPEN_PLATFORM_VERSION)[0] && !aspen_platform_string(platforms[p], (aspen_platform_info_t)9)[0]);
    const aspen_device_t *const *list = aspen_platform_devices(platforms[p], &devices);
    for (size_t d = 0; d < devices; d++) {
      const aspen_device_t *device = list[d];
      CHECK(aspen_device_platform(device) == platforms[p]);
      printf("%s backend %d type %d name '%s'\naspects", aspen_device_string(device, ASPEN_DEVICE_SELECTOR_NAME), aspen_device_backend(device),
             aspen_device_type(device), aspen_device_string(device, ASPEN_DEVICE_NAME));
      const uint32_t *aspects = aspen_device_aspects(device, &length);
      for (size_t a = 0; a < length; a++) {
        CHECK(aspen_device_has(device, aspects[a]) && (a == 0 || aspects[a - 1] < aspects[a]));
        printf(" %u", aspects[a]);
      }
      CHECK(!aspen_device_has(device, 77777));
      printf("\nsub-groups");
      const size_t *sizes = aspen_device_sub_group_sizes(device, &length);
      for (size_t s = 0; s < length; s++) printf(" %zu", sizes[s]);
      printf("\n");
      CHECK(aspen_device_number(device, ASPEN_DEVICE_MAX_WORK_GROUP_SIZE) == 8192);
      for (int n = ASPEN_DEVICE_MAX_WORK_ITEM_SIZE_0; n <= ASPEN_DEVICE_MAX_WORK_ITEM_SIZE_2; n++)
        CHECK(aspen_device_number(device, (aspen_device_number_t)n) == 8192);
      CHECK(aspen_device_number(device, ASPEN_DEVICE_MAX_COMPUTE_UNITS) > 0 && aspen_device_number(device, ASPEN_DEVICE_GLOBAL_MEM_SIZE) > 0);
      CHECK(aspen_device_number(device, ASPEN_DEVICE_LOCAL_MEM_SIZE) == 256 << 10 && aspen_device_number(device, ASPEN_DEVICE_ADDRESS_BITS) == 64);
      CHECK(aspen_device_number(device, ASPEN_DEVICE_PROFILING_TIMER_RESOLUTION) == 1 && aspen_device_number(device, (aspen_device_number_t)99) == 0);
      CHECK(aspen_device_string(device, ASPEN_DEVICE_RUNS_NOTHING)[0] == 0);
      CHECK(aspen_device_string(device, ASPEN_DEVICE_VENDOR)[0] && aspen_device_string(device, ASPEN_DEVICE_DRIVER_VERSION)[0]);
      CHECK(aspen_device_string(device, ASPEN_DEVICE_VERSION)[0] && aspen_device_string(device, ASPEN_DEVICE_BACKEND_VERSION)[0]);
    }
  }
}

/* Launches `_ZTS5which` of a symbol's suffix and prints its number, or the refusal. Arguments: suffix, kind (task, range, nd), global and
 * local sizes as 4x8, object tag. */
static void which(int argc, char **argv) {
  CHECK(argc == 5);
  char symbol[128];
  snprintf(symbol, sizeof symbol, "_ZTS5which%s", argv[0]);
  int value = -1;
  struct { int *out; } closure = {&value};
  aspen_launch_t launch = task_of(symbol, &closure, sizeof closure);
  launch.kind = !strcmp(argv[1], "task") ? ASPEN_LAUNCH_SINGLE_TASK : !strcmp(argv[1], "range") ? ASPEN_LAUNCH_RANGE : ASPEN_LAUNCH_ND_RANGE;
  launch.dimensions = (uint32_t)sscanf(argv[2], "%lux%lux%lu", &launch.global[0], &launch.global[1], &launch.global[2]);
  sscanf(argv[3], "%lux%lux%lu", &launch.local[0], &launch.local[1], &launch.local[2]);
  launch.object_tag = argv[4];
  aspen_queue_t *q = new_queue();
  aspen_event_t *event;
  int supported = aspen_kernel_is_supported(first_device(), &module_anchor, argv[4], symbol);
  for (int round = 0; round < 2; round++) { /* a refusal is the same each time */
    aspen_error_t *error = aspen_submit_kernel(q, &launch, NULL, &event);
    if (error) {
      printf("supported %d error %d: %s\n", supported, aspen_error_code(error), aspen_error_message(error));
      aspen_error_delete(error);
    } else {
      aspen_event_wait(event);
      aspen_event_release(event);
      printf("supported %d value %x\n", supported, (unsigned)value);
    }
  }
  aspen_queue_release(q);
}

/* Arguments: how many kernels `_ZTS5which` there are in images of their own. */
static void many_images(int argc, char **argv) {
  CHECK(argc == 1);
  aspen_queue_t *q = new_queue();
  int images = atoi(argv[0]);
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < images; i++) {
      char tag[32];
      snprintf(tag, sizeof tag, "%016x", (unsigned)i);
      int value = -1;
      struct { int *out; } closure = {&value};
      aspen_launch_t launch = task_of("_ZTS5which", &closure, sizeof closure);
      launch.object_tag = tag;
      run(q, &launch);
      CHECK(value == i + 1000);
    }
  size_t count;
  const char *const *symbols = aspen_kernel_symbols(&count);
  CHECK(count == 1 && !strcmp(symbols[0], "_ZTS5which"));
  const aspen_kernel_name_t *kernels = aspen_kernels(&count);
  CHECK(count == (size_t)images);
  for (int i = 0; i < images; i++) {
    char tag[32];
    snprintf(tag, sizeof tag, "%016x", (unsigned)i);
    CHECK(!strcmp(kernels[i].symbol, "_ZTS5which") && !strcmp(kernels[i].object_tag, tag));
    CHECK(aspen_kernel_is_internal(tag, "_ZTS5which") == 1 && aspen_kernel_is_internal(tag, "_ZTS5other") == 0);
  }
  CHECK(aspen_kernel_is_internal("", "_ZTS5which") == 0 && aspen_kernel_is_internal(NULL, NULL) == 0);
  aspen_queue_release(q);
}

/* Arguments: a second module. Its kernels come after the launching module's, and go with it. */
static void modules(int argc, char **argv) {
  CHECK(argc == 1);
  static const char other = 0;
  aspen_queue_t *q = new_queue();
  int value = 0;
  struct { int *out; } closure = {&value};
  aspen_launch_t own = task_of("_ZTS5which", &closure, sizeof closure), foreign = own, only_there = own;
  only_there.symbol = "_ZTS5which_there";
  foreign.module = &other;
  run(q, &own);
  int first = value;
  run(q, &foreign); /* not registered yet: the image of any module serves */
  CHECK(value == first);
  /* A module with images that lack a kernel of its own was linked for other devices only. */
  FAILS(ASPEN_ERRC_KERNEL_NOT_SUPPORTED, aspen_submit_kernel(q, &only_there, NULL, NULL));
  CHECK(aspen_kernel_is_supported(first_device(), &module_anchor, "", "_ZTS5which_there") == 0);
  aspen_module_record_t *second = load_module(argv[0], &other);
  run(q, &own);
  CHECK(value == first);
  run(q, &foreign);
  CHECK(value != first);
  int there = value;
  run(q, &only_there);
  CHECK(value == there && aspen_kernel_is_supported(first_device(), &module_anchor, "", "_ZTS5which_there") == 1);
  size_t count, less;
  aspen_kernel_symbols(&count);
  aspen_unregister_module(second);
  aspen_kernel_symbols(&less);
  CHECK(less == count - 1);
  FAILS(ASPEN_ERRC_KERNEL_NOT_SUPPORTED, aspen_submit_kernel(q, &only_there, NULL, NULL));
  run(q, &foreign);
  CHECK(value == first);
  aspen_module_record_t old = {ASPEN_ABI_VERSION + 1, sizeof old, "a later aspen++", NULL, NULL, &other};
  aspen_register_module(&old); /* says so on standard error, and registers nothing */
  aspen_register_module(NULL);
  aspen_queue_release(q);
}

/* Wrong use of the functions: errors, never a crash. */
static void misuse(int argc, char **argv) {
  (void)argc, (void)argv;
  CHECK(aspen_abi_version() == ASPEN_ABI_VERSION);
  aspen_error_delete(NULL), aspen_queue_release(NULL), aspen_event_release(NULL), aspen_buffer_release(NULL), aspen_usm_free(NULL);
  aspen_queue_wait(NULL), aspen_event_wait(NULL), aspen_buffer_wait(NULL), aspen_buffer_host_access_end(NULL, ASPEN_ACCESS_READ);
  CHECK(aspen_error_code(NULL) == ASPEN_ERRC_SUCCESS && !aspen_error_message(NULL)[0] && !aspen_queue_take_async_error(NULL));
  CHECK(!aspen_device_platform(NULL) && !aspen_queue_device(NULL) && aspen_event_status(NULL) == ASPEN_EVENT_COMPLETE);
  CHECK(aspen_kernel_is_supported(NULL, NULL, NULL, NULL) == -1);
  aspen_error_t *made = aspen_error_create(ASPEN_ERRC_BUILD, "words");
  CHECK(!strcmp(FAILS(ASPEN_ERRC_BUILD, made), "words"));
  aspen_queue_t *q = new_queue(), *none;
  FAILS(ASPEN_ERRC_INVALID, aspen_queue_create(NULL, 0, &none));
  FAILS(ASPEN_ERRC_INVALID, aspen_queue_create(first_device(), 64, &none));
  FAILS(ASPEN_ERRC_INVALID, aspen_submit_kernel(q, NULL, NULL, NULL));
  FAILS(ASPEN_ERRC_INVALID, aspen_submit_nothing(NULL, NULL, NULL));
  aspen_launch_t launch = task_of("_ZTS5which", NULL, 0);
  launch.dimensions = 4;
  CHECK(strstr(FAILS(ASPEN_ERRC_INVALID, aspen_submit_kernel(q, &launch, NULL, NULL)), "4 dimensions"));
  launch.dimensions = 1, launch.struct_size = 8;
  CHECK(strstr(FAILS(ASPEN_ERRC_INVALID, aspen_submit_kernel(q, &launch, NULL, NULL)), "struct_size"));
  launch.struct_size = sizeof launch, launch.closure_size = 8;
  CHECK(strstr(FAILS(ASPEN_ERRC_INVALID, aspen_submit_kernel(q, &launch, NULL, NULL)), "`closure` is null"));
  launch.closure_size = 0, launch.closure_alignment = 3;
  FAILS(ASPEN_ERRC_INVALID, aspen_submit_kernel(q, &launch, NULL, NULL));
  launch.closure_alignment = 1, launch.symbol = NULL;
  FAILS(ASPEN_ERRC_INVALID, aspen_submit_kernel(q, &launch, NULL, NULL));
  launch.symbol = "_ZTS7missing";
  CHECK(strstr(FAILS(ASPEN_ERRC_BUILD, aspen_submit_kernel(q, &launch, NULL, NULL)), "'_ZTS7missing'"));
  aspen_dependencies_t broken = {NULL, 1, NULL, 0};
  FAILS(ASPEN_ERRC_INVALID, aspen_submit_nothing(q, &broken, NULL));
  aspen_launch_t local = nd_of("_ZTS6reduce", 8, 8, NULL, 0);
  local.local_memory = 1 << 20;
  CHECK(strstr(FAILS(ASPEN_ERRC_MEMORY_ALLOCATION, aspen_submit_kernel(q, &local, NULL, NULL)), "1048576 bytes of local memory"));

  void *memory, *inside;
  const aspen_device_t *owner = NULL;
  for (int kind = ASPEN_USM_HOST; kind <= ASPEN_USM_SHARED; kind++) {
    OK(aspen_usm_alloc(first_device(), (aspen_usm_kind_t)kind, 1000, 4096, &memory));
    CHECK((uintptr_t)memory % 4096 == 0);
    inside = (char *)memory + 999;
    CHECK(aspen_usm_pointer_kind(inside, &owner) == kind && owner == first_device());
    CHECK(aspen_usm_pointer_kind((char *)memory + 1000, NULL) == ASPEN_USM_UNKNOWN);
    aspen_usm_free(memory);
    CHECK(aspen_usm_pointer_kind(inside, NULL) == ASPEN_USM_UNKNOWN);
  }
  OK(aspen_usm_alloc(first_device(), ASPEN_USM_DEVICE, 0, 0, &memory));
  CHECK(!memory);
  OK(aspen_usm_alloc(first_device(), ASPEN_USM_DEVICE, (size_t)1 << 62, 0, &memory));
  CHECK(!memory);
  OK(aspen_usm_alloc(first_device(), ASPEN_USM_DEVICE, 8, 3, &memory)); /* as aligned_alloc has it */
  CHECK(!memory);
  FAILS(ASPEN_ERRC_INVALID, aspen_usm_alloc(first_device(), ASPEN_USM_UNKNOWN, 8, 8, &memory));
  aspen_queue_release(q);
}

const struct scenario device_scenarios[] = {{"devices", devices}, {"which", which},   {"many_images", many_images},
                                            {"modules", modules}, {"misuse", misuse}, {NULL, NULL}};
