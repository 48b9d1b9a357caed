//! From sources to programs that run: one and many units, archives in all their forms, shared libraries, separate steps.

use crate::common::{Session, TWO_KERNELS};

#[test]
fn a_program_runs_and_is_refused_where_it_must_be() {
    let session = Session::new(&[("two.cpp", TWO_KERNELS)]);
    session.ok("aspen++ -O2 two.cpp -o two");
    assert_eq!(session.ok("./two").stdout, "7 3\n");
    let refused = session.ok("ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./two").stdout;
    assert!(refused.starts_with("7\nkernel 'dbl' cannot run on "), "{refused}");
    assert!(refused.contains("  needs aspect fp64: two.cpp:9:39 in the kernel"), "{refused}");
    let listed = session.ok("llvm-objdump-22 --offloading two").stdout;
    assert_eq!(listed.matches("OFFLOADING IMAGE").count(), 4, "{listed}");

    // The prefix of the program is where libaspen.so was; an old program keeps running while a new one replaces it.
    let before = session.read("two");
    session.ok("aspen++ -O2 two.cpp -o two");
    assert!(before == session.read("two"), "the same input gives the same bytes");
}

const MAIN: &str = "\
#include <sycl/sycl.hpp>
SYCL_EXTERNAL int twice(int);
class k_main;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task<k_main>([=]() { p[0] = twice(21); }).wait();
  return p[0] == 42 ? 0 : 1;
}
";
const TWICE: &str = "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int once(int);\nSYCL_EXTERNAL int twice(int x) { return once(x) * 2; }\n";
const ONCE: &str = "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int once(int x) { return x; }\n";
const UNUSED: &str = "#include <sycl/sycl.hpp>\nclass k_unused;\nvoid never(sycl::queue &q) { q.single_task<k_unused>([=]() { double d = 1; (void)d; }); }\n";

#[test]
fn deep_archives_give_what_the_host_link_takes() {
    let files = [("main.cpp", MAIN), ("twice.cpp", TWICE), ("once.cpp", ONCE), ("unused.cpp", UNUSED)];
    let session = Session::new(&files);
    for (name, _) in files {
        session.ok(&format!("aspen++ -fsycl-targets=native_cpu -c {name}"));
    }
    // `twice` is only called by device code of main.o: the host link would never take it by itself.
    session.ok("ar qc libparts.a once.o unused.o twice.o && ar qcT libthin.a once.o unused.o twice.o && ld -r once.o twice.o -o both.o");
    session.ok("ar qc libboth.a both.o && echo 'INPUT(once.o twice.o)' > script.ld && mkdir lib && cp libparts.a lib/libinner.a");
    let kernels = |program: &str| -> Vec<String> {
        session.ok(&format!("./{program}"));
        let found = session.json(&format!("aspen inspect {program}"));
        let images = found["images"].as_array().expect("images").iter();
        images.flat_map(|image| image["kernels"].as_array().expect("kernels").iter().map(|kernel| kernel["name"].to_string())).collect()
    };
    for (line, unused) in [
        ("main.o libparts.a", false),
        ("main.o -Llib -linner", false),
        ("main.o libthin.a", false),
        ("main.o libboth.a", false),
        ("main.o script.ld", false),
        ("main.o once.o twice.o", false),
        ("main.o -Wl,--start-group libparts.a -Wl,--end-group", false),
        ("-Wl,--whole-archive libparts.a -Wl,--no-whole-archive main.o", true),
    ] {
        session.ok(&format!("aspen++ {line} -o prog"));
        let kernels = kernels("prog");
        assert!(kernels.contains(&"\"k_main\"".into()), "{line}: {kernels:?}");
        assert_eq!(kernels.contains(&"\"k_unused\"".into()), unused, "{line}: {kernels:?}");
    }
}

#[test]
fn deep_kernels_of_headers_merge_and_internal_ones_stay_apart() {
    let header = "#include <sycl/sycl.hpp>\nclass shared_kernel;\n\
        inline void in_header(sycl::queue &q, int *p) { q.single_task<shared_kernel>([=]() { p[0] += 1; }).wait(); }\n";
    let unit = |function: &str, value: u32| {
        format!(
            "#include \"k.hpp\"\nnamespace {{ class own; }}\nvoid {function}(sycl::queue &q, int *p) {{ in_header(q, p);\n  \
             q.single_task<own>([=]() {{ p[1] += {value}; }}).wait();\n  q.single_task([=]() {{ p[2] += {value}; }}).wait(); }}\n"
        )
    };
    let main = "#include \"k.hpp\"\nvoid a(sycl::queue &, int *); void b(sycl::queue &, int *);\n\
        int main() { sycl::queue q; int *p = sycl::malloc_shared<int>(3, q); p[0] = p[1] = p[2] = 0; a(q, p); b(q, p);\n  \
        return p[0] == 2 && p[1] == 11 && p[2] == 11 ? 0 : 1; }\n";
    let session = Session::new(&[("k.hpp", header), ("a.cpp", &unit("a", 1)), ("b.cpp", &unit("b", 10)), ("main.cpp", main)]);
    session.ok("aspen++ -fsycl-targets=native_cpu main.cpp a.cpp b.cpp -o prog");
    session.ok("./prog");
    session.ok("aspen++ -fsycl-targets=native_cpu -shared -fPIC b.cpp -o libb.so");
    session.ok("aspen++ -fsycl-targets=native_cpu main.cpp a.cpp -L. -lb -Wl,-rpath,'$ORIGIN' -o prog2");
    session.ok("./prog2");
    assert_eq!(session.json("aspen inspect libb.so")["images"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_function_that_nobody_defines() {
    let library = "#include <sycl/sycl.hpp>\nSYCL_EXTERNAL int elsewhere(int);\nclass k_import;\n\
        void f(sycl::queue &q, int *p) {\n  q.single_task<k_import>([=]() { p[0] = elsewhere(1); });\n}\n";
    let session = Session::new(&[("lib.cpp", library), ("plain.cpp", &library.replace("SYCL_EXTERNAL ", ""))]);
    let said = session.ok("aspen++ -fsycl-targets=spir64 -shared -fPIC lib.cpp -o lib.so").stderr;
    assert!(said.starts_with("lib.cpp:5:42: warning: device function 'elsewhere' is not defined"), "{said}");
    assert!(said.contains("[-Wsycl-external]\n") && said.contains("  k_import()\n  elsewhere() lib.cpp:5:42\n"), "{said}");
    let imports = &session.json("aspen inspect lib.so")["images"][0]["imports"];
    assert_eq!(imports, &serde_json::json!(["_Z9elsewherei"]));
    session.bad(1, "aspen++ -Werror=sycl-external -fsycl-targets=spir64 -shared -fPIC lib.cpp -o no.so", &["[-Werror,-Wsycl-external]"]);
    for target in ["spir64", "native_cpu"] {
        let line = format!("aspen++ -fsycl-targets={target} -shared -fPIC plain.cpp -o no.so");
        session.bad(1, &line, &["device function 'elsewhere' is not defined", "  k_import()\n  elsewhere() plain.cpp:5:42"]);
    }
    assert!(!session.exists("no.so"));
}

#[test]
fn steps_and_stages() {
    let session =
        Session::new(&[("two.cpp", TWO_KERNELS), ("c.c", "int c(void) { return 1; }\n"), ("host.cpp", "int main() { return 0; }\n")]);
    let printed = session.ok("aspen++ -### two.cpp -o two").stderr;
    assert_eq!(printed.lines().count(), 5, "two device passes, the host pass, the CPU image, the link: {printed}");
    assert!(!session.exists("two"));
    let text = session.ok("aspen++ -fsycl-device-only -S -emit-llvm two.cpp -o -").stdout;
    assert!(text.contains("!intel_used_aspects") && text.contains("spir_kernel"), "{text}");
    assert!(session.ok("aspen++ -E two.cpp").stdout.contains("int main()"));
    session.ok("aspen++ -S two.cpp && grep -q main two.s");
    session.ok("aspen++ -fsyntax-only two.cpp");
    session.ok("echo '#define TWO 2' | aspen++ -x c++ -c - -o stdin.o");
    for (name, line) in [
        ("stdin", "aspen++ -x c++ -c /dev/stdin -o stdin.o < two.cpp"),
        ("stdin", "cat two.cpp | aspen++ -x c++ -c /dev/stdin -o stdin.o"),
        ("open", "aspen++ -x c++ -c /dev/fd/3 -o open.o 3< two.cpp"),
        ("pipe", "mkfifo pipe && { cat two.cpp > pipe & aspen++ -x c++ -c pipe -o pipe.o; }"),
    ] {
        session.ok(line);
        let found = session.json(&format!("aspen inspect {name}.o"));
        assert_eq!(found["images"][0]["kernels"].as_array().map(Vec::len), Some(2), "{line}: {found}");
    }
    session.ok("aspen++ host.cpp c.c -o host && ./host");
    session.ok(
        "aspen++ -save-temps=kept two.cpp -o two && ls kept/two.host.o kept/two.spir64.bc kept/two.native_cpu.bc kept/two_0.spir64.spv",
    );
    session.ok("aspen++ -MD -MF deps.d -MP -c two.cpp -o out.o");
    let deps = String::from_utf8(session.read("deps.d")).expect("text");
    assert!(deps.starts_with("out.o: \\\n  two.cpp \\\n") && deps.contains("include/sycl/sycl.hpp:\n"), "{deps}");
    session.ok("cp host.cpp host.test.cpp && aspen++ -c -MMD host.test.cpp && grep -q '^host.test.o: ' host.test.d");
    assert!(session.ok("aspen++ --help").stdout.contains("-fsycl-targets"));
    let version = session.ok("aspen++ --version").stdout;
    assert!(version.lines().next().is_some_and(|line| line.contains("clang version 22")), "{version}");
    assert!(version.contains(concat!("\naspen++ ", env!("CARGO_PKG_VERSION"), "\n")), "{version}");
}

#[test]
fn under_make() {
    let session = Session::new(&[("two.cpp", TWO_KERNELS)]);
    // With access to make's tokens (+), without, and without a make: always the same program.
    let makefile = "all: one three\none: two.cpp\n\t+aspen++ two.cpp -o one\nthree: two.cpp\n\taspen++ two.cpp -o three\n";
    std::fs::write(session.path("Makefile"), makefile).expect("writable");
    session.ok("make -j3 && ./one && ./three && cp one before && aspen++ -j1 two.cpp -o one && cmp one before");
}

#[test]
fn objects_say_which_targets_they_hold() {
    let session = Session::new(&[("two.cpp", TWO_KERNELS)]);
    session.ok("aspen++ -fsycl-targets=intel_gpu_dg1,spir64 -c two.cpp");
    let found = session.json("aspen inspect two.o");
    assert_eq!((&found["images"][0]["target"], &found["images"][1]["target"]), (&"intel_gpu_dg1".into(), &"spir64".into()));
    let needles = ["no code can be made for 'amd_gpu_gfx940': LLVM 22 has no code generator for it"];
    session.bad(1, "aspen++ -fsycl-targets=amd_gpu_gfx940 two.cpp -o no", &needles);
    session.ok("aspen++ -fsycl-targets=spir64 two.o -o two");
    session.bad(
        1,
        "aspen++ -fsycl-targets=native_cpu two.o -o no",
        &["'two.o' holds no device code for target 'native_cpu', only for intel_gpu_dg1, spir64"],
    );
    assert!(!session.exists("no"));
}
