//! How options take their values, and what is said where they do not.

use std::num::NonZeroUsize;

use super::known;
use crate::error::Error;

/// What stands behind the `=` of an option that may have a value; `None` if the word is another option.
pub(super) fn optional_value<'w>(word: &'w str, option: &str) -> Option<Option<&'w str>> {
    match word.strip_prefix(option)? {
        "" => Some(None),
        rest => rest.strip_prefix('=').map(Some),
    }
}

/// An option of ours that there is not.
pub(super) fn unknown(word: &str) -> Error {
    let name = word.split('=').next().unwrap_or(word);
    let near = nearest(name, known::names()).unwrap_or("--help");
    Error::Usage(format!("unknown option '{word}'; did you mean '{near}'?"))
}

/// The next word.
pub(super) fn value_of(option: &str, rest: &mut dyn Iterator<Item = String>) -> Result<String, Error> {
    rest.next().ok_or_else(|| Error::Usage(format!("option '{option}' needs a value after it")))
}

/// The value of `-oFILE` or `-o FILE`, if the word is that option.
pub(super) fn joined_or_next(word: &str, option: &str, rest: &mut dyn Iterator<Item = String>) -> Result<Option<String>, Error> {
    match word.strip_prefix(option) {
        None => Ok(None),
        Some("") => value_of(option, rest).map(Some),
        Some(value) => Ok(Some(value.to_owned())),
    }
}

/// `-Wp,-MD,FILE`, as build systems of the kernel say `-MD -MF FILE`; clang would name our temporary file in it.
pub(super) fn preprocessors_depfile(word: String) -> Vec<String> {
    for kind in ["-MD", "-MMD"] {
        if let Some(file) =
            word.strip_prefix("-Wp,").and_then(|rest| rest.strip_prefix(kind)?.strip_prefix(',')).filter(|file| !file.contains(','))
        {
            return vec![kind.to_owned(), "-MF".to_owned(), file.to_owned()];
        }
    }
    vec![word]
}

/// How many jobs `word` allows.
pub(super) fn jobs(word: &str, number: &str) -> Result<NonZeroUsize, Error> {
    number.parse().map_err(|_| Error::Usage(format!("'{word}': the number of jobs is a whole number from 1")))
}

/// One of some values.
pub(super) fn choose<T: Clone>(word: &str, value: &str, known: &[(&'static str, T)]) -> Result<T, Error> {
    if let Some((_, choice)) = known.iter().find(|(name, _)| *name == value) {
        return Ok(choice.clone());
    }
    let names = known.iter().map(|(name, _)| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    let option = word.split('=').next().unwrap_or(word);
    Err(Error::Usage(format!("'{value}' is no value of '{option}'; choose one of {names}")))
}

/// The known name that is most like the given one.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known.max_by(|a, b| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b)))
}
