//! Which entry points share an image, and in which order images come.
//!
//! The seed dialect splits as S0 says, also by imports, and orders images by their first entry point. The dpcpp dialect splits by DPC++'s key, which is finer
//! (it also separates what asks for different register files), and orders images by that key, downwards, as DPC++ does. With
//! `-split=none` both still split by what kernels need, as S0 wants: an image with two different needs would be refused for both.
//! Source: S0 "Changes to the device code split algorithm"; DESIGN §7.11; FORMATS §4.6.

use std::collections::BTreeMap;
use std::fmt::Write;

use aspen_analysis::split::{CodeSplit, EntryPoint, group};
use aspen_analysis::summary::FuncId;
use aspen_llvm::{DeviceFunction, SpecConstantMode};

use crate::arguments::{Arguments, Dialect};
use crate::entry_points::is_entry_point;

/// The entry points of an image, in module order, as places in the list of functions. None means the whole module: it has no entry points.
pub type Entries = Vec<usize>;

/// An image to be made.
pub(crate) struct Image {
    /// What it is made of.
    pub(crate) entries: Entries,
    /// What becomes of its specialization constants, if it reads any and something is to become of them.
    pub(crate) spec_constants: Option<SpecConstantMode>,
}

/// The images of a module; never empty.
pub fn plan(functions: &[DeviceFunction], arguments: &Arguments) -> Vec<Entries> {
    let entries = || functions.iter().enumerate().filter(|(_, function)| is_entry_point(function, arguments.only_kernels));
    let mut images: Vec<Entries> = match arguments.written() {
        Dialect::Seed => {
            let unit = |function: &'_ DeviceFunction| function.module_id.clone().unwrap_or_default();
            let units: Vec<String> = entries().map(|(_, function)| unit(function)).collect();
            let keyed = entries().zip(&units).map(|((index, function), unit)| EntryPoint {
                id: FuncId::from_index(index),
                unit,
                requirements: function.requirements.clone(),
                imports: function.imports.clone(),
                import_guards: Default::default(),
            });
            group(keyed, arguments.split).into_iter().map(|image| image.entries.into_iter().map(FuncId::index).collect()).collect()
        }
        Dialect::Dpcpp => {
            let mut images: BTreeMap<String, Entries> = BTreeMap::new();
            for (index, function) in entries() {
                images.entry(key(function, arguments.split)).or_default().push(index);
            }
            images.into_values().rev().collect()
        }
    };
    if images.is_empty() {
        images.push(Entries::new());
    }
    images
}

/// DPC++'s key. With `none`, which DPC++ does not split, it is that of `source` without the source.
fn key(function: &DeviceFunction, mode: CodeSplit) -> String {
    let unit = match mode {
        CodeSplit::PerKernel => return function.symbol.clone(),
        CodeSplit::PerSource => function.module_id.as_deref().unwrap_or_default(),
        CodeSplit::Off => "",
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let numbers = |numbers: &mut dyn Iterator<Item = u64>| {
        numbers.fold(String::new(), |mut out, number| {
            let _ = write!(out, "-{number}");
            out
        })
    };
    let string = |text: &Option<String>| text.as_ref().map(|text| format!("-{text}")).unwrap_or_default();
    let needed = &function.requirements;
    let parts = [
        unit.to_owned(),
        text(&function.indirectly_callable),
        text(&function.register_alloc_mode),
        text(&function.grf_size),
        numbers(&mut needed.aspects.iter().map(|aspect| u64::from(aspect.number()))),
        numbers(&mut function.work_group.iter().copied()),
        numbers(&mut function.work_group_dims.iter().copied().map(u64::from)),
        numbers(&mut needed.reqd_sub_group_size.iter().copied().map(u64::from)),
        text(&function.opt_level),
        string(&function.joint_matrix),
        string(&function.joint_matrix_mad),
    ];
    parts.into_iter().fold(String::new(), |key, part| key + &part + "-")
}

#[cfg(test)]
mod tests {
    use aspen_contract::{Aspect, Requirements, WorkGroupSize};

    use super::*;

    fn kernel(symbol: &str, unit: &str, aspects: &[u32], sub_group: Option<u32>, work_group: &[u64]) -> DeviceFunction {
        DeviceFunction {
            symbol: symbol.into(),
            defined: true,
            kernel: true,
            module_id: Some(unit.into()),
            requirements: Requirements {
                aspects: aspects.iter().copied().map(Aspect::from_number).collect(),
                reqd_sub_group_size: sub_group,
                reqd_work_group_size: WorkGroupSize::try_from(work_group.to_vec()).ok(),
                ..Requirements::default()
            },
            work_group: work_group.iter().rev().copied().collect(),
            ..DeviceFunction::default()
        }
    }

    fn images(functions: &[DeviceFunction], dialect: Dialect, split: CodeSplit) -> String {
        let arguments = Arguments { dialect: Some(dialect), split, ..Arguments::default() };
        let name = |entries: Entries| entries.into_iter().map(|entry| functions[entry].symbol.as_str()).collect::<Vec<_>>().join("+");
        plan(functions, &arguments).into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_mode_and_every_kind_of_need() {
        let functions = [
            kernel("a", "1.cpp", &[], None, &[]),
            kernel("b", "2.cpp", &[], None, &[]),
            kernel("c", "1.cpp", &[6], None, &[]),
            kernel("d", "1.cpp", &[], Some(8), &[]),
            kernel("e", "1.cpp", &[], None, &[4]),
            kernel("f", "1.cpp", &[], None, &[4, 1, 1]),
            kernel("g", "1.cpp", &[6], None, &[]),
            kernel("h", "2.cpp", &[6], None, &[]),
            kernel("i", "1.cpp", &[], None, &[]),
            DeviceFunction { defined: false, ..kernel("z", "1.cpp", &[], None, &[]) },
        ];
        assert_eq!(images(&functions, Dialect::Seed, CodeSplit::Off), "a+b+i c+g+h d e f");
        assert_eq!(images(&functions, Dialect::Seed, CodeSplit::PerSource), "a+i b c+g d e f h");
        assert_eq!(images(&functions, Dialect::Seed, CodeSplit::PerKernel), "a b c d e f g h i");
        assert_eq!(images(&functions, Dialect::Dpcpp, CodeSplit::PerKernel), "i h g f e d c b a");
        assert_eq!(images(&[], Dialect::Seed, CodeSplit::Off), "");
    }

    #[test]
    fn imports_split_images_as_in_no_image_of_dpcpp() {
        let importing =
            |symbol: &str, import: &str| DeviceFunction { imports: [import.to_owned()].into(), ..kernel(symbol, "1.cpp", &[], None, &[]) };
        let functions = [importing("a", "f"), importing("b", "g"), importing("c", "f"), kernel("d", "1.cpp", &[], None, &[])];
        assert_eq!(images(&functions, Dialect::Seed, CodeSplit::Off), "a+c b d");
        assert_eq!(images(&functions, Dialect::Seed, CodeSplit::PerSource), "a+c b d");
        assert_eq!(images(&functions, Dialect::Dpcpp, CodeSplit::PerSource), "a+b+c+d");
    }

    /// The order of four upstream tests follows from the key alone; this is its rule with the values spelled out. Source: FORMATS §4.6.
    #[test]
    fn dpcpp_orders_images_by_its_key_downwards() {
        let key_of = |function: &DeviceFunction| key(function, CodeSplit::PerSource);
        assert_eq!(key_of(&kernel("k", "a.cpp", &[1, 6], Some(8), &[2, 4])), "a.cpp-----1-6--4-2---8----");
        assert_eq!(key_of(&kernel("k", "a.cpp", &[u32::MAX], None, &[])), "a.cpp-----4294967295-------");
        let sizes: Vec<_> = [16, 8, 64, 32].map(|size| kernel(&format!("k{size}"), "a.cpp", &[], Some(size), &[])).into();
        assert_eq!(images(&sizes, Dialect::Dpcpp, CodeSplit::PerSource), "k8 k64 k32 k16");
        let large = DeviceFunction { grf_size: Some("256".into()), ..kernel("large", "a.cpp", &[], None, &[]) };
        let both = [kernel("small", "a.cpp", &[], None, &[]), large];
        assert_eq!(images(&both, Dialect::Dpcpp, CodeSplit::PerSource), "large small");
        assert_eq!(images(&both, Dialect::Seed, CodeSplit::PerSource), "small+large");
    }
}
