//! The environment variables the runtime reads, in one place and once.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use aspen_cache::{DEFAULT_LIMIT_BYTES, SIZES};
use aspen_devices::nearest;

use crate::backend::BackendKind;
use crate::cache::ProgramCache;
use crate::error::{Code, Error, Result};
use crate::guarded::Bounds;
use crate::selector::{Selector, Variable};

const LOG_LEVELS: [&str; 6] = ["trace", "debug", "info", "warn", "error", "off"];

/// The parts of Aspen that write lines, as targets are named by.
const LOG_PARTS: [&str; 8] = [
    "aspen",
    "aspen_backend_cpu",
    "aspen_backend_cuda",
    "aspen_backend_hip",
    "aspen_backend_opencl",
    "aspen_cache",
    "aspen_capi",
    "aspen_runtime",
];

/// The variables of this file.
const VARIABLES: [&str; 17] = [
    "ASPEN_CACHE",
    "ASPEN_CACHE_DIR",
    "ASPEN_CACHE_KEY_FILE",
    "ASPEN_CACHE_REMOTE",
    "ASPEN_CACHE_SIZE",
    "ASPEN_CHECK",
    "ASPEN_CPU_GROUPS",
    "ASPEN_CPU_IMAGE_DIR",
    "ASPEN_CPU_LEVEL",
    "ASPEN_CPU_SUB_GROUP_SIZE",
    "ASPEN_CPU_THREADS",
    "ASPEN_DEVICE_CONFIG_FILE",
    "ASPEN_DEVICE_PROFILE",
    "ASPEN_DEVICE_SELECTOR",
    "ASPEN_LOG",
    "ASPEN_SAVE_DIR",
    "ASPEN_TRACE",
];

/// Those of Aspen's own tests and tools.
const OTHERS: [&str; 6] =
    ["ASPEN_AOT_ATTEMPT", "ASPEN_AOT_LAUNCHER", "ASPEN_DRIVERS", "ASPEN_SPIRV_VAL", "ASPEN_TEST_CACHE_KILLS", "ASPEN_TEST_SEEDS"];

/// The most threads that `ASPEN_CPU_THREADS` may ask for.
const MOST_THREADS: usize = 1024;

/// What the user set. Empty variables count as unset.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// `ASPEN_DEVICE_SELECTOR`, or else `ONEAPI_DEVICE_SELECTOR`: which devices a program may see.
    pub selector: Option<(Variable, String)>,
    /// `ASPEN_DEVICE_PROFILE`: the target that every device answers as.
    pub profile: Option<String>,
    /// `ASPEN_DEVICE_CONFIG_FILE`: a YAML that extends the target database.
    pub config_file: Option<PathBuf>,
    /// `ASPEN_SAVE_DIR`: where every considered image is written, with its verdict.
    pub save_dir: Option<PathBuf>,
    /// `ASPEN_LOG`: what is written to standard error, `debug` or `aspen_runtime=trace`; nothing if unset.
    pub log: Option<String>,
    /// `ASPEN_TRACE`: the file that gets what the program did and when, for viewers of trace events.
    pub trace: Option<PathBuf>,
    /// `ASPEN_CACHE_DIR`, `ASPEN_CACHE` and `ASPEN_CACHE_SIZE`: where compiled programs are kept; `None` if they are not.
    pub cache: Option<CacheFolder>,
    /// `ASPEN_CPU_THREADS`: how many threads run commands; the number of processors if unset.
    pub threads: Option<usize>,
    /// `ASPEN_CPU_GROUPS`: whether the embedded CPU device runs work-items one by one (`items`), as it does without loops for whole groups.
    pub item_by_item: Option<bool>,
    /// `ASPEN_CPU_IMAGE_DIR`: the folder in which it keeps the images that it loads as files, for profilers.
    pub cpu_image_dir: Option<PathBuf>,
    /// `ASPEN_CPU_LEVEL`: the highest level of x86-64, 1 to 4, of which the embedded CPU device takes code. For tests.
    pub cpu_level: Option<u32>,
    /// `ASPEN_CPU_SUB_GROUP_SIZE`: the embedded CPU device's default sub-group size, 32 or 64; 64 is listed only if it is the default.
    /// Source: DESIGN §7.22.
    pub cpu_sub_group_size: Option<u32>,
    /// `ASPEN_CHECK=1`: the embedded CPU device looks for mistakes in kernels that do no harm there by themselves, and makes errors of them.
    /// Source: DESIGN §6.
    pub check: Option<Bounds>,
}

/// The folder for things that can be made again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CacheFolder {
    /// Where it is; it need not be there yet.
    pub path: PathBuf,
    /// Whether `ASPEN_CACHE_DIR` names it.
    pub named: bool,
    /// The bytes that compiled programs may take.
    pub limit_bytes: u64,
}

impl Environment {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// [`Code::Invalid`] that names the variable with a value that makes no sense.
    pub fn read() -> Result<Environment> {
        for (name, _) in env::vars_os() {
            if let Some(near) = name.to_str().and_then(misspelt) {
                eprintln!("aspen: {} is no variable of Aspen's; did you mean {near}?", name.display());
            }
        }
        // Files that the variables name would be read and written with rights that whoever set them has not.
        // SAFETY: it only asks.
        let is_privileged = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
        let text = |name: &str| match env::var(name) {
            Ok(value) if value.is_empty() || is_privileged => Ok(None),
            Ok(value) => Ok(Some(value)),
            Err(env::VarError::NotPresent) => Ok(None),
            Err(env::VarError::NotUnicode(value)) => {
                Err(Error::new(Code::Invalid, format!("{name}={}: the value is not UTF-8", value.display())))
            }
        };
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty() && !is_privileged).map(PathBuf::from);
        let caches = text("ASPEN_CACHE")?;
        Ok(Environment {
            selector: [Variable::Aspen, Variable::OneApi]
                .into_iter()
                .find_map(|variable| Some(text(variable.name()).transpose()?.map(|value| (variable, value))))
                .transpose()?,
            profile: text("ASPEN_DEVICE_PROFILE")?,
            config_file: path("ASPEN_DEVICE_CONFIG_FILE"),
            save_dir: path("ASPEN_SAVE_DIR"),
            log: text("ASPEN_LOG")?.map(log_filter).transpose()?,
            trace: path("ASPEN_TRACE"),
            cache: cache_folder(
                if is_privileged { Some("0") } else { caches.as_deref() },
                text("ASPEN_CACHE_SIZE")?.as_deref(),
                path("ASPEN_CACHE_DIR"),
                // A relative one does not count, by the XDG Base Directory Specification.
                path("XDG_CACHE_HOME").filter(|folder| folder.is_absolute()).or_else(|| path("HOME").map(|home| home.join(".cache"))),
            )?,
            threads: text("ASPEN_CPU_THREADS")?.map(|value| thread_count(&value)).transpose()?,
            check: text("ASPEN_CHECK")?.map(|value| checks(&value)).transpose()?.flatten(),
            item_by_item: text("ASPEN_CPU_GROUPS")?.map(|value| item_by_item(&value)).transpose()?,
            cpu_image_dir: path("ASPEN_CPU_IMAGE_DIR"),
            cpu_level: text("ASPEN_CPU_LEVEL")?.map(|value| cpu_level(&value)).transpose()?,
            cpu_sub_group_size: text("ASPEN_CPU_SUB_GROUP_SIZE")?.map(|value| cpu_sub_group_size(&value)).transpose()?,
        })
    }

    /// Where compiled programs are kept.
    pub fn program_cache(&self) -> Option<Arc<ProgramCache>> {
        let CacheFolder { path, named, limit_bytes } = self.cache.as_ref()?;
        Some(Arc::new(ProgramCache::new(path, *limit_bytes, *named).with_remote()))
    }

    /// Whether the selector may admit a device of the backend. A backend it cannot admit need not be looked for.
    ///
    /// # Errors
    /// [`Code::Invalid`] for a selector that makes no sense.
    pub fn admits(&self, backend: BackendKind) -> Result<bool> {
        Ok(self.devices()?.admits_some(backend))
    }

    /// Which devices a program may see.
    ///
    /// # Errors
    /// [`Code::Invalid`] for a selector that makes no sense.
    pub fn devices(&self) -> Result<Selector> {
        self.selector.as_ref().map_or_else(|| Ok(Selector::default()), |(variable, text)| Selector::parse(*variable, text))
    }
}

/// The variable that the user may have meant. A value under a wrong name would have no effect without a word.
fn misspelt(name: &str) -> Option<&'static str> {
    if VARIABLES.contains(&name) || OTHERS.contains(&name) || !name.to_ascii_uppercase().starts_with("ASPEN") {
        return None;
    }
    nearest(&name.to_ascii_uppercase(), VARIABLES)
}

/// Source: DESIGN §6. Without a home there is no cache, unless its folder is named.
fn cache_folder(switch: Option<&str>, size: Option<&str>, named: Option<PathBuf>, caches: Option<PathBuf>) -> Result<Option<CacheFolder>> {
    let on = match switch.map(str::trim) {
        None | Some("1") => true,
        Some("0") => false,
        Some(other) => {
            let near = if matches!(other.to_ascii_lowercase().as_str(), "off" | "no" | "false" | "none") { 0 } else { 1 };
            return Err(nonsense("ASPEN_CACHE", other, "0 (keep nothing) or 1", &near.to_string()));
        }
    };
    let limit_bytes = size.map(size_in_bytes).transpose()?.unwrap_or(DEFAULT_LIMIT_BYTES);
    let is_named = named.is_some();
    let path = named.or_else(|| Some(caches?.join("aspen")));
    Ok(path.filter(|_| on).map(|path| CacheFolder { path, named: is_named, limit_bytes }))
}

/// A number of bytes, or of KiB, MiB, GiB with `K`, `M`, `G` behind it.
fn size_in_bytes(value: &str) -> Result<u64> {
    aspen_cache::size_in_bytes(value).map_err(|near| nonsense("ASPEN_CACHE_SIZE", value, SIZES, &near))
}

fn thread_count(value: &str) -> Result<usize> {
    let count = value.trim().parse::<i128>().ok();
    if let Some(count) = count.and_then(|count| usize::try_from(count).ok()).filter(|count| (1..=MOST_THREADS).contains(count)) {
        return Ok(count);
    }
    let near = match count {
        Some(count) if count > 1 => MOST_THREADS,
        _ => 1,
    };
    Err(nonsense("ASPEN_CPU_THREADS", value, "a number of threads from 1 to 1024", &near.to_string()))
}

/// How the embedded CPU device runs groups of work-items.
fn item_by_item(value: &str) -> Result<bool> {
    match value.trim() {
        "items" => Ok(true),
        "loops" => Ok(false),
        other => Err(nonsense("ASPEN_CPU_GROUPS", value, "loops or items", nearest(other, ["loops", "items"]).unwrap_or("loops"))),
    }
}

/// A level of x86-64.
fn cpu_level(value: &str) -> Result<u32> {
    let level = value.trim().parse::<i128>().ok();
    let near = if level.is_some_and(|level| level > 4) { "4" } else { "1" };
    let level = level.filter(|level| (1..=4).contains(level)).and_then(|level| u32::try_from(level).ok());
    level.ok_or_else(|| nonsense("ASPEN_CPU_LEVEL", value, "a level of x86-64 from 1 to 4", near))
}

/// A default sub-group size of the embedded CPU device.
fn cpu_sub_group_size(value: &str) -> Result<u32> {
    let size = value.trim().parse().ok();
    let near = if size.is_some_and(|size: u32| size > 32) { "64" } else { "32" };
    size.filter(|size| [32, 64].contains(size)).ok_or_else(|| nonsense("ASPEN_CPU_SUB_GROUP_SIZE", value, "32 or 64", near))
}

/// Whether kernels are checked, and at which of the ends of memory to the byte.
fn checks(value: &str) -> Result<Option<Bounds>> {
    match value.trim() {
        "0" => Ok(None),
        "1" => Ok(Some(Bounds::End)),
        "begin" => Ok(Some(Bounds::Begin)),
        other => {
            let near = match other.to_ascii_lowercase().as_str() {
                "off" | "no" | "false" | "none" => "0",
                begin if begin.starts_with('b') || begin == "front" => "begin",
                _ => "1",
            };
            Err(nonsense("ASPEN_CHECK", value, "0, 1 or begin (errors for mistakes in kernels that do no harm by themselves)", near))
        }
    }
}

/// What the log would show nothing for, without a word, is not meant: a bare word that is neither a level nor a part of Aspen, and parts of
/// Aspen that there are not.
fn log_filter(value: String) -> Result<String> {
    for part in value.split(',').map(str::trim) {
        let (target, level) = part.split_once('=').map_or((None, part), |(target, level)| (Some(target), level));
        let named = target.unwrap_or(part);
        if named.starts_with("aspen") {
            let crate_name = named.split("::").next().unwrap_or(named);
            // A target stands for all that begin so.
            let is_some = LOG_PARTS.contains(&crate_name) || LOG_PARTS.iter().any(|known| known.starts_with(named));
            if !is_some {
                let near = nearest(crate_name, LOG_PARTS).unwrap_or("aspen_runtime");
                return Err(nonsense_in("ASPEN_LOG", &value, named, "a part of Aspen that writes lines", near));
            }
        }
        let known = LOG_LEVELS.iter().any(|known| known.eq_ignore_ascii_case(level)) || (target.is_none() && part.starts_with("aspen"));
        if !known {
            let near = nearest(&level.to_ascii_lowercase(), LOG_LEVELS).unwrap_or("debug");
            let wanted = "a level: off, error, warn, info, debug or trace, alone or behind a part of Aspen (aspen_runtime=trace)";
            return Err(nonsense_in("ASPEN_LOG", &value, level, wanted, near));
        }
    }
    Ok(value)
}

/// A value that makes no sense, and the nearest one that does.
fn nonsense(variable: &str, value: &str, wanted: &str, near: &str) -> Error {
    nonsense_in(variable, value, value, wanted, near)
}

/// A part of a value that makes none.
fn nonsense_in(variable: &str, value: &str, part: &str, wanted: &str, near: &str) -> Error {
    Error::new(Code::Invalid, format!("{variable}={value}: '{part}' is not {wanted}; did you mean '{near}'?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts() {
        assert_eq!(thread_count("16"), Ok(16));
        for (nonsense, near) in
            [("0", "'1'"), ("-1", "'1'"), ("many", "'1'"), ("1025", "'1024'"), ("99999999999999999999", "'1024'"), ("", "'1'")]
        {
            let error = thread_count(nonsense).expect_err(nonsense);
            assert!(error.message().contains("ASPEN_CPU_THREADS") && error.message().contains(near), "{error}");
        }
    }

    #[test]
    fn ways_to_run_groups() {
        assert_eq!((item_by_item("items"), item_by_item("loops")), (Ok(true), Ok(false)));
        let error = item_by_item("item").expect_err("not a way");
        assert!(error.message().contains("ASPEN_CPU_GROUPS=item: ") && error.message().contains("'items'"), "{error}");
    }

    #[test]
    fn levels_of_the_processor() {
        assert_eq!((cpu_level("1"), cpu_level(" 4")), (Ok(1), Ok(4)));
        for (value, near) in [("0", "'1'"), ("5", "'4'"), ("x86_64_v3", "'1'"), ("-1", "'1'")] {
            let error = cpu_level(value).expect_err(value);
            assert!(error.message().starts_with(&format!("ASPEN_CPU_LEVEL={value}: ")) && error.message().contains("1 to 4"), "{error}");
            assert!(error.message().ends_with(&format!("did you mean {near}?")), "{error}");
        }
    }

    #[test]
    fn default_sub_groups() {
        assert_eq!((cpu_sub_group_size("32"), cpu_sub_group_size(" 64")), (Ok(32), Ok(64)));
        for (value, near) in [("16", "'32'"), ("0", "'32'"), ("128", "'64'"), ("wide", "'32'")] {
            let error = cpu_sub_group_size(value).expect_err(value);
            assert!(
                error.message().starts_with(&format!("ASPEN_CPU_SUB_GROUP_SIZE={value}: ")) && error.message().contains(near),
                "{error}"
            );
        }
    }

    #[test]
    fn whether_kernels_are_checked() {
        assert_eq!([checks("0"), checks(" 1"), checks("begin")], [Ok(None), Ok(Some(Bounds::End)), Ok(Some(Bounds::Begin))]);
        for (value, near) in [("off", "'0'"), ("yes", "'1'"), ("2", "'1'"), ("Begin", "'begin'"), ("front", "'begin'")] {
            let error = checks(value).expect_err(value);
            assert!(error.message().starts_with(&format!("ASPEN_CHECK={value}: ")) && error.message().contains(near), "{error}");
        }
    }

    #[test]
    fn misspelt_variables() {
        for (name, meant) in [
            ("ASPEN_DEVICE_SELCTOR", Some("ASPEN_DEVICE_SELECTOR")),
            ("aspen_log", Some("ASPEN_LOG")),
            ("ASPEN_CACHEDIR", Some("ASPEN_CACHE_DIR")),
            ("ASPEN_LOG", None),
            ("ASPEN_DRIVERS", None),
            ("ASPEN_SOMETHING_OF_SOMEBODY_ELSE", None),
            ("XASPEN_LOG", None),
        ] {
            assert_eq!(misspelt(name), meant, "{name}");
        }
    }

    #[test]
    fn all_parts_that_log_are_known() {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of crates");
        let folders = std::fs::read_dir(crates).expect("readable").map(|entry| entry.expect("an entry").path());
        let logs = |folder: &PathBuf| {
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
            manifest.lines().any(|line| line.starts_with("tracing"))
        };
        let name = |folder: PathBuf| folder.file_name().map(|name| name.to_string_lossy().replace('-', "_"));
        let mut found: Vec<String> = folders.filter(logs).filter_map(name).collect();
        found.sort_unstable();
        assert_eq!(found, LOG_PARTS[1..], "and all of them together, which begin with it");
    }

    #[test]
    fn log_filters() {
        for filter in
            ["debug", "aspen_runtime=trace", "aspen_backend_opencl", "aspen_backend=info", "info,aspen_runtime::registry=DEBUG", "off"]
        {
            assert_eq!(log_filter(filter.to_owned()), Ok(filter.to_owned()));
        }
        for (filter, words) in [
            ("debgu", "did you mean 'debug'?"),
            ("info,aspen_runtime=tarce", "'tarce' is not a level"),
            ("x=", "ASPEN_LOG=x=: '' is not a level: off, error, warn, info, debug or trace, "),
            ("x=y=z", "ASPEN_LOG=x=y=z: 'y=z' is not a level: "),
            ("aspen_nothing", "'aspen_nothing' is not a part of Aspen that writes lines"),
            ("info,aspen_runtme::pool=debug", "did you mean 'aspen_runtime'?"),
        ] {
            let error = log_filter(filter.to_owned()).expect_err(filter);
            assert!(error.message().contains(words), "{error}");
        }
    }

    #[test]
    fn cache_folders() {
        let home = || Some(PathBuf::from("/home/.cache"));
        let folder = |switch, size, named: Option<&str>| cache_folder(switch, size, named.map(PathBuf::from), home());
        let found = |path: &str, named, limit_bytes| Ok(Some(CacheFolder { path: path.into(), named, limit_bytes }));
        assert_eq!(folder(None, None, None), found("/home/.cache/aspen", false, DEFAULT_LIMIT_BYTES));
        assert_eq!(folder(Some("1"), Some("20M"), Some("/x")), found("/x", true, 20 << 20));
        assert_eq!(folder(Some("0"), None, Some("/x")), Ok(None));
        assert_eq!(cache_folder(None, None, None, None), Ok(None));
        for (size, bytes) in [("0", 0), ("17", 17), ("3k", 3 << 10), (" 2 G ", 2 << 30)] {
            assert_eq!(size_in_bytes(size), Ok(bytes));
        }
        for (switch, size, words) in [
            (Some("off"), None, "ASPEN_CACHE=off: 'off' is not 0 (keep nothing) or 1; did you mean '0'?"),
            (Some("2"), None, "did you mean '1'?"),
            (None, Some("10X"), "ASPEN_CACHE_SIZE=10X: '10X' is not a number of bytes, or of K, M or G; did you mean '10M'?"),
            (None, Some("1KB"), "did you mean '1K'?"),
            (None, Some("2gb"), "did you mean '2G'?"),
            (None, Some("-1"), "did you mean '1G'?"),
            (None, Some("99999999999999999999"), "did you mean '17179869183G'?"),
            (None, Some("99999999999999G"), "did you mean '17179869183G'?"),
            (None, Some("99999999999999X"), "did you mean '17179869183G'?"),
        ] {
            let error = folder(switch, size, None).expect_err(words);
            assert!(error.message().contains(words), "{error}");
        }
    }
}
