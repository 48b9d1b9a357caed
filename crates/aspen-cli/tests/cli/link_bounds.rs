//! Bounds that keep links short, and what is told of them. Source: docs/decisions/0033.

use crate::common::Session;

/// Copies for the levels of the processor are no more than a few times an image's own code, so that a link stays short.
#[test]
fn deep_many_kernels_share_what_copies_may_take() {
    let said = |kernels: usize| {
        let source = format!(
            "#include <sycl/sycl.hpp>\ntemplate <int K> void run(sycl::queue &q, float *p) {{\n\
             \x20 q.submit([&](sycl::handler &h) {{\n    sycl::local_accessor<float> part(64, h);\n\
             \x20   h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {{\n      const size_t l = it.get_local_id(0);\n\
             \x20     part[l] = p[l] * K;\n      sycl::group_barrier(it.get_group());\n\
             \x20     for (size_t far = 32; far > 0; far /= 2) {{\n        if (l < far)\n          part[l] += part[l + far];\n\
             \x20       sycl::group_barrier(it.get_group());\n      }}\n      p[l] = part[0];\n    }});\n  }});\n}}\n\
             template <int... K> void all(sycl::queue &q, float *p, std::integer_sequence<int, K...>) {{ (run<K + 2>(q, p), ...); }}\n\
             int main() {{\n  sycl::queue q;\n  all(q, sycl::malloc_shared<float>(64, q), std::make_integer_sequence<int, {kernels}>());\n  q.wait();\n}}\n"
        );
        let session = Session::new(&[("a.cpp", &source)]);
        session.ok("aspen++ -O2 -w -fsycl -fsycl-targets=native_cpu -Rpass-missed=aspen-items a.cpp -o a").stderr
    };
    let bounded = "for all levels of the processor beside the other copies of the image";
    assert!(!said(1).contains(bounded), "one kernel has copies for all");
    assert!(said(100).contains(bounded), "a hundred are told of");
}
