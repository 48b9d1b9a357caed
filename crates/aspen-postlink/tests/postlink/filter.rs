//! `sycl-aspect-filter` against a table of targets and requirements whose answers people wrote.
//!
//! A filter that keeps everything, or that asks the code it is made of for the expected answer, would pass any weaker test. The answers
//! follow from `data/devices.td` by hand; the property text was made by an encoder of its own, in both dialects.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use aspen_devices::Database;
use aspen_postlink::filter::filter;

/// The columns: a requirement in words, as S0 writes it, as DPC++ writes it.
#[rustfmt::skip]
const REQUIREMENTS: [(&str, &str, &str); 18] = [
    ("nothing", "", "aspects=2|AAAAAAAAAAA\n"),
    ("fp64", "aspect=2|gAAAAAAAAAgBAAAA\n", "aspects=2|gAAAAAAAAAgBAAAA\n"),
    ("fp16", "aspect=2|gAAAAAAAAAQBAAAA\n", "aspects=2|gAAAAAAAAAQBAAAA\n"),
    ("atomic64", "aspect=2|gAAAAAAAAAwGAAAA\n", "aspects=2|gAAAAAAAAAwGAAAA\n"),
    ("cpu", "aspect=2|gAAAAAAAAAQAAAAA\n", "aspects=2|gAAAAAAAAAQAAAAA\n"),
    ("gpu fp64", "aspect=2|ABAAAAAAAAgAAAAAGAAAAA\n", "aspects=2|ABAAAAAAAAgAAAAAGAAAAA\n"),
    ("#103", "aspect=2|gAAAAAAAAAwZAAAA\n", "aspects=2|gAAAAAAAAAwZAAAA\n"),
    ("fp64 #103", "aspect=2|ABAAAAAAAAgBAAAAnBAAAA\n", "aspects=2|ABAAAAAAAAgBAAAAnBAAAA\n"),
    ("ext_intel_esimd", "aspect=2|gAAAAAAAAAQMAAAA\n", "aspects=2|gAAAAAAAAAQMAAAA\n"),
    ("sub-group 8", "reqd_sub_group_size=2|gAAAAAAAAAACAAAA\n", "aspects=2|AAAAAAAAAAA\nreqd_sub_group_size=1|8\n"),
    ("sub-group 16", "reqd_sub_group_size=2|gAAAAAAAAAAEAAAA\n", "aspects=2|AAAAAAAAAAA\nreqd_sub_group_size=1|16\n"),
    ("sub-group 64", "reqd_sub_group_size=2|gAAAAAAAAAAQAAAA\n", "aspects=2|AAAAAAAAAAA\nreqd_sub_group_size=1|64\n"),
    ("sub-group 5", "reqd_sub_group_size=2|gAAAAAAAAAQBAAAA\n", "aspects=2|AAAAAAAAAAA\nreqd_sub_group_size=1|5\n"),
    ("gpu, sub-group 32", "aspect=2|gAAAAAAAAAgAAAAA\nreqd_sub_group_size=2|gAAAAAAAAAAIAAAA\n", "aspects=2|gAAAAAAAAAgAAAAA\nreqd_sub_group_size=1|32\n"),
    ("fp64, sub-group 8", "aspect=2|gAAAAAAAAAgBAAAA\nreqd_sub_group_size=2|gAAAAAAAAAACAAAA\n", "aspects=2|gAAAAAAAAAgBAAAA\nreqd_sub_group_size=1|8\n"),
    ("work-group 64x1024x1024", "reqd_work_group_size=2|ACAAAAAAAAwAAAAAABAAAAABAAAAEAAA\n", "aspects=2|AAAAAAAAAAA\nreqd_work_group_size_uint64_t=2|ADAAAAAAAAAAEAAAAAAAAAABAAAAAAAAABAAAAAAAAA\nwork_group_num_dim=1|3\n"),
    ("ext_intel_gpu_skl", "aspect=2|gAAAAAAAAAQEnAAA\n", "aspects=2|gAAAAAAAAAQEnAAA\n"),
    ("fp64, work-group 16", "aspect=2|gAAAAAAAAAgBAAAA\nreqd_work_group_size=2|ABAAAAAAAAQAAAAAQAAAAA\n", "aspects=2|gAAAAAAAAAgBAAAA\nreqd_work_group_size_uint64_t=2|ABAAAAAAAAAEAAAAAAAAAA\nwork_group_num_dim=1|1\n"),
];

/// A row a target, a mark a requirement: `K` keeps the image, `-` drops it. Aspects that a target lacks drop, unless it may have others;
/// sizes drop only where the target's are known; limits of work-groups are known of no target. `o`: Aspen does not offer it, so that an image
/// of its own is dropped, and one in DPC++'s dialect, with DPC++'s headers, is kept. `e`: the environment
/// can add it (ASPEN_CPU_SUB_GROUP_SIZE=64), so that an image of its own is kept, and one in DPC++'s dialect is not.
#[rustfmt::skip]
const ANSWERS: [(&str, &str); 15] = [
    // nothing, fp64, fp16, atomic64, cpu, gpu fp64 | #103, fp64 #103, esimd | 8, 16, 64, 5 | gpu 32, fp64 8 | group, skl, fp64 group
    ("intel_gpu_skl",    "KKKK-K --o KK-- KK KKK"),
    ("intel_gpu_9_0_9",  "KKKK-K --o KK-- KK KKK"),
    ("intel_gpu_dg1",    "K-KK-- --o KK-- K- K--"),
    ("intel_gpu_pvc",    "KKKK-K --o -K-- K- K-K"),
    ("amd_gpu_gfx906",   "KKK--K --- --K- -- K-K"),
    ("amd_gpu_gfx1030",  "KKKK-K --- ---- K- K-K"),
    // Of this one nothing is known but its name: it promises no aspect and rules no size out.
    ("amd_gpu_gfx1200",  "K----- --- KKKK -- K--"),
    ("native_cpu",       "KKKKK- --- KKe- -K K-K"),
    // Open targets: aspects that are offered never drop, sizes do.
    ("spir64_x86_64",    "KKKKKK KKo KKK- KK KKK"),
    ("nvidia_gpu_sm_50", "KKKKKK KKo ---- K- KKK"),
    // Generic targets filter nothing else.
    ("spir64",           "KKKKKK KKo KKKK KK KKK"),
    ("spir64_gen",       "KKKKKK KKo KKKK KK KKK"),
    // Of a user's file: a number without a name is an aspect like any other.
    ("numbered",         "KK---- KK- K--- -K K-K"),
    ("open",             "KKKKKK KKo KKKK KK KKK"),
    ("open_narrow",      "KKKKKK KKo ---- -- KKK"),
];

const USERS_FILE: &str = "\
numbered: {aspects: [6, 103], may_support_other_aspects: false, sub-group-sizes: [8]}
open: {may_support_other_aspects: true}
open_narrow: {aspects: [fp16], may_support_other_aspects: true, sub-group-sizes: [4]}
";

/// The requirements whose images the target keeps.
fn kept(target: &str, set: &str, text: impl Fn(usize) -> &'static str, database: &Database) -> Vec<&'static str> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut table = String::from("[Code|Properties]\n");
    for index in 0..REQUIREMENTS.len() {
        let (code, properties) = (path(&format!("{index}.bc")), path(&format!("{index}.prop")));
        fs::write(&code, "").unwrap();
        fs::write(&properties, format!("[{set}]\n{}", text(index))).unwrap();
        table += &format!("{code}|{properties}\n");
    }
    fs::write(path("in.table"), &table).unwrap();
    let out = folder.path().join("out.table");
    filter(&folder.path().join("in.table"), target, &out, database).unwrap();
    let out = fs::read_to_string(out).unwrap();
    let mut lines = out.lines().peekable();
    assert_eq!(lines.next(), Some("[Code|Properties]"));
    let input: Vec<&str> = table.lines().skip(1).collect();
    // Rows stay as they are and in order; nothing else is there.
    let kept = REQUIREMENTS.iter().zip(input).filter(|(_, row)| lines.next_if_eq(row).is_some()).map(|((words, ..), _)| *words).collect();
    assert_eq!(lines.next(), None);
    kept
}

#[test]
fn every_target_keeps_what_it_can_run() {
    let (database, warnings) = Database::builtin().overlay("users.yaml", USERS_FILE).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    for (target, answers) in ANSWERS {
        let marks: Vec<char> = answers.chars().filter(|&mark| mark != ' ').collect();
        assert_eq!(marks.len(), REQUIREMENTS.len(), "{target}");
        let expected = |wanted: &str| -> Vec<&str> {
            REQUIREMENTS.iter().zip(&marks).filter(|(_, mark)| wanted.contains(**mark)).map(|((words, ..), _)| *words).collect()
        };
        assert_eq!(kept(target, "SYCL/device-requirements", |index| REQUIREMENTS[index].1, &database), expected("Ke"), "{target}");
        assert_eq!(kept(target, "SYCL/device requirements", |index| REQUIREMENTS[index].2, &database), expected("Ko"), "{target}, DPC++");
    }
}
