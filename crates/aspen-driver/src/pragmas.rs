//! What pragmas of units say of warnings that the link gives (`#pragma clang diagnostic ignored "-Wsycl-external"`), as objects carry it. Source:
//! DESIGN §2, control of diagnostics.

use std::collections::BTreeMap;
use std::fmt::Write;

use aspen_analysis::{Level, Told};
use aspen_contract::Place;

use crate::prefix_map::PrefixMap;

const WORDS: [(&str, Told); 3] =
    [("ignored", Told::Ignored), ("warning", Told::Level(Level::Warning)), ("error", Told::Level(Level::Error))];

/// By place, from the objects of a link.
#[derive(Debug, Default)]
pub struct Pragmas(BTreeMap<Place, Told>);

/// As an object records it: lines of what becomes of the warning, line, column and file. Several passes say the same.
pub fn recorded<'p>(external: impl Iterator<Item = &'p (Place, Told)>, map: &PrefixMap) -> String {
    let all: BTreeMap<&Place, Told> = external.map(|(place, told)| (place, *told)).collect();
    let mut out = String::new();
    for (place, told) in all {
        let word = WORDS.iter().find(|(_, known)| *known == told).map_or("", |(word, _)| word);
        let _ = writeln!(out, "{word} {} {} {}", place.line, place.column, map.path(&place.file));
    }
    out
}

impl Pragmas {
    /// Reads what objects record. Of units that see one place of a header with other pragmas, the last one counts.
    pub fn read<'r>(recorded: impl Iterator<Item = &'r str>) -> Pragmas {
        let line = |line: &str| {
            let mut parts = line.splitn(4, ' ');
            let word = parts.next()?;
            let (line, column) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            let told = WORDS.iter().find(|(known, _)| *known == word)?.1;
            Some((Place { file: parts.next()?.to_owned(), line, column }, told))
        };
        Pragmas(recorded.flat_map(str::lines).filter_map(line).collect())
    }

    /// What becomes of a warning at that place, if a pragma says so.
    pub fn told(&self, place: &Place) -> Option<Told> {
        self.0.get(place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_objects_record_is_read_back() {
        let place = |line| Place { file: "a b.cpp".into(), line, column: 7 };
        let given = [(place(1), Told::Ignored), (place(1), Told::Ignored), (place(2), Told::Level(Level::Error))];
        let text = recorded(given.iter(), &PrefixMap::default());
        assert_eq!(text, "ignored 1 7 a b.cpp\nerror 2 7 a b.cpp\n");
        let read = Pragmas::read([text.as_str(), "nonsense\nignored 1\n"].into_iter());
        assert_eq!((read.told(&place(1)), read.told(&place(2)), read.told(&place(3))), (Some(given[0].1), Some(given[2].1), None));
    }
}
