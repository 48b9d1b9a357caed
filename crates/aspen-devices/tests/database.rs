//! The built-in table against the public rows, and every rule for users' files.

#![allow(clippy::unwrap_used)] // helpers of tests may unwrap as tests do

use std::collections::BTreeSet;

use aspen_contract::{Aspect, AspectSet, BackendKind, Capabilities, Need, Offers, Requirements, Verdict, check};
use aspen_devices::{Database, Origin};

fn builtin() -> &'static Database {
    Database::builtin()
}

fn aspects(names: &str) -> AspectSet {
    names.split_whitespace().map(|name| Aspect::from_name(name).unwrap_or_else(|| panic!("no aspect {name}"))).collect()
}

fn overlay(text: &str) -> Database {
    let (database, warnings) = builtin().overlay("F.yaml", text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(warnings, [], "{text}");
    database
}

fn error(text: &str) -> String {
    builtin().overlay("F.yaml", text).unwrap_err().to_string()
}

/// A row of the public table.
struct Row {
    name: &'static str,
    alias_of: Option<&'static str>,
    open: bool,
    sizes: Option<Vec<u32>>,
    aspects: AspectSet,
}

fn rows() -> Vec<Row> {
    let given = |text: &'static str| (text != "-").then_some(text);
    let rows = include_str!("public_rows.txt").lines().filter(|line| !line.starts_with('#')).map(|line| {
        let [name, alias_of, open, sizes, names] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        Row {
            name,
            alias_of: given(alias_of),
            open: open == "open",
            sizes: given(sizes).map(|sizes| sizes.split(',').map(|size| size.parse().unwrap()).collect()),
            aspects: given(names).map(|names| aspects(&names.replace(',', " "))).unwrap_or_default(),
        }
    });
    rows.collect()
}

/// Every name of the public table is known, and has what it has there. What differs is named, with the reason.
#[test]
fn rows_of_the_public_table() {
    let rows = rows();
    assert_eq!(rows.len(), 150);
    for row in &rows {
        let target = builtin().lookup(row.name).unwrap();
        let alias_of = (target.name != row.name).then_some(target.name.as_str());
        // S4 gives rpl_s an aspect and a macro of its own.
        assert!(alias_of == row.alias_of || row.name == "intel_gpu_rpl_s", "{}: {alias_of:?}", row.name);
        assert_eq!((target.may_support_other_aspects, &target.sub_group_sizes), (row.open, &row.sizes), "{}", row.name);
        let mut expected = row.aspects.clone();
        if expected.contains(&Aspect::from_number(1)) {
            // The public rows of processors list queries about GPUs.
            expected.retain(|aspect| !aspect.to_string().starts_with("ext_intel_gpu_"));
            // They list ext_intel_legacy_image, which is the same of a driver, without image (docs/decisions/0032).
            expected.extend(aspects("image"));
        }
        if row.name.starts_with("nvidia_gpu_sm_90") {
            // These belong to the machine; an H200 behind PCI Express has neither.
            expected.retain(|aspect| !aspects("usm_system_allocations usm_atomic_host_allocations").contains(aspect));
        }
        assert!(target.aspects.is_superset(&expected), "{}: lacks {:?}", row.name, expected.difference(&target.aspects));
        let is_intel_gpu = target.name.starts_with("intel_gpu_");
        let more: Vec<String> = target.aspects.difference(&expected).map(Aspect::to_string).collect();
        assert!(is_intel_gpu || more.iter().all(|name| name == "ext_intel_x86_64"), "{}: {more:?} have no source", row.name);
    }
}

#[test]
fn intel_gpus_are_complete() {
    let every = aspects(
        "gpu fp16 atomic64 online_compiler online_linker queue_profiling usm_device_allocations usm_host_allocations \
         usm_shared_allocations ext_intel_device_id ext_intel_gpu_eu_count ext_intel_esimd",
    );
    for gpu in builtin().iter().filter(|target| target.name.starts_with("intel_gpu_")) {
        assert!(gpu.aspects.is_superset(&every), "{}", gpu.name);
        assert!(!gpu.may_support_other_aspects && !gpu.generic && gpu.origin == Origin::BuiltIn);
        // S4's aspect of the architecture itself, and of no other; later GPUs have none.
        let architecture: AspectSet = Aspect::from_name(&format!("ext_{}", gpu.name)).into_iter().collect();
        let architectures: AspectSet = gpu.aspects.iter().copied().filter(|aspect| aspect.number() >= 10_000).collect();
        assert_eq!(architectures, architecture);
        assert_eq!(
            gpu.aspects.contains(&aspects("image").pop_first().unwrap()),
            !["intel_gpu_pvc", "intel_gpu_pvc_vg", "intel_gpu_cri"].contains(&&*gpu.name)
        );
        // ocloc knows rpl_s as adl-s.
        let device = gpu.name.strip_prefix("intel_gpu_").unwrap().replace('_', "-").replace("rpl-s", "adl-s");
        assert_eq!(gpu.aot_toolchain.as_deref(), Some("ocloc"));
        assert_eq!(gpu.aot_toolchain_options, Some(format!("-device {device}")));
        assert_eq!(gpu.macro_name(), Some(format!("__SYCL_TARGET_{}__", gpu.name.to_uppercase())));
    }
}

#[test]
fn native_cpu_is_the_embedded_device() {
    let cpu = builtin().lookup("native_cpu").unwrap();
    let exactly = aspects(
        "cpu fp16 fp64 atomic64 image ext_intel_legacy_image online_compiler online_linker usm_device_allocations usm_host_allocations usm_shared_allocations \
         usm_system_allocations usm_atomic_host_allocations usm_atomic_shared_allocations queue_profiling host_debuggable ext_oneapi_fragment \
         ext_oneapi_chunk ext_intel_matrix ext_oneapi_graph ext_oneapi_limited_graph ext_oneapi_virtual_mem ext_oneapi_async_memory_alloc \
         ext_oneapi_clock_sub_group ext_oneapi_clock_work_group ext_oneapi_clock_device",
    );
    assert_eq!(cpu.aspects, exactly);
    assert_eq!(cpu.capabilities().offered().collect::<AspectSet>(), exactly, "what the device has it offers");
    let offers = Offers::Aspen(Some(BackendKind::NativeCpu));
    let expected = Capabilities { aspects: exactly, sub_group_sizes: Some(vec![4, 8, 16, 32]), offers, ..Capabilities::default() };
    assert_eq!(cpu.capabilities(), expected);
    assert_eq!(cpu.capabilities_at_most().sub_group_sizes, Some(vec![4, 8, 16, 32, 64]), "ASPEN_CPU_SUB_GROUP_SIZE=64");
    let gpu = builtin().lookup("intel_gpu_skl").unwrap();
    assert_eq!(gpu.capabilities_at_most(), gpu.capabilities());
    assert_eq!((cpu.aot_toolchain.as_ref(), cpu.macro_name()), (None, None));
    // One device, so that its analysis and what `if_device_has` decides are the same for every level of its processor.
    for level in ["x86_64_v2", "x86_64_v3", "x86_64_v4"] {
        let target = builtin().lookup(level).unwrap();
        assert_eq!((target.capabilities(), target.pass_macros(), target.generic), (cpu.capabilities(), cpu.pass_macros(), false));
    }
}

#[test]
fn other_targets() {
    let x86 = builtin().lookup("spir64_x86_64").unwrap();
    assert!(x86.may_support_other_aspects && x86.aspects.is_superset(&aspects("cpu fp16 fp64 ext_intel_x86_64")));
    assert_eq!(x86.macro_name().as_deref(), Some("__SYCL_TARGET_INTEL_X86_64__"));
    for name in ["spir64", "spir64_gen"] {
        let generic = builtin().lookup(name).unwrap();
        assert!(generic.generic && generic.may_support_other_aspects && builtin().iter().all(|target| target.name != name));
        let needs = Requirements { aspects: aspects("fp64"), reqd_sub_group_size: Some(7), ..Requirements::default() };
        assert!(matches!(check(&needs, &generic.capabilities()), Verdict::Unknown(needs) if needs.len() == 2));
    }
}

/// Spot checks of what was read off the public table by hand.
#[test]
fn every_vendor_is_there() {
    let has = |name: &str, aspect: &str| builtin().lookup(name).unwrap().aspects.contains(&Aspect::from_name(aspect).unwrap());
    for (name, aspect, expected) in [
        ("nvidia_gpu_sm_52", "fp16", false),
        ("nvidia_gpu_sm_53", "fp16", true),
        ("nvidia_gpu_sm_53", "atomic64", false),
        ("nvidia_gpu_sm_60", "atomic64", true),
        ("nvidia_gpu_sm_90", "ext_oneapi_cuda_cluster_group", true),
        ("amd_gpu_gfx90a", "atomic64", true),
        ("amd_gpu_gfx900", "usm_device_allocations", false),
        ("intel_gpu_lnl_m", "fp64", true),
        ("intel_gpu_dg2", "fp64", false),
        ("intel_cpu_spr", "ext_intel_gpu_slices", false),
    ] {
        assert_eq!(has(name, aspect), expected, "{name} {aspect}");
    }
    let open: Vec<&str> = builtin()
        .iter()
        .filter(|target| target.may_support_other_aspects)
        .map(|target| target.name.split("_sm_").next().unwrap())
        .collect();
    assert!(open.iter().all(|name| ["nvidia_gpu", "spir64_x86_64", "x86_64", "intel_cpu_spr", "intel_cpu_gnr"].contains(name)), "{open:?}");
}

/// What the database lists, programs get where Aspen offers it; the lists themselves are those of hardware and seeds. Source: DESIGN §7.26.
#[test]
fn offers_of_targets() {
    let usm = "usm_device_allocations usm_host_allocations usm_shared_allocations";
    let online = "online_compiler online_linker queue_profiling";
    let groups = "ext_oneapi_fragment ext_oneapi_chunk";
    let atomics = "usm_system_allocations usm_atomic_host_allocations usm_atomic_shared_allocations";
    for (name, backend, expected) in [
        (
            "intel_gpu_skl",
            Some(BackendKind::OpenCl),
            format!(
                "gpu fp16 fp64 atomic64 image ext_intel_legacy_image {online} {usm} {groups} ext_oneapi_tangle ext_oneapi_is_integrated_gpu \
                 ext_intel_gpu_skl"
            ),
        ),
        (
            "intel_gpu_pvc_vg",
            Some(BackendKind::OpenCl),
            format!("gpu fp16 fp64 atomic64 {online} {usm} {groups} ext_oneapi_tangle ext_intel_matrix"),
        ),
        // The embedded CPU device runs its images.
        (
            "spir64_x86_64",
            Some(BackendKind::NativeCpu),
            format!("cpu fp16 fp64 atomic64 image ext_intel_legacy_image {online} {usm} {atomics} {groups} ext_intel_x86_64"),
        ),
        ("nvidia_gpu_sm_52", Some(BackendKind::Cuda), format!("gpu fp64 {online} {usm} {groups} ext_oneapi_limited_graph")),
        ("nvidia_gpu_sm_80", Some(BackendKind::Cuda), format!("gpu fp16 fp64 atomic64 {online} {usm} {groups} ext_oneapi_limited_graph")),
        (
            "amd_gpu_gfx906",
            Some(BackendKind::Hip),
            format!("gpu fp16 fp64 {online} {usm} usm_atomic_host_allocations usm_atomic_shared_allocations"),
        ),
        ("spir64", None, String::new()),
    ] {
        let device = builtin().lookup(name).unwrap().capabilities();
        assert_eq!((device.offers, device.offered().collect::<AspectSet>()), (Offers::Aspen(backend), aspects(&expected)), "{name}");
    }
    let has =
        |name: &str, aspect: &str| builtin().lookup(name).unwrap().capabilities().has(&Need::Aspect(Aspect::from_name(aspect).unwrap()));
    for (name, aspect, expected) in [
        ("intel_gpu_skl", "image", Some(true)),
        ("spir64", "image", None),
        ("intel_gpu_skl", "ext_intel_esimd", Some(false)),
        ("spir64", "ext_intel_esimd", Some(false)),
        ("nvidia_gpu_sm_80", "image", None),
        ("spir64", "fp64", None),
        ("nvidia_gpu_sm_90", "usm_atomic_shared_allocations", Some(true)),
        ("nvidia_gpu_sm_90", "usm_system_allocations", None),
        ("nvidia_gpu_sm_80", "ext_oneapi_graph", Some(false)),
        ("nvidia_gpu_sm_80", "host_debuggable", Some(false)),
        ("nvidia_gpu_sm_80", "emulated", None),
        ("x86_64", "ext_oneapi_tangle", Some(false)),
        ("x86_64", "host_debuggable", None),
        ("native_cpu", "ext_intel_x86_64", Some(false)),
    ] {
        assert_eq!(has(name, aspect), expected, "{name} {aspect}");
    }
    // A user's file says what hardware has, not what Aspen offers; numbers that nobody knows are the user's word.
    let all = overlay(
        "mine: {aspects: [ext_intel_esimd, fp64, host_debuggable, 103]}\nintel_gpu_zz9: {aspects: [ext_intel_esimd, fp64, host_debuggable, 103]}\n",
    );
    for (name, expected) in [("mine", "fp64 host_debuggable #103"), ("intel_gpu_zz9", "fp64 #103")] {
        let offered = all.lookup(name).unwrap().capabilities().offered().map(|aspect| aspect.to_string()).collect::<Vec<_>>();
        assert_eq!(offered.join(" "), expected, "{name}");
    }
}

#[test]
fn aliases_are_the_target() {
    for (alias, name) in [
        ("8_0_0", "bdw"),
        ("9_0_9", "skl"),
        ("9_3_0", "apl"),
        ("bxt", "apl"),
        ("11_0_0", "icllp"),
        ("icl", "icllp"),
        ("12_2_0", "adl_s"),
        ("12_10_0", "dg1"),
        ("dg2_g10", "acm_g10"),
        ("12_60_7", "pvc"),
        ("arl_s", "mtl_u"),
        ("nvl_hx", "nvl_s"),
        ("20_4_4", "lnl_m"),
        ("35_11_0", "cri"),
    ] {
        let (alias, name) = (format!("intel_gpu_{alias}"), format!("intel_gpu_{name}"));
        let target = builtin().lookup(&alias).unwrap();
        assert_eq!(target.name, name);
        assert!(target.aliases.contains(&alias));
        assert!(std::ptr::eq(target, builtin().lookup(&name).unwrap()));
    }
    let mut names = BTreeSet::new();
    assert!(builtin().names().all(|name| names.insert(name)), "a name stands for two targets");
}

#[test]
fn unknown_targets_name_the_nearest() {
    for (name, message) in [
        ("intel_gpu_dq1", "unknown target 'intel_gpu_dq1'; did you mean 'intel_gpu_dg1'? `aspen targets` lists all"),
        ("spir46", "unknown target 'spir46'; did you mean 'spir64'? `aspen targets` lists all"),
        ("toaster", "unknown target 'toaster'; `aspen targets` lists all"),
    ] {
        assert_eq!(builtin().lookup(name).unwrap_err().to_string(), message);
    }
}

/// The file of S2, with its values filled in.
#[test]
fn an_update_replaces_the_fields_it_gives() {
    let all = overlay(
        "intel_gpu_skl:\n    aspects: [accelerator, fp16]\n    may_support_other_aspects: true\n    sub-group-sizes: [8, 4, 2, 1, 4]\n    \
         aot-toolchain: mycc\n    aot-toolchain-options: -device skl9\n",
    );
    let skl = all.lookup("intel_gpu_9_0_9").unwrap();
    assert_eq!(skl.aspects, aspects("accelerator fp16"));
    assert!(skl.may_support_other_aspects);
    assert_eq!(skl.sub_group_sizes.as_deref(), Some(&[1, 2, 4, 8][..]));
    assert_eq!((skl.aot_toolchain.as_deref(), skl.aot_toolchain_options.as_deref()), (Some("mycc"), Some("-device skl9")));
    assert_eq!(skl.origin.to_string(), "F.yaml:1:1");

    let before = builtin().lookup("intel_gpu_skl").unwrap();
    let one = overlay("intel_gpu_skl: {sub-group-sizes: []}\n");
    let after = one.lookup("intel_gpu_skl").unwrap();
    assert_eq!(after.aspects, before.aspects);
    assert_eq!(after.sub_group_sizes.as_deref(), Some(&[][..]));
    assert_eq!(after.aot_toolchain_options, before.aot_toolchain_options);
    assert_eq!(builtin().lookup("intel_gpu_skl").unwrap().origin, Origin::BuiltIn, "the built-in table itself never changes");
}

#[test]
fn an_update_through_an_alias_reaches_the_target() {
    let all = overlay("# c\nintel_gpu_9_0_9:\n  aspects: [6]\n");
    let skl = all.lookup("intel_gpu_skl").unwrap();
    assert_eq!((skl.aspects.clone(), skl.origin.to_string()), (aspects("fp64"), "F.yaml:2:1".to_owned()));
    assert_eq!(all.iter().count(), builtin().iter().count());
}

#[test]
fn a_new_target_has_nothing_until_it_says_so() {
    let all = overlay("little_dev:\nintel_gpu_zz_9: {aspects: [6, 2, 103], aot-toolchain-foo-bar: x y}\n");
    let little = all.lookup("little_dev").unwrap();
    assert_eq!(little.capabilities(), Capabilities::default());
    assert_eq!((little.aot_toolchain.as_ref(), little.aot_toolchain_options.as_ref()), (None, None));
    let gpu = all.lookup("intel_gpu_zz_9").unwrap();
    assert_eq!(gpu.aspects, [2, 6, 103].map(Aspect::from_number).into());
    assert_eq!((gpu.aot_toolchain.as_deref(), gpu.aot_toolchain_options.as_deref()), (Some("ocloc"), Some("-device zz-9")));
    assert_eq!(gpu.aot_extra, [("foo-bar".to_owned(), "x y".to_owned())]);
    assert_eq!(gpu.macro_name().as_deref(), Some("__SYCL_TARGET_INTEL_GPU_ZZ_9__"));
    let last: Vec<&str> = all.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(last[last.len() - 2..], ["little_dev", "intel_gpu_zz_9"]);
}

#[test]
fn files_without_entries_are_valid() {
    for text in ["", "\n", "# nothing yet\n", "---\n", "{}\n"] {
        assert_eq!(&overlay(text), builtin(), "{text:?}");
    }
}

#[test]
fn twice_in_one_file_warns_and_the_last_wins() {
    let text = "intel_gpu_skl:\n  aspects: [fp64]\n  may_support_other_aspects: true\n  sub-group-sizes: [8]\n\
                intel_gpu_skl:\n  aspects: [accelerator]\n  sub-group-sizes: [8, 16]\n";
    let (all, warnings) = builtin().overlay("dup.yaml", text).unwrap();
    let skl = all.lookup("intel_gpu_skl").unwrap();
    assert_eq!((skl.aspects.clone(), skl.sub_group_sizes.clone()), (aspects("accelerator"), Some(vec![8, 16])));
    assert_eq!(skl.origin.to_string(), "dup.yaml:5:1");
    assert_eq!(
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["dup.yaml:5:1: warning: target 'intel_gpu_skl' stands in this file twice, first in line 1; this entry wins\n    \
          5 | intel_gpu_skl:\n      | ^"]
    );
    let (_, warnings) = builtin().overlay("dup.yaml", "intel_gpu_skl:\nintel_gpu_9_0_9: {aspects: []}\n").unwrap();
    assert!(warnings[0].to_string().contains("'intel_gpu_9_0_9' stands in this file twice, first in line 1 as 'intel_gpu_skl'"));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    assert_eq!(
        error("a_b:\n  aspects: [fp16, fp46,\n    9999999999]\n  aspcts: [1]\n\"no name\": {sub-group-sizes: [0]}\n"),
        "F.yaml:2:19: error: unknown aspect 'fp46'; did you mean 'fp64'?\n    2 |   aspects: [fp16, fp46,\n      |                   ^\n\
         F.yaml:3:5: error: unknown aspect '9999999999'\n    3 |     9999999999]\n      |     ^\n\
         F.yaml:4:3: error: unknown field 'aspcts'; did you mean 'aspects'?\n    4 |   aspcts: [1]\n      |   ^\n\
         F.yaml:5:1: error: 'no name' is no name for a target: names have letters, digits, '_', '-' and '.'\n    \
         5 | \"no name\": {sub-group-sizes: [0]}\n      | ^\n\
         F.yaml:5:31: error: a sub-group has at least one work-item\n    5 | \"no name\": {sub-group-sizes: [0]}\n      \
         |                               ^"
    );
    for (text, start) in [
        ("t: {aspects: [fp64], aspects: []}\n", "F.yaml:1:22: error: the field 'aspects' stands here a second time for 't'\n"),
        ("t: {aliases: [u]}\n", "F.yaml:1:5: error: unknown field 'aliases'\n"),
        ("t: {aot-toolchain-: x}\n", "F.yaml:1:5: error: unknown field 'aot-toolchain-'; did you mean 'aot-toolchain'?\n"),
    ] {
        assert!(error(text).starts_with(start), "{}", error(text));
    }
}

#[test]
fn wrong_kinds_of_values_and_broken_yaml_have_a_place_too() {
    for (text, place) in [
        ("- intel_gpu_skl\n", "F.yaml:1:1: error: expected fields, 'name: value'\n"),
        ("intel_gpu_skl\n", "F.yaml:1:1: error: "),
        ("t:\n  aspects: fp64\n", "F.yaml:2:12: error: expected a list, '[a, b]'\n"),
        ("t:\n  may_support_other_aspects: perhaps\n", "F.yaml:2:30: error: expected 'true' or 'false'\n"),
        ("t:\n  sub-group-sizes: [8, x]\n", "F.yaml:2:24: error: expected a number from 1 to 4294967295\n"),
        ("t:\n  sub-group-sizes: [-8]\n", "F.yaml:2:21: error: "),
        ("t:\n  aot-toolchain: [a]\n", "F.yaml:2:18: error: expected a text\n"),
        ("t: [1]\n", "F.yaml:1:4: error: "),
        ("t: {aspects: [fp64\n", "F.yaml:"),
        ("a: {}\n---\nb: {}\n", "F.yaml:3:1: error: the file holds more than one YAML document\n"),
        ("~: {}\n", "F.yaml:1:1: error: expected a name; 'null' and '~' are none, unless they stand in quotes\n"),
    ] {
        let message = error(text);
        assert!(message.starts_with(place) && !message.contains("at line"), "{text:?}: {message}");
    }
}
