/* The graph of commands: order by events, queues and buffers, host access, host tasks, many threads at once. */
#include "harness.h"
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static aspen_queue_t *new_queue(uint32_t flags) {
  aspen_queue_t *queue;
  OK(aspen_queue_create(first_device(), flags, &queue));
  return queue;
}

struct step { long *counter; long times, plus; };

static aspen_event_t *step_after(aspen_queue_t *queue, struct step step, const aspen_dependencies_t *after) {
  aspen_launch_t launch = task_of("_ZTS4step", &step, sizeof step);
  aspen_event_t *event;
  OK(aspen_submit_kernel(queue, &launch, after, &event));
  return event;
}

/* A command that runs until *open is set. */
static aspen_event_t *gate_after(aspen_queue_t *queue, int *open, const aspen_dependencies_t *after) {
  struct { int *open; } gate = {open};
  aspen_launch_t launch = task_of("_ZTS4gate", &gate, sizeof gate);
  aspen_event_t *event;
  OK(aspen_submit_kernel(queue, &launch, after, &event));
  return event;
}

static void open_gate(int *open) { __atomic_store_n(open, 1, __ATOMIC_RELEASE); }

static void order(int argc, char **argv) {
  (void)argc, (void)argv;
  long value = 1;
  int open = 0;
  aspen_queue_t *q = new_queue(0), *in_order = new_queue(ASPEN_QUEUE_IN_ORDER);

  /* Events across queues: 1 -> 2*1+1 -> 3*3+1 -> 10+5. */
  aspen_event_t *gate = gate_after(q, &open, NULL);
  aspen_dependencies_t after = {NULL, 0, &gate, 1};
  aspen_event_t *a = step_after(in_order, (struct step){&value, 2, 1}, &after);
  after.events = &a;
  aspen_event_t *b = step_after(q, (struct step){&value, 3, 1}, &after);
  aspen_event_t *nothing;
  after.events = &b;
  OK(aspen_submit_nothing(q, &after, &nothing));
  after.events = &nothing;
  aspen_event_t *c = step_after(in_order, (struct step){&value, 1, 5}, &after);
  usleep(2000);
  CHECK(aspen_event_status(a) == ASPEN_EVENT_SUBMITTED && aspen_event_status(nothing) == ASPEN_EVENT_SUBMITTED && value == 1);
  open_gate(&open);
  aspen_event_wait(c);
  CHECK(value == 15 && aspen_event_status(gate) == ASPEN_EVENT_COMPLETE && aspen_event_status(nothing) == ASPEN_EVENT_COMPLETE);
  aspen_event_t *events[] = {gate, a, b, c, nothing};
  for (int i = 0; i < 5; i++) aspen_event_retain(events[i]), aspen_event_release(events[i]), aspen_event_release(events[i]);

  /* In-order: long chains of dependent commands behind a gate. The queue goes before its commands have run. */
  open = 0, value = 0;
  long expected = 0;
  aspen_event_release(gate_after(in_order, &open, NULL));
  for (int i = 0; i < 30000; i++) {
    aspen_event_release(step_after(in_order, (struct step){&value, 3, i}, NULL));
    expected = (long)((unsigned long)expected * 3 + (unsigned long)i);
  }
  aspen_event_t *last;
  OK(aspen_submit_nothing(in_order, NULL, &last));
  aspen_queue_release(in_order);
  open_gate(&open);
  aspen_event_wait(last);
  aspen_event_release(last);
  CHECK(value == expected);

  /* Copies and fills. */
  char data[300], copy[300];
  aspen_event_t *fill, *copied;
  OK(aspen_submit_fill(q, data, "abc", 3, 100, NULL, &fill));
  after.events = &fill;
  OK(aspen_submit_copy(q, copy, data, sizeof data, &after, &copied));
  aspen_event_wait(copied);
  for (int i = 0; i < 300; i++) CHECK(copy[i] == "abc"[i % 3]);
  aspen_event_release(fill), aspen_event_release(copied);
  OK(aspen_submit_fill(q, data, "x", 1, 300, NULL, NULL));
  OK(aspen_submit_fill(q, NULL, NULL, 0, 7, NULL, NULL));
  OK(aspen_submit_copy(q, NULL, NULL, 0, NULL, NULL));
  aspen_queue_wait(q);
  CHECK(data[0] == 'x' && data[299] == 'x');
  CHECK(strstr(FAILS(ASPEN_ERRC_INVALID, aspen_submit_copy(q, NULL, copy, 1, NULL, NULL)), "`to` is null"));

  /* In two steps: what is prepared runs when it is submitted, and not at all if it is discarded. */
  long steps = 1;
  struct step twice = {&steps, 2, 0};
  aspen_launch_t launch = task_of("_ZTS4step", &twice, sizeof twice);
  aspen_prepared_t *prepared;
  aspen_event_t *stepped;
  OK(aspen_prepare_kernel(q, &launch, &prepared));
  usleep(2000);
  CHECK(steps == 1);
  OK(aspen_submit(q, prepared, NULL, &stepped));
  aspen_event_wait(stepped), aspen_event_release(stepped);
  OK(aspen_prepare_kernel(q, &launch, &prepared));
  aspen_prepared_discard(prepared);
  OK(aspen_prepare_fill(q, data, "y", 1, 300, &prepared));
  aspen_prepared_discard(prepared);
  OK(aspen_prepare_copy(q, data, copy, 300, &prepared));
  aspen_prepared_discard(prepared);
  aspen_prepared_discard(NULL);
  aspen_queue_wait(q);
  CHECK(steps == 2 && data[0] == 'x' && data[299] == 'x');
  OK(aspen_prepare_fill(q, data, "y", 1, 300, &prepared));
  FAILS(ASPEN_ERRC_INVALID, aspen_submit(NULL, prepared, NULL, NULL)); /* it is gone all the same */
  FAILS(ASPEN_ERRC_INVALID, aspen_submit(q, NULL, NULL, NULL));
  FAILS(ASPEN_ERRC_INVALID, aspen_prepare_kernel(q, &launch, NULL));

  /* Profiling. */
  aspen_queue_t *profiled = new_queue(ASPEN_QUEUE_PROFILING);
  open = 0;
  aspen_event_t *timed = gate_after(profiled, &open, NULL);
  usleep(1000);
  open_gate(&open);
  uint64_t submit, start, end;
  OK(aspen_event_profiling(timed, ASPEN_PROFILING_SUBMIT, &submit));
  OK(aspen_event_profiling(timed, ASPEN_PROFILING_START, &start));
  OK(aspen_event_profiling(timed, ASPEN_PROFILING_END, &end));
  CHECK(0 < submit && submit <= start && start <= end && end - submit >= 1000000);
  aspen_event_t *complete = aspen_event_create_complete();
  CHECK(aspen_event_status(complete) == ASPEN_EVENT_COMPLETE);
  aspen_event_wait(complete);
  CHECK(strstr(FAILS(ASPEN_ERRC_INVALID, aspen_event_profiling(complete, ASPEN_PROFILING_END, &end)), "enable_profiling"));
  aspen_event_release(complete), aspen_event_release(timed);
  aspen_queue_release(profiled), aspen_queue_release(q);
}

static aspen_event_t *use(aspen_queue_t *queue, aspen_buffer_t *buffer, aspen_access_t access, struct step step) {
  aspen_buffer_use_t uses[] = {{buffer, (int)access}, {buffer, ASPEN_ACCESS_READ}}; /* twice: it must not wait for itself */
  aspen_dependencies_t after = {uses, 2, NULL, 0};
  return step_after(queue, step, &after);
}

static long *address_of(aspen_buffer_t *buffer) {
  void *address;
  OK(aspen_buffer_address(buffer, first_device(), &address));
  return address;
}

static void buffers(int argc, char **argv) {
  (void)argc, (void)argv;
  aspen_queue_t *q = new_queue(0), *other = new_queue(0);
  long host[64];
  for (int i = 0; i < 64; i++) host[i] = i;
  aspen_buffer_t *copy, *direct, *empty;
  OK(aspen_buffer_create(sizeof host, 8, host, 0, &copy));
  OK(aspen_buffer_create(sizeof host, 8, host, 1, &direct));
  OK(aspen_buffer_create(0, 1, NULL, 0, &empty));
  CHECK(address_of(direct) == host && address_of(copy) != host && address_of(copy)[63] == 63 && address_of(empty));
  CHECK((uintptr_t)address_of(copy) % 128 == 0);
  FAILS(ASPEN_ERRC_INVALID, aspen_buffer_create(8, 8, NULL, 1, &empty));
  FAILS(ASPEN_ERRC_INVALID, aspen_buffer_create(8, 384, NULL, 0, &empty));

  /* Host memory that is to be as it was: left before anybody asks where the buffer is, else put back. */
  int how = -1;
  aspen_buffer_t *leaves;
  OK(aspen_buffer_spare_host(direct, &how));
  CHECK(how == 2 && address_of(direct) == host);
  OK(aspen_buffer_create(sizeof host, 8, host, 1, &leaves));
  OK(aspen_buffer_spare_host(leaves, &how));
  CHECK(how == 1 && address_of(leaves) != host && address_of(leaves)[63] == 63);
  CHECK(!aspen_buffer_restore_host(leaves) && !aspen_buffer_restore_host(NULL));
  host[5] = 55;
  CHECK(((long *)aspen_buffer_restore_host(direct))[5] == 55 && host[5] == 5);
  FAILS(ASPEN_ERRC_INVALID, aspen_buffer_spare_host(NULL, &how));
  FAILS(ASPEN_ERRC_INVALID, aspen_buffer_spare_host(direct, NULL));
  aspen_buffer_release(leaves);

  /* Writers in two queues keep their order; readers run in between and all see the same value. */
  long *value = address_of(copy), seen[16] = {0};
  int open = 0;
  struct { int *open; } gate = {&open};
  aspen_launch_t hold = task_of("_ZTS4gate", &gate, sizeof gate);
  aspen_buffer_use_t write = {copy, ASPEN_ACCESS_WRITE}, read = {copy, ASPEN_ACCESS_READ};
  aspen_dependencies_t writes = {&write, 1, NULL, 0}, reads = {&read, 1, NULL, 0};
  OK(aspen_submit_kernel(q, &hold, &writes, NULL));
  *value = 1;
  for (int i = 0; i < 16; i++) {
    aspen_event_release(use(i % 2 ? q : other, copy, ASPEN_ACCESS_READ_WRITE, (struct step){value, 2, 1}));
    for (int r = 0; r < 3; r++) OK(aspen_submit_copy(r % 2 ? q : other, &seen[i], value, sizeof *value, &reads, NULL));
  }
  CHECK(*value == 1);
  open_gate(&open);
  aspen_buffer_wait(copy);
  for (int i = 0; i < 16; i++) CHECK(seen[i] == (2L << (i + 1)) - 1);

  /* A refused submit leaves no trace: the buffer is not held by the kernel that never was. */
  aspen_launch_t missing = task_of("_ZTS6absent", NULL, 0);
  FAILS(ASPEN_ERRC_KERNEL_NOT_SUPPORTED, aspen_submit_kernel(q, &missing, &writes, NULL));
  aspen_launch_t odd = nd_of("_ZTS6reduce", 65, 32, host, 16);
  FAILS(ASPEN_ERRC_ND_RANGE, aspen_submit_kernel(q, &odd, &writes, NULL));
  aspen_buffer_wait(copy);
  aspen_event_t *next = use(q, copy, ASPEN_ACCESS_READ, (struct step){&seen[0], 0, 7});
  aspen_event_wait(next);
  aspen_event_release(next);
  CHECK(seen[0] == 7);

  /* Host access waits for writers, lets readers pass and holds writers back. */
  open = 0;
  OK(aspen_submit_kernel(q, &hold, &writes, NULL));
  aspen_event_release(use(q, copy, ASPEN_ACCESS_WRITE, (struct step){value, 0, 42}));
  open_gate(&open);
  void *seen_by_host, *again;
  OK(aspen_buffer_host_access_begin(copy, ASPEN_ACCESS_READ, &seen_by_host));
  CHECK(seen_by_host == value && *value == 42);
  OK(aspen_buffer_host_access_begin(copy, ASPEN_ACCESS_READ, &again));
  aspen_event_t *reader, *writer;
  OK(aspen_submit_copy(q, &seen[1], value, sizeof *value, &reads, &reader));
  aspen_event_wait(reader);
  CHECK(seen[1] == 42);
  writer = use(q, copy, ASPEN_ACCESS_WRITE, (struct step){value, 1, 1});
  usleep(2000);
  CHECK(*value == 42 && aspen_event_status(writer) == ASPEN_EVENT_SUBMITTED);
  aspen_buffer_host_access_end(copy, ASPEN_ACCESS_READ);
  usleep(2000);
  CHECK(aspen_event_status(writer) == ASPEN_EVENT_SUBMITTED);
  aspen_buffer_host_access_end(copy, ASPEN_ACCESS_READ);
  aspen_event_wait(writer);
  CHECK(*value == 43);
  aspen_event_release(reader), aspen_event_release(writer);
  OK(aspen_buffer_host_access_begin(copy, ASPEN_ACCESS_WRITE, &again));
  reader = use(q, copy, ASPEN_ACCESS_READ, (struct step){&seen[2], 0, 1});
  usleep(2000);
  CHECK(aspen_event_status(reader) == ASPEN_EVENT_SUBMITTED);
  aspen_buffer_host_access_end(copy, ASPEN_ACCESS_WRITE);
  aspen_event_wait(reader);
  aspen_event_release(reader);
  FAILS(ASPEN_ERRC_ACCESSOR, aspen_buffer_host_access_begin(copy, (aspen_access_t)9, &again));

  /* Released while in use: the memory goes when the last command is complete. */
  open = 0;
  OK(aspen_submit_kernel(q, &hold, &writes, NULL));
  aspen_event_t *late = use(q, copy, ASPEN_ACCESS_READ_WRITE, (struct step){value, 1, 1});
  aspen_buffer_release(copy);
  open_gate(&open);
  aspen_event_wait(late);
  aspen_event_release(late);
  aspen_buffer_retain(direct), aspen_buffer_release(direct), aspen_buffer_release(direct), aspen_buffer_release(empty);
  aspen_queue_release(q), aspen_queue_release(other);
}

static int drops;
static void count_drop(void *data) { (void)data, __atomic_fetch_add(&drops, 1, __ATOMIC_SEQ_CST); }
static aspen_error_t *set_to_one(void *data) {
  *(int *)data = 1;
  return NULL;
}
static aspen_error_t *fail(void *data) {
  char text[64];
  snprintf(text, sizeof text, "task %d failed", *(int *)data);
  return aspen_error_create(ASPEN_ERRC_RUNTIME, text);
}
struct nested { aspen_queue_t *queue; long value; };
static aspen_error_t *submits_and_waits(void *data) {
  struct nested *nested = data;
  for (int i = 0; i < 10; i++) {
    aspen_event_t *a = step_after(nested->queue, (struct step){&nested->value, 2, 1}, NULL);
    aspen_dependencies_t after = {NULL, 0, &a, 1};
    aspen_event_t *b = step_after(nested->queue, (struct step){&nested->value, 1, 0}, &after);
    aspen_event_wait(b);
    aspen_event_release(a), aspen_event_release(b);
  }
  return NULL;
}

static void host_tasks(int argc, char **argv) {
  (void)argc, (void)argv;
  aspen_queue_t *q = new_queue(ASPEN_QUEUE_IN_ORDER);
  int done = 0, ids[3] = {0, 1, 2};
  OK(aspen_submit_host_task(q, set_to_one, count_drop, &done, NULL, NULL));
  aspen_queue_wait(q);
  CHECK(done == 1 && drops == 1);
  for (int i = 0; i < 3; i++) OK(aspen_submit_host_task(q, fail, count_drop, &ids[i], NULL, NULL));
  aspen_queue_wait(q);
  CHECK(drops == 4);
  for (int i = 0; i < 3; i++) {
    char text[64];
    snprintf(text, sizeof text, "task %d failed", i);
    CHECK(!strcmp(FAILS(ASPEN_ERRC_RUNTIME, aspen_queue_take_async_error(q)), text));
  }
  CHECK(!aspen_queue_take_async_error(q));
  FAILS(ASPEN_ERRC_INVALID, aspen_submit_host_task(NULL, set_to_one, count_drop, &done, NULL, NULL));
  FAILS(ASPEN_ERRC_INVALID, aspen_submit_host_task(q, NULL, count_drop, &done, NULL, NULL));
  CHECK(drops == 6);
  /* Host tasks that submit and wait, on one thread as on many: waiting helps, so nothing starves. */
  struct nested nested[20];
  aspen_queue_t *free_queue = new_queue(0);
  for (int i = 0; i < 20; i++) {
    nested[i] = (struct nested){free_queue, 0};
    OK(aspen_submit_host_task(free_queue, submits_and_waits, count_drop, &nested[i], NULL, NULL));
  }
  for (int i = 0; i < 1000; i++) { /* not by waiting: the pool's own threads must get there */
    if (__atomic_load_n(&drops, __ATOMIC_SEQ_CST) == 26) break;
    usleep(10000);
  }
  CHECK(drops == 26);
  for (int i = 0; i < 20; i++) CHECK(nested[i].value == 1023);
  aspen_queue_release(q), aspen_queue_release(free_queue);
}

struct thread { aspen_queue_t *queue; aspen_buffer_t *a, *b; int number; long out; };
static void *submitter(void *data) {
  struct thread *t = data;
  float x[1000], y[1000];
  for (int round = 0; round < 200; round++) {
    for (int i = 0; i < 1000; i++) x[i] = (float)i, y[i] = (float)round;
    struct { const float *x; float *y; float a; } saxpy = {x, y, 3.0f};
    aspen_launch_t launch = range_of("_ZTS5saxpy", 1000, &saxpy, sizeof saxpy);
    run(t->queue, &launch);
    for (int i = 0; i < 1000; i++) CHECK(y[i] == (float)round + 3.0f * (float)i);
    /* Two buffers, in an order that differs by thread: the graph must not tie itself into a knot. */
    aspen_buffer_use_t uses[] = {{t->number % 2 ? t->a : t->b, ASPEN_ACCESS_READ_WRITE}, {t->number % 2 ? t->b : t->a, ASPEN_ACCESS_READ_WRITE}};
    aspen_dependencies_t after = {uses, 2, NULL, 0};
    aspen_event_release(step_after(t->queue, (struct step){address_of(t->a), 1, 1}, &after));
    aspen_event_release(step_after(t->queue, (struct step){address_of(t->b), 1, 2}, &after));
  }
  return NULL;
}

static void concurrency(int argc, char **argv) {
  (void)argc, (void)argv;
  aspen_queue_t *out = new_queue(0), *in = new_queue(ASPEN_QUEUE_IN_ORDER);
  aspen_buffer_t *a, *b;
  OK(aspen_buffer_create(8, 8, NULL, 0, &a));
  OK(aspen_buffer_create(8, 8, NULL, 0, &b));
  pthread_t threads[8];
  struct thread data[8];
  for (int i = 0; i < 8; i++) {
    data[i] = (struct thread){i % 4 ? out : in, a, b, i, 0};
    CHECK(!pthread_create(&threads[i], NULL, submitter, &data[i]));
  }
  for (int i = 0; i < 8; i++) CHECK(!pthread_join(threads[i], NULL));
  void *address;
  OK(aspen_buffer_host_access_begin(a, ASPEN_ACCESS_READ, &address));
  CHECK(*(long *)address == 8 * 200);
  OK(aspen_buffer_host_access_begin(b, ASPEN_ACCESS_READ, &address));
  CHECK(*(long *)address == 2 * 8 * 200);
  aspen_buffer_host_access_end(a, ASPEN_ACCESS_READ), aspen_buffer_host_access_end(b, ASPEN_ACCESS_READ);
  aspen_queue_wait(out), aspen_queue_wait(in);
  aspen_buffer_release(a), aspen_buffer_release(b), aspen_queue_release(out), aspen_queue_release(in);
}

/* The program ends while commands run: no crash, no hang. */
static void exit_early(int argc, char **argv) {
  (void)argc, (void)argv;
  static int never;
  static long value;
  aspen_queue_t *q = new_queue(0);
  for (int i = 0; i < 100; i++) aspen_event_release(step_after(q, (struct step){&value, 1, 1}, NULL));
  aspen_event_release(gate_after(q, &never, NULL));
  aspen_queue_release(q);
}

const struct scenario graph_scenarios[] = {{"order", order},           {"buffers", buffers},       {"host_tasks", host_tasks},
                                           {"concurrency", concurrency}, {"exit_early", exit_early}, {NULL, NULL}};
