//! The set `Aspen/guards`: for each entry point the guards in what it reaches, and what it needs where they hold. Source: DESIGN §5, §7.8,
//! §7.23; ARCHITECTURE "Guarded code" (the layout).
//!
//! Part of what the check reads, so what is damaged is an error.

use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{Aspect, AspectSet, Guard};

use crate::image::ImageError;
use crate::property::{PropertySet, PropertySets, Value};

/// The set's name.
pub const GUARDS: &str = "Aspen/guards";

/// The set that says under which guards, one of them, an image's entry points call what they import: by the import's symbol. What is not in
/// it is called wherever they run.
pub const IMPORT_GUARDS: &str = "Aspen/import guards";

/// The specialization constant of an aspect that guards ask for is this plus the aspect's number. Source: DESIGN §7.23.
pub const FIRST_SPEC_ID: u32 = 0x5000_0000;

/// Guards, each with what is needed under it beyond what it says; often nothing.
pub type Guards = BTreeMap<Guard, AspectSet>;

/// One property.
pub fn write(guards: &Guards) -> Value {
    let mut words = Vec::new();
    let count = |list: usize| u32::try_from(list).expect("a guard lists fewer than 2^32 aspects");
    let conditions = |list: &AspectSet, words: &mut Vec<u32>| {
        words.push(count(list.len()));
        words.extend(list.iter().flat_map(|aspect| [FIRST_SPEC_ID.wrapping_add(aspect.number()), aspect.number()]));
    };
    for (guard, needed) in guards {
        conditions(&guard.has, &mut words);
        words.push(count(guard.lacks.len()));
        for list in &guard.lacks {
            conditions(list, &mut words);
        }
        words.push(count(needed.len()));
        words.extend(needed.iter().map(|aspect| aspect.number()));
    }
    Value::from_u32s(words)
}

/// The set [`IMPORT_GUARDS`].
pub fn import_guards<'g>(imports: impl IntoIterator<Item = (&'g String, &'g BTreeSet<Guard>)>) -> PropertySet {
    let value = |guards: &BTreeSet<Guard>| write(&guards.iter().map(|guard| (guard.clone(), AspectSet::new())).collect());
    imports.into_iter().map(|(symbol, guards)| (symbol.clone(), value(guards))).collect()
}

/// What an image's sets tell of that ([`crate::DeviceImage::import_guards`]); what is damaged is not known.
pub fn import_guards_of(sets: &PropertySets) -> BTreeMap<String, BTreeSet<Guard>> {
    sets.get(IMPORT_GUARDS).and_then(|set| read_import_guards(set).ok()).unwrap_or_default()
}

/// [`import_guards`] back.
pub(crate) fn read_import_guards(set: &PropertySet) -> Result<BTreeMap<String, BTreeSet<Guard>>, ImageError> {
    Ok(read(set)?.into_iter().map(|(symbol, guards)| (symbol, guards.into_keys().collect())).collect())
}

/// All properties of the set.
pub(crate) fn read(set: &PropertySet) -> Result<BTreeMap<String, Guards>, ImageError> {
    let damaged = |name: &String| ImageError::Guards { symbol: name.clone() };
    set.iter().map(|(name, value)| Ok((name.clone(), property(value).ok_or_else(|| damaged(name))?))).collect()
}

pub(crate) fn property(value: &Value) -> Option<Guards> {
    let words = value.as_u32s()?;
    let mut reader = Reader { words: &words };
    let mut out = Guards::new();
    while !reader.words.is_empty() {
        let has = reader.conditions()?;
        let lacks = (0..reader.next()?).map(|_| reader.conditions()).collect::<Option<_>>()?;
        let needed = (0..reader.next()?).map(|_| reader.next().map(Aspect::from_number)).collect::<Option<AspectSet>>()?;
        out.entry(Guard { has, lacks }).or_default().extend(needed);
    }
    Some(out)
}

struct Reader<'w> {
    words: &'w [u32],
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u32> {
        let (&first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn conditions(&mut self) -> Option<AspectSet> {
        (0..self.next()?)
            .map(|_| {
                let (spec_id, number) = (self.next()?, self.next()?);
                (spec_id == FIRST_SPEC_ID.wrapping_add(number)).then(|| Aspect::from_number(number))
            })
            .collect()
    }
}
