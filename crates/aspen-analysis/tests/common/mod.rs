//! Summaries from a few lines of text, so that a test shows its call graph at a glance.
//!
//! One function a line, then words:
//! `name` (a definition) or `extern name` (a declaration), `kernel name body=f [internal]`, `exported`, `internal`, `odr`, `glue`,
//! `use:fp64@3:4`, `use:fp64~printf@3:4` (promoted for a variadic call), `call:g@5:6`, `call:g/3@5:6` (one of 3 targets), `declares:fp16,gpu@1:3` (or `declares:@1:3` for an empty list), `attr:atomic64`,
//! `guard:gpu,!fp64+cpu` (runs only where the device has gpu and lacks fp64 or cpu), `wg:2x4@7:1`, `sg:8@8:1`,
//! `system` (no user wrote it), `virtual@3:4` (of slot 0), `virtual:A@3:4` (of slot 0 of class A's tables) and `pointer@3:4` (calls that name no
//! function), `taken`, `slot:0` and `slot:A/0` (what such calls may reach: its address is taken, or in a vtable's slot; all are of one type),
//! `unit=b.cpp`, `optimized:double,f` (what is left after optimisation: whether `double`, and which functions elsewhere). Places are `line:column` in `t.cpp`.

use std::collections::BTreeMap;

use aspen_analysis::summary::{
    Call, Declared, FuncId, Function, Indirect, Kernel, Linkage, Optimized, Role, Shape, Slot, Summary, Taken, Through, Use,
};
use aspen_contract::{Aspect, Place, WorkGroupSize};

fn place(text: &str) -> Option<Place> {
    let (line, column) = text.split_once(':')?;
    Some(Place { file: "t.cpp".into(), line: line.parse().expect("a line"), column: column.parse().expect("a column") })
}

fn aspect(name: &str) -> Aspect {
    Aspect::from_name(name).unwrap_or_else(|| panic!("no aspect {name}"))
}

fn indirect(place: Option<Place>, through: Through, slot: Option<Slot>, before: usize) -> Indirect {
    let before = u32::try_from(before).expect("few calls");
    Indirect { place, through, shape: Some(Shape { ty: "t".into(), slot }), before }
}

/// The summary of a graph's text.
pub fn summary(text: &str) -> Summary {
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).filter(|words: &Vec<_>| !words.is_empty()).collect();
    let name_of = |words: &[&str]| words[usize::from(matches!(words[0], "extern" | "kernel"))].to_owned();
    let ids: BTreeMap<String, FuncId> =
        lines.iter().enumerate().map(|(index, words)| (name_of(words), FuncId::from_index(index))).collect();
    let id = |name: &str| *ids.get(name).unwrap_or_else(|| panic!("no function {name}"));
    let functions = lines.iter().map(|words| function(words, name_of(words), &id)).collect();
    Summary { functions }
}

fn function(words: &[&str], name: String, id: &dyn Fn(&str) -> FuncId) -> Function {
    let mut out = Function {
        symbol: name.clone(),
        name: name.clone(),
        linkage: Linkage::External,
        defined: words[0] != "extern",
        role: Role::Plain,
        glue: words.contains(&"glue"),
        place: None,
        unit: "t.cpp".into(),
        declared: None,
        system: false,
        indirect: Vec::new(),
        taken: None,
        uses_attribute: Default::default(),
        uses: Vec::new(),
        calls: Vec::new(),
        guard: None,
        reqd_work_group_size: None,
        reqd_sub_group_size: None,
        optimized: None,
    };
    if words[0] == "kernel" {
        out.role = Role::Kernel(Kernel { name, body: None, internal: words.contains(&"internal") });
    }
    for word in &words[1..] {
        let (head, at) = word.rsplit_once('@').map_or((*word, None), |(head, at)| (head, place(at)));
        match head.split_once([':', '=']) {
            Some(("use", name)) => {
                let (name, promoted_for) = name.split_once('~').map_or((name, None), |(name, callee)| (name, Some(callee.to_owned())));
                let aspect = aspect(name);
                out.uses.push(Use { aspect, place: at, implicit: aspect == Aspect::FP64, promoted_for });
            }
            Some(("call", name)) => {
                let (name, one_of) =
                    name.split_once('/').map_or((name, None), |(name, count)| (name, Some(count.parse().expect("a number"))));
                out.calls.push(Call { callee: id(name), place: at, one_of });
            }
            Some(("declares", names)) => {
                let aspects = names.split(',').filter(|name| !name.is_empty()).map(aspect).collect();
                out.declared = Some(Declared { aspects, spelling: "sycl::device_has".into(), place: at });
            }
            Some(("guard", names)) => {
                for name in names.split(',') {
                    let guard = out.guard.get_or_insert_default();
                    match name.strip_prefix('!') {
                        Some(list) => _ = guard.lacks.insert(list.split('+').map(aspect).collect()),
                        None => _ = guard.has.insert(aspect(name)),
                    }
                }
            }
            Some(("attr", names)) => out.uses_attribute = names.split(',').map(aspect).collect(),
            Some(("wg", size)) => {
                let dims = size.split('x').map(|dim| dim.parse().expect("a number")).collect::<Vec<u64>>();
                out.reqd_work_group_size = Some((WorkGroupSize::try_from(dims).expect("a size"), at));
            }
            Some(("sg", size)) => out.reqd_sub_group_size = Some((size.parse().expect("a number"), at)),
            Some(("unit", unit)) => out.unit = unit.into(),
            Some(("optimized", rest)) => {
                let reaches = rest.split(',').filter(|name| !matches!(*name, "" | "double")).map(id).collect();
                out.optimized = Some(Optimized { double: rest.contains("double"), reaches, indirect: Vec::new() });
            }
            Some(("slot", slot)) => {
                let (class, index) = slot.split_once('/').map_or((None, slot), |(class, index)| (Some(class.to_owned()), index));
                let no_slots = Taken { ty: "t".into(), slots: Default::default(), elsewhere: false };
                out.taken.get_or_insert(no_slots).slots.insert(Slot { class, index: index.parse().expect("a number") });
            }
            Some(("virtual", class)) => {
                let slot = Slot { class: Some(class.into()), index: 0 };
                out.indirect.push(indirect(at, Through::Vtable, Some(slot), out.calls.len()));
            }
            Some(("body", body)) => {
                if let Role::Kernel(kernel) = &mut out.role {
                    kernel.body = Some(id(body));
                }
            }
            Some(_) => panic!("unknown word {word}"),
            None if head == "exported" => out.role = Role::Exported,
            None if head == "system" => out.system = true,
            None if head == "virtual" => {
                out.indirect.push(indirect(at, Through::Vtable, Some(Slot { class: None, index: 0 }), out.calls.len()));
            }
            None if head == "pointer" => out.indirect.push(indirect(at, Through::Pointer, None, out.calls.len())),
            None if head == "taken" => out.taken = Some(Taken { ty: "t".into(), slots: Default::default(), elsewhere: true }),
            None if head == "internal" && words[0] != "kernel" => out.linkage = Linkage::Internal,
            None if head == "odr" => out.linkage = Linkage::OneDefinitionRule,
            None => {}
        }
    }
    out.uses.sort_by_key(|one| one.aspect);
    out
}
