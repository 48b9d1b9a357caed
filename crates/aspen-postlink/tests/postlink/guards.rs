//! What is needed beyond a guard: in the set `Aspen/guards`, in the split, and in the tables of targets, as where `aspen++` links.
//! Source: DESIGN §7.8; ARCHITECTURE "Guarded code".

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use aspen_devices::Database;
use aspen_postlink::{Arguments, Error};

/// `both` needs cpu where fp64 is, `same` needs nothing beyond the guard, `always` needs fp64 anyway, `none` has no guarded code.
const MODULE: &str = r#"
source_filename = "g.cpp"
target triple = "spir64-unknown-unknown"
define spir_kernel void @both() #0 { call spir_func void @guarded()
  ret void }
define spir_kernel void @same() #0 { call spir_func void @only_fp64()
  ret void }
define spir_kernel void @always() #0 !intel_used_aspects !{i32 6} { call spir_func void @only_fp64()
  ret void }
define spir_kernel void @none() #0 { ret void }
define linkonce_odr spir_func void @guarded() noinline !aspen_guard !1 !intel_used_aspects !3 { call spir_func void @body()
  ret void }
define linkonce_odr spir_func void @only_fp64() noinline !aspen_guard !1 !intel_used_aspects !4 { ret void }
define linkonce_odr spir_func void @body() !intel_used_aspects !3 { ret void }
attributes #0 = { "sycl-module-id"="g.cpp" }
!1 = !{!2}
!2 = !{i32 6}
!3 = !{i32 1, i32 6}
!4 = !{i32 6}
"#;

fn run(options: &str, files: &[&str]) -> Result<Vec<String>, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("g.ll"), MODULE).unwrap();
    let words = options.split(' ').map(|word| word.replace("DIR/", &path(""))).chain([path("g.ll")]);
    aspen_postlink::run(&Arguments::parse(words).unwrap(), Database::builtin())?;
    Ok(files.iter().map(|name| fs::read_to_string(path(name)).unwrap()).collect())
}

#[test]
fn guards_are_written_and_split_images() {
    let files = ["g_0.sym", "g_0.prop", "g_1.sym", "g_1.prop", "g_2.sym", "g_2.prop"];
    let got = run("-split=source -symbols -properties -o DIR/g.table", &files).unwrap();
    // 1 × (0x50000006, 6); 0 lists of what is lacking; 1 aspect needed under it: 1. 192 bits.
    assert_eq!(got[..2], ["both\n", "[Aspen/guards]\nboth=2|ADAAAAAAAAQAAAAAGAAAQZAAAAAAAAAABAAAAEAAAAA\n"]);
    // The code is there, but needs nothing beyond the guard: the runtime must know all the same what to specialise.
    assert_eq!(got[2..4], ["same\nnone\n", "[Aspen/guards]\nsame=2|gCAAAAAAAAQAAAAAGAAAQZAAAAAAAAAAAAAAAA\n"]);
    let [fp64, guards] = got[5].split_once("[Aspen/guards]\n").map(|(one, two)| [one, two]).unwrap();
    assert_eq!((got[4].as_str(), fp64), ("always\n", "[SYCL/device-requirements]\naspect=2|gAAAAAAAAAgBAAAA\n"));
    assert_eq!(guards, "always=2|gCAAAAAAAAQAAAAAGAAAQZAAAAAAAAAAAAAAAA\n");
}

/// A target without fp64 never runs that code; one with fp64 would have to be a processor as well.
#[test]
fn targets_drop_what_they_cannot_run_where_the_guard_holds() {
    let tables = run(
        "-split=source -symbols -properties -o DIR/g.table -o intel_gpu_dg1,DIR/dg1.table -o intel_gpu_pvc,DIR/pvc.table",
        &["g.table", "dg1.table", "pvc.table"],
    )
    .unwrap();
    let rows = |table: &String| table.lines().skip(1).map(|row| row.rsplit("g_").next().unwrap().to_owned()).collect::<Vec<_>>().join(" ");
    // dg1 has no fp64, so that `always` does not run there; pvc has it, and is no processor.
    assert_eq!(tables.iter().map(rows).collect::<Vec<_>>(), ["0.sym 1.sym 2.sym", "0.sym 1.sym", "1.sym 2.sym"]);
}
