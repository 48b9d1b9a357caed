/* What all ABI test programs share: a module made of a file of images, launches in one line, checks that say where they failed. */
#ifndef ASPEN_TEST_HARNESS_H
#define ASPEN_TEST_HARNESS_H

#include <aspen/aspen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x)                                                            \
  do {                                                                      \
    if (!(x)) {                                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);               \
      exit(1);                                                              \
    }                                                                       \
  } while (0)

/* Fails the test with the error's text if there is one. */
#define OK(call) expect_success((call), __FILE__, __LINE__)
void expect_success(aspen_error_t *error, const char *file, int line);

/* The call must fail with that code; returns the message, which lives until the next call. */
#define FAILS(code, call) expect_failure((code), (call), __FILE__, __LINE__)
const char *expect_failure(aspen_errc_t code, aspen_error_t *error, const char *file, int line);

/* Reads a file of images and registers it as a module; `anchor` identifies it. */
aspen_module_record_t *load_module(const char *path, const void *anchor);

extern const char module_anchor; /* the module of the test's first argument */
const aspen_device_t *first_device(void);

aspen_launch_t launch_of(const char *symbol, aspen_launch_kind_t kind, const void *closure, size_t size);
aspen_launch_t task_of(const char *symbol, const void *closure, size_t size);
aspen_launch_t range_of(const char *symbol, uint64_t items, const void *closure, size_t size);
aspen_launch_t nd_of(const char *symbol, uint64_t items, uint64_t local, const void *closure, size_t size);

/* Submits without dependencies, waits, and lets go of the event. */
void run(aspen_queue_t *queue, const aspen_launch_t *launch);

struct scenario {
  const char *name;
  void (*run)(int argc, char **argv);
};
extern const struct scenario basic_scenarios[];  /* ended by a null name */
extern const struct scenario graph_scenarios[];
extern const struct scenario device_scenarios[];

#endif
