//! The built-in table: `data/devices.td`, as aspen-tblgen makes it, so that nobody pays for a file that is read at run time (S2).

use aspen_contract::Aspect;

use crate::target::{Origin, Target};

// `cargo xtask generate` decides how it looks.
#[rustfmt::skip]
mod table;

/// An entry of the table; its fields are those of the class `TargetInfo` in `data/devices.td`.
struct TargetInfo {
    target_name: &'static str,
    /// Their numbers.
    aspects: &'static [u32],
    may_support_other_aspects: bool,
    /// In work-items; none: they are not known.
    sub_group_sizes: &'static [u32],
    /// May be empty.
    aot_toolchain: &'static str,
    /// May be empty.
    aot_toolchain_options: &'static str,
    /// The target that this is another name of; may be empty.
    alias_of: &'static str,
}

/// Targets that stand for any device of their kind: known names, but no entries. Source: DESIGN §7.21.
const GENERIC: [&str; 2] = ["spir64", "spir64_gen"];

/// All targets in order, each with its aliases.
pub(crate) fn targets() -> impl Iterator<Item = Target> {
    let generic =
        GENERIC.iter().map(|name| Target { generic: true, may_support_other_aspects: true, ..Target::new(name, Origin::BuiltIn) });
    generic.chain(table::TARGET_TABLE.iter().filter(|row| row.alias_of.is_empty()).map(target))
}

fn target(row: &TargetInfo) -> Target {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let aliases = table::TARGET_TABLE.iter().filter(|other| other.alias_of == row.target_name);
    Target {
        aliases: aliases.map(|alias| alias.target_name.to_owned()).collect(),
        aspects: row.aspects.iter().copied().map(Aspect::from_number).collect(),
        may_support_other_aspects: row.may_support_other_aspects,
        sub_group_sizes: (!row.sub_group_sizes.is_empty()).then(|| row.sub_group_sizes.to_vec()),
        aot_toolchain: text(row.aot_toolchain),
        aot_toolchain_options: text(row.aot_toolchain_options),
        ..Target::new(row.target_name, Origin::BuiltIn)
    }
}
