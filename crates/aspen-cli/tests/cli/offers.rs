//! Whether Aspen offers what an aspect stands for (DESIGN §7.26): the audit of data/aspects.toml against the headers, and one answer from
//! traits, `device::has`, profiles, guards, `check` and the filter.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::common::Session;
use aspen_contract::Aspect;

/// Every aspect that is not an architecture has a use in tests/devices/offers.txt, and just those compile that are offered somewhere.
#[test]
fn uses_compile_where_the_table_says_so() {
    let uses: Vec<(&str, &str)> = include_str!("../../../../tests/devices/offers.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(": ").expect(line))
        .collect();
    let listed: Vec<&str> = uses.iter().map(|(name, _)| *name).collect();
    let aspects: Vec<&str> = Aspect::all().filter(|aspect| aspect.number() < 10_000).filter_map(Aspect::name).collect();
    assert_eq!(listed, aspects);

    let mut unit =
        "#include <sycl/sycl.hpp>\nnamespace sycl::ext::oneapi::experimental {}\nnamespace ex = sycl::ext::oneapi::experimental;\n"
            .to_owned();
    let before = unit.lines().count();
    for (name, statement) in &uses {
        let statement = statement.trim_start_matches(['-', '!']);
        writeln!(unit, "void use_{name}([[maybe_unused]] sycl::queue &q, [[maybe_unused]] sycl::device &d) {{ {statement} }}")
            .expect("a string");
    }
    let session = Session::new(&[("uses.cpp", &unit)]);
    let said = session.run("aspen++ -std=c++20 -fsycl-host-only -w -ferror-limit=0 -fsyntax-only uses.cpp");
    let wrong: BTreeSet<usize> =
        said.stderr.lines().filter_map(|line| line.strip_prefix("uses.cpp:")?.split_once(':')?.0.parse().ok()).collect();
    for (index, (name, statement)) in uses.iter().enumerate() {
        let aspect = Aspect::from_name(name).expect(name);
        let compiles = !wrong.contains(&(before + index + 1));
        assert_eq!(
            compiles,
            aspect.is_offered(None) || statement.starts_with('!'),
            "{name}: {statement}: does it compile, and does data/aspects.toml say it is offered?\n{}",
            said.stderr
        );
    }
}

const KERNELS: &str = "\
#include <sycl/sycl.hpp>
#include <cstdio>
using sycl::aspect;
namespace ex = sycl::ext::oneapi::experimental;
class vectors; class graphs; class plain;
[[sycl::device_has(aspect::ext_intel_esimd)]] void vector(int *p) { *p = 1; }
struct [[sycl_detail::uses_aspects(aspect::ext_oneapi_cuda_cluster_group)]] graph { int v; };
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(2, q);
  p[1] = 0;
  auto launch = [](auto f) {
    try { f(); } catch (const sycl::exception &e) { std::printf(\"%d %s\\n\", e.code() == sycl::errc::kernel_not_supported, e.what()); }
  };
  launch([&] { q.single_task<vectors>([=] { vector(p); }); });
  launch([&] { q.single_task<graphs>([=] { graph g{1}; p[0] = g.v; }); });
  q.single_task<plain>([=] {
    ex::if_device_has<aspect::ext_intel_esimd>([=] { p[1] += 1; });
    ex::if_device_has<aspect::fp64>([=] { p[1] += 2; });
    ex::if_device_has<aspect::ext_oneapi_cuda_cluster_group>([=] { p[1] += 4; }).else_device([=] { p[1] += 8; });
  }).wait();
  sycl::device d = q.get_device();
  std::printf(\"guards %d has %d%d%d listed\", p[1], d.has(aspect::ext_intel_esimd), d.has(aspect::ext_oneapi_cuda_cluster_group), d.has(aspect::fp64));
  for (aspect a : d.get_info<sycl::info::device::aspects>())
    std::printf(\" %u\", static_cast<unsigned>(a));
  std::printf(\"\\n\");
}
";

const DEVICES: &str = "vectors:\n  aspects: [ext_intel_esimd, fp64, ext_oneapi_cuda_cluster_group, 103]\n  sub-group-sizes: [8]\n";

/// The hardware has ESIMD (the database, a user's file), and Aspen does not offer them: every answer is the same.
#[test]
fn every_answer_is_of_what_is_offered() {
    let session = Session::new(&[("k.cpp", KERNELS), ("d.yaml", DEVICES)]);
    session.ok("aspen++ -std=c++17 -fsycl-targets=native_cpu k.cpp -o k");
    let no_esimd = "its headers have no ESIMD";
    for (environment, device, has, guards, listed) in [
        ("", None, "", 10, None),
        (
            "ASPEN_DEVICE_PROFILE=intel_gpu_skl",
            Some("intel_gpu_skl"),
            "the device has it, but ",
            10,
            Some("2 5 6 9 10 11 12 13 14 15 27 39 50 51 52 87 10001"),
        ),
        ("ASPEN_DEVICE_PROFILE=vectors ASPEN_DEVICE_CONFIG_FILE=d.yaml", Some("vectors"), "the device has it, but ", 10, Some("6 103")),
    ] {
        let said = session.ok(&format!("{environment} ./k")).stdout;
        let expected = format!("needs aspect ext_intel_esimd: declared by 'vector' k.cpp:6:3; {has}Aspen does not offer it: {no_esimd}\n");
        assert!(said.contains(&expected), "{environment}: {said}");
        assert!(device.is_none_or(|device| said.contains(&format!("1 kernel 'vectors' cannot run on '{device}':\n"))), "{said}");
        assert!(said.contains(&format!("guards {guards} has 001 listed")), "{environment}: {said}");
        assert!(listed.is_none_or(|listed| said.contains(&format!(" listed {listed}\n"))), "{environment}: {said}");
        assert!(said.contains("Aspen does not offer it: its headers have no cluster groups"), "{environment}: {said}");
    }
    // `aspen check`, for people and for programs.
    let said = session.run("aspen check k --device intel_gpu_skl,spir64");
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let lacks = "lacks aspect ext_intel_esimd (the device has it, but Aspen does not offer it: its headers have no ESIMD)";
    assert!(said.stdout.contains(lacks), "{}", said.stdout);
    // Nobody has it, so it is nothing that an unknown device may have.
    assert!(said.stdout.contains("lacks aspect ext_intel_esimd (Aspen does not offer it: its headers have no ESIMD)"), "{}", said.stdout);
    let said = session.run("aspen check k --device intel_gpu_skl --format json");
    let document: serde_json::Value = serde_json::from_str(&said.stdout).expect("JSON");
    let unmet = |name: &str| {
        let kernels = document["devices"][0]["kernels"].as_array().expect("a list");
        kernels.iter().find(|kernel| kernel["name"] == name).expect(name)["unmet"].clone()
    };
    assert_eq!(unmet("vectors")[0]["not_offered"], "the device has it, but Aspen does not offer it: its headers have no ESIMD");
    assert_eq!(unmet("plain"), serde_json::json!([]));
    // Fixed targets, and images made ahead of time.
    let said = session.ok("aspen++ -std=c++17 -fsycl-targets=native_cpu -fsycl-fixed-targets=intel_gpu_skl -c k.cpp -o k.o");
    let expected =
        "needs aspect ext_intel_esimd; the device has it, but Aspen does not offer it: its headers have no ESIMD [-Wsycl-fixed-targets]";
    assert!(said.stderr.contains(expected), "{}", said.stderr);
}

/// `aspen targets` shows what the hardware has and what is offered; `aspects` stays the database's word.
#[test]
fn targets_show_both() {
    let session = Session::new(&[("d.yaml", DEVICES)]);
    for (target, aspects, offered) in [
        ("vectors", "fp64 ext_intel_esimd ext_oneapi_cuda_cluster_group #103", "fp64 #103"),
        (
            "nvidia_gpu_sm_50",
            "",
            "gpu fp64 online_compiler online_linker queue_profiling usm_device_allocations usm_host_allocations usm_shared_allocations ext_oneapi_fragment ext_oneapi_chunk ext_oneapi_limited_graph",
        ),
    ] {
        let document = session.json(&format!("aspen targets {target} --device-config-file d.yaml"));
        let list = |key: &str| {
            let names = document["targets"][0][key].as_array().expect(key).iter().map(|name| name.as_str().expect("a name").to_owned());
            names.collect::<Vec<_>>().join(" ")
        };
        assert!(aspects.is_empty() || list("aspects") == aspects, "{document}");
        assert_eq!(list("offered"), offered);
    }
    let text = session.ok("aspen targets vectors --device-config-file d.yaml").stdout;
    assert!(
        text.contains("aspects          fp64, #103\n")
            && text.contains("not offered      ext_intel_esimd, ext_oneapi_cuda_cluster_group\n"),
        "{text}"
    );
    let text = session.ok("aspen targets --device-config-file d.yaml").stdout;
    assert!(text.contains("vectors") && text.contains("  4 aspects,  2 offered"), "{text}");
}

/// The traits and what is decided while compiling.
#[test]
fn deep_traits_and_guards_ahead_of_time() {
    let unit = "\
#include <sycl/device_traits.hpp>
#include <sycl/ext/oneapi/device_if.hpp>
#include <sycl/queue.hpp>
using sycl::aspect, sycl::all_devices_have_v, sycl::any_device_has_v;
namespace ex = sycl::ext::oneapi::experimental;
SYCL_EXTERNAL void yes(int); SYCL_EXTERNAL void no(int);
static_assert(ASSERT);
class k;
void host(sycl::queue &q) {
  q.single_task<k>([=] {
    ex::if_device_has<aspect::ext_intel_esimd>([] { yes(1); }).else_device([] { no(1); });
    ex::if_device_has<aspect::ext_oneapi_cuda_cluster_group, aspect::fp16>([] { yes(2); }).else_device([] { no(2); });
#ifdef TANGLE
    ex::if_device_has<aspect::ext_oneapi_tangle>([] { yes(3); }).else_device([] { no(3); });
#endif
  });
}
";
    let session = Session::new(&[("t.cpp", unit), ("d.yaml", DEVICES)]);
    let line = |targets: &str, assert: &str| {
        format!("aspen++ -std=c++17 -w -fsycl-targets={targets} -fsycl-device-config-file=d.yaml '-DASSERT={assert}' t.cpp")
    };
    for (targets, assert) in [
        (
            "intel_gpu_skl",
            "!all_devices_have_v<aspect::ext_intel_esimd> && !any_device_has_v<aspect::ext_intel_esimd> && all_devices_have_v<aspect::fp64>",
        ),
        ("spir64", "!any_device_has_v<aspect::ext_intel_esimd> && any_device_has_v<aspect::accelerator> && any_device_has_v<aspect{4242}>"),
        ("native_cpu,spir64", "!any_device_has_v<aspect::ext_oneapi_cuda_cluster_group> && any_device_has_v<aspect::host_debuggable>"),
        ("nvidia_gpu_sm_90", "!all_devices_have_v<aspect::ext_oneapi_cuda_cluster_group> && !any_device_has_v<aspect::ext_oneapi_mipmap>"),
        ("nvidia_gpu_sm_90", "!any_device_has_v<aspect::host_debuggable> && any_device_has_v<aspect::usm_system_allocations>"),
        (
            "spir64_x86_64",
            "!any_device_has_v<aspect::ext_oneapi_tangle> && any_device_has_v<aspect::online_compiler> && any_device_has_v<aspect::host_debuggable>",
        ),
        (
            "vectors",
            "!any_device_has_v<aspect::ext_intel_esimd> && all_devices_have_v<aspect::fp64> && !any_device_has_v<aspect::ext_oneapi_cuda_cluster_group>",
        ),
        (
            "nvidia_gpu_sm_90,intel_gpu_skl",
            "!any_device_has_v<aspect::ext_intel_esimd> && !all_devices_have_v<aspect::ext_oneapi_is_integrated_gpu>",
        ),
    ] {
        session.ok(&format!("{} -c -o t.o", line(targets, assert)));
    }
    for (target, more, taken) in
        [("intel_gpu_skl", "", "no(1) no(2)"), ("spir64_x86_64", "-DTANGLE", "no(1) no(2) no(3)"), ("nvidia_gpu_sm_90", "", "no(1) no(2)")]
    {
        session.ok(&format!("{} {more} -fsycl-device-only -S -emit-llvm -o t.ll", line(target, "true")));
        let module = String::from_utf8(session.read("t.ll")).expect("text");
        let calls: Vec<String> = [("yes", "_Z3yesi"), ("no", "_Z2noi")]
            .iter()
            .flat_map(|(word, symbol)| {
                let calls =
                    module.lines().filter(|line| line.contains(" call ")).filter_map(move |line| line.split_once(&format!("@{symbol}(")));
                calls.filter_map(move |(_, rest)| Some(format!("{word}({})", rest.split(')').next()?.rsplit(' ').next()?)))
            })
            .collect();
        assert_eq!(calls.join(" "), taken, "{target}");
    }
}

/// The filter leaves out what Aspen does not offer, as the run time would refuse it.
#[test]
fn the_filter_drops_what_is_not_offered() {
    // ext_intel_esimd (49), fp64 (6), 103.
    let sets = |number: &str| format!("[SYCL/device-requirements]\naspect=2|{number}\n");
    let session = Session::new(&[
        ("in.table", "[Code|Properties|Symbols]\na.bin|a.prop|a.sym\nb.bin|b.prop|b.sym\nc.bin|c.prop|c.sym\n"),
        ("a.prop", &sets("gAAAAAAAAAQMAAAA")),
        ("b.prop", &sets("gAAAAAAAAAgBAAAA")),
        ("c.prop", &sets("gAAAAAAAAAwZAAAA")),
        ("d.yaml", DEVICES),
    ]);
    for name in ["a", "b", "c"] {
        std::fs::write(session.path(&format!("{name}.sym")), name).expect("writable");
        std::fs::write(session.path(&format!("{name}.bin")), name).expect("writable");
    }
    for (target, left) in [("vectors", "b c"), ("intel_gpu_skl", "b"), ("nvidia_gpu_sm_50", "b c")] {
        session.ok(&format!("aspen aspect-filter --target={target} --device-config-file=d.yaml in.table -o out.table"));
        let table = String::from_utf8(session.read("out.table")).expect("text");
        let rows: Vec<&str> = table.lines().skip(1).filter_map(|row| row.split('.').next()).collect();
        assert_eq!(rows.join(" "), left, "{target}: {table}");
    }
}
