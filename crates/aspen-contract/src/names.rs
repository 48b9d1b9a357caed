//! Names as people write them.

/// A demangled name without the inline namespace that six classes of the headers stand in: `sycl::queue` of `sycl::_V1::queue`.
///
/// Source: docs/decisions/0062.
#[must_use]
pub fn as_written(demangled: &str) -> String {
    demangled.replace("sycl::_V1::", "sycl::")
}

/// A symbol as PTX can have it, of letters, digits, `_` and `$`: `$` for each dot, `$x` and two hexadecimal digits for each other byte.
///
/// Source: include/aspen/cuda.h; PTX ISA, "Identifiers".
#[must_use]
pub fn in_ptx(symbol: &str) -> String {
    let mut out = String::with_capacity(symbol.len());
    for byte in symbol.bytes() {
        match byte {
            b'.' => out.push('$'),
            b'_' | b'$' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => out.push_str(&format!("$x{byte:02x}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{as_written, in_ptx};

    #[test]
    fn names_of_ptx() {
        for (symbol, in_ptx_is) in
            [("_ZTS1k", "_ZTS1k"), ("_ZTS1k.aspen_0123", "_ZTS1k$aspen_0123"), ("_ZTS6größe", "_ZTS6gr$xc3$xb6$xc3$x9fe")]
        {
            assert_eq!(in_ptx(symbol), in_ptx_is);
        }
    }

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
