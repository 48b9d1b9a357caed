//! What SYCL does not allow in device code, and where it is told. Source: DESIGN §7.28; docs/decisions/0015.

mod common;

use aspen_analysis::{Strict, left_after, strict, strict_across_units};
use common::summary;

fn told(all: &[Strict]) -> Vec<String> {
    let line = |one: &Strict| {
        let chain: Vec<&str> = one.chain.iter().map(|step| step.function.as_str()).collect();
        let what = one.message().split(',').next().unwrap_or_default().to_owned();
        let place = one.place.as_ref().map_or_else(String::new, |place| format!("{}:{} ", place.line, place.column));
        format!("{place}{what} [{}]", chain.join(" "))
    };
    all.iter().map(line).collect()
}

#[track_caller]
fn check(graph: &str, expected: &[&str]) {
    assert_eq!(told(&strict(&summary(graph), &|_| false)), expected, "{graph}");
}

#[test]
fn cycles_of_calls_by_name() {
    check("kernel k call:f@1:1\nf call:f@2:2 call:g@2:3\ng", &["2:2 'f' calls itself [k f f]"]);
    check("kernel k call:a@1:1\na call:b@2:1\nb call:c@3:1\nc call:a@4:1", &["4:1 'a' calls itself through 'c' [k a b c a]"]);
    check("kernel k call:b@1:1\na call:b@2:1\nb call:a@3:1", &["2:1 'b' calls itself through 'a' [k b a b]"]);
    check("kernel k body=f call:e\ne call:f\nf call:f@2:2", &["2:2 'f' calls itself [f f]"]);
    check("f exported call:f@2:2", &["2:2 'f' calls itself [f f]"]);
    check("kernel k call:f@1:1 call:g@1:2\nf call:h@2:1\ng call:h@3:1\nh", &[]);
    check("kernel k\nf call:f@2:2", &[]);
    // A pointer may reach its caller; that is the call through the pointer.
    check("kernel k call:f@1:1\nf call:f/2@2:2 pointer@2:2", &["2:2 'f' calls through a function pointer [k f]"]);
}

#[test]
fn calls_through_pointers() {
    check(
        "kernel k call:f@1:1\nf virtual@2:2 pointer@2:3",
        &["2:2 'f' makes a virtual call [k f]", "2:3 'f' calls through a function pointer [k f]"],
    );
    check("kernel k call:f@1:1\nf\ng virtual@2:2", &[]);
}

#[test]
fn kernels_that_say_so_call_through_pointers() {
    let check =
        |graph: &str, expected: &[&str]| assert_eq!(told(&strict(&summary(graph), &|kernel| kernel == "says")), expected, "{graph}");
    check("kernel says call:f@1:1\nf virtual@2:2 pointer@2:3", &[]);
    check("kernel says call:f@1:1\nkernel k call:f@3:1\nf virtual@2:2", &["2:2 'f' makes a virtual call [k f]"]);
    check("kernel says call:f@1:1\nf exported virtual@2:2", &["2:2 'f' makes a virtual call [f]"]);
    check("kernel says call:f@1:1\nf call:f@2:2", &["2:2 'f' calls itself [says f f]"]);
}

#[test]
fn the_line_is_the_users() {
    check("kernel k call:s@1:1\ns system call:t@8:8\nt system call:t@9:9", &["1:1 't' calls itself [k s t t]"]);
    check("kernel k call:s@1:1\ns system call:f@8:8\nf pointer@2:2", &["2:2 'f' calls through a function pointer [k s f]"]);
    check("kernel k system call:s@7:7\ns system virtual@9:9", &["9:9 's' makes a virtual call [k s]"]);
}

#[test]
fn what_optimisation_leaves() {
    let left = |source: &str, after: &str| told(&left_after(strict(&summary(source), &|_| false), &summary(after)));
    let source = "kernel k call:f@1:1 call:g@1:2\nf call:f@2:2\ng pointer@3:3";
    assert_eq!(left(source, "kernel k call:f.1@1:1\nf.1 call:f.1@2:2"), ["2:2 'f' calls itself [k f f]"]);
    assert_eq!(left(source, "kernel k pointer@3:3"), ["3:3 'g' calls through a function pointer [k g]"]);
    assert!(left(source, "kernel k\nf call:f@2:2\ng pointer@3:3").is_empty(), "nothing reaches them");
}

#[test]
fn units() {
    let across = |graph: &str| told(&strict_across_units(&summary(graph)));
    let two = "kernel k call:f@1:1\nf exported call:g@2:2\ng exported unit=b.cpp call:f@3:3";
    assert_eq!(across(two), ["3:3 'f' calls itself through 'g' [k f g f]"]);
    assert!(across("kernel k call:f@1:1\nf call:f@2:2").is_empty(), "its unit has told it");
    let optimised = "kernel k call:f@1:1\nf exported call:g@2:2 optimized:\ng exported unit=b.cpp call:f@3:3 optimized:f";
    assert!(across(optimised).is_empty(), "the call of g is gone");
}
