//! `aspen report`, and the table, filters and causes of `aspen check`: one model in four forms, and what is to blame is computed.

use std::fmt::Write;

use crate::common::Session;
use serde_json::{Value, json};

/// Four kernels need fp64: two through `inner` alone, one through `inner` and by itself, one where the device has it anyway.
const SOLVER: &str = "\
#include <sycl/sycl.hpp>
float inner(float x) { return x * 2.0; }
float middle(float x) { return inner(x) + 1; }
template <int N> class step; class both; class sub64; class guarded; class plain; class tagged;
template <class T> void scale(T *p) { p[0] = p[1] * T(3); } template <class T> T scale(T a, T b) { return a * b; }
void run(sycl::queue &q, float *p) {
  q.single_task<step<0>>([=] { p[0] = inner(p[1]); });
  q.single_task<step<1>>([=] { p[0] = middle(p[1]); });
  q.single_task<both>([=] { double d = p[0]; scale(&d); d = scale(d, d); p[0] = inner(float(d)); });
  q.parallel_for<sub64>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> i) [[sycl::reqd_sub_group_size(64)]] { p[i.get_global_id(0)] = 1; });
  q.single_task<guarded>([=] {
    p[0] = inner(p[1]);
    sycl::ext::oneapi::experimental::if_device_has<sycl::aspect::fp64>([=] { p[2] = p[3] * 2.0; });
  });
  q.single_task<plain>([=] { p[0] = 1; });
  q.single_task<tagged>([=]() [[sycl::device_has(sycl::aspect::fp16)]] { p[0] = 2; });
}
";
const MAIN: &str = "#include <sycl/sycl.hpp>\nvoid run(sycl::queue &, float *);\nint main() { sycl::queue q; float p[4]; run(q, p); }\n";

fn cause<'r>(report: &'r Value, function: &str) -> &'r Value {
    let causes = report["causes"].as_array().expect("causes").iter();
    causes.into_iter().find(|cause| cause["function"] == function).unwrap_or_else(|| panic!("no cause {function}: {}", report["causes"]))
}

fn names(report: &Value, indices: &Value) -> Vec<String> {
    let indices = indices.as_array().expect("indices").iter().map(|index| index.as_u64().expect("a number") as usize);
    let mut names: Vec<String> = indices.map(|index| report["kernels"][index]["name"].as_str().expect("a name").to_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_is_to_blame_is_computed() {
    let session = Session::new(&[("solver.cpp", SOLVER), ("main.cpp", MAIN)]);
    session.ok("aspen++ -fsycl-targets=spir64 -c solver.cpp && aspen++ -fsycl-targets=spir64 main.cpp solver.o -o app");
    let report = session.json("aspen report solver.o --device intel_gpu_dg1 --device intel_gpu_skl");
    assert_eq!(report["devices"][0]["summary"], json!({ "runs": 2, "refused": 5, "depends": 0 }));

    // Objects know all uses: without that line alone three run, and the fourth computes in double by itself.
    let inner = cause(&report, "inner");
    assert_eq!((&inner["need"], &inner["exact"], &inner["in_kernel"]), (&"aspect fp64".into(), &true.into(), &false.into()));
    assert_eq!(inner["place"], json!({ "file": "solver.cpp", "line": 2, "column": 31 }));
    assert_eq!(names(&report, &inner["kernels"]), ["both", "guarded", "step<0>", "step<1>"]);
    let dg1 = &inner["devices"][0];
    assert_eq!((&dg1["name"], &dg1["refused"]), (&"intel_gpu_dg1".into(), &4.into()));
    assert_eq!(names(&report, &dg1["runs_without"]), ["guarded", "step<0>", "step<1>"]);
    assert_eq!(inner["devices"][1]["refused"], 0);
    for function in ["both", "scale<…>"] {
        let own = cause(&report, function);
        assert_eq!((names(&report, &own["kernels"]), &own["devices"][0]["runs_without"]), (vec!["both".into()], &json!([])), "{function}");
    }
    // Overloads are two uses.
    let overloads = report["causes"].as_array().expect("causes").iter().filter(|cause| cause["function"] == "scale<…>");
    assert_eq!(overloads.count(), 2);
    let size = cause(&report, "sub64");
    assert_eq!((&size["declared"], names(&report, &size["devices"][0]["runs_without"])), (&true.into(), vec!["sub64".into()]));
    assert_eq!(report["causes"][0]["function"], "inner", "the one that frees most is first");
    // fp16 is there on both, so it is no cause; without devices it is one.
    assert!(report["causes"].as_array().expect("causes").iter().all(|cause| cause["need"] != "aspect fp16"));
    assert_eq!(cause(&session.json("aspen report solver.o"), "tagged")["declared"], true);

    // What it says is what happens.
    let mended = SOLVER.replace("x * 2.0;", "x * 2.0f;");
    std::fs::write(session.path("mended.cpp"), &mended).expect("writable");
    session.ok("aspen++ -fsycl-targets=spir64 -c mended.cpp");
    let then = session.json("aspen report mended.o --device intel_gpu_dg1");
    assert_eq!(then["devices"][0]["summary"], json!({ "runs": 5, "refused": 2, "depends": 0 }));

    // A linked program has one chain a need.
    let linked = session.json("aspen report app --device intel_gpu_dg1");
    assert_eq!(cause(&linked, "inner")["exact"], false);
    assert_eq!(cause(&linked, "sub64")["exact"], true);
    let image = linked["images"].as_array().expect("images").iter().find(|image| image["only_here"] == json!(["sub-group size 64"]));
    assert!(image.expect("one")["why"].as_str().expect("text").contains("no other image"));

    // For people.
    let text = session.ok("aspen report solver.o --device intel_gpu_dg1").stdout;
    for line in [
        "solver.o: 7 kernels in 1 image,",
        "  intel_gpu_dg1  2 run, 5 are refused, 0 depend on the device",
        "  inner() solver.cpp:2:31 pulls aspect fp64 into 4 kernels",
        "    intel_gpu_dg1: 4 kernels refused; without it 3 run",
        "        2 | float inner(float x) { return x * 2.0; }",
        "    Make it float at solver.cpp:2:31",
    ] {
        assert!(text.lines().any(|said| said.starts_with(line)), "{line}\n{text}");
    }
    let table = session.ok("aspen report solver.o --device intel_gpu_dg1 --format table").stdout;
    assert!(table.contains("│ solver.cpp ┆ step<0> ┆ aspect fp64 ") && table.contains("┆ refused: fp64 "), "{table}");
    session.bad(2, "aspen report solver.o --device intel_gpu_dg9", &["intel_gpu_dg9", "intel_gpu_dg1"]);
    session.bad(2, "aspen report", &[]);
    session.bad(1, "aspen report solver.o gone.o", &["gone.o"]);
    session.bad(1, "aspen report main.cpp", &["main.cpp"]);
    session.ok("clang++-22 -x c++ -c /dev/null -o host.o");
    session.bad(1, "aspen report host.o -o r.html", &["host.o"]);
    assert!(!session.exists("r.html"), "no report of a file without device images");
}

#[test]
fn sources_are_read_when_the_report_is_made() {
    let session = Session::new(&[("solver.cpp", SOLVER)]);
    session.ok("mkdir build && cd build && aspen++ -fsycl-targets=spir64 -c ../solver.cpp");
    let line = "float inner(float x) { return x * 2.0; }";
    // As the compiler named it, from where the object lies.
    let excerpts = &session.json("aspen report build/solver.o")["excerpts"];
    assert_eq!((&excerpts["../solver.cpp"]["lines"]["2"], &excerpts["../solver.cpp"]["newer"]), (&line.into(), &false.into()));
    assert!(session.ok("aspen report build/solver.o").stdout.contains(line));
    session.ok("sleep 0.02; touch solver.cpp");
    assert_eq!(session.json("aspen report build/solver.o")["excerpts"]["../solver.cpp"]["newer"], true);
    assert_eq!(session.json("aspen report build/solver.o --no-sources")["excerpts"], json!({}));
    session.ok("rm solver.cpp");
    let gone = &session.json("aspen report build/solver.o")["excerpts"]["../solver.cpp"];
    assert_eq!(*gone, json!({ "found": false, "why": "the file is not here any more" }));
    assert!(session.ok("aspen report build/solver.o").stdout.contains("the file is not here any more"));
    // A pipe would never end.
    session.ok("mkfifo solver.cpp && timeout 20 aspen report build/solver.o --format html > r.html && grep -q 'no ordinary file' r.html");
}

#[test]
fn names_are_data_in_every_form() {
    let hostile = "</script><img src=x onerror=alert(1)>&\\22<!--";
    let module = format!(
        "target triple = \"spir64-unknown-unknown\"\ndefine spir_kernel void @\"{hostile}\"() !intel_used_aspects !{{i32 6}} {{ ret void }}\n"
    );
    let session = Session::new(&[("m<b>&.ll", &module)]);
    let name = hostile.replace("\\22", "\"");
    let report = session.json("aspen report 'm<b>&.ll' --device intel_gpu_dg1");
    assert_eq!((&report["kernels"][0]["name"], &report["files"][0]["file"]), (&json!(name), &"m<b>&.ll".into()));
    session.ok("aspen report 'm<b>&.ll' --device intel_gpu_dg1 -o r.html");
    let page = String::from_utf8(session.read("r.html")).expect("UTF-8");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<title>m&lt;b&gt;&amp;.ll"), "{}", &page[..600]);
    assert!(!page.contains("<img") && page.matches("</script").count() == 2, "the name ends no script");
    let (_, data) = page.split_once("id=\"data\">").expect("data");
    let data: Value = serde_json::from_str(data.split_once("</script>").expect("an end").0).expect("JSON");
    assert_eq!(data, report);
    assert!(session.ok("aspen report 'm<b>&.ll'").stdout.contains(&name));
}

#[test]
fn changes_since_an_older_report_or_build() {
    let old = SOLVER.replace("x * 2.0;", "x * 2.0f;").replace("step<0>", "step<7>").replace("class plain;", "class plain; class gone;");
    let old = old.replace("  q.single_task<plain>", "  q.single_task<gone>([=] { p[0] = 3; });\n  q.single_task<plain>");
    let old =
        old.replace("p[0] = inner(p[1]); });\n  q.single_task<step<1>", "double d = p[1]; p[0] = d * d; });\n  q.single_task<step<1>");
    let new =
        SOLVER.replace("p[0] = inner(p[1]); });\n  q.single_task<step<1>", "double d = p[1]; p[0] = d * d; });\n  q.single_task<step<1>");
    let session = Session::new(&[("solver.cpp", &old)]);
    session.ok("aspen++ -fsycl-targets=spir64 -c solver.cpp -o old.o && aspen report old.o --device intel_gpu_dg1 -o old.json");
    std::fs::write(session.path("solver.cpp"), &new).expect("writable");
    session.ok("aspen++ -fsycl-targets=spir64 -c solver.cpp -o new.o");
    let report = session.json("aspen report new.o --device intel_gpu_dg1 --older old.json");
    let by_build = session.json("aspen report new.o --device intel_gpu_dg1 --older old.o");
    let changes = &report["changes"];
    for key in ["added", "removed", "renamed", "verdicts", "kernels_added", "kernels_removed"] {
        assert_eq!(changes[key], by_build["changes"][key], "{key}");
    }
    let name = |index: &Value| report["kernels"][index.as_u64().expect("an index") as usize]["name"].clone();
    let pairs = |list: &Value, key: &str| -> Vec<Value> {
        list.as_array().expect("a list").iter().map(|one| json!([name(&one["kernel"]), one[key]])).collect()
    };
    assert_eq!(pairs(&changes["renamed"], "by"), [json!(["step<0>", "the same place"])]);
    assert_eq!(pairs(&changes["added"], "need"), [json!(["step<1>", "aspect fp64"]), json!(["guarded", "aspect fp64"])]);
    assert_eq!(pairs(&changes["verdicts"], "after"), [json!(["step<1>", false]), json!(["guarded", false])]);
    assert_eq!(changes["kernels_removed"], json!([{ "name": "gone", "needs": [] }]));
    let text = session.ok("aspen report new.o --older old.json").stdout;
    assert!(text.contains("  + 'step<1>' needs aspect fp64 at solver.cpp:2:31\n"), "{text}");
    assert!(text.contains("  renamed 'step<0>', which was 'step<7>' (by the same place)\n"), "{text}");
    let said = session.bad(1, "aspen diff old.o new.o", &[]).stdout;
    assert!(said.contains("+ kernel 'step<1>' needs aspect fp64, used in 'inner' at solver.cpp:2:31\n"), "{said}");
    let diff = session.run("aspen diff old.o new.o --format json").stdout;
    let diff: Value = serde_json::from_str(&diff).expect("JSON");
    assert_eq!(diff["added"][0]["source"]["chain"][0], json!({ "function": "inner", "file": "solver.cpp", "line": 2, "column": 31 }));
    session.ok("echo '{}' > none.json; echo '{' > torn.json");
    session.bad(1, "aspen report new.o --older none.json", &["'none.json' is no report"]);
    session.bad(1, "aspen report new.o --older torn.json", &["'torn.json' is no JSON"]);
}

#[test]
fn check_shows_what_is_asked_for_and_counts_all() {
    let session = Session::new(&[("solver.cpp", SOLVER)]);
    session.ok("aspen++ -fsycl-targets=spir64 -c solver.cpp");
    let check = "aspen check solver.o --device intel_gpu_dg1";
    // Filters change what is seen, not the exit code.
    assert_eq!(session.bad(1, &format!("{check} --only yes"), &[]).stdout, "intel_gpu_dg1:\n  plain   yes\n  tagged  yes\n");
    let said = session.bad(1, &format!("{check} --only no,maybe --sort cause --summary"), &[]).stdout;
    let expected = "\
intel_gpu_dg1:
  no: lacks aspect fp64, used in 'inner' at solver.cpp:2:31 (3 kernels)
    step<0>
    step<1>
    guarded
  no: lacks aspect fp64, used at solver.cpp:9:36 (1 kernel)
    both
  no: lacks sub-group size 64, declared at solver.cpp:10:78 (1 kernel)
    sub64
  of 7 kernels: 2 run, 5 are refused, 0 depend on the device
";
    assert_eq!(said, expected);
    let names = |line: &str| -> Vec<String> {
        let said: Value = serde_json::from_str(&session.run(&format!("{line} --format json")).stdout).expect("JSON");
        said["devices"][0]["kernels"].as_array().expect("kernels").iter().map(|one| one["name"].as_str().expect("text").into()).collect()
    };
    assert_eq!(names(&format!("{check} --only yes")), ["plain", "tagged"]);
    assert_eq!(names(&format!("{check} --sort name")), ["both", "guarded", "plain", "step<0>", "step<1>", "sub64", "tagged"]);
    assert_eq!(names(&format!("{check} --sort answer"))[5..], ["plain", "tagged"]);
    let summary: Value = serde_json::from_str(&session.run(&format!("{check} --summary --only yes --format json")).stdout).expect("JSON");
    assert_eq!(summary["devices"][0]["summary"], json!({ "runs": 2, "refused": 5, "depends": 0 }));
    let table = session.run(&format!("{check} --device spir64 --format table --only maybe --summary")).stdout;
    assert!(table.contains("┆ intel_gpu_dg1 ") && table.contains("│ tagged  ┆ aspect fp16       ┆ yes "), "{table}");
    assert!(table.contains("┆ maybe: fp16 ") && !table.contains("plain"), "{table}");
    assert!(table.contains("│ intel_gpu_dg1 ┆ 2    ┆ 5       ┆ 0       │"), "{table}");
    session.bad(2, &format!("{check} --only perhaps"), &["perhaps", "maybe"]);
    session.bad(2, &format!("{check} --sort size"), &["size", "cause"]);
    session.bad(2, &format!("{check} --format html"), &["html"]);
    // Colours are for terminals, and NO_COLOR is heard there.
    assert!(!session.run(check).stdout.contains('\x1b'));
    let on_terminal = |variables: &str| session.run(&format!("script -qec '{variables} {check}' /dev/null")).stdout;
    assert!(on_terminal("TERM=xterm").contains("\x1b[") && !on_terminal("TERM=xterm NO_COLOR=1").contains('\x1b'));
}

/// Nobody waits for 100 000 kernels, in any form.
#[test]
fn deep_a_hundred_thousand_kernels() {
    let mut module = String::from("target triple = \"spir64-unknown-unknown\"\n");
    for index in 0..100_000 {
        let uses = if index % 10 == 3 { " !intel_used_aspects !{i32 6}" } else { "" };
        let _ = writeln!(module, "define spir_kernel void @k{index}(){uses} {{ ret void }}");
    }
    let session = Session::new(&[("m.ll", &module)]);
    session.ok("timeout 100 aspen report m.ll --device intel_gpu_dg1 --device intel_gpu_pvc -o r.html");
    session.ok("timeout 100 aspen report m.ll --device intel_gpu_dg1 -o r.json --older m.ll");
    let report: Value = serde_json::from_slice(&session.read("r.json")).expect("JSON");
    assert_eq!(report["devices"][0]["summary"], json!({ "runs": 90_000, "refused": 10_000, "depends": 0 }));
    assert_eq!(report["changes"]["renamed"], json!([]));
    let table = session.ok("timeout 100 aspen report m.ll --device intel_gpu_dg1 --format table").stdout;
    assert_eq!(table.lines().filter(|line| line.contains("┆ refused: fp64 ")).count(), 10_000);
    let said = session.bad(1, "timeout 100 aspen check m.ll --device intel_gpu_dg1 --only no --summary --format table", &[]).stdout;
    assert!(said.contains("│ intel_gpu_dg1 ┆ 90000 ┆ 10000   ┆ 0       │"));
}

#[test]
fn what_is_named_twice_is_shown_once() {
    let session = Session::new(&[("solver.cpp", SOLVER), ("main.cpp", MAIN)]);
    session.ok("aspen++ -fsycl-targets=spir64 solver.cpp main.cpp -o run && ln -s run same");
    let said = session.ok("aspen report run ./run same --device intel_gpu_dg1 --device intel_gpu_dg1").stdout;
    for once in ["run: 7 kernels", "  intel_gpu_dg1  2 run, 5 are refused"] {
        assert_eq!(said.matches(once).count(), 1, "'{once}' in {said}");
    }
}

#[test]
fn a_report_takes_no_inputs_place() {
    let session = Session::new(&[("main.cpp", SOLVER)]);
    session.ok("aspen++ -fsycl-targets=spir64 -c main.cpp && ln main.o same.o && ln -s main.o link.o");
    let object = session.read("main.o");
    for name in ["main.o", "same.o", "link.o"] {
        session.bad(2, &format!("aspen report main.o -o {name}"), &["would overwrite the input 'main.o'"]);
    }
    session.bad(2, "aspen aot --target intel_gpu_dg1 main.o -o main.o", &["would overwrite the input 'main.o'"]);
    assert!(session.read("main.o") == object);
    session.ok("aspen report main.o -o r.json && aspen report main.o --older r.json -o r.json");
    let said = session.ok("aspen report main.o --older r.json").stdout;
    assert!(said.contains("changes since r.json\n  none\n"), "{said}");
    session.ok("echo [] > list.json");
    session.bad(1, "aspen report main.o --older list.json", &["'list.json' is no report"]);
}
