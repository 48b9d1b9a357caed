//! Post-link on random modules: with globals, tables of functions, comdats, aliases, ifuncs, indirect calls, `llvm.used`, debug info.
//!
//! What must hold for each of them: every entry point is in exactly one image; images are valid and self-contained; an image needs what
//! each of its entry points says, no more and no less, read from the `.prop` text by hand; all images together define what the input did;
//! neither the folder nor a second run changes a byte.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use aspen_devices::Database;
use aspen_image::{FileTable, PropertySets};
use aspen_llvm::{Context, Module};
use aspen_postlink::Arguments;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

/// What an entry point says about itself.
#[derive(Clone, Debug)]
struct Entry {
    kernel: bool,
    unit: u8,
    used: BTreeSet<u32>,
    declared: Option<BTreeSet<u32>>,
    sub_group: Option<u32>,
    work_group: Vec<u32>,
    calls: Vec<usize>,
    /// Other entry points; those that are kernels are not called.
    calls_entries: Vec<usize>,
}

/// How a helper is there, and what it reaches.
#[derive(Clone, Debug)]
struct Helper {
    linkage: &'static str,
    calls: Vec<usize>,
    reach: Reach,
}

#[derive(Clone, Copy, Debug)]
enum Reach {
    Nothing,
    Global(usize),
    Alias(usize),
    AliasOfAlias(usize),
    Ifunc(usize),
    Table(usize),
    Callees(usize),
    External,
}

#[derive(Clone, Debug)]
struct Input {
    entries: Vec<Entry>,
    helpers: Vec<Helper>,
    used: Vec<usize>,
    debug: bool,
}

fn entry() -> impl Strategy<Value = Entry> {
    let aspects = || btree_set(select(vec![5u32, 6, 27, 103]), 0..3);
    let size = select(vec![vec![], vec![], vec![4], vec![4, 1, 1], vec![2, 8]]);
    (
        any::<bool>(),
        0..2u8,
        aspects(),
        proptest::option::of(aspects()),
        select(vec![None, None, Some(8), Some(64)]),
        size,
        vec(0..64usize, 0..3),
        vec(0..64usize, 0..3),
    )
        .prop_map(|(kernel, unit, used, declared, sub_group, work_group, calls, calls_entries)| Entry {
            kernel,
            unit,
            used,
            declared,
            sub_group,
            work_group,
            calls,
            calls_entries,
        })
}

fn helper() -> impl Strategy<Value = Helper> {
    let linkage = select(vec!["", "internal ", "linkonce_odr ", "weak_odr ", "private "]);
    let reach = (0..8u8, 0..64usize).prop_map(|(kind, to)| match kind {
        0 => Reach::Nothing,
        1 => Reach::Global(to),
        2 => Reach::Alias(to),
        3 => Reach::AliasOfAlias(to),
        4 => Reach::Ifunc(to),
        5 => Reach::Table(to),
        6 => Reach::Callees(to),
        _ => Reach::External,
    });
    (linkage, vec(0..64usize, 0..3), reach).prop_map(|(linkage, calls, reach)| Helper { linkage, calls, reach })
}

fn input() -> impl Strategy<Value = Input> {
    (vec(entry(), 1..9), vec(helper(), 1..9), vec(0..64usize, 0..3), any::<bool>()).prop_map(|(entries, helpers, used, debug)| Input {
        entries,
        helpers,
        used,
        debug,
    })
}

impl Input {
    fn helper(&self, index: usize) -> usize {
        index % self.helpers.len()
    }

    fn called_entries(&self, entry: &Entry) -> impl Iterator<Item = usize> {
        entry.calls_entries.iter().map(|callee| callee % self.entries.len()).filter(|&callee| !self.entries[callee].kernel)
    }

    fn symbol(&self, entry: usize) -> String {
        if self.entries[entry].kernel { format!("_ZTS1K{entry}") } else { format!("_Z1e{entry}v") }
    }

    /// The module; `order` says in which order the entry points stand.
    fn text(&self, order: &[usize]) -> String {
        let mut out =
            String::from("source_filename = \"0.cpp\"\ntarget triple = \"spir64-unknown-unknown\"\n@data = addrspace(1) global i32 7\n");
        let mut metadata = Vec::<String>::new();
        let mut node = |text: String| {
            metadata.push(text);
            metadata.len() + 9
        };
        for (index, helper) in self.helpers.iter().enumerate() {
            let next = self.helper(index + 1);
            let _ = writeln!(out, "@table{index} = internal constant [2 x ptr] [ptr @h{index}, ptr @h{next}]");
            let _ = writeln!(out, "@g{index} = linkonce_odr constant {{ i32, ptr }} {{ i32 {index}, ptr @table{next} }}, comdat");
            let _ = writeln!(out, "$g{index} = comdat any");
            let _ = writeln!(out, "@a{index} = internal alias void (), ptr @h{index}\n@aa{index} = internal alias void (), ptr @a{index}");
            let _ = writeln!(out, "@i{index} = internal ifunc void (), ptr @resolve{index}");
            let _ = writeln!(out, "define internal ptr @resolve{index}() {{ ret ptr @h{index} }}");
            if helper.linkage.contains("odr") {
                let _ = writeln!(out, "$h{index} = comdat any");
            }
        }
        let used: BTreeSet<usize> = self.used.iter().map(|&helper| self.helper(helper)).collect();
        if !used.is_empty() {
            let list: Vec<String> = used.iter().map(|helper| format!("ptr @h{helper}")).collect();
            let _ = writeln!(out, "@llvm.used = appending global [{} x ptr] [{}], section \"llvm.metadata\"", list.len(), list.join(", "));
        }
        let program = |name: &str| {
            format!(
                "distinct !DISubprogram(name: \"{name}\", scope: !2, file: !2, line: 1, type: !3, unit: !1, spFlags: DISPFlagDefinition)"
            )
        };
        for (index, helper) in self.helpers.iter().enumerate() {
            let comdat = if helper.linkage.contains("odr") { " comdat" } else { "" };
            let debug = if self.debug { node(program(&format!("h{index}"))) } else { 0 };
            let location =
                if self.debug { format!(", !dbg !{}", node(format!("!DILocation(line: 3, scope: !{debug})"))) } else { String::new() };
            let attached = if self.debug { format!(" !dbg !{debug}") } else { String::new() };
            let _ = writeln!(out, "define {}void @h{index}(){comdat}{attached} {{", helper.linkage);
            for call in &helper.calls {
                let _ = writeln!(out, "  call void @h{}(){location}", self.helper(*call));
            }
            let callee = match helper.reach {
                Reach::Nothing => None,
                Reach::Global(to) => Some(format!("%v = load i32, ptr @g{}", self.helper(to))),
                Reach::Alias(to) => Some(format!("call void @a{}(){location}", self.helper(to))),
                Reach::AliasOfAlias(to) => Some(format!("call void @aa{}(){location}", self.helper(to))),
                Reach::Ifunc(to) => Some(format!("call void @i{}(){location}", self.helper(to))),
                Reach::Table(to) => Some(format!("%p = load ptr, ptr @table{}\n  call void %p(){location}", self.helper(to))),
                Reach::Callees(to) => {
                    let callees = node(format!("!{{ptr @h{}}}", self.helper(to)));
                    Some(format!("%p = load ptr, ptr addrspace(1) @data\n  call void %p(), !callees !{callees}{location}"))
                }
                Reach::External => Some(format!("call void @outside(){location}")),
            };
            let _ = writeln!(out, "  {}\n  ret void\n}}", callee.unwrap_or_default());
        }
        for &index in order {
            let entry = &self.entries[index];
            let mut attached = String::new();
            let mut list = |name: &str, numbers: &mut dyn Iterator<Item = u32>| {
                let numbers: Vec<String> = numbers.map(|number| format!("i32 {number}")).collect();
                let _ = write!(attached, " !{name} !{}", node(format!("!{{{}}}", numbers.join(", "))));
            };
            list("intel_used_aspects", &mut entry.used.iter().copied());
            if let Some(declared) = &entry.declared {
                list("intel_declared_aspects", &mut declared.iter().copied());
            }
            if let Some(size) = entry.sub_group {
                list("intel_reqd_sub_group_size", &mut [size].into_iter());
            }
            if !entry.work_group.is_empty() {
                list("reqd_work_group_size", &mut entry.work_group.iter().copied());
                list("work_group_num_dim", &mut [entry.work_group.len() as u32].into_iter());
            }
            let convention = if entry.kernel { "weak_odr spir_kernel" } else { "spir_func" };
            let _ = writeln!(out, "define {convention} void @{}() #{}{attached} {{", self.symbol(index), entry.unit);
            for call in &entry.calls {
                let _ = writeln!(out, "  call void @h{}()", self.helper(*call));
            }
            for callee in self.called_entries(entry) {
                let _ = writeln!(out, "  call spir_func void @{}()", self.symbol(callee));
            }
            out += "  ret void\n}\n";
        }
        out += "declare void @outside()\n!opencl.ocl.version = !{!4}\n!4 = !{i32 1, i32 0}\n";
        for unit in 0..2 {
            let _ = writeln!(out, "attributes #{unit} = {{ \"sycl-module-id\"=\"{unit}.cpp\" }}");
        }
        if self.debug {
            out += "!llvm.dbg.cu = !{!1}\n!llvm.module.flags = !{!0}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
                    !1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17, file: !2, emissionKind: FullDebug)\n\
                    !2 = !DIFile(filename: \"0.cpp\", directory: \"\")\n!3 = !DISubroutineType(types: !{null})\n";
        }
        for (index, text) in metadata.iter().enumerate() {
            let _ = writeln!(out, "!{} = {text}", index + 10);
        }
        out
    }

    /// Whether it refers to `outside`, itself or through what it refers to: a naive walk over the text's references.
    fn imports(&self, entry: usize) -> bool {
        let (mut seen_entries, mut seen) = (BTreeSet::from([entry]), BTreeSet::new());
        let (mut entries, mut helpers) = (vec![entry], Vec::new());
        while let Some(entry) = entries.pop() {
            helpers.extend(self.entries[entry].calls.iter().map(|&call| self.helper(call)));
            entries.extend(self.called_entries(&self.entries[entry]).filter(|&callee| seen_entries.insert(callee)));
        }
        while let Some(helper) = helpers.pop().map(|helper| self.helper(helper)) {
            if !seen.insert(helper) {
                continue;
            }
            let Helper { calls, reach, .. } = &self.helpers[helper];
            helpers.extend(calls);
            match *reach {
                Reach::Nothing => {}
                // Its table is the next one, of two functions; indices wrap around at the helpers' number one by one.
                Reach::Global(to) => helpers.extend([self.helper(to) + 1, self.helper(self.helper(to) + 1) + 1]),
                Reach::Table(to) => helpers.extend([self.helper(to), self.helper(to) + 1]),
                Reach::Alias(to) | Reach::AliasOfAlias(to) | Reach::Ifunc(to) | Reach::Callees(to) => helpers.push(to),
                Reach::External => return true,
            }
        }
        false
    }

    /// What the `.prop` of an image with this entry point must say, by hand from S0.
    fn needs(&self, entry: usize) -> BTreeMap<&'static str, Vec<u32>> {
        let entry = &self.entries[entry];
        let mut out = BTreeMap::new();
        let aspects: BTreeSet<u32> = entry.used.iter().chain(entry.declared.iter().flatten()).copied().collect();
        if !aspects.is_empty() {
            out.insert("aspect", aspects.into_iter().collect());
        }
        if let Some(size) = entry.sub_group {
            out.insert("reqd_sub_group_size", vec![size]);
        }
        if !entry.work_group.is_empty() {
            out.insert("reqd_work_group_size", [&[entry.work_group.len() as u32], &entry.work_group[..]].concat());
        }
        out
    }
}

/// An image as its files say.
struct Image {
    symbols: Vec<String>,
    needs: BTreeMap<String, Vec<u32>>,
    code: Vec<u8>,
    properties: String,
}

/// Runs post-link in a folder of its own.
fn split(text: &str, options: &str) -> Vec<Image> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("in.ll"), text).unwrap();
    let words = format!("-symbols -properties {options}");
    let words = words.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).chain([path("in.ll"), "-o".into(), path("out.table")]);
    let said =
        aspen_postlink::run(&Arguments::parse(words).unwrap(), Database::builtin()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(said, "");
    let table = FileTable::from_text(&fs::read_to_string(path("out.table")).unwrap()).unwrap();
    let image = |row: &Vec<String>| {
        let properties = fs::read_to_string(&row[1]).unwrap();
        let sets = PropertySets::from_text(&properties).unwrap();
        let numbers = |value: &aspen_image::Value| value.as_u32s().unwrap();
        let needs =
            sets.get("SYCL/device-requirements").map(|set| set.iter().map(|(name, value)| (name.clone(), numbers(value))).collect());
        Image {
            symbols: fs::read_to_string(&row[2]).unwrap().lines().map(str::to_owned).collect(),
            needs: needs.unwrap_or_default(),
            code: fs::read(Path::new(&row[0])).unwrap(),
            properties,
        }
    };
    table.rows().iter().map(image).collect()
}

fn check(input: &Input, options: &str, together: impl Fn(&Entry, &Entry) -> bool) {
    let order: Vec<usize> = (0..input.entries.len()).collect();
    let text = input.text(&order);
    let images = split(&text, options);

    // Every entry point in exactly one image; images in the order of their first one; in an image the module's order.
    let place = |symbol: &String| order.iter().position(|&entry| input.symbol(entry) == *symbol).unwrap();
    let listed: Vec<Vec<usize>> = images.iter().map(|image| image.symbols.iter().map(place).collect()).collect();
    let mut all: Vec<usize> = listed.iter().flatten().copied().collect();
    all.sort_unstable();
    assert_eq!(all, order, "{text}");
    assert!(listed.iter().all(|image| image.is_sorted()) && listed.is_sorted_by_key(|image| image[0]), "{listed:?}");

    // Two of them share an image exactly if the option lets them and they need the same.
    let image_of = |entry: usize| listed.iter().position(|image| image.contains(&entry)).unwrap();
    for a in &order {
        assert_eq!(images[image_of(*a)].needs, input.needs(*a).into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
        for b in &order {
            let same = input.needs(*a) == input.needs(*b) && input.imports(*a) == input.imports(*b);
            let expected = a == b || (together(&input.entries[*a], &input.entries[*b]) && same);
            assert_eq!(image_of(*a) == image_of(*b), expected, "{a} and {b}\n{text}");
        }
    }

    // Valid (the reader verifies) and self-contained: what is missing was missing before; and no more than that is visible.
    let context = Context::new();
    let mut linked: Option<Module<'_>> = None;
    for image in &images {
        let module = context.parse("image", &image.code).unwrap_or_else(|error| panic!("{error}\n{text}"));
        // With dependencies, exported functions that the image itself exports are there, all others come from their own images.
        let exported = |import: &String| {
            let callee = order.iter().find(|&&entry| !input.entries[entry].kernel && input.symbol(entry) == *import);
            callee.is_some_and(|_| options.contains("dependencies") && !image.symbols.contains(import))
        };
        assert!(module.imports().iter().all(|import| import == "outside" || exported(import)), "{:?}\n{text}", module.imports());
        let text_of_image = module.to_text();
        let defines = |symbol: &str| text_of_image.lines().any(|line| line.starts_with("define ") && line.contains(&format!("@{symbol}(")));
        for (index, helper) in input.helpers.iter().enumerate().filter(|(index, _)| defines(&format!("h{index}"))) {
            if let Reach::Callees(to) = helper.reach {
                assert!(defines(&format!("h{}", input.helper(to))), "what h{index} may call\n{text_of_image}");
            }
        }
        for entry in image.symbols.iter().map(place) {
            for callee in input.called_entries(&input.entries[entry]).map(|callee| input.symbol(callee)) {
                assert_eq!(
                    defines(&callee),
                    !options.contains("dependencies") || image.symbols.contains(&callee),
                    "{callee}\n{text_of_image}"
                );
            }
        }
        let mut visible = module.exports();
        visible.sort_unstable();
        let mut symbols = image.symbols.clone();
        symbols.sort_unstable();
        assert_eq!(visible, symbols, "{text}");
        match &mut linked {
            Some(linked) => linked.link_in(module).unwrap_or_else(|error| panic!("{error}\n{text}")),
            none => *none = Some(module),
        }
    }
    let linked = linked.unwrap();
    linked.verify().unwrap();
    let defined: BTreeSet<String> = linked.exports().into_iter().collect();
    assert_eq!(defined, order.iter().map(|&entry| input.symbol(entry)).collect::<BTreeSet<_>>());

    // The same bytes again, elsewhere; the same images whatever the order of the input.
    let again = split(&text, options);
    assert!(images.iter().zip(&again).all(|(a, b)| a.code == b.code && a.properties == b.properties && a.symbols == b.symbols));
    let shuffled: Vec<usize> = order.iter().rev().copied().collect();
    let as_sets =
        |images: &[Image]| -> BTreeSet<BTreeSet<String>> { images.iter().map(|image| image.symbols.iter().cloned().collect()).collect() };
    assert_eq!(as_sets(&split(&input.text(&shuffled), options)), as_sets(&images));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn without_another_split(input in input()) {
        check(&input, "-split=none", |_, _| true);
    }

    #[test]
    fn per_source(input in input()) {
        check(&input, "-split=source", |a, b| a.unit == b.unit);
    }

    #[test]
    fn images_that_need_each_other(input in input()) {
        check(&input, "-split=source -allow-device-image-dependencies", |a, b| a.unit == b.unit);
    }

    #[test]
    fn auto_is_per_source(input in input()) {
        check(&input, "", |a, b| a.unit == b.unit);
    }

    #[test]
    fn per_kernel(input in input()) {
        check(&input, "-split=kernel", |_, _| false);
    }
}
