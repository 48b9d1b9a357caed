//! What loops over the items of a group cannot do is told: items that wait for each other and never meet, and kernels that run item by item.
//! Source: DESIGN §7.25; docs/decisions/0084.

use crate::common::Session;

/// Items that come to different barriers, or to none.
const PARTED: &str = r#"#include <sycl/sycl.hpp>
#include <cstdio>
class some; class none; class different; class three; class lanes; class apart;
int main() {
  sycl::queue q([](sycl::exception_list all) { for (auto &one : all) std::rethrow_exception(one); });
  unsigned *out = sycl::malloc_shared<unsigned>(64, q);
  const auto run = [&](auto launch) {
    try {
      launch();
      q.wait_and_throw();
      std::puts("went on");
    } catch (const sycl::exception &e) {
      std::puts(e.what());
    }
  };
  run([&] {
    q.parallel_for<some>(sycl::nd_range<1>(20, 20), [=](sycl::nd_item<1> it) {
      out[it.get_local_id(0)] = 1;
      if (it.get_local_id(0) > 6) sycl::group_barrier(it.get_group());
      out[it.get_local_id(0)] = 2;
    });
  });
  run([&] {
    q.parallel_for<different>(sycl::nd_range<1>(20, 20), [=](sycl::nd_item<1> it) {
      if (it.get_local_id(0) == 3) return;
      if (it.get_local_id(0) > 6) {
        out[it.get_local_id(0)] = 1;
        sycl::group_barrier(it.get_group());
        out[it.get_local_id(0)] = 4;
      } else {
        sycl::group_barrier(it.get_group());
        out[it.get_local_id(0) + 1] = 3;
      }
    });
  });
  run([&] {
    q.parallel_for<three>(sycl::nd_range<1>(20, 20), [=](sycl::nd_item<1> it) {
      switch (it.get_local_id(0) % 3) {
      case 0: sycl::group_barrier(it.get_group()); out[0] = 1; break;
      case 1: sycl::group_barrier(it.get_group()); out[1] = 1; break;
      case 2: sycl::group_barrier(it.get_group()); out[2] = 1; break;
      }
    });
  });
  run([&] {
    q.parallel_for<none>(sycl::nd_range<1>(20, 20), [=](sycl::nd_item<1> it) {
      if (it.get_global_range(0) > 6) sycl::group_barrier(it.get_group());
      out[it.get_local_id(0)] = 3;
    });
  });
  run([&] {
    q.parallel_for<apart>(sycl::nd_range<1>(20, 20), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] {
      auto sg = it.get_sub_group();
      sycl::group_barrier(sg);
      if (it.get_local_id(0) == 19) return;
      if (sg.get_group_linear_id() > 0) {
        out[it.get_local_id(0)] = 1;
        sycl::group_barrier(it.get_group());
        out[it.get_local_id(0)] = 4;
      } else {
        sycl::group_barrier(it.get_group());
        out[it.get_local_id(0) + 1] = 3;
      }
    });
  });
  run([&] {
    q.parallel_for<lanes>(sycl::nd_range<1>(20, 20), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(8)]] {
      if (it.get_local_id(0) % 2)
        sycl::group_barrier(it.get_sub_group());
      else
        sycl::group_barrier(it.get_group());
      out[it.get_local_id(0)] = 1;
    });
  });
  sycl::free(out, q);
}
"#;

#[test]
fn items_at_different_barriers_are_told_and_ended_ones_count_as_arrived() {
    let mut session = Session::new(&[("a.cpp", PARTED)]);
    session.ok("aspen++ -O2 -fsycl-targets=native_cpu a.cpp -o a");
    let said = session.ok("./a").stdout;
    let lines: Vec<&str> = said.lines().collect();
    let different = |kernel: &str, waiting: u32, places: &str, ended: u32| {
        format!(
            "kernel '{kernel}': the work-items of work-group (0, 0, 0) wait at different barriers, so it can never go on: of its 20 work-items \
             {waiting} wait, at different barriers or operations of the work-group or a sub-group ({places}), and {ended} have ended; move the barrier out of the branch or loop that \
             only some of them take, so that all that have not ended come to the same one"
        )
    };
    // Sub-groups come one after the other: those that have not run yet count as waiting.
    let apart = different("apart", 20, "a.cpp:61:9 and a.cpp:58:9", 0);
    let two = different("different", 19, "a.cpp:28:9 and a.cpp:31:9", 1);
    let three = different("three", 20, "a.cpp:39:15 and a.cpp:41:15", 0);
    let expected = ["went on", &two, &three, "went on", &apart, "went on"];
    assert_eq!(lines, expected);
    session.ok("aspen++ -O2 -g -fsycl-targets=native_cpu a.cpp -o debug");
    assert_eq!(session.ok("./debug").stdout.lines().collect::<Vec<_>>(), expected, "debug information changes nothing");
    // Who goes on without the others has done no harm here.
    session.environment.push(("ASPEN_CHECK", "1".into()));
    let said = session.ok("./a").stdout;
    let passed = "passes by the barrier or group operation at a.cpp:19:35, where others of its group wait";
    let first = said.lines().next().unwrap_or_default();
    assert!(first.contains("kernel 'some'") && first.contains("of sub-group 0") && first.contains(passed), "{said}");
    assert!(said.lines().nth(3) == Some("went on"), "{said}");
    // Of lanes that come to an operation of their sub-group while others wait for the group, too: where the loops over items are, and one by one.
    let lanes = said.lines().last().unwrap_or_default();
    assert!(lanes.contains("kernel 'lanes'") && lanes.contains("passes by the barrier or group operation at a.cpp:69:9"), "{said}");
    session.environment.push(("ASPEN_CPU_GROUPS", "items".into()));
    let said = session.ok("./a").stdout;
    let stuck = said.strip_prefix(&"went on\n".repeat(5)).unwrap_or_else(|| panic!("{said}"));
    assert!(stuck.contains("10 wait at a barrier of the work-group and 10 at one of a sub-group, and 0 have ended"), "{stuck}");
    session.environment.clear();
    // One by one, items only count who is at a barrier.
    session.environment.push(("ASPEN_CPU_GROUPS", "items".into()));
    assert_eq!(session.ok("./a").stdout, "went on\n".repeat(6));
    session.environment.clear();
    // What is made to run so tells where, and so does what a debugger has run so.
    session.ok("aspen++ -O0 -fsycl-targets=native_cpu a.cpp -o b");
    for run in ["ASPEN_CHECK=1 ./b", "ASPEN_CHECK=1 ASPEN_CPU_GROUPS=items ./debug"] {
        let said = session.ok(run).stdout;
        let stuck = said.strip_prefix(&"went on\n".repeat(5)).unwrap_or_else(|| panic!("{said}"));
        let wait = "10 wait at a barrier of the work-group and 10 at one of a sub-group (a.cpp:71:9 and a.cpp:69:9), and 0 have ended";
        assert!(stuck.contains(wait), "{run}: {stuck}");
    }
}

/// What a kernel is told of, if anything, by its body.
#[test]
fn deep_what_falls_back_or_is_too_long_for_levels_is_told() {
    let check = |body: &str, expected: Option<&str>| {
        let source = format!(
            "#include <sycl/sycl.hpp>\nint main() {{\n  sycl::queue q;\n  int *p = sycl::malloc_shared<int>(512, q);\n\
             \x20 q.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {{\n\
             \x20   const auto sg = it.get_sub_group();\n    const unsigned l = unsigned(it.get_local_linear_id());\n{body}\n  }}).wait();\n}}\n"
        );
        let session = Session::new(&[("a.cpp", &source)]);
        session.ok("aspen++ -O2 -w -fsycl -fsycl-targets=native_cpu -c a.cpp -o a.o");
        let quiet = session.ok("aspen++ -fsycl -fsycl-targets=native_cpu a.o -o a");
        assert_eq!(quiet.stderr, "", "only who asks is told: {body}");
        let said = session.ok("aspen++ -fsycl -fsycl-targets=native_cpu -Rpass-missed=aspen-items a.o -o a").stderr;
        match expected {
            None => assert_eq!(said, "", "{body}"),
            Some(why) => {
                for part in ["remark: kernel lambda at a.cpp:5:", why, "[-Rpass-missed=aspen-items]"] {
                    assert!(said.contains(part), "{body}: lacks {part:?}: {said}");
                }
            }
        }
    };
    check("p[l] = sycl::reduce_over_group(sg, int(l), sycl::plus<>());", None);
    check(
        "int a[5000]; for (int i = 0; i < 5000; ++i) a[i] = p[i % 512];\n\
           sycl::group_barrier(sg); p[l] = a[p[l] % 5000];",
        Some("runs item by item: it keeps 20"),
    );
    let long = (0..120).map(|i| format!("p[l] += sycl::permute_group_by_xor(sg, p[l] * {i}, {});", 1 + i % 31)).collect::<String>();
    check(&long, Some("too long for copies for all levels of the processor"));
}
