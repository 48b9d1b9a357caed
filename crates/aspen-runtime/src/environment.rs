//! The environment variables the runtime reads, in one place and once.

use std::env;
use std::path::PathBuf;

use crate::backend::BackendKind;
use crate::error::{Code, Error, Result};
use crate::selector::Selector;

/// What the user set. Empty variables count as unset.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// `ASPEN_DEVICE_SELECTOR`: which devices a program may see.
    pub selector: Option<String>,
    /// `ASPEN_DEVICE_PROFILE`: the target that every device answers as.
    pub profile: Option<String>,
    /// `ASPEN_DEVICE_CONFIG_FILE`: a YAML that extends the target database.
    pub config_file: Option<PathBuf>,
    /// `ASPEN_SAVE_DIR`: where every considered image is written, with its verdict.
    pub save_dir: Option<PathBuf>,
    /// `ASPEN_LOG`: what is written to standard error, `debug` or `aspen_runtime=trace`; nothing if unset.
    pub log: Option<String>,
    /// `ASPEN_CPU_THREADS`: how many threads run commands; the number of processors if unset.
    pub threads: Option<usize>,
}

impl Environment {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// [`Code::Invalid`] that names the variable with a value that makes no sense.
    pub fn read() -> Result<Environment> {
        let text = |name: &str| match env::var(name) {
            Ok(value) if value.is_empty() => Ok(None),
            Ok(value) => Ok(Some(value)),
            Err(env::VarError::NotPresent) => Ok(None),
            Err(env::VarError::NotUnicode(value)) => {
                Err(Error::new(Code::Invalid, format!("{name}={}: the value is not UTF-8", value.display())))
            }
        };
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Ok(Environment {
            selector: text("ASPEN_DEVICE_SELECTOR")?,
            profile: text("ASPEN_DEVICE_PROFILE")?,
            config_file: path("ASPEN_DEVICE_CONFIG_FILE"),
            save_dir: path("ASPEN_SAVE_DIR"),
            log: text("ASPEN_LOG")?,
            threads: text("ASPEN_CPU_THREADS")?.map(|value| thread_count(&value)).transpose()?,
        })
    }

    /// Whether the selector may admit a device of the backend. A backend it cannot admit need not be looked for.
    ///
    /// # Errors
    /// [`Code::Invalid`] for a selector that makes no sense.
    pub fn admits(&self, backend: BackendKind) -> Result<bool> {
        Ok(Selector::parse(self.selector.as_deref().unwrap_or_default())?.admits_some(backend))
    }
}

fn thread_count(value: &str) -> Result<usize> {
    value
        .trim()
        .parse()
        .ok()
        .filter(|count| (1..=1024).contains(count))
        .ok_or_else(|| Error::new(Code::Invalid, format!("ASPEN_CPU_THREADS={value}: '{value}' is not a number of threads from 1 to 1024")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts() {
        assert_eq!(thread_count("16"), Ok(16));
        for nonsense in ["0", "-1", "many", "1025", ""] {
            let error = thread_count(nonsense).expect_err(nonsense);
            assert!(error.message().contains("ASPEN_CPU_THREADS"), "{error}");
        }
    }
}
