//! Devices, profiles and selectors, refusals, and the choice of images, through the C ABI.

mod support;

use std::fs;

use aspen_contract::{Aspect, Need, Place, Requirements, Source, Step, WorkGroupSize};
use aspen_image::image::DEVICE_REQUIREMENTS;
use aspen_image::offload::parse_all;
use aspen_image::property::{PropertySet, Value, set_to_text};
use support::{clang_program, command, image, kernel, module, passes, plain_image, root, scratch, shared_object, shared_object_of};

fn no_module() -> std::path::PathBuf {
    "-".into()
}

/// What the scenario `devices` prints under these variables.
fn devices(variables: &[(&str, &str)]) -> String {
    passes(command(clang_program(), &no_module(), &["devices"]).envs(variables.iter().copied()))
}

#[test]
fn the_cpu_says_only_what_is_true() {
    let text = devices(&[]);
    assert!(text.starts_with("platforms 1\nnative_cpu:0 backend 0 type 0 name '"), "{text}");
    assert!(
        text.contains("\naspects 1 5 6 9 10 11 12 13 14 15 17 25 26 27 31 39 50 51 53 56 57 67 80 84 85 86\nsub-groups 4 8 16 32\n"),
        "{text}"
    );
}

#[test]
fn profiles_answer_for_the_device() {
    let config = scratch().join("dev.yaml");
    fs::write(&config, "little_dev:\n  aspects: [accelerator, fp16]\n  may_support_other_aspects: false\n  sub-group-sizes: [4]\nopen_dev:\n  aspects: []\n  may_support_other_aspects: true\n").expect("writable");
    let config = config.to_str().expect("UTF-8");
    let real = devices(&[]);
    let (_, name) = real.lines().nth(1).and_then(|line| line.split_once(" name ")).expect("a device");
    let open = [1, 5, 6, 9, 12, 13, 14, 15, 17, 25, 26, 27, 31, 39, 50, 51, 57];
    for (profile, kind, has, lacks, sizes) in [
        ("intel_gpu_dg1", 1, &[2, 5, 27][..], &[1, 3, 6, 31][..], "8 16 32"),
        ("intel_gpu_9_0_9", 1, &[2, 5, 6, 27], &[1, 3], "8 16 32"),
        ("intel_gpu_pvc", 1, &[2, 5, 6, 27], &[1, 3, 9], "16 32"),
        ("little_dev", 2, &[3, 5], &[1, 2, 6, 27], "4"),
        ("open_dev", 0, &open, &[2, 49], "4 8 16 32"),
    ] {
        let text = devices(&[("ASPEN_DEVICE_PROFILE", profile), ("ASPEN_DEVICE_CONFIG_FILE", config)]);
        assert!(text.contains(&format!(" type {kind} name {name}")), "the device's own facts stay, but for its kind: {text}");
        assert!(text.contains(&format!("\nsub-groups {sizes}\n")), "{profile}: {text}");
        let line = text.lines().find_map(|line| line.strip_prefix("aspects ")).expect("a line of aspects");
        let aspects: Vec<u32> = line.split(' ').map(|number| number.parse().expect("a number")).collect();
        assert!(has.iter().all(|aspect| aspects.contains(aspect)), "{profile}: {text}");
        assert!(lacks.iter().all(|aspect| !aspects.contains(aspect)), "{profile}: {text}");
    }
}

#[test]
fn nonsense_in_the_environment_is_named() {
    for (variables, words) in [
        (
            &[("ASPEN_DEVICE_PROFILE", "intel_gpu_dq1")][..],
            "ASPEN_DEVICE_PROFILE=intel_gpu_dq1: unknown target 'intel_gpu_dq1'; did you mean 'intel_gpu_dg1'?",
        ),
        (&[("ASPEN_DEVICE_PROFILE", "little_dev")], "unknown target 'little_dev'"),
        (&[("ASPEN_DEVICE_CONFIG_FILE", "nofile.yaml")], "ASPEN_DEVICE_CONFIG_FILE=nofile.yaml: No such file"),
        (&[("ASPEN_DEVICE_CONFIG_FILE", "/dev/stdin/x")], "ASPEN_DEVICE_CONFIG_FILE=/dev/stdin/x: "),
        (&[("ASPEN_DEVICE_SELECTOR", "native_cpu:warp")], "ASPEN_DEVICE_SELECTOR=native_cpu:warp: 'warp' is not a device"),
        (&[("ASPEN_CPU_THREADS", "none")], "ASPEN_CPU_THREADS=none"),
    ] {
        let text = devices(variables);
        assert!(text.starts_with("error 8: ") && text.contains(words), "{text}");
    }
    let broken = scratch().join("broken.yaml");
    fs::write(&broken, "x:\n  aspects: [fp65]\n").expect("writable");
    let text = devices(&[("ASPEN_DEVICE_CONFIG_FILE", broken.to_str().expect("UTF-8"))]);
    assert!(text.contains("error 8: ASPEN_DEVICE_CONFIG_FILE=") && text.contains("broken.yaml:2:") && text.contains("fp65"), "{text}");
    assert!(devices(&[("ASPEN_DEVICE_SELECTOR", "gpu")]).starts_with("platforms 0\n"));
    assert!(devices(&[("ASPEN_DEVICE_SELECTOR", "opencl:gpu;cpu")]).starts_with("platforms 1\n"));
}

fn needs(aspects: &[u32], sub_group: Option<u32>, work_group: &[u64]) -> Requirements {
    Requirements {
        aspects: aspects.iter().copied().map(Aspect::from_number).collect(),
        reqd_sub_group_size: sub_group,
        reqd_work_group_size: WorkGroupSize::try_from(work_group.to_vec()).ok(),
        ..Requirements::default()
    }
}

fn step(function: &str, line: u32) -> Step {
    Step { function: function.into(), place: Some(Place { file: "k.cpp".into(), line, column: 3 }), remark: None }
}

/// An image of `_ZTS5which<suffix>` that needs all that.
fn which_image(suffix: &str, requirements: &Requirements, sources: Vec<Source>) -> Vec<u8> {
    let builder = image(&format!("which{suffix}")).requirements(requirements);
    let builder = builder.kernel(kernel(&format!("_ZTS5which{suffix}"), &format!("which{suffix}")), sources);
    builder.to_bytes(&shared_object(suffix)).expect("the image can be written")
}

/// What launching that kernel says, once: it must say the same twice.
fn launch(module: &std::path::Path, arguments: [&str; 4], tag: &str, variables: &[(&str, &str)]) -> String {
    let [suffix, kind, global, local] = arguments;
    let scenario = ["which", suffix, kind, global, local, tag];
    let text = passes(command(clang_program(), module, &scenario).envs(variables.iter().copied()));
    let text = text.strip_suffix("passed\n").expect("it passed");
    let (first, second) = text.split_at(text.len() / 2);
    assert_eq!(first, second, "the second launch differs");
    first.trim_end().to_owned()
}

const RUNS: &str = "supported 1 value 600dcafe";
const DG1: &[(&str, &str)] = &[("ASPEN_DEVICE_PROFILE", "intel_gpu_dg1")];

#[test]
fn what_the_device_lacks_is_refused_with_every_reason() {
    let sources = vec![
        Source { need: Need::Aspect(Aspect::FP64), declared: false, chain: vec![step("boo", 5), step("bar", 8), step("many", 12)] },
        Source { need: Need::Aspect(Aspect::from_number(3)), declared: true, chain: vec![step("many", 11)] },
        Source { need: Need::SubGroupSize(64), declared: true, chain: vec![step("many", 10)] },
    ];
    let module = module(
        "refusals.bin",
        &[
            which_image("_dbl", &needs(&[6], None, &[]), Vec::new()),
            which_image("_many", &needs(&[3, 6], Some(64), &[]), sources),
            which_image("_new", &needs(&[103], None, &[]), Vec::new()),
            which_image("_esimd", &needs(&[49], None, &[]), Vec::new()),
            which_image("_gpu", &needs(&[2], None, &[]), Vec::new()),
            which_image("_huge", &needs(&[], None, &[65536, 32768]), Vec::new()),
        ],
    );
    let task = |suffix, variables| launch(&module, [suffix, "task", "1", "0"], "", variables);
    assert_eq!(task("_dbl", &[]), RUNS);
    assert_eq!(task("_dbl", DG1), "supported 0 error 13: kernel 'which_dbl' cannot run on 'intel_gpu_dg1':\n  needs aspect fp64");
    assert_eq!(
        launch(&module, ["_many", "nd", "64", "64"], "", DG1),
        "supported 0 error 13: kernel 'which_many' cannot run on 'intel_gpu_dg1':\n  \
         needs aspect accelerator: declared by 'many' k.cpp:11:3\n  \
         needs aspect fp64: k.cpp:5:3 in 'boo', called from 'bar' k.cpp:8:3, called from the kernel k.cpp:12:3\n  \
         needs sub-group size 64: k.cpp:10:3; the device has 8, 16, 32"
    );
    let name = devices(&[]).split('\'').nth(1).expect("the device's name").to_owned();
    assert_eq!(task("_new", &[]), format!("supported 0 error 13: kernel 'which_new' cannot run on '{name}':\n  needs aspect #103"));
    let huge = "needs work-group size 65536x32768; the device allows 8192 work-items, at most 8192x8192x8192";
    let expected = format!("supported 0 error 13: kernel 'which_huge' cannot run on '{name}':\n  {huge}");
    assert_eq!(launch(&module, ["_huge", "nd", "65536x32768", "65536x32768"], "", &[]), expected);
    // Limits that a profile leaves open are the device's own, and it is the device that refuses.
    assert_eq!(launch(&module, ["_huge", "nd", "65536x32768", "65536x32768"], "", DG1), expected);
    // A profile may have what the CPU lacks, where executing does not depend on it.
    assert_eq!(task("_gpu", DG1), RUNS);
    assert!(task("_gpu", &[]).contains("needs aspect gpu"));
    // What Aspen does not offer it does not offer there either. Source: DESIGN §7.26.
    assert_eq!(
        task("_esimd", DG1),
        "supported 0 error 13: kernel 'which_esimd' cannot run on 'intel_gpu_dg1':\n  \
         needs aspect ext_intel_esimd; the device has it, but Aspen does not offer it: its headers have no ESIMD"
    );
}

#[test]
fn a_profile_cannot_give_what_executing_needs() {
    let config = scratch().join("images.yaml");
    fs::write(&config, "imager:\n  aspects: [ext_intel_esimd]\n  sub-group-sizes: [16384]\n").expect("writable");
    let variables = [("ASPEN_DEVICE_PROFILE", "imager"), ("ASPEN_DEVICE_CONFIG_FILE", config.to_str().expect("UTF-8"))];
    let module = module("executing.bin", &[which_image("_img", &needs(&[49], Some(16384), &[]), Vec::new())]);
    let text = launch(&module, ["_img", "nd", "8", "8"], "", &variables);
    // ESIMD the profile has in vain; sub-groups of that size the device behind it cannot make.
    let expected = "kernel 'which_img' cannot run on 'imager':\n  \
                    needs aspect ext_intel_esimd; the device has it, but Aspen does not offer it: its headers have no ESIMD\n  \
                    needs sub-group size 16384; the device has 16384";
    assert_eq!(text, format!("supported 0 error 13: {expected}"));
}

#[test]
fn work_group_sizes_must_match() {
    let module = module(
        "sizes.bin",
        &[
            which_image("_32", &needs(&[], None, &[32]), Vec::new()),
            which_image("_4x8", &needs(&[], None, &[4, 8]), Vec::new()),
            which_image("_1", &needs(&[], None, &[1, 1]), Vec::new()),
            which_image("_any", &needs(&[], None, &[]), Vec::new()),
        ],
    );
    for (arguments, expected) in [
        (["_32", "nd", "64", "16"], "kernel 'which_32' has reqd_work_group_size 32 and was launched with work-groups of 16"),
        (["_32", "nd", "64x1", "32x1"], "kernel 'which_32' has reqd_work_group_size 32 and was launched with work-groups of 32x1"),
        (["_4x8", "nd", "8x8", "8x4"], "kernel 'which_4x8' has reqd_work_group_size 4x8 and was launched with work-groups of 8x4"),
        (
            ["_4x8", "range", "8x12", "0"],
            "kernel 'which_4x8' has reqd_work_group_size 4x8, which does not divide the range 8x12 that it was launched over",
        ),
        (
            ["_32", "range", "65", "0"],
            "kernel 'which_32' has reqd_work_group_size 32, which does not divide the range 65 that it was launched over",
        ),
        (
            ["_32", "range", "64x1", "0"],
            "kernel 'which_32' has reqd_work_group_size 32, which does not divide the range 64x1 that it was launched over",
        ),
        (
            ["_32", "task", "1", "0"],
            "kernel 'which_32' must be launched with an nd_range or over a range, since it has reqd_work_group_size 32",
        ),
        (["_any", "nd", "65", "32"], "kernel 'which_any' was launched over 65 with work-groups of 32, which do not divide it"),
        (["_any", "nd", "64", "0"], "kernel 'which_any' was launched with work-groups of 0; no dimension may be 0"),
        (
            ["_any", "nd", "16384", "16384"],
            "kernel 'which_any' was launched with work-groups of 16384; the device allows 8192 work-items, at most 8192x8192x8192",
        ),
        (
            ["_any", "range", "4294967296x4294967296", "0"],
            "kernel 'which_any' was launched over 4294967296x4294967296, more work-items than can be counted",
        ),
    ] {
        assert_eq!(launch(&module, arguments, "", &[]), format!("supported 1 error 4: {expected}"), "{arguments:?}");
    }
    for arguments in [["_1", "task", "1", "0"], ["_4x8", "range", "8x16", "0"], ["_32", "range", "64", "0"]] {
        assert_eq!(launch(&module, arguments, "", &[]), RUNS, "{arguments:?}");
    }
}

#[test]
fn a_patched_property_set_is_the_authority() {
    let bytes = which_image("_p", &needs(&[], None, &[]), Vec::new());
    assert_eq!(launch(&module("plain.bin", std::slice::from_ref(&bytes)), ["_p", "task", "1", "0"], "", &[]), RUNS);
    let mut entry = parse_all(&bytes).expect("a blob").remove(0).into_owned();
    let set = PropertySet::from_iter([("aspect".to_owned(), Value::from_u32s([77]))]);
    entry.set_string(DEVICE_REQUIREMENTS, set_to_text(&set).expect("writable").into_bytes());
    let text = launch(&module("patched.bin", &[entry.to_bytes().expect("writable")]), ["_p", "task", "1", "0"], "", &[]);
    assert!(text.starts_with("supported 0 error 13: ") && text.contains("needs aspect ext_intel_current_clock_throttle_reasons"), "{text}");
    entry.set_string(DEVICE_REQUIREMENTS, b"aspect=2|nonsense!\n".to_vec());
    let text = launch(&module("damaged.bin", &[entry.to_bytes().expect("writable")]), ["_p", "task", "1", "0"], "", &[]);
    assert!(text.starts_with("supported 0 error 7: image 'which_p' (native_cpu) of module 1: "), "{text}");
    // The image's bytes are not looked at before the check.
    entry.set_string(DEVICE_REQUIREMENTS, set_to_text(&set).expect("writable").into_bytes());
    entry.image = b"no library at all".as_slice().into();
    let text = launch(&module("no_library.bin", &[entry.to_bytes().expect("writable")]), ["_p", "task", "1", "0"], "", &[]);
    assert!(text.starts_with("supported 0 error 13: "), "{text}");
    entry.set_string(DEVICE_REQUIREMENTS, Vec::new());
    let text = launch(&module("bad_library.bin", &[entry.to_bytes().expect("writable")]), ["_p", "task", "1", "0"], "", &[]);
    assert!(
        text.starts_with("supported 1 error 7: image 'which_p' (native_cpu) of module 1 cannot be loaded: its bytes are damaged: "),
        "{text}"
    );
}

#[test]
fn missing_foreign_and_damaged_images_are_named() {
    let here = which_image("_here", &needs(&[], None, &[]), Vec::new());
    let text = launch(&module("one.bin", std::slice::from_ref(&here)), ["_gone", "task", "1", "0"], "", &[]);
    assert!(text.starts_with("supported 0 error 13: kernel '_ZTS5which_gone' cannot run on '"), "{text}");
    assert!(text.ends_with("can run it; the images are image 'which_here' (native_cpu) of module 1"), "{text}");
    assert!(launch(&module("empty.bin", &[]), ["_gone", "task", "1", "0"], "", &[]).ends_with("there are no images at all"));
    let mut entry = parse_all(&here).expect("a blob").remove(0).into_owned();
    entry.set_string("arch", b"spir64".to_vec());
    let text = launch(&module("foreign.bin", &[entry.to_bytes().expect("writable")]), ["_here", "task", "1", "0"], "", &[]);
    assert!(text.starts_with("supported 0 error 13: kernel 'which_here' cannot run on '"), "{text}");
    assert!(text.ends_with("the program has no image of it for native_cpu, only for spir64 (-fsycl-targets)"), "{text}");
    let mut damaged = here.clone();
    damaged[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    let text = launch(&module("damaged_blob.bin", &[damaged]), ["_here", "task", "1", "0"], "", &[]);
    assert!(text.starts_with("supported -1 error 7: the device images of module 1 (section .llvm.offloading) are damaged: "), "{text}");
}

/// The image's number, patched into its bytes.
fn numbered(object: &[u8], number: u32) -> Vec<u8> {
    let mut object = object.to_vec();
    let mark = 0x600d_cafe_u32.to_le_bytes();
    let at = object.windows(4).position(|window| window == mark).expect("the mark is in the data");
    object[at..at + 4].copy_from_slice(&number.to_le_bytes());
    object
}

#[test]
fn two_hundred_images_stay_apart_and_tags_choose_among_them() {
    // One object under all the names, which is what renaming kernels at the link amounts to; each image lists only its own.
    let symbol = |number: u32| format!("_ZTS5which.aspen_{number:016x}");
    let alias = |number| {
        let names = format!("__asm__(\"{}\") __attribute__((alias(\"_ZTS5which\"), visibility(\"default\")))", symbol(number));
        format!("void tagged_{number}(const void *, const aspen_cpu_range_t *) {names};\n")
    };
    let aliases: String = (0..200).map(alias).collect();
    let source = scratch().join("tagged.c");
    fs::write(&source, format!("#include \"{}\"\n{aliases}", root().join("tests/abi/kernels.c").display())).expect("writable");
    let object = shared_object_of(&source, "");
    let image_of = |number| {
        let builder = image(&format!("many_{number}")).kernel(kernel(&symbol(number), "which"), Vec::new());
        builder.to_bytes(&numbered(&object, number + 1000)).expect("the image can be written")
    };
    let module = module("many.bin", &(0..200).map(image_of).collect::<Vec<_>>());
    passes(&mut command(clang_program(), &module, &["many_images", "200"]));
}

#[test]
fn the_launching_module_comes_first_and_the_tag_before_the_plain_name() {
    let plain = shared_object("");
    let there = shared_object("_there");
    let first = image("first").kernel(kernel("_ZTS5which", "which"), Vec::new()).to_bytes(&plain).expect("writable");
    let second = [
        image("second").kernel(kernel("_ZTS5which", "which"), Vec::new()).to_bytes(&numbered(&plain, 7)).expect("writable"),
        image("there").kernel(kernel("_ZTS5which_there", "which"), Vec::new()).to_bytes(&numbered(&there, 7)).expect("writable"),
    ];
    let (first, second) = (module("first.bin", &[first]), module("second.bin", &second));
    let text = passes(&mut command(clang_program(), &first, &["modules", second.to_str().expect("UTF-8")]));
    assert!(text.contains("linked by 'a later aspen++' with ABI version 4"), "{text}");
}

#[test]
fn misuse_is_an_error_and_never_a_crash() {
    let module = module("misuse.bin", &[plain_image()]);
    passes(&mut command(clang_program(), &module, &["misuse"]));
}

#[test]
fn considered_images_are_saved_with_their_verdicts() {
    let folder = scratch().join("saved");
    let module = module("saved.bin", &[which_image("_s", &needs(&[6], None, &[]), Vec::new())]);
    let variables = [("ASPEN_DEVICE_PROFILE", "intel_gpu_dg1"), ("ASPEN_SAVE_DIR", folder.to_str().expect("UTF-8"))];
    assert!(launch(&module, ["_s", "task", "1", "0"], "", &variables).contains("needs aspect fp64"));
    let names: Vec<String> = fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let verdict = names.iter().find(|name| name.ends_with(".txt")).expect("a verdict");
    assert!(fs::read_to_string(folder.join(verdict)).expect("text").contains("needs aspect fp64"));
}

#[test]
fn the_log_says_what_was_considered() {
    let module = module("log.bin", &[which_image("_l", &needs(&[6], None, &[]), Vec::new())]);
    let run = |filter| {
        let scenario = ["which", "_l", "task", "1", "0", ""];
        passes(command(clang_program(), &module, &scenario).env("ASPEN_LOG", filter).envs(DG1.iter().copied()))
    };
    let debug = run("debug");
    assert!(debug.contains("device=\"native_cpu:0\"") && debug.contains("profile=\"intel_gpu_dg1\""), "{debug}");
    assert!(
        debug.contains("considered image=\"image 'which_l' (native_cpu) of module 1\"") && debug.contains("needs aspect fp64"),
        "{debug}"
    );
    assert!(!run("aspen_runtime=info").contains("considered"));
    let text = devices(&[("ASPEN_LOG", "loud=very")]);
    assert!(text.contains("error 8: ASPEN_LOG=loud=very: 'very' is not a level"), "{text}");
}
