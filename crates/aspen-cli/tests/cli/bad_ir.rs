//! Modules that are damaged, or say what they should not: an error that names the file and the place, exit 1, no output. What is merely not
//! known yet is kept. Source: DESIGN §2, §3; FORMATS §2.

use crate::common::Session;

/// Two functions and a kernel, with metadata to fill in.
fn module(function: &str, kernel: &str, nodes: &str) -> String {
    format!(
        "target triple = \"spir64-unknown-unknown\"\n\
         define spir_func void @f(){function} {{\n  ret void\n}}\n\
         define spir_kernel void @k(){kernel} {{\n  call spir_func void @f()\n  ret void\n}}\n{nodes}"
    )
}

#[test]
fn malformed_metadata_is_an_error_at_its_function() {
    let lists = "is not a list of numbers of aspects, or of pairs of name and number";
    let cases = [
        (" !intel_used_aspects !0", "", "!0 = !{!\"fp16\"}", format!("function 'f': '!intel_used_aspects' {lists}")),
        (" !intel_declared_aspects !0", "", "!0 = !{null, i32 5}", format!("function 'f': '!intel_declared_aspects' {lists}")),
        (" !sycl_used_aspects !0", "", "!0 = !{!1}\n!1 = !{i32 6, !\"fp64\"}", format!("function 'f': '!sycl_used_aspects' {lists}")),
        (" !sycl_declared_aspects !0", "", "!0 = !{double 5.0}", format!("function 'f': '!sycl_declared_aspects' {lists}")),
        (" !intel_used_aspects !0", "", "!0 = !{i64 99999999999}", format!("function 'f': '!intel_used_aspects' {lists}")),
        (" !intel_used_aspects !0", "", "!0 = distinct !{!0}", format!("function 'f': '!intel_used_aspects' {lists}")),
        ("", " !reqd_work_group_size !0", "!0 = !{i32 4, i32 0}", "function 'k': '!reqd_work_group_size' is not one to three sizes".into()),
        ("", " !reqd_work_group_size !0", "!0 = !{!\"8\"}", "function 'k': '!reqd_work_group_size' is not one to three sizes".into()),
        (
            "",
            " !reqd_work_group_size !0",
            "!0 = !{i32 1, i32 1, i32 1, i32 1}",
            "function 'k': '!reqd_work_group_size' is not one to three sizes of at least 1".into(),
        ),
        (
            "",
            " !intel_reqd_sub_group_size !0",
            "!0 = !{i32 8, i32 16}",
            "function 'k': '!intel_reqd_sub_group_size' is not one size".into(),
        ),
        ("", " !intel_reqd_sub_group_size !0", "!0 = !{float 8.0}", "function 'k': '!intel_reqd_sub_group_size' is not one size".into()),
        (
            "",
            "",
            "!intel_types_that_use_aspects = !{!0, !1}\n!0 = !{!\"class.h\", i32 5}\n!1 = !{i32 5}",
            "entry 2 of '!intel_types_that_use_aspects' is not a type's name and the numbers of aspects".into(),
        ),
        (
            "",
            "",
            "!sycl_types_that_use_aspects = !{!0}\n!0 = !{!\"class.h\", !\"fp16\"}",
            "entry 1 of '!sycl_types_that_use_aspects'".into(),
        ),
    ];
    let session = Session::new(&[("o.ll", "before")]);
    for (function, kernel, nodes, expected) in cases {
        std::fs::write(session.path("in.ll"), module(function, kernel, nodes)).expect("writable");
        for command in ["propagate in.ll -o o.ll", "inspect in.ll", "explain in.ll", "check in.ll --device intel_gpu_skl"] {
            session.bad(1, &format!("aspen {command}"), &["'in.ll': malformed metadata: ", &expected]);
        }
        assert!(session.read("o.ll") == b"before", "{nodes}");
    }
}

/// Numbers without a name, internal ones below zero, and names of sub-group sizes: whoever wrote them knows more than we do.
#[test]
fn what_is_not_known_is_kept() {
    let nodes =
        "!0 = !{i32 103, i32 5}\n!1 = !{!2, i32 -2}\n!2 = !{!\"of_tomorrow\", i32 4711}\n!3 = !{!\"primary\"}\n!4 = !{i32 4294967295}\n";
    let text = module(" !intel_used_aspects !0 !intel_declared_aspects !4", " !sycl_used_aspects !1 !intel_reqd_sub_group_size !3", nodes);
    let session = Session::new(&[("in.ll", &text)]);
    session.ok("aspen propagate in.ll -o once.ll 2>&1 && aspen propagate once.ll -o twice.bc --dialect dpcpp 2>&1");
    let needs = "aspect fp16, aspect #103, aspect #4711 of another compiler, aspect #4294967294, aspect #4294967295";
    let check =
        |file: &str, needs: &str| assert_eq!(session.ok(&format!("aspen explain {file}")).stdout, format!("k  {needs}\n"), "{file}");
    check("in.ll", needs);
    check("once.ll", needs);
    check("twice.bc", needs);
    assert!(session.ok("aspen inspect once.ll --format json").stdout.contains("\"#103\""));
    session.ok("aspen check once.ll --device intel_gpu_skl > said || grep -q '#103' said");
}

/// Errors of LLVM's readers, with the file, and the place where there is one; another version of LLVM is called so.
#[test]
fn modules_that_llvm_cannot_read() {
    let session = Session::new(&[("good.ll", &module("", "", ""))]);
    session.ok("aspen propagate good.ll -o good.bc");
    let good = session.read("good.bc");
    let texts = [
        ("define void @f( {\n", ":2:1: error: "),
        ("define void @f() {\n  ret i33 %nothing\n}\n", ":2:7: error: "),
        ("define void @f() !intel_used_aspects !7 {\n  ret void\n}\n", ":1:39: error: "),
        ("!0 = !{i32 five}\n", ":1:12: error: "),
        ("just words\n", ":1:1: error: "),
        ("define void @f() {\n  %x = add i32 %x, 1\n  ret void\n}\n", "may reference their own value"),
    ];
    for (index, (text, place)) in texts.iter().enumerate() {
        let name = format!("bad{index}.ll");
        std::fs::write(session.path(&name), text).expect("writable");
        session.bad(1, &format!("aspen propagate {name} -o no.bc"), &[&name, place]);
    }
    for length in [0, 1, 4, 5, 17, 60, good.len() / 2, good.len() - 4] {
        std::fs::write(session.path("cut.bc"), &good[..length]).expect("writable");
        session.bad(1, "aspen propagate cut.bc -o no.bc", &["cut.bc"]);
    }
    // Bit for bit through the header: read or refused, never half-written. The epoch changes when LLVM breaks the format.
    let mut epochs = 0;
    for bit in (0..48 * 8).step_by(5).chain([28 * 8 + 3]) {
        let mut damaged = good.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(session.path("flipped.bc"), damaged).expect("writable");
        let said = session.run("aspen propagate flipped.bc -o maybe.bc");
        match said.code {
            Some(0) => session.ok("rm maybe.bc"),
            Some(1) => {
                assert!(said.stderr.contains("flipped.bc") && !session.exists("maybe.bc"), "bit {bit}: {}", said.stderr);
                if said.stderr.contains("Incompatible epoch") {
                    assert!(said.stderr.contains("another version of LLVM"), "{}", said.stderr);
                    epochs += 1;
                }
                said
            }
            _ => panic!("bit {bit}: {:?} {}", said.code, said.stderr),
        };
    }
    assert!(epochs > 0);
    assert!(!session.exists("no.bc"));
}

/// Faulty text IR is told as compilers tell it, by every tool that reads it, also where a table lists it.
#[test]
fn mistakes_in_text_have_their_place() {
    let table = "[Code|Properties|Symbols]\nsyn.ll|syn.prop|syn.sym\n";
    let text = "target triple = \"spirv64\"\n\ndefine spir_kernel void @k() {\n  rett void\n}\n";
    let session = Session::new(&[("syn.ll", text), ("syn.table", table), ("syn.prop", ""), ("syn.sym", "k\n")]);
    std::os::unix::fs::symlink(session.bin.join("aspen"), session.path("sycl-post-link")).expect("a fresh folder");
    let lines = [
        "aspen propagate syn.ll -o o.ll",
        "aspen post-link -properties syn.ll",
        "aspen post-link -ir-output-only syn.ll",
        "./sycl-post-link -symbols syn.ll",
        "aspen inspect syn.ll",
        "aspen inspect syn.ll --format json",
        "aspen inspect syn.table",
        "aspen explain syn.ll",
        "aspen explain syn.ll k",
        "aspen check syn.ll --device intel_gpu_pvc",
        "aspen diff syn.ll syn.ll",
    ];
    for line in lines {
        let said = session.run(line);
        assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{line}");
        assert_eq!(said.stderr, "syn.ll:4:3: error: expected instruction opcode\n  rett void\n  ^\n", "{line}");
    }
    let said = session.run("aspen post-link -properties - < syn.ll");
    assert!(said.stderr.starts_with("standard input:4:3: error: expected instruction opcode\n"), "{}", said.stderr);
}
