//! What changed since an older report or build. A kernel is the same one if, in this order,
//! its symbol is the same; or its name; or its place in the source; or it is of the same unit and has the same needs by the same chain of
//! functions; or it is unnamed, of the same unit with the same needs, and as many such kernels are left on both sides, in order. From the
//! second on each rule takes only what it fits once on both sides. All but the first two are renames, and say by which rule.

use std::collections::{BTreeMap, HashMap};

use super::model::Report;
use super::older::{self, Past};

/// The difference. Kernels are named by their index in the new report.
pub struct Changes {
    pub older: String,
    pub added: Vec<Change>,
    pub removed: Vec<Change>,
    pub kernels_added: Vec<usize>,
    pub kernels_removed: Vec<Past>,
    pub renamed: Vec<Rename>,
    pub verdicts: Vec<Turn>,
}

/// A need that came or went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub kernel: usize,
    pub need: String,
}

/// A kernel that has another name now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rename {
    pub kernel: usize,
    pub older: String,
    pub by: &'static str,
}

/// A device that says something else now: `Some(true)` if it runs the kernel, `None` if that depends on the device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    pub kernel: usize,
    pub device: String,
    pub before: Option<bool>,
    pub after: Option<bool>,
}

/// Between the older kernels and the report's.
pub fn between(older: String, old: Vec<Past>, report: &Report) -> Changes {
    let new = older::of_report(report);
    let pairs = pairs(&old, &new);
    let mut out = Changes {
        older,
        added: Vec::new(),
        removed: Vec::new(),
        kernels_added: Vec::new(),
        kernels_removed: Vec::new(),
        renamed: Vec::new(),
        verdicts: Vec::new(),
    };
    let mut is_taken = vec![false; old.len()];
    for (kernel, now) in new.iter().enumerate() {
        let Some((before, by)) = pairs[kernel] else {
            out.kernels_added.push(kernel);
            continue;
        };
        is_taken[before] = true;
        let before = &old[before];
        if let Some(by) = by {
            out.renamed.push(Rename { kernel, older: before.name.clone(), by });
        }
        let beyond = |one: &Past, other: &Past| -> Vec<Change> {
            let needs = one.needs.keys().filter(|need| !other.needs.contains_key(*need));
            needs.map(|need| Change { kernel, need: need.clone() }).collect()
        };
        out.added.extend(beyond(now, before));
        out.removed.extend(beyond(before, now));
        for (device, after) in &now.devices {
            if let Some(before) = before.devices.get(device).filter(|before| *before != after) {
                out.verdicts.push(Turn { kernel, device: device.clone(), before: *before, after: *after });
            }
        }
    }
    out.kernels_removed = old.into_iter().zip(is_taken).filter(|(_, taken)| !taken).map(|(past, _)| past).collect();
    out
}

/// For each new kernel the old one that it was, and the rule if it has another name now.
fn pairs(old: &[Past], new: &[Past]) -> Vec<Option<(usize, Option<&'static str>)>> {
    let mut out = vec![None; new.len()];
    let mut left: Vec<bool> = vec![true; old.len()];
    // Programs may hold a symbol each; the first goes to the first.
    let mut by_symbol: HashMap<&str, Vec<usize>> = HashMap::new();
    old.iter().enumerate().rev().for_each(|(index, past)| by_symbol.entry(&past.symbol).or_default().push(index));
    for (now, found) in new.iter().zip(&mut out) {
        if let Some(index) = by_symbol.get_mut(now.symbol.as_str()).and_then(Vec::pop) {
            (left[index], *found) = (false, Some((index, None)));
        }
    }
    type Rule = fn(&Past) -> Option<String>;
    let rules: [(Option<&'static str>, bool, Rule); 4] = [
        (None, true, |past| Some(past.name.clone())),
        (Some("the same place"), true, |past| past.place.clone()),
        (Some("the same needs by the same chain"), true, |past| {
            let through: Vec<_> = past.needs.iter().map(|(need, chain)| format!("{need}\n{}", chain.join("\n"))).collect();
            let is_known = past.needs.values().any(|chain| !chain.is_empty());
            is_known.then(|| format!("{}\n{}", past.unit, through.join("\n")))
        }),
        (Some("the order of unnamed kernels"), false, |past| {
            let needs: Vec<&str> = past.needs.keys().map(String::as_str).collect();
            past.name.contains("lambda at ").then(|| format!("{}\n{}", past.unit, needs.join("\n")))
        }),
    ];
    for (by, once, key) in rules {
        let mut keys: BTreeMap<String, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        let olds = old.iter().enumerate().filter(|(index, _)| left[*index]);
        olds.for_each(|(index, past)| {
            key(past).into_iter().for_each(|key| keys.entry(key).or_default().0.push(index));
        });
        let news = new.iter().enumerate().filter(|(index, _)| out[*index].is_none());
        news.for_each(|(index, now)| {
            key(now).into_iter().for_each(|key| keys.entry(key).or_default().1.push(index));
        });
        for (olds, news) in keys.into_values() {
            if olds.len() == news.len() && (!once || olds.len() == 1) {
                for (before, now) in olds.into_iter().zip(news) {
                    (left[before], out[now]) = (false, Some((before, by)));
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(symbol: &str, name: &str, place: &str, needs: &[(&str, &str)]) -> Past {
        let needs = needs
            .iter()
            .map(|(need, chain)| ((*need).to_owned(), chain.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()));
        let place = (!place.is_empty()).then(|| place.to_owned());
        Past { symbol: symbol.into(), name: name.into(), unit: "a.cpp".into(), place, needs: needs.collect(), devices: BTreeMap::new() }
    }

    #[test]
    fn renames_are_recognised_by_the_first_rule_that_fits_once() {
        let fp64 = [("aspect fp64", "inner")];
        for (old, new, expected) in [
            (past("_S", "a", "", &[]), past("_S", "b", "", &fp64), Some(None)),
            (past("_S", "a", "", &[]), past("_T", "a", "", &fp64), Some(None)),
            (past("_S", "a", "a.cpp:3:1", &[]), past("_T", "b", "a.cpp:3:1", &fp64), Some(Some("the same place"))),
            (past("_S", "a", "a.cpp:3:1", &fp64), past("_T", "b", "a.cpp:9:1", &fp64), Some(Some("the same needs by the same chain"))),
            (past("_S", "a", "a.cpp:3:1", &fp64), past("_T", "b", "a.cpp:9:1", &[("aspect fp64", "outer")]), None),
            (past("_S", "a", "", &[]), past("_T", "b", "", &[]), None),
            (
                past("_S", "lambda at a.cpp:3:1", "a.cpp:3:1", &[]),
                past("_T", "lambda at a.cpp:4:1", "a.cpp:4:1", &[]),
                Some(Some("the order of unnamed kernels")),
            ),
        ] {
            let what = format!("{old:?} {new:?}");
            assert_eq!(pairs(&[old], &[new])[0].map(|(_, by)| by), expected, "{what}");
        }
        // What fits twice is no rename.
        let (one, two) = (past("_S", "a", "", &fp64), past("_U", "c", "", &fp64));
        assert_eq!(pairs(&[one, two], &[past("_T", "b", "", &fp64)]), [None]);
    }
}
