//! Options of DPC++ and of Intel's compiler, as data: what becomes of each is a row of `data/options.toml`, of which docs/OPTIONS.md is made
//! as well. A program's command line is seldom the program's fault, so none of them may be called unknown.

mod table;

use super::value_of;
use crate::error::Error;
pub use table::{OPTIONS, TRIPLES};

/// What may follow an option's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// `=` and a value.
    Value,
    /// Nothing, or `=` and a value.
    ValueOrNothing,
    /// The next word.
    Word,
    /// `=` and a target, then the next word.
    TargetAndWord,
    /// Anything joined to it.
    Anything,
}

/// What becomes of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is done: by the driver, or by the words that stand for it.
    Honoured,
    /// There is nothing to do.
    Nothing,
    /// It is not done, and a warning says so.
    Warns,
    /// It is an error.
    Refused,
}

/// An option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Its name, without what may follow.
    pub name: &'static str,
    /// What follows.
    pub takes: Takes,
    /// Only with these values; empty: with any.
    pub values: &'static [&'static str],
    /// What becomes of it.
    pub verdict: Verdict,
    /// The words that stand for it, with `$` for the value.
    pub becomes: &'static [&'static str],
    /// Why.
    pub why: &'static str,
    /// What follows the name in tests.
    pub example: &'static str,
}

/// A triple, or another name for targets that only command lines have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triple {
    /// How it is written.
    pub names: &'static [&'static str],
    /// The target; with `*` at its end one for each processor; `None`: refused.
    pub target: Option<&'static str>,
    /// What that is, or why there is none.
    pub why: &'static str,
}

/// What is to be done with a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Nothing.
    Nothing,
    /// To say so.
    Warn(String),
    /// To read these words instead.
    Words(Vec<String>),
}

/// Looks a word up. Options that the driver itself knows how to honour are none of these.
///
/// # Errors
/// For an option that is refused, with the reason, and for one whose value is missing.
pub fn read(word: &str, rest: &mut dyn Iterator<Item = String>) -> Result<Option<Meaning>, Error> {
    let mut taken: Option<String> = None;
    for known in OPTIONS {
        let Some(follows) = word.strip_prefix(known.name) else { continue };
        let value = match (known.takes, follows) {
            (Takes::Nothing | Takes::ValueOrNothing, "") => "",
            (Takes::Value | Takes::ValueOrNothing, follows) if follows.starts_with('=') => &follows[1..],
            (Takes::Word, "") | (Takes::TargetAndWord, _) if known.takes == Takes::Word || follows.starts_with('=') => {
                if known.verdict == Verdict::Honoured && known.becomes.is_empty() {
                    return Ok(None);
                }
                if taken.is_none() {
                    taken = Some(value_of(word, rest)?);
                }
                taken.as_deref().unwrap_or_default()
            }
            (Takes::Anything, follows) => follows,
            _ => continue,
        };
        if !known.values.is_empty() && !known.values.contains(&value) {
            continue;
        }
        return match known.verdict {
            Verdict::Honoured if known.becomes.is_empty() => Ok(None),
            Verdict::Honoured => Ok(Some(Meaning::Words(known.becomes.iter().map(|word| word.replace('$', value)).collect()))),
            Verdict::Nothing => Ok(Some(Meaning::Nothing)),
            Verdict::Warns => Ok(Some(Meaning::Warn(format!("'{word}' is not used: {} [-Wunused-command-line-argument]", known.why)))),
            Verdict::Refused => Err(Error::Usage(format!("'{word}': {}", known.why))),
        };
    }
    Ok(None)
}

/// Whether an option of that name needs a value; `None` if there is none of that name.
pub fn takes_value(name: &str) -> Option<bool> {
    let known = OPTIONS.iter().find(|known| known.name == name)?;
    Some(matches!(known.takes, Takes::Value | Takes::ValueOrNothing))
}

/// The names of all options that are about SYCL.
pub fn names() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().map(|known| known.name).filter(|name| name.contains("sycl"))
}
