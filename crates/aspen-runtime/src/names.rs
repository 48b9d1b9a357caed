//! Names for people, of symbols: messages of the run time show no mangled names. Source: DESIGN §2 "Names in messages".

/// `'foo' (_Z3fooi)`.
pub(crate) fn named(symbol: &str) -> String {
    let name = demangled(symbol);
    if name == symbol { format!("'{symbol}'") } else { format!("'{name}' ({symbol})") }
}

/// The function's name as messages have it: qualified, without parameters.
pub(crate) fn demangled(symbol: &str) -> String {
    let options = cpp_demangle::DemangleOptions::default().no_params().no_return_type();
    let parsed = cpp_demangle::Symbol::new(symbol).ok();
    let name = parsed.and_then(|parsed| parsed.demangle_with_options(&options).ok());
    name.map_or_else(|| symbol.to_owned(), |name| aspen_contract::as_written(&name))
}

/// The kernel's name, where no image tells it, of its symbol: `_ZTS`, the type that names it (the headers' `name_of_no_class<T>` for one
/// that is no class), and in objects' own kernels the object's tag.
pub fn kernel_name(symbol: &str) -> String {
    let name = demangled(symbol.split_once(".aspen_").map_or(symbol, |(symbol, _)| symbol));
    let name = name.strip_prefix("typeinfo name for ").unwrap_or(&name);
    let no_class = name.strip_prefix("sycl::detail::name_of_no_class<").and_then(|name| name.strip_suffix('>'));
    no_class.map_or(name, str::trim_end).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_named_by_their_type() {
        for (symbol, name) in [
            ("_ZTS6matmulIdE", "matmul<double>"),
            ("_ZTSN2ns1KE.aspen_0123456789abcdef", "ns::K"),
            ("_ZTSZ4mainE1k", "main::k"),
            ("_ZTSZZ4mainENKUlRN4sycl7handlerEE_clES1_E3foo", "main::{lambda(sycl::handler&)#1}::operator()(sycl::handler&) const::foo"),
            (
                "_ZTSZZ4mainENKUlRN4sycl3_V17handlerEE_clES2_EUlvE_",
                "main::{lambda(sycl::handler&)#1}::operator()(sycl::handler&) const::{lambda()#1}",
            ),
            ("_ZTSZ4mainEUlvE_", "main::{lambda()#1}"),
            ("_ZTSi", "int"),
            ("_ZTSN4sycl6detail16name_of_no_classIiEE", "int"),
            ("_ZTSN4sycl6detail16name_of_no_classIP6matmulIiEEE", "matmul<int>*"),
            ("odd", "odd"),
        ] {
            assert_eq!(kernel_name(symbol), name);
        }
    }

    #[test]
    fn functions_are_named_as_in_the_source() {
        for (symbol, name) in [
            ("_Z3fooi", "'foo' (_Z3fooi)"),
            ("_ZN2ns3barIdEEvT_", "'ns::bar<double>' (_ZN2ns3barIdEEvT_)"),
            ("plain_c", "'plain_c'"),
            ("_Znonsense", "'_Znonsense'"),
        ] {
            assert_eq!(named(symbol), name);
        }
    }
}
