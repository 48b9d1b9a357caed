//! All targets by name, and how a user's file changes them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use indexmap::IndexMap;
use indexmap::map::Entry as Slot;

use crate::builtin;
use crate::diagnostic::{ConfigError, Warning};
use crate::nearest::nearest;
use crate::read::{Entry, File, entries};
use crate::target::{Origin, Target};

/// All targets, in the order of the built-in table, those of users' files behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Database {
    targets: IndexMap<String, Target>,
    /// Target by alias.
    aliases: BTreeMap<String, String>,
}

/// A name that no target has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown target '{name}'{}", .nearest.as_ref().map_or_else(
    || "; `aspen targets` lists all".to_owned(),
    |nearest| format!("; did you mean '{nearest}'? `aspen targets` lists all"),
))]
pub struct UnknownTarget {
    /// The name.
    pub name: String,
    /// The known name that is most like it.
    pub nearest: Option<String>,
}

impl Database {
    /// The built-in table.
    pub fn builtin() -> &'static Database {
        static DATABASE: LazyLock<Database> = LazyLock::new(|| {
            let mut database = Database { targets: IndexMap::new(), aliases: BTreeMap::new() };
            for target in builtin::targets() {
                database.aliases.extend(target.aliases.iter().map(|alias| (alias.clone(), target.name.clone())));
                database.targets.insert(target.name.clone(), target);
            }
            database
        });
        &DATABASE
    }

    /// This database with what a user's file adds and updates. `file_name` is only for messages.
    ///
    /// An entry for a known name, or an alias, replaces just the fields it gives; the same target twice in the file warns, and the later
    /// entry is applied last. Source: DESIGN §2; S2 "Potential Issues/Limitations".
    ///
    /// # Errors
    /// Everything that is wrong with the file, each with place and line.
    pub fn overlay(&self, file_name: &str, text: &str) -> Result<(Database, Vec<Warning>), ConfigError> {
        let file = File { name: file_name, text };
        let (mut database, mut warnings) = (self.clone(), Vec::new());
        let mut seen: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for mut entry in entries(file)? {
            let written = std::mem::take(&mut entry.name);
            entry.name = self.aliases.get(&written).unwrap_or(&written).clone();
            if let Some((other, line)) = seen.insert(entry.name.clone(), (written.clone(), entry.line)) {
                let same = if other == written { String::new() } else { format!(" as '{other}'") };
                let message = format!("target '{written}' stands in this file twice, first in line {line}{same}; this entry wins");
                warnings.push(Warning(file.diagnostic(entry.line, entry.column, message)));
            }
            let origin = Origin::File { file: file_name.to_owned(), line: entry.line, column: entry.column };
            database.apply(entry, origin);
        }
        Ok((database, warnings))
    }

    fn apply(&mut self, entry: Entry, origin: Origin) {
        let target = match self.targets.entry(entry.name.clone()) {
            Slot::Occupied(slot) => slot.into_mut(),
            Slot::Vacant(slot) => slot.insert(Target::new(&entry.name, origin.clone())),
        };
        let fields = entry.fields;
        target.origin = origin;
        target.generic = false;
        if let Some(aspects) = fields.aspects {
            target.aspects = aspects;
        }
        if let Some(flag) = fields.may_support_other_aspects {
            target.may_support_other_aspects = flag;
        }
        if fields.sub_group_sizes.is_some() {
            target.sub_group_sizes = fields.sub_group_sizes;
        }
        if fields.aot_toolchain.is_some() {
            target.aot_toolchain = fields.aot_toolchain;
        }
        if fields.aot_toolchain_options.is_some() {
            target.aot_toolchain_options = fields.aot_toolchain_options;
        }
        for (option, value) in fields.aot_extra {
            match target.aot_extra.iter_mut().find(|(name, _)| *name == option) {
                Some((_, old)) => *old = value,
                None => target.aot_extra.push((option, value)),
            }
        }
    }

    /// The target of that name or alias.
    ///
    /// # Errors
    /// If there is none; the message has the nearest name.
    pub fn lookup(&self, name: &str) -> Result<&Target, UnknownTarget> {
        let target = self.targets.get(self.aliases.get(name).map_or(name, String::as_str));
        target.ok_or_else(|| UnknownTarget { name: name.to_owned(), nearest: nearest(name, self.names()).map(str::to_owned) })
    }

    /// The targets that stand for devices, in order; generic ones are left out.
    pub fn iter(&self) -> impl Iterator<Item = &Target> {
        self.targets.values().filter(|target| !target.generic)
    }

    /// Every name that [`Database::lookup`] finds: targets in order, then aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.targets.keys().chain(self.aliases.keys()).map(String::as_str)
    }
}
