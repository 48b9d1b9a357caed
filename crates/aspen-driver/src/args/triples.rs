//! Triples of DPC++ command lines as names of targets. The rest of the driver sees only those.
//!
//! `nvptx64-nvidia-cuda` and `amdgcn-amd-amdhsa` alone name no processor; that is said by a word for the backend, which ptxas and lld must not see then.

use super::known::{TRIPLES, Triple};
use super::{Options, response};
use crate::error::Error;

/// What says for which processors the triples of GPUs stand.
const PROCESSOR: [&str; 3] = ["--cuda-gpu-arch=", "--offload-arch=", "-march=sm_"];

/// What names of processors begin with, by the target, and the processor that is meant where nothing says which: PTX runs on later ones too,
/// AMD's code on no other.
const PROCESSORS: [(&str, &str, Option<&str>); 2] = [("nvidia_gpu_", "sm_", Some("sm_75")), ("amd_gpu_", "gfx", None)];

/// Processors as Intel's compiler for them names them, and the targets for the same.
const LEVELS: [(&str, &str); 5] =
    [("sse4.2", "x86_64_v2"), ("sse42", "x86_64_v2"), ("avx", "x86_64_v2"), ("avx2", "x86_64_v3"), ("avx512", "x86_64_v4")];

/// Replaces triples by names, in `-fsycl-targets` and in what is for backends.
///
/// # Errors
/// For a triple that no code can be made for.
pub(super) fn resolve(options: &mut Options) -> Result<(), Error> {
    let is_triple = |name: &String| target_of(name).is_some_and(|target| target.ends_with('*'));
    let processors = match &options.targets {
        Some(names) if !names.iter().any(is_triple) => Vec::new(),
        _ => take(options, |target| target.is_none_or(|name| is_triple(&name.to_owned())), processor),
    };
    let levels = take(options, |target| target.and_then(target_of) == Some("spir64_x86_64"), level);
    if let Some(names) = options.targets.take() {
        let mut out = Vec::new();
        for name in names {
            out.extend(names_of("-fsycl-targets", name, &processors)?);
        }
        out.extend(levels);
        options.targets = Some(out);
    }
    for (target, value) in std::mem::take(&mut options.backend_options) {
        let Some(target) = target else {
            options.backend_options.push((None, value));
            continue;
        };
        let names = names_of("-Xsycl-target-backend", target, &processors)?;
        options.backend_options.extend(names.into_iter().map(|name| (Some(name), value.clone())));
    }
    Ok(())
}

/// What is known of a triple. Until 2022 DPC++'s had `-sycldevice` behind them, which build files still say.
fn triple(name: &str) -> Option<&'static Triple> {
    let name = name.strip_suffix("-sycldevice").unwrap_or(name);
    TRIPLES.iter().find(|triple| triple.names.contains(&name))
}

/// The target that a triple stands for.
fn target_of(name: &str) -> Option<&'static str> {
    triple(name)?.target
}

/// The names that a triple or name stands for.
fn names_of(option: &str, name: String, processors: &[String]) -> Result<Vec<String>, Error> {
    let Some(triple) = triple(&name) else { return Ok(vec![name]) };
    match triple.target {
        None => Err(Error::Usage(format!("'{option}': '{name}': {}", triple.why))),
        Some(target) => Ok(match target.strip_suffix('*') {
            None => vec![target.to_owned()],
            Some(start) => {
                let (_, prefix, usual) = PROCESSORS.iter().find(|(of, ..)| *of == start).copied().unwrap_or((start, "", None));
                let mut meant: Vec<&str> =
                    processors.iter().map(String::as_str).filter(|processor| processor.starts_with(prefix)).collect();
                if meant.is_empty() {
                    meant.push(usual.ok_or_else(|| {
                        Error::Usage(format!(
                            "'{option}': '{name}' needs to know for which processor: -Xsycl-target-backend={name} --offload-arch=gfx90a"
                        ))
                    })?);
                }
                meant.into_iter().map(|processor| format!("{start}{processor}")).collect()
            }
        }),
    }
}

/// Takes the words that mean something here out of what is for certain backends, and an option that held nothing else with them.
fn take(options: &mut Options, is_for: impl Fn(Option<&str>) -> bool, meaning: fn(&str) -> Option<String>) -> Vec<String> {
    let mut out = Vec::new();
    options.backend_options.retain_mut(|(target, value)| {
        let words = response::split(value);
        if !is_for(target.as_deref()) || !words.iter().any(|word| meaning(word).is_some()) {
            return true;
        }
        let (meant, rest): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| meaning(word).is_some());
        for found in meant.iter().filter_map(|word| meaning(word)) {
            if !out.contains(&found) {
                out.push(found);
            }
        }
        *value = rest.iter().map(|word| crate::jobs::quoted(word)).collect::<Vec<_>>().join(" ");
        !rest.is_empty()
    });
    out
}

fn processor(word: &str) -> Option<String> {
    let value = PROCESSOR.iter().find_map(|option| word.strip_prefix(option))?;
    Some(if word.starts_with("-march=") { format!("sm_{value}") } else { value.to_owned() })
}

fn level(word: &str) -> Option<String> {
    let value = word.strip_prefix("-march=").or_else(|| word.strip_prefix("--march="))?;
    LEVELS.iter().find(|(name, _)| *name == value).map(|(_, target)| (*target).to_owned())
}
