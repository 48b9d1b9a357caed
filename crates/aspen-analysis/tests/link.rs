//! How summaries of several objects meet.

mod common;

use aspen_analysis::link::{Unit, link};
use aspen_analysis::{Summary, analyse};
use common::summary;

fn units<'a>(summaries: &'a [Summary]) -> Vec<Unit<'a>> {
    const OBJECTS: [(&str, &str); 3] = [("a.o", "aaaa"), ("b.o", "bbbb"), ("c.o", "cccc")];
    summaries.iter().zip(OBJECTS).map(|(summary, (object, tag))| Unit { object, tag, summary }).collect()
}

#[track_caller]
fn check(graphs: &[&str], expected: &str) {
    let summaries: Vec<Summary> = graphs.iter().map(|graph| summary(graph)).collect();
    let text = match link(&units(&summaries)) {
        Err(errors) => errors.iter().map(|error| format!("error: {error}\n")).collect(),
        Ok(linked) => {
            let analysis = analyse(&linked.summary);
            let line = |(id, function): (aspen_analysis::FuncId, &aspen_analysis::summary::Function)| {
                let used: Vec<String> = analysis.used(id).iter().map(ToString::to_string).collect();
                format!("{}{}: {}", if function.defined { "" } else { "extern " }, function.symbol, used.join(" ")).trim_end().to_owned()
                    + "\n"
            };
            let excess: String = linked
                .excess(&analysis)
                .iter()
                .map(|one| {
                    let line = |place: &Option<aspen_contract::Place>| place.as_ref().map_or(0, |place| place.line);
                    let chain: Vec<&str> = one.chain.iter().map(|step| step.function.as_str()).collect();
                    let (at, declared) = (line(&one.defined_at), line(&one.declared_at));
                    format!("excess {} {:?} at {at} declared at {declared}: {}", one.function, one.aspects, chain.join(" "))
                        .trim_end()
                        .to_owned()
                        + "\n"
                })
                .collect();
            linked.summary.iter().map(line).collect::<String>() + &excess
        }
    };
    let expected: String = expected.lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(text, expected);
}

#[test]
fn definition_takes_over_from_the_declaration() {
    check(
        &["kernel k call:far\n extern far exported", "far exported call:deep\n deep internal use:fp64"],
        "k: fp64
         far: fp64
         deep: fp64",
    );
}

#[test]
fn definition_that_needs_more_than_was_declared() {
    check(
        &["kernel k call:far\n extern far exported declares:fp64@2:3", "far exported declares:fp64,gpu@5:3"],
        "k: gpu fp64
         far:
         excess far [Aspect(2)] at 5 declared at 2:",
    );
    // The declaration is a header's, so the definition has its attribute: the use is told, wherever it is.
    check(
        &[
            "kernel k call:far\n extern far exported declares:fp16@2:3",
            "far exported declares:fp16@2:3 call:deep@6:1\n deep use:fp64@7:1 use:image@7:1 use:fp16",
        ],
        "k: fp16 fp64 image
         far: fp16 fp64 image
         deep: fp16 fp64 image
         excess far [Aspect(6), Aspect(9)] at 7 declared at 2: far deep",
    );
    check(
        &["kernel k call:far\n extern far exported declares:@2:3", "far exported use:fp64@8:1 call:lib@9:1\n extern lib attr:gpu"],
        "k: gpu fp64
         far: gpu fp64
         extern lib: gpu
         excess far [Aspect(2)] at 9 declared at 2: far lib
         excess far [Aspect(6)] at 8 declared at 2: far",
    );
    check(&["kernel k call:far\n extern far exported", "far exported use:fp64"], "k: fp64\n far: fp64");
}

#[test]
fn internal_names_stay_apart() {
    check(
        &["kernel k internal call:f\n f internal use:fp64", "kernel k internal call:f\n f internal use:fp16"],
        "k.aspen_aaaa: fp64
         f: fp64
         k.aspen_bbbb: fp16
         f: fp16",
    );
}

#[test]
fn equal_kernels_of_a_header_merge_and_different_ones_clash() {
    let header = "kernel k body=op call:op\n op odr use:fp64";
    check(&[header, header], "k: fp64\n op: fp64");
    check(
        &["kernel k body=op1 call:op1\n op1 odr", "kernel k body=op2 call:op2\n op2 odr"],
        "error: kernel name 'k' is used for two different kernels, in 'a.o' and in 'b.o'; give one of them another name",
    );
    let local = "kernel k body=op call:op\n op internal";
    check(
        &[local, local],
        "error: kernel name 'k' is used for two different kernels, in 'a.o' and in 'b.o'; give one of them another name",
    );
}

#[test]
fn function_defined_twice() {
    check(&["f exported", "f exported"], "error: device function 'f' is defined in 'a.o' and in 'b.o'");
    check(&["f odr use:fp64", "f odr use:fp64"], "f: fp64");
}

/// A weak definition gives way to a strong one; what nobody defines uses what any declaration says; a promise that was kept is no news.
#[test]
fn weak_definitions_declarations_alone_and_kept_promises() {
    check(&["kernel k call:f\n f odr use:fp64", "f exported use:fp64"], "k: fp64\n f: fp64");
    check(&["f exported use:fp64", "kernel k call:f\n f odr use:fp64"], "f: fp64\n k: fp64");
    let declared = |aspect: &str, kernel: &str| format!("kernel {kernel} call:far\n extern far exported declares:{aspect}");
    check(&[&declared("fp64", "a"), &declared("gpu", "b")], "a: gpu fp64\n extern far:\n b: gpu fp64");
    check(&["kernel a call:far\n extern far exported", &declared("gpu", "b")], "a: gpu\n extern far:\n b: gpu");
    check(&["kernel a call:far\n extern far exported attr:fp16", &declared("gpu", "b")], "a: gpu fp16\n extern far: fp16\n b: gpu fp16");
    check(&[&declared("fp64", "k"), "far exported declares:fp64 use:fp64"], "k: fp64\n far: fp64");
}

#[test]
fn a_strong_definition_counts_and_not_a_weak_one() {
    let expected = "k: fp64
         f: fp64
         deep: fp64";
    check(&["kernel k call:f\n f exported odr use:fp16", "f exported call:deep\n deep internal use:fp64"], expected);
    check(
        &["f exported call:deep\n deep internal use:fp64", "kernel k call:f\n f exported odr use:fp16"],
        "f: fp64
         deep: fp64
         k: fp64",
    );
}

#[test]
fn calls_through_pointers_reach_functions_of_other_units() {
    // By their type; the count is that of the whole program.
    check(
        &["kernel k call:f\n f pointer@3:4", "g taken use:fp64\n h use:gpu"],
        "k: fp64
         f: fp64
         g: fp64
         h: gpu",
    );
    // By the slot, where one has it; what is taken elsewhere stays.
    check(
        &["kernel k virtual@3:4 call:own/1@3:4\n own slot:0 use:fp16", "g slot:0 use:fp64\n h slot:1 use:image\n i taken use:gpu"],
        "k: gpu fp16 fp64
         own: fp16
         g: fp64
         h: image
         i: gpu",
    );
    // By the class too, where both say it.
    check(
        &[
            "kernel k virtual:A@3:4\n own slot:A/0 use:fp16",
            "g slot:B/0 slot:A/0 use:fp64\n h slot:B/0 use:image\n i taken use:gpu\n j slot:A/1 slot:B/0\n l slot:0 use:cpu",
        ],
        "k: cpu fp16 fp64
         own: fp16
         g: fp64
         h: image
         i: gpu
         j:
         l: cpu",
    );
    check(&["kernel k virtual:A@3:4\n i taken use:gpu", "h slot:B/0 use:image"], "k:\n i: gpu\n h: image");
    // The address is taken where the function is only declared.
    check(
        &["extern g exported taken", "kernel k pointer@3:4", "g exported use:fp64"],
        "g: fp64
         k: fp64",
    );
}

#[test]
fn calls_through_pointers_say_how_many_functions_of_the_program_they_may_reach() {
    let units_of = [summary("kernel k call:a@1:1 pointer@3:4 call:own/1@3:4 call:z@5:6\n a\n own taken\n z"), summary("g taken\n h taken")];
    let linked = link(&units(&units_of)).expect("nothing clashes");
    let calls = linked.summary.functions[0].calls.iter();
    let told: Vec<(&str, Option<u32>)> = calls.map(|call| (linked.summary.function(call.callee).name.as_str(), call.one_of)).collect();
    assert_eq!(told, [("a", None), ("g", Some(3)), ("h", Some(3)), ("own", Some(3)), ("z", None)]);
}
