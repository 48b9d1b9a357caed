/* native_cpu.h: what images for the embedded CPU device and the backend promise each other.
 *
 * An image is an x86-64 shared object. For every kernel it exports one function under the kernel's symbol, of one of two types:
 *   aspen_cpu_range_entry  for ASPEN_LAUNCH_SINGLE_TASK and ASPEN_LAUNCH_RANGE: runs all work-items of the given box in a loop of its own;
 *   aspen_cpu_item_entry   for ASPEN_LAUNCH_ND_RANGE (one call a work-item) and ASPEN_LAUNCH_WORK_GROUPS (one call a work-group).
 * Both take the closure by address; it is shared by all calls and must not be written.
 *
 * Whole groups. For a kernel of ASPEN_LAUNCH_ND_RANGE an image may also export an aspen_cpu_group_t under ASPEN_CPU_GROUP "K": functions that
 * run all work-items of a group in one call, in loops, and call none of aspen_cpu_ops_t. The backend takes them where it finds them;
 * a kernel without them runs item by item. For a kernel of ASPEN_LAUNCH_RANGE whose work-items have loops of their own there may be such a
 * record too: its functions take an aspen_cpu_range_t that is never empty in place of the item, the frame is for each work-item of a row,
 * and they return 0. The backend calls them with short rows.
 *
 * Work-items of one work-group run on one thread; they switch stacks only inside the functions of aspen_cpu_ops_t. Code that keeps the
 * current item in a thread_local must therefore set it again after each of these returns. A work-item that has ended counts as arrived at
 * every later barrier of its group and sub-group.
 *
 * Calls between images. For each device function F that an image imports it exports a pointer ASPEN_CPU_IMPORT_SLOT "F", which the backend
 * fills with the address of F in the image that exports it, before anything runs. Images that import or export functions must have one
 * current item between them: those that keep one export a pointer ASPEN_CPU_ITEM_SLOT to an aspen_cpu_current_item_fn, filled likewise,
 * and use what that function's result points to instead of a thread_local of their own.
 *
 * Places. An image whose kernels run item by item may export a pointer ASPEN_CPU_PLACE_SLOT to an aspen_cpu_tell_place_fn that does nothing;
 * the backend puts its own there before anything runs. The image calls it in front of each call by which an item may come to a barrier,
 * with where that call stands, "file:line:column", a string of the image. The backend says so if the item never comes back.
 *
 * What the device has. An image whose code asks for aspects of the device (if_device_has) exports a table ASPEN_CPU_DEVICE_HAS of
 * ASPEN_CPU_ANSWERS answers; the backend writes aspen_cpu_yes for every aspect that the device has, as the active profile presents it,
 * before anything runs.
 *
 * Address spaces. An image whose code asks in which address space an address lies exports a pointer ASPEN_CPU_SPACE_SLOT to an
 * aspen_cpu_space_of_fn, null at first; the backend puts its own there before anything runs.
 */
#ifndef ASPEN_NATIVE_CPU_H
#define ASPEN_NATIVE_CPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aspen_cpu_item aspen_cpu_item_t;

typedef struct aspen_cpu_ops {
  /* Returns when every work-item of the group (of the sub-group, or of those whom `members` says) has called it or has ended. */
  void (*group_barrier)(aspen_cpu_item_t *item);
  void (*sub_group_barrier)(aspen_cpu_item_t *item);
  /* Tells that a broadcast asks for the value of a work-item that has ended, by its local linear id. Returns. */
  void (*asked_ended)(aspen_cpu_item_t *item, uint32_t local_linear_id);
} aspen_cpu_ops_t;

/* Bytes of a slot of exchange memory, for group and sub-group algorithms. A group, and a sub-group, has two for each of its work-items.
 * Behind those of the last sub-group, and before those of the first one, there is as much memory as a sub-group has. */
#define ASPEN_CPU_SLOT_SIZE 64u

struct aspen_cpu_item {
  const aspen_cpu_ops_t *ops;
  char *local_memory;     /* the work-group's, as large as the launch asked for, 128-byte aligned */
  char *group_slots;      /* two slots for each work-item of the group: one each by local linear id, then again */
  char *sub_group_slots;  /* the same of the sub-group, by lane; as many as if it were not a short one */
  /* SYCL order, right-aligned: a 1-D kernel uses index 2, a 2-D one 1 and 2; unused ranges are 1, unused ids 0. */
  uint64_t global_id[3];  /* includes the offset */
  uint64_t local_id[3];
  uint64_t group_id[3];
  uint64_t global_range[3];
  uint64_t local_range[3]; /* WORK_GROUPS: the logical local range */
  uint64_t group_range[3];
  uint64_t offset[3];
  uint32_t local_linear_id;
  uint32_t sub_group_id;
  uint32_t sub_group_count;
  uint32_t sub_group_size;     /* of this sub-group; the last one of a group may be short */
  uint32_t sub_group_max_size; /* the size of all others */
  uint32_t lane;
  void *scheduler;             /* the backend's own */
  /* For each work-item of the group, by local linear id, whether it has ended: not 0 then. Functions for whole groups know by themselves. */
  const unsigned char *ended;
  /* Whom sub_group_barrier waits for, set for one call: the lanes of these bits, which all set the same. 0: the whole sub-group. */
  uint64_t members;
  /* The part of local_memory that a launch's work_group_scratch_size stands for. Null where an item begins; the kernel's entry, which knows
   * the place, sets it. */
  char *scratch_memory;
};

/* A box of work-items, right-aligned like aspen_cpu_item. Ids run from `begin` (inclusive) to `end` (exclusive), offset included. */
typedef struct aspen_cpu_range {
  uint64_t begin[3];
  uint64_t end[3];
  uint64_t global_range[3];
  uint64_t offset[3];
} aspen_cpu_range_t;

typedef void (*aspen_cpu_range_entry)(const void *closure, const aspen_cpu_range_t *range);
typedef void (*aspen_cpu_item_entry)(const void *closure, aspen_cpu_item_t *item);

/* Runs all work-items of a group. What they have in common is in *group; its local and global ids, lane and sub_group_id mean nothing, and
 * sub_group_slots are those of the first sub-group. `frame` is memory for the time of the call. Returns 0 when all items
 * have ended. If the group can never go on, because items that have not ended wait at different barriers: the number of those, and at the
 * beginning of the frame two uint32_t, the numbers of two of these barriers from 1, or 0 where that is not known. If all
 * have ended, but a broadcast asked for the value of one that had ended before: ASPEN_CPU_ASKED_ENDED and its local linear id. If all
 * have ended, but one that did more than to end passed by a barrier at which others waited: ASPEN_CPU_SKIPPED, and at the beginning of the
 * frame the barrier's number and the local linear id of the item. */
typedef uint32_t (*aspen_cpu_group_entry)(const void *closure, const aspen_cpu_item_t *group, char *frame);

#define ASPEN_CPU_ASKED_ENDED 0x80000000u
#define ASPEN_CPU_SKIPPED 0xc0000000u

#define ASPEN_CPU_GROUP "aspen_group."
#define ASPEN_CPU_LEVELS 4u
#define ASPEN_CPU_MAY_WAIT 1u
#define ASPEN_CPU_WHOLE_BOXES 2u
#define ASPEN_CPU_JOINED 4u
typedef struct aspen_cpu_group {
  uint32_t struct_size;
  uint32_t frame_alignment; /* of the frame in bytes, a power of two */
  uint64_t frame_size; /* bytes of the frame for each work-item of the group */
  /* For processors of the x86-64 psABI's levels 1 to 4, or of the image's own level; the highest that the processor has is called. The first
   * is never null. */
  aspen_cpu_group_entry entries[ASPEN_CPU_LEVELS];
  /* Where the barriers stand, "file:line:column", by their numbers less 1; null for a barrier or for all if that is not known. Records that
   * are shorter (struct_size) do not have it. */
  const char *const *places;
  uint64_t flags; /* ASPEN_CPU_MAY_WAIT: a loop of the kernel has atomic operations, by which a group may wait for another one.
                     ASPEN_CPU_WHOLE_BOXES: the kernel is launched over a range, and its functions take boxes as its entry does; frame_size is
                     0 then, and they may be called for a part of a box, as those of other such kernels are for rows.
                     ASPEN_CPU_JOINED: items ask nothing of their group, so that groups side by side may be one for a call; frame_size is 0. */
  uint64_t work_group[3]; /* The functions are for groups of this size only, in SYCL's order; zeroes if they are for any. Where a launch has
                             another one, its items run one by one. Records that are shorter do not have it. */
} aspen_cpu_group_t;

#define ASPEN_CPU_PLACE_SLOT "aspen_cpu_tell_place"
typedef void (*aspen_cpu_tell_place_fn)(const char *place);

/* Stack. For each kernel or exported function F that needs much of it for variables, its own and those of what it calls in the image, there
 * is a uint64_t ASPEN_CPU_STACK "F": the bytes. Entries, and functions for whole groups, are called on a stack that has these and a reserve
 * for the rest. */
#define ASPEN_CPU_STACK "aspen_stack."

/* For each kernel F that comes to an end whatever else the program does, since it waits for nothing, there is a uint64_t ASPEN_CPU_PROMPT "F"
 * that is 1. Where it is known to be short, it may run on the thread that submits it, before the submission is over. */
#define ASPEN_CPU_PROMPT "aspen_prompt."

#define ASPEN_CPU_IMPORT_SLOT "aspen_import."
#define ASPEN_CPU_ITEM_SLOT "aspen_cpu_current_item"
typedef aspen_cpu_item_t **(*aspen_cpu_current_item_fn)(void); /* the calling thread's */

#define ASPEN_CPU_SPACE_SLOT "aspen_cpu_space_of"
typedef enum aspen_cpu_space { aspen_cpu_global = 0, aspen_cpu_local = 1, aspen_cpu_private = 2 } aspen_cpu_space_t;
typedef aspen_cpu_space_t (*aspen_cpu_space_of_fn)(const void *address); /* memory that the calling work-item may use */

#define ASPEN_CPU_DEVICE_HAS "aspen_cpu_device_has"
#define ASPEN_CPU_ANSWERS 2048u
/* Aspects are numbered from 0, architectures from 10000; there are fewer than 1024 of either. */
#define ASPEN_CPU_ANSWER_OF(aspect) ((aspect) < 10000u ? (aspect) & 1023u : 1024u + ((aspect) - 10000u & 1023u))
typedef enum aspen_cpu_answer { aspen_cpu_no = 0, aspen_cpu_yes = 1 } aspen_cpu_answer_t;

#ifdef __cplusplus
}
#endif
#endif
