/* The main program of the ABI tests: PROGRAM IMAGES SCENARIO [ARGUMENT…]. Also the second translation unit that includes aspen.h. */
#include "harness.h"

const char module_anchor = 0;

void expect_success(aspen_error_t *error, const char *file, int line) {
  if (!error) return;
  fprintf(stderr, "%s:%d: error %d: %s\n", file, line, aspen_error_code(error), aspen_error_message(error));
  exit(1);
}

const char *expect_failure(aspen_errc_t code, aspen_error_t *error, const char *file, int line) {
  static char message[8192];
  if (!error) {
    fprintf(stderr, "%s:%d: no error\n", file, line);
    exit(1);
  }
  if (aspen_error_code(error) != (int)code) {
    fprintf(stderr, "%s:%d: error %d, not %d: %s\n", file, line, aspen_error_code(error), (int)code, aspen_error_message(error));
    exit(1);
  }
  snprintf(message, sizeof message, "%s", aspen_error_message(error));
  aspen_error_delete(error);
  return message;
}

aspen_module_record_t *load_module(const char *path, const void *anchor) {
  FILE *file = fopen(path, "rb");
  CHECK(file);
  CHECK(fseek(file, 0, SEEK_END) == 0);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *bytes = aligned_alloc(64, (size + 64) / 64 * 64);
  CHECK(bytes && fread(bytes, 1, size, file) == size);
  fclose(file);
  aspen_module_record_t *record = malloc(sizeof *record);
  CHECK(record);
  *record = (aspen_module_record_t){ASPEN_ABI_VERSION, sizeof *record, "tests/abi", bytes, bytes + size, anchor};
  aspen_register_module(record);
  return record;
}

const aspen_device_t *first_device(void) {
  const aspen_platform_t *const *platforms;
  size_t count;
  OK(aspen_platforms(&platforms, &count));
  CHECK(count == 1);
  const aspen_device_t *const *devices = aspen_platform_devices(platforms[0], &count);
  CHECK(count == 1);
  return devices[0];
}

aspen_launch_t launch_of(const char *symbol, aspen_launch_kind_t kind, const void *closure, size_t size) {
  aspen_launch_t launch = {0};
  launch.struct_size = sizeof launch;
  launch.kind = kind;
  launch.module = &module_anchor;
  launch.object_tag = "0123456789abcdef";
  launch.symbol = symbol;
  launch.dimensions = 1;
  for (int d = 0; d < 3; d++) launch.global[d] = 1;
  launch.closure = closure;
  launch.closure_size = size;
  launch.closure_alignment = 8;
  return launch;
}

aspen_launch_t task_of(const char *symbol, const void *closure, size_t size) {
  return launch_of(symbol, ASPEN_LAUNCH_SINGLE_TASK, closure, size);
}

aspen_launch_t range_of(const char *symbol, uint64_t items, const void *closure, size_t size) {
  aspen_launch_t launch = launch_of(symbol, ASPEN_LAUNCH_RANGE, closure, size);
  launch.global[0] = items;
  return launch;
}

aspen_launch_t nd_of(const char *symbol, uint64_t items, uint64_t local, const void *closure, size_t size) {
  aspen_launch_t launch = launch_of(symbol, ASPEN_LAUNCH_ND_RANGE, closure, size);
  launch.global[0] = items;
  launch.local[0] = local;
  launch.local[1] = launch.local[2] = 1;
  return launch;
}

void run(aspen_queue_t *queue, const aspen_launch_t *launch) {
  aspen_event_t *event;
  OK(aspen_submit_kernel(queue, launch, NULL, &event));
  aspen_event_wait(event);
  CHECK(aspen_event_status(event) == ASPEN_EVENT_COMPLETE);
  aspen_event_release(event);
}

static int attempt(const struct scenario *list, int argc, char **argv) {
  for (; list->name; list++)
    if (!strcmp(list->name, argv[2])) {
      list->run(argc - 3, argv + 3);
      return 1;
    }
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  if (strcmp(argv[1], "-")) load_module(argv[1], &module_anchor);
  if (attempt(basic_scenarios, argc, argv) || attempt(graph_scenarios, argc, argv) || attempt(device_scenarios, argc, argv)) {
    puts("passed");
    return 0;
  }
  fprintf(stderr, "no scenario %s\n", argv[2]);
  return 2;
}
