//! `aspen inspect` on every container that device code travels in: the same kernels, requirements, imports and exports in each.

use crate::common::Session;
use serde_json::{Value, json};

const KERNELS: &str = "\
#include <sycl/sycl.hpp>
namespace app { template <class T> class halves; }
class plain;
SYCL_EXTERNAL int elsewhere(int);
SYCL_EXTERNAL int offered(int x) { return x + 1; }
void run(sycl::queue &q, int *p) {
  q.single_task<app::halves<int>>([=]() { double d = p[0]; p[1] = (int)(d / 2); });
  q.single_task<plain>([=]() { p[0] = elsewhere(p[0]); });
}
";
const ELSEWHERE: &str = "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int elsewhere(int x) { return x; }\n";
const MAIN: &str = "#include <sycl/sycl.hpp>\nvoid run(sycl::queue &, int *);\nint main() { sycl::queue q; int p[2]; run(q, p); }\n";

/// What an image says of itself, without its name and size: format, kernels with their aspects, exports, imports.
type Facts = (String, Vec<(String, Vec<String>)>, Vec<String>, Vec<String>);

fn facts(image: &Value) -> Facts {
    let list =
        |list: &Value| -> Vec<String> { list.as_array().expect("a list").iter().map(|text| text.as_str().expect("text").into()).collect() };
    let kernels = image["kernels"].as_array().expect("kernels").iter();
    let kernels =
        kernels.map(|kernel| (kernel["name"].as_str().expect("a name").to_owned(), list(&kernel["requirements"]["aspects"]))).collect();
    (image["format"].as_str().expect("a format").to_owned(), kernels, list(&image["exports"]), list(&image["imports"]))
}

#[test]
fn every_container_shows_what_it_holds() {
    let session = Session::new(&[("k.cpp", KERNELS), ("e.cpp", ELSEWHERE), ("main.cpp", MAIN)]);
    session.ok("aspen++ -O1 -fsycl-targets=spir64 -fPIC -c k.cpp && aspen++ -O1 -fsycl-targets=spir64 -fPIC -c e.cpp");
    session
        .ok("aspen++ -O1 -fsycl-targets=spir64 main.cpp k.o e.o -o app && aspen++ -O1 -fsycl-targets=spir64 -shared k.o e.o -o libapp.so");
    session.ok("mkdir lib && ar qc lib/libfat.a k.o e.o && ar qcT lib/libthin.a k.o e.o && ld -r k.o -o relinked.o");
    session.ok("objcopy --dump-section .llvm.offloading=app.ob app");
    session.ok("aspen++ -O1 -fsycl-targets=spir64 -fsycl-device-only -emit-llvm -c k.cpp -o k.bc");
    session.ok("aspen++ -O1 -fsycl-targets=spir64 -fsycl-device-only -emit-llvm -S k.cpp -o k.ll");
    session.ok(
        "aspen post-link -split=none -symbols -properties -emit-kernel-names -emit-exported-symbols -emit-imported-symbols k.bc -o k.table",
    );

    let images = |file: &str| -> Vec<_> {
        session.json(&format!("aspen inspect {file}"))["images"].as_array().expect("images").iter().map(facts).collect()
    };
    let text = |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.to_owned()).collect() };
    let kernels = |named: &[(&str, &[&str])]| -> Vec<_> { named.iter().map(|&(name, aspects)| (name.to_owned(), text(aspects))).collect() };
    let (exports, imports) = (text(&["_Z7offeredi"]), text(&["_Z9elsewherei"]));

    // Not linked yet: one module a source.
    let unit = ("bitcode".to_owned(), kernels(&[("app::halves<int>", &["fp64"]), ("plain", &[])]), exports.clone(), imports.clone());
    let other = ("bitcode".to_owned(), vec![], text(&["_Z9elsewherei"]), vec![]);
    for file in ["k.o", "relinked.o", "k.bc", "k.ll"] {
        assert_eq!(images(file), std::slice::from_ref(&unit), "{file}");
    }
    for file in ["lib/libfat.a", "lib/libthin.a"] {
        assert_eq!(images(file), [unit.clone(), other.clone()], "{file}");
    }

    // Linked and split: fp64 by itself; a library offers its functions, each source's in an image of its own; a program keeps them.
    let with = |images: &[Facts], kernel: &str| {
        images.iter().position(|image| image.1.iter().any(|(name, _)| name == kernel)).unwrap_or_else(|| panic!("{kernel}: {images:?}"))
    };
    let (library, program) = (images("libapp.so"), images("app"));
    assert_eq!((library.len(), program.len()), (3, 2));
    let spirv = |named: &[(&str, &[&str])], exports: &[&str]| ("spirv".to_owned(), kernels(named), text(exports), vec![]);
    assert_eq!(library[with(&library, "app::halves<int>")], spirv(&[("app::halves<int>", &["fp64"])], &[]));
    assert_eq!(library[with(&library, "plain")], spirv(&[("plain", &[])], &["_Z7offeredi"]));
    assert!(library.contains(&spirv(&[], &["_Z9elsewherei"])));
    assert_eq!(program[with(&program, "plain")], spirv(&[("plain", &[])], &[]));
    assert_eq!(images("app.ob"), program);

    // Post-link's files: the table, its property sets, its modules. What imports is apart from what does not.
    let table = images("k.table");
    assert_eq!(table.len(), 3);
    let (halves, plain) = (with(&table, "app::halves<int>"), with(&table, "plain"));
    assert_eq!(table[halves], ("bitcode".into(), kernels(&[("app::halves<int>", &["fp64"])]), vec![], vec![]));
    assert_eq!(table[plain], ("bitcode".into(), kernels(&[("plain", &[])]), vec![], imports));
    assert!(table.contains(&("bitcode".into(), vec![], exports, vec![])));
    for (index, row) in table.iter().enumerate() {
        assert_eq!(images(&format!("k_{index}.bc")), std::slice::from_ref(row));
    }
    let described = images(&format!("k_{plain}.prop"));
    assert_eq!((&described[0].2, &described[0].3), (&table[plain].2, &table[plain].3));

    // An image by itself knows its capabilities only.
    session.ok("llvm-offload-binary-22 app.ob --image=file=app.spv,arch=spir64");
    let alone = &session.json("aspen inspect app.spv")["images"][0];
    assert_eq!((&alone["format"], &alone["target"]), (&json!("spirv"), &json!("spir64")));
    assert_eq!(alone["kernels"].as_array().map(Vec::len), Some(1));

    // For people: names, needs, what goes in and out.
    let said = session.ok("aspen inspect lib/libthin.a").stdout;
    for line in [
        "lib/libthin.a: 2 device images",
        "    kernel plain             needs nothing",
        "    exports _Z7offeredi",
        "    imports _Z9elsewherei",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n{said}");
    }

    // A thin archive whose member is gone says which.
    session.ok("rm e.o");
    session.bad(1, "aspen inspect lib/libthin.a", &["lib/libthin.a", "e.o"]);
}

/// Files are named by anybody, and a terminal obeys what it is shown.
#[test]
fn names_have_nothing_that_a_terminal_obeys() {
    let session = Session::new(&[("k.cpp", KERNELS), ("e.cpp", ELSEWHERE), ("main.cpp", MAIN)]);
    session.ok("aspen++ -O0 -fsycl-targets=spir64 main.cpp k.cpp e.cpp -o \"$(printf 'a\\033[31m\\nb')\" && mv a*b app");
    let said = session.ok("aspen inspect app && aspen report app").stdout;
    assert!(said.contains("[0] a\u{fffd}[31m\u{fffd}b_"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
}
