//! What travels between compiler and driver, and inside objects, arrives as it was sent or not at all; findings as plain text.

mod common;

use aspen_analysis::Level;
use aspen_analysis::split::{EntryPoint, bundle};
use aspen_analysis::summary::Call;
use aspen_analysis::{CodeSplit, FuncId, PassReport, Summary, analyse};
use aspen_contract::Requirements;
use common::summary;

const GRAPH: &str = "
    kernel k body=op call:op
    op declares:fp16@1:3 call:leaf/2@2:5
    leaf use:fp64@3:7";

#[test]
fn reports_arrive() {
    let graph = summary(GRAPH);
    let findings = analyse(&graph).findings().to_vec();
    let report = PassReport { tag: Some("0123456789abcdef".into()), summary: Some(graph), findings, ..PassReport::default() };
    let bytes = report.to_bytes();
    assert_eq!(PassReport::from_bytes(&bytes), Ok(report));
    assert!(PassReport::from_bytes(&bytes[..bytes.len() / 2]).is_err());
}

/// A call of function number `count` of `count` functions is one too far.
#[test]
fn summaries_that_refer_to_nothing_are_refused() {
    let good = summary(GRAPH);
    assert_eq!(Summary::from_bytes(&good.to_bytes()), Ok(good.clone()));
    let mut bad = good;
    bad.functions[2].calls.push(Call { callee: FuncId::from_index(3), place: None, one_of: None });
    let error = Summary::from_bytes(&bad.to_bytes()).expect_err("there are three functions").to_string();
    assert_eq!(error, "not a summary of device code ('leaf' refers to a function that is not there)");
    assert_eq!(Summary::from_bytes(&[]).expect_err("nothing").to_string(), "not a summary of device code (empty)");
}

/// S0's words. Source: S0 "New LLVM IR pass to propagate aspect usage"; DESIGN §4.
#[test]
fn findings_as_text() {
    let text = |graph: &str, level| analyse(&summary(graph)).findings().iter().map(|finding| finding.text(level)).collect::<String>();
    assert_eq!(
        text(GRAPH, Level::Warning),
        "t.cpp:3:7: warning: function 'op' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]\n\
         use is from this call chain:\n  op()\n  leaf() t.cpp:2:5 through a function pointer (one of 2 targets)\n\
         t.cpp:1:3: note: aspects of 'op' are declared here\n"
    );
    assert_eq!(
        text("f declares: call:g\n g use:fp64", Level::Error),
        "error: function 'f' uses aspect 'fp64' not listed in 'sycl::device_has' [-Werror,-Wsycl-aspects]\n\
         use is from this call chain:\n  f()\n  g()\ncompile with '-g' to get source location\n"
    );
}

/// Source: S1 "JIT case".
#[test]
fn bundles_look_at_units_and_imports_and_not_at_needs() {
    let entries = [(0, "a.cpp", ""), (1, "b.cpp", ""), (2, "a.cpp", ""), (3, "a.cpp", "f"), (4, "a.cpp", "g"), (5, "a.cpp", "f")];
    let entry = |(index, unit, import): (usize, &'static str, &str)| EntryPoint {
        id: FuncId::from_index(index),
        unit,
        requirements: Requirements { reqd_sub_group_size: u32::try_from(index).ok(), ..Requirements::default() },
        imports: (!import.is_empty()).then(|| import.to_owned()).into_iter().collect(),
        import_guards: Default::default(),
    };
    let images = |mode| bundle(entries.map(entry), mode).iter().map(|image| image.entries.len()).collect::<Vec<_>>();
    assert_eq!(images(CodeSplit::Off), [3, 2, 1]);
    assert_eq!(images(CodeSplit::PerSource), [2, 1, 2, 1]);
    assert_eq!(images(CodeSplit::PerKernel), [1; 6]);
}
