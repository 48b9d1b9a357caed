//! What the clang plugin knows from the AST and the module does not say: names, attributes, places. It arrives as bytes in
//! postcard's format, member by member; the plugin's `Packed.h` writes it. People read and write it as JSON.
//!
//! Everything is optional: a plain `.ll` with metadata is summarised with [`Facts::default`].

use aspen_contract::{Aspect, AspectSet, Place};
use serde::{Deserialize, Deserializer, Serialize};

/// The facts of one translation unit, device pass.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Facts {
    /// The main file, as named on clang's command line.
    pub unit: String,
    /// Struct types marked with `uses_aspects`, and those that hold one by value which the module's layout does not show.
    pub types: Vec<TypeFacts>,
    /// Functions that were emitted or declared.
    pub functions: Vec<FunctionFacts>,
    /// Kernel entry points.
    pub kernels: Vec<KernelFacts>,
    /// How files of the debug info are shown to people.
    pub files: Vec<FileFacts>,
    /// The sub-group size of kernels that name none. Source: DPC++'s `-fsycl-default-sub-group-size=`.
    pub default_sub_group_size: Option<u32>,
}

/// A marked struct type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeFacts {
    /// The name in the module, `class.sycl::detail::half_impl::half`; its `.base` layout counts too.
    pub name: String,
    /// The aspects that every use of the type needs.
    pub aspects: AspectSet,
}

/// One function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionFacts {
    /// Mangled name.
    pub symbol: String,
    /// Qualified name with template arguments, without parameters.
    pub name: String,
    /// `SYCL_EXTERNAL`.
    #[serde(default)]
    pub exported: bool,
    /// Whether it is the header's way into an `if_device_has`'s body.
    #[serde(default)]
    pub glue: bool,
    /// Whether no user wrote it.
    #[serde(default)]
    pub system: bool,
    /// Of a `SYCL_EXTERNAL` function, its name.
    #[serde(default)]
    pub place: Option<Place>,
    /// `device_has` or `requires`.
    #[serde(default)]
    pub declared: Option<DeclaredFacts>,
    /// `uses_aspects` on the function.
    #[serde(default)]
    pub uses_attribute: AspectSet,
    /// `runs_where_device_has` and `runs_where_device_lacks`.
    #[serde(default)]
    pub guard: Option<GuardFacts>,
    /// `reqd_work_group_size`.
    #[serde(default)]
    pub reqd_work_group_size: Option<WorkGroupSizeFacts>,
    /// `reqd_sub_group_size`, a number.
    #[serde(default)]
    pub reqd_sub_group_size: Option<SubGroupSizeFacts>,
    /// Parameters and local variables by value, in source order.
    #[serde(default)]
    pub variables: Vec<VariableFacts>,
    /// Uses of marked types, whether the module shows them or not.
    #[serde(default)]
    pub uses: Vec<UseFacts>,
}

/// The list of a `device_has` attribute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredFacts {
    /// May be empty, and may repeat an aspect.
    pub aspects: Vec<Aspect>,
    /// `sycl::device_has` or `sycl::requires`.
    pub spelling: String,
    /// The attribute's first token.
    #[serde(default)]
    pub place: Option<Place>,
    /// Whether it stands in a system header, about which users are not told.
    #[serde(default)]
    pub system_header: bool,
}

/// Where a function runs at all. Source: DESIGN §7.8.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardFacts {
    /// The device has all of these.
    pub has: AspectSet,
    /// Of each of these lists the device lacks something.
    pub lacks: Vec<AspectSet>,
}

/// A required work-group size.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkGroupSizeFacts {
    /// In the attribute's order.
    pub dims: Vec<u64>,
    /// The attribute's first token.
    #[serde(default)]
    pub place: Option<Place>,
}

/// A required sub-group size.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubGroupSizeFacts {
    /// In work-items.
    pub size: u32,
    /// The attribute's first token.
    #[serde(default)]
    pub place: Option<Place>,
}

/// A variable; clang's allocas carry no debug location, so its place comes from here.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableFacts {
    /// The memory type as LLVM prints it.
    #[serde(rename = "type")]
    pub ty: String,
    /// The variable's name.
    #[serde(default)]
    pub place: Option<Place>,
}

/// A use of a marked type, or of one that holds it by value; layout and plain copies leave no type in the module. Source: DESIGN §7.2.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UseFacts {
    /// What it needs.
    pub aspects: AspectSet,
    /// Where; results have no place of their own.
    #[serde(default)]
    pub place: Option<Place>,
}

/// A kernel entry point.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelFacts {
    /// The entry's symbol.
    pub symbol: String,
    /// The kernel's name for people.
    pub name: String,
    /// Whether the name type has internal linkage.
    #[serde(default)]
    pub internal: bool,
    /// The symbol of the functor's `operator()`.
    #[serde(default)]
    pub body: Option<String>,
    /// `sizeof` the functor, in bytes.
    #[serde(default)]
    pub closure_size: u64,
    /// Hash over the functor's fields. JSON numbers lose bits above 2^53 in many writers, so a string is accepted too.
    #[serde(default, deserialize_with = "number_or_text")]
    pub layout: u64,
    /// Numbers in the functor that the source says, and that code may count on: their offsets, in bytes, and the numbers.
    #[serde(default)]
    pub known: Vec<(u64, u64)>,
    /// Where the functor is defined.
    #[serde(default)]
    pub place: Option<Place>,
    /// What marked types need that the kernel takes along in its functor, used or not.
    #[serde(default)]
    pub taken: AspectSet,
    /// Whether the kernel has the property `assume_indirect_calls`. Source: sycl_ext_oneapi_virtual_functions.
    #[serde(default)]
    pub calls_indirectly: bool,
}

/// How a file is shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileFacts {
    /// The file name of the debug info (`DIFile`).
    pub debug: String,
    /// The presumed name, as clang's diagnostics print it.
    pub shown: String,
}

impl Facts {
    /// Reads what the plugin hands over.
    ///
    /// # Errors
    /// If these are no facts, or those of another version of Aspen's plugin.
    pub fn from_bytes(bytes: &[u8]) -> Result<Facts, postcard::Error> {
        match postcard::take_from_bytes(bytes)? {
            (facts, []) => Ok(facts),
            _ => Err(postcard::Error::DeserializeBadEncoding),
        }
    }

    /// Reads facts that were written for people.
    ///
    /// # Errors
    /// If the text is not the JSON that [`Facts`] serialises to.
    pub fn from_json(text: &str) -> Result<Facts, serde_json::Error> {
        serde_json::from_str(text)
    }
}

fn number_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u64),
        Text(String),
    }
    if !deserializer.is_human_readable() {
        return u64::deserialize(deserializer);
    }
    match Either::deserialize(deserializer)? {
        Either::Number(number) => Ok(number),
        Either::Text(text) => text.parse().map_err(serde::de::Error::custom),
    }
}
