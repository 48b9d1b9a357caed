//! `aspen propagate` as people and build systems use it.

mod common;

use common::Session;

/// A cycle with the use below it, a decorated function in it, metadata of both dialects.
const CYCLE: &str = "\
target triple = \"spir64-unknown-unknown\"
define spir_func void @a(i32 %n) { call spir_func void @mid(i32 %n) ret void }
define spir_func void @mid(i32 %n) !intel_declared_aspects !0 { call spir_func void @c(i32 %n) ret void }
define spir_func void @c(i32 %n) { call spir_func void @a(i32 %n) call spir_func void @below(i32 %n) ret void }
define spir_func void @below(i32 %n) { %d = sitofp i32 %n to double ret void }
define spir_func void @marked() !sycl_used_aspects !1 { ret void }
define spir_kernel void @k() { call spir_func void @a(i32 1) call spir_func void @marked() ret void }
!0 = !{i32 5}
!1 = !{i32 103}
";

#[test]
fn warnings_have_s0s_form_and_a_second_run_says_and_writes_the_same() {
    let session = Session::new(&[("in.ll", CYCLE)]);
    let expected = "warning: function 'mid' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]\n\
                    use is from this call chain:\n  mid()\n  c()\n  below()\n\
                    compile with '-g' to get source location\n";
    for dialect in ["seed", "dpcpp"] {
        let first = session.ok(&format!("aspen propagate in.ll -o once.ll --dialect {dialect}"));
        assert_eq!((first.stdout.as_str(), first.stderr.as_str()), ("", expected));
        let second = session.ok(&format!("aspen propagate once.ll -o twice.ll --dialect {dialect}"));
        assert_eq!(second.stderr, expected);
        let text = |name: &str| String::from_utf8(session.read(name)).expect("text").replace("once.ll", "in.ll");
        assert_eq!(text("twice.ll"), text("once.ll"));
        // Through bitcode and the other dialect, nothing is lost.
        session.ok("aspen propagate once.ll -o other.bc --dialect dpcpp && aspen propagate other.bc -o back.ll --dialect seed");
        assert!(text("back.ll").contains("define spir_kernel void @k() !intel_used_aspects"), "{}", text("back.ll"));
        assert!(!text("back.ll").contains("sycl_used_aspects"), "{}", text("back.ll"));
        assert_eq!(session.ok("aspen inspect other.bc").stdout.lines().nth(3), Some("    needs aspect fp16, aspect fp64, aspect #103"));
    }
}

#[test]
fn modules_with_debug_info_have_places() {
    let source = "void boo() { volatile double d = 1; }\n\
                  [[clang::sycl_external]] void foo() {\n  boo();\n}\n";
    let session = Session::new(&[("a.cpp", source)]);
    session.ok("clang++-22 -fsycl -fsycl-device-only -g -O0 -S -emit-llvm a.cpp -o a.ll");
    let text = String::from_utf8(session.read("a.ll")).expect("text");
    let line = text.lines().find(|line| line.starts_with("define") && line.contains("@_Z3foov()")).expect("foo");
    let with = line.replacen(" {", " !intel_declared_aspects !99999 {", 1);
    let decorated = text.replacen(line, &with, 1) + "!99999 = !{i32 5}\n";
    std::fs::write(session.path("b.ll"), decorated.replacen(line, &with, 1)).expect("writable");
    let said = session.ok("aspen propagate b.ll -o c.bc").stderr;
    assert!(said.starts_with("a.cpp:1:30: warning: function 'foo' uses aspect 'fp64'"), "{said}");
    assert!(said.contains("\n  foo()\n  boo() a.cpp:3:3\n") && !said.contains("compile with '-g'"), "{said}");
}

#[test]
fn usage_is_looked_at_before_any_file() {
    let session = Session::new(&[]);
    for line in ["gone.ll", "gone.ll -o", "gone.ll -o o.ll --dialect klingon", "-o o.ll"] {
        session.bad(2, &format!("aspen propagate {line}"), &[]);
    }
    session.bad(2, "aspen propagate gone.ll -o o.ll --exclude-aspects gpu,fp46", &["'fp46'", "did you mean 'fp64'"]);
    session.bad(1, "aspen propagate gone.ll -o o.ll", &["gone.ll"]);
    assert!(!session.exists("o.ll"));
}

#[test]
fn a_failed_input_leaves_the_output_alone() {
    let session =
        Session::new(&[("good.ll", CYCLE), ("bad.ll", "define void @f() {\n  rett void\n}\n"), ("empty.bc", ""), ("o.ll", "before")]);
    session.bad(1, "aspen propagate bad.ll -o o.ll", &["bad.ll:2:3: error: expected instruction opcode"]);
    session.bad(1, "aspen propagate empty.bc -o o.ll", &["empty.bc", "empty"]);
    session.ok("aspen propagate good.ll -o good.bc && head -c 300 good.bc > cut.bc");
    session.bad(1, "aspen propagate cut.bc -o o.ll", &["cut.bc"]);
    assert_eq!(session.read("o.ll"), b"before");
    session.bad(1, "aspen propagate good.ll -o no/such/o.ll", &["no/such/o.ll"]);
}

#[test]
fn excluded_aspects_stay_where_they_were() {
    let session = Session::new(&[("in.ll", CYCLE)]);
    session.ok("aspen propagate in.ll -o out.ll --exclude-aspects fp64,#103");
    let text = String::from_utf8(session.read("out.ll")).expect("text");
    let line =
        |name: &str| text.lines().find(|line| line.contains(&format!("@{name}(")) && line.starts_with("define")).expect("there").to_owned();
    assert!(!line("below").contains("used") && line("marked").contains("!intel_used_aspects"), "{text}");
    // What is declared is never excluded.
    assert!(line("k").contains("!intel_used_aspects") && text.contains("!{i32 5}"), "{text}");
}
