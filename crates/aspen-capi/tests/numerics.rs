//! Kernels through the C ABI: numbers are right on 1, 2 and 16 threads and for every sub-group size.

mod support;

use aspen_contract::Requirements;
use support::{clang_program, command, image, kernel, module, passes, plain_image, scratch, shared_object};

const THREADS: [&str; 3] = ["1", "2", "16"];

#[test]
fn every_kind_of_launch_on_any_number_of_threads() {
    let module = module("numerics.bin", &[plain_image()]);
    for threads in THREADS {
        for scenario in ["tasks_and_ranges", "barriers", "ids"] {
            passes(command(clang_program(), &module, &[scenario]).env("ASPEN_CPU_THREADS", threads));
        }
    }
}

#[test]
fn lanes_of_every_sub_group_size_exchange_values() {
    let mut images = vec![plain_image()];
    for size in [4, 8, 16, 32, 64] {
        let suffix = format!("_{size}");
        let requirements = Requirements { reqd_sub_group_size: Some(size), ..Requirements::default() };
        let symbol = format!("_ZTS8exchange{suffix}");
        let builder = image(&format!("sub_{size}")).requirements(&requirements).kernel(kernel(&symbol, "exchange"), Vec::new());
        images.push(builder.to_bytes(&shared_object(&suffix)).expect("the image can be written"));
    }
    let module = module("sub_groups.bin", &images);
    for threads in THREADS {
        for size in ["4", "8", "16", "32", "64"] {
            let suffix = format!("_{size}");
            let mut command = command(clang_program(), &module, &["sub_groups", size, &suffix]);
            // Nothing else lists 64.
            if size == "64" {
                command.env("ASPEN_CPU_SUB_GROUP_SIZE", size);
            }
            passes(command.env("ASPEN_CPU_THREADS", threads));
        }
        for (wish, size) in [("", "32"), ("32", "32"), ("64", "64")] {
            let mut command = command(clang_program(), &module, &["sub_groups", size, ""]);
            passes(command.env("ASPEN_CPU_THREADS", threads).env("ASPEN_CPU_SUB_GROUP_SIZE", wish));
        }
    }
    // A profile suggests its own sizes to kernels that require none.
    let config = scratch().join("sizes.yaml");
    for (listed, size) in [("[2]", "2"), ("[8, 32]", "32"), ("[8, 16]", "16"), ("[64]", "64"), ("[32, 64]", "32")] {
        std::fs::write(&config, format!("odd:\n  aspects: []\n  sub-group-sizes: {listed}\n")).expect("writable");
        let mut command = command(clang_program(), &module, &["sub_groups", size, ""]);
        passes(command.env("ASPEN_DEVICE_PROFILE", "odd").env("ASPEN_DEVICE_CONFIG_FILE", &config));
    }
}

#[test]
fn launches_cost_microseconds() {
    let module = module("overhead.bin", &[plain_image()]);
    println!("{}", passes(&mut command(clang_program(), &module, &["overhead"])));
}
