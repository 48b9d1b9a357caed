//! `aspen propagate` as people and build systems use it.

use crate::common::Session;

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

/// `-` is standard output, which gets text for text and bitcode for bitcode.
#[test]
fn standard_output() {
    let session = Session::new(&[("in.ll", CYCLE)]);
    session.ok("aspen propagate in.ll -o t.ll && aspen propagate in.ll -o - > s.ll && cmp s.ll t.ll");
    session.ok("aspen propagate in.ll -o t.bc && aspen propagate t.bc -o t2.bc && aspen propagate t.bc -o - > s.bc && cmp s.bc t2.bc");
    assert!(!session.exists("-"));
    session.bad(1, "aspen propagate in.ll -o - > /dev/full", &["cannot write to standard output"]);
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

/// A module of DPC++ 2025, with what only its attributes say.
const OF_DPCPP: &str = "\
target triple = \"spir64-unknown-unknown\"
define spir_kernel void @user() #0 { call spir_func void @calls() ret void }
define spir_kernel void @constructor() #0 { ret void }
define spir_func void @calls() { %f = load ptr, ptr null call void %f() #2 ret void }
define spir_func void @member() #1 !sycl_used_aspects !1 { ret void }
define spir_kernel void @promises() #3 !sycl_used_aspects !3 { ret void }
attributes #0 = { \"calls-indirectly\"=\"other,one\" }
attributes #1 = { \"indirectly-callable\"=\"one\" }
attributes #2 = { \"virtual-call\" }
attributes #3 = { \"sycl-device-has\"=\"28,25\" }
!sycl_aspects = !{!10, !11, !12}
!10 = !{!\"fp64\", i32 6}
!11 = !{!\"atomic64\", i32 28}
!12 = !{!\"ext_intel_mem_channel\", i32 25}
!1 = !{!11}
!3 = !{i32 6}
";

#[test]
fn attributes_of_dpcpp_and_the_modules_own_numbers() {
    let session = Session::new(&[("in.ll", OF_DPCPP)]);
    session.ok("aspen propagate in.ll -o out.ll --dialect dpcpp --fixed-targets atomic64,gpu");
    let text = String::from_utf8(session.read("out.ll")).expect("text");
    let node = |number: &str| text.lines().find_map(|line| line.strip_prefix(&format!("{number} = "))).unwrap_or_default().to_owned();
    let of = |symbol: &str, kind: &str| {
        let line = text.lines().find(|line| line.starts_with("define") && line.contains(&format!("@{symbol}("))).unwrap_or_default();
        line.split_once(&format!("{kind} ")).map(|(_, rest)| node(rest.split(' ').next().unwrap_or_default()))
    };
    let used = |symbol: &str| of(symbol, "!sycl_used_aspects").map(|list| list.replace("!{", "").replace('}', ""));
    let pair = |name: &str| {
        text.lines().find(|line| line.contains(&format!("!\"{name}\""))).expect(name).split(' ').next().expect("a node").to_owned()
    };
    // A virtual call reaches the set's members; a kernel that only makes objects calls none.
    assert_eq!((used("user"), used("constructor")), (Some(pair("atomic64")), None), "{text}");
    // The module's own number of atomic64, and a name that Aspen does not know.
    let declared = of("promises", "!sycl_declared_aspects").unwrap_or_default();
    assert!(declared.contains(&pair("atomic64")) && declared.contains(&pair("ext_intel_mem_channel")), "{declared}\n{text}");
    assert!(text.contains("!{!\"atomic64\", i32 28}") && text.contains("!{!\"ext_intel_mem_channel\", i32 25}"), "{text}");
    assert_eq!(of("user", "!sycl_fixed_targets"), Some("!{i32 2, i32 28}".into()), "{text}");
    assert_eq!(of("calls", "!sycl_fixed_targets"), None);
    session.ok("aspen propagate in.ll -o out.ll --dialect dpcpp --exclude-aspects ext_intel_mem_channel");
    // Aspects that the module does not name, whose numbers of today are those of other names there (28, 25): they get numbers of their own.
    session.ok("aspen propagate in.ll -o out.ll --dialect dpcpp --fixed-targets ext_intel_device_info_uuid,usm_atomic_host_allocations");
    let text = String::from_utf8(session.read("out.ll")).expect("text");
    assert!(text.contains(" = !{i32 536870937, i32 536870940}"), "{text}");
    for pair in ["\"ext_intel_device_info_uuid\", i32 536870940", "\"usm_atomic_host_allocations\", i32 536870937", "\"atomic64\", i32 28"]
    {
        assert!(text.contains(pair), "{pair}: {text}");
    }
    session.ok("aspen propagate out.ll -o again.ll --dialect dpcpp");
    // A way through the seed dialect, which has no names, and back: numbers and names of the module's own stay what they were.
    session.ok("aspen propagate in.ll -o seed.ll && aspen propagate seed.ll -o back.ll --dialect dpcpp");
    let needs = session.ok("aspen explain in.ll").stdout;
    assert_eq!(session.ok("aspen explain seed.ll").stdout, needs);
    assert_eq!(session.ok("aspen explain back.ll").stdout, needs);
    let (seed, back) =
        (String::from_utf8(session.read("seed.ll")).expect("text"), String::from_utf8(session.read("back.ll")).expect("text"));
    assert!(!seed.contains("!sycl_aspects") && seed.contains("!{!\"ext_intel_mem_channel\", i32 1073741849}"), "{seed}");
    assert!(back.contains("!{!\"ext_intel_mem_channel\", i32 25}") && !back.contains("aspen_aspects"), "{back}");
    // What aspects are called in messages is the module's word for them.
    let said = session.run("aspen check in.ll --device intel_gpu_pvc");
    assert!(said.stdout.contains("#25 of another compiler") && !said.stdout.contains("device_info_uuid"), "{}", said.stdout);
    let said = session.run("aspen propagate in.ll -o out.ll --fixed-targets gpu");
    assert_eq!(said.code, Some(2));
    let said = session.run("aspen propagate in.ll -o out.ll --dialect dpcpp --exclude-aspects atomic65");
    assert!(said.code == Some(2) && said.stderr.contains("did you mean 'atomic64'?"), "{}", said.stderr);
}
