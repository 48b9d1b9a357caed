//! Device globals: the set that names those of an image, and the rule that a value in an image is that image's alone.
//! Source: FORMATS §4.5; sycl_ext_oneapi_device_global, `device_image_scope`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use aspen_devices::Database;
use aspen_postlink::Arguments;

/// Two kernels of equal needs and one that needs `double`. All use `@shared`; what else they use is put in.
fn module(first: &str, second: &str, with_double: &str) -> String {
    let read = |name: &str| {
        let load = |index: usize, name: &str| format!("  %v{index} = load i32, ptr addrspace(1) @{name}\n");
        name.split_whitespace().enumerate().map(|(index, name)| load(index, name)).collect::<String>()
    };
    let (first, second, third) = (read(first), read(second), read(with_double));
    format!(
        r#"target triple = "spir64-unknown-unknown"
@shared = addrspace(1) externally_initialized global i32 0 #1
@scoped = addrspace(1) externally_initialized global i32 0 #2
define spir_kernel void @first() #0 {{
{first}  ret void
}}
define spir_kernel void @second() #0 {{
{second}  ret void
}}
define spir_kernel void @with_double() #0 !intel_used_aspects !{{i32 6}} {{
{third}  ret void
}}
attributes #0 = {{ "sycl-module-id"="a.cpp" }}
attributes #1 = {{ "sycl-unique-id"="_Z6sharedv" "sycl-device-global-size"="4" }}
attributes #2 = {{ "sycl-unique-id"="scoped" "sycl-device-global-size"="8" "sycl-device-image-scope"="true" }}
"#
    )
}

/// The sets of all images, or the error.
fn run(options: &str, module: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("d.ll"), module).unwrap();
    let words = options.split(' ').map(str::to_owned).chain(["-properties".into(), path("d.ll"), "-o".into(), path("d.table")]);
    aspen_postlink::run(&Arguments::parse(words).unwrap(), Database::builtin())
        .map_err(|error| error.to_string().replace(&path(""), ""))?;
    let sets = (0..).map_while(|index| fs::read_to_string(path(&format!("d_{index}.prop"))).ok());
    Ok(sets.map(|text| text.split("[SYCL/device globals]\n").nth(1).unwrap_or("-\n").replace('\n', " ")).collect::<Vec<_>>().join("| "))
}

#[track_caller]
fn check((options, uses): (&str, [&str; 3]), expected: Result<&str, &str>) {
    for options in [options.to_owned(), format!("--dialect=dpcpp {options}")] {
        let [first, second, with_double] = uses;
        let got = run(&options, &module(first, second, with_double));
        match expected {
            Ok(expected) => {
                let mut images: Vec<String> = got.expect("no error").split("| ").map(|set| set.trim().to_owned()).collect();
                images.sort(); // the dialects order images otherwise
                assert_eq!(images.join("| "), expected, "{options}");
            }
            Err(expected) => {
                // The first image is another one in DPC++'s order.
                let swapped = expected.replacen("'first'", "'x'", 1).replacen("'second'", "'first'", 1).replacen("'x'", "'second'", 1);
                let expected = if options.starts_with("--dialect") { &swapped } else { expected };
                assert_eq!(got.expect_err("an error"), *expected, "{options}");
            }
        }
    }
}

#[test]
fn images_list_what_they_use() {
    const SHARED: &str = "_Z6sharedv=2|ABAAAAAAAAABAAAAAAAAAA";
    const SCOPED: &str = "scoped=2|ABAAAAAAAAACAAAABAAAAA";
    check(("-split=source -device-globals", ["shared", "", "shared"]), Ok(&format!("{SHARED}| {SHARED}")));
    check(("-split=source -device-globals", ["shared scoped", "scoped", ""]), Ok(&format!("-| {SHARED} {SCOPED}")));
    check(("-split=kernel -device-globals", ["shared", "scoped", "shared"]), Ok(&format!("{SHARED}| {SHARED}| {SCOPED}")));
    check(("-split=source", ["shared", "scoped", "shared"]), Ok("-| -"));
}

#[test]
fn a_value_in_an_image_is_that_images_alone() {
    let error = |second: &str| {
        format!(
            "d.ll: device_global 'scoped' lies in its device image (device_image_scope), and two images would have one: that of 'first' and that \
             of '{second}'; split less (-split=none), or take the property away"
        )
    };
    check(("-split=kernel -device-globals", ["scoped", "scoped", ""]), Err(&error("second")));
    // Also where nobody asks for the set: the images would be wrong all the same.
    check(("-split=kernel", ["scoped", "scoped", "shared"]), Err(&error("second")));
}
