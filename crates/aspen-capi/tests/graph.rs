//! The order of commands through the C ABI, on 1, 2 and 16 threads.

mod support;

use support::{clang_program, command, module, passes, plain_image};

#[test]
fn commands_run_in_the_order_that_events_queues_and_buffers_ask_for() {
    let module = module("graph.bin", &[plain_image()]);
    for threads in ["1", "2", "16"] {
        for scenario in ["order", "buffers", "host_tasks", "concurrency", "exit_early"] {
            passes(command(clang_program(), &module, &[scenario]).env("ASPEN_CPU_THREADS", threads));
        }
    }
}
