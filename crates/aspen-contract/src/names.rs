//! Names as people write them.

/// A demangled name without the inline namespace that six classes of the headers stand in: `sycl::queue` of `sycl::_V1::queue`.
///
/// Source: docs/decisions/0062.
#[must_use]
pub fn as_written(demangled: &str) -> String {
    demangled.replace("sycl::_V1::", "sycl::")
}

#[cfg(test)]
mod tests {
    use super::as_written;

    #[test]
    fn inline_namespaces_are_not_written() {
        for (demangled, written) in [
            (
                "main::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) const::k",
                "main::{lambda(sycl::handler&)#1}::operator()(sycl::handler&) const::k",
            ),
            ("k<sycl::_V1::queue>", "k<sycl::queue>"),
            ("mine::_V1::k", "mine::_V1::k"),
        ] {
            assert_eq!(as_written(demangled), written);
        }
    }
}
