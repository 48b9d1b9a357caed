//! Options that begin with `-fsycl`, as far as the driver itself honours them; the others are data (`known`).

use std::time::Duration;

use super::values::{choose, jobs};
use super::{CodeSplit, Dialect, OptionalFeatures, Options, Parser, Requirements, Side, Stage, Word, known, unknown};
use crate::error::Error;

/// What names a launcher if no option does.
pub const LAUNCHER_VARIABLE: &str = "ASPEN_AOT_LAUNCHER";

impl Options {
    /// The words before every ahead-of-time job, if there are any. The option wins over [`LAUNCHER_VARIABLE`], also if it is empty.
    pub fn launcher(&self) -> Option<String> {
        self.aot_launcher.clone().or_else(|| std::env::var(LAUNCHER_VARIABLE).ok()).filter(|text| !text.trim().is_empty())
    }
}

impl Parser {
    /// Batches are of jobs that somebody else starts.
    pub(super) fn miss_jobs(&mut self) {
        let Options { stage, aot_batch, aot_graph, .. } = &self.options;
        let asks = *stage == Stage::Link && aot_batch.is_some_and(|batch| !batch.is_zero());
        if asks && aot_graph.is_none() && self.options.launcher().is_none() {
            self.note(
                "'-fsycl-aot-batch' is not used: compilers run in this process without '-fsycl-aot-graph' and a launcher \
                 ('-fsycl-aot-launcher') [-Wunused-command-line-argument]"
                    .into(),
            );
        }
    }

    /// Square roots of `float`: rounded to nearest, or as exact as SYCL asks for. The last word counts.
    fn take_roots(&mut self, exact: bool) {
        self.exact_roots = exact;
        self.options.words.push(to_plugin(if exact { "roots=nearest" } else { "roots=allowed" }));
    }

    /// Whose drivers make the code of square roots, nobody here can tell how to.
    pub(super) fn miss_roots(&mut self) {
        let leaves_to_driver =
            |name: &String| name == "spir64" || name.starts_with("spir64-") || name.starts_with("intel_gpu") || name == "spir64_gen";
        if self.exact_roots && self.options.targets.as_ref().is_none_or(|targets| targets.iter().any(leaves_to_driver)) {
            self.note(
                "'-fsycl-fp32-prec-sqrt' is not used for SPIR-V: OpenCL drivers round 'sqrt' as they do by default [-Wunused-command-line-argument]"
                    .into(),
            );
        }
    }

    /// Options of ours that start with `-fsycl`: a typing error must never be silently ignored.
    pub(super) fn sycl_option(&mut self, word: &str) -> Result<(), Error> {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let options = &mut self.options;
        match (name, value) {
            ("-fsycl", None) => self.is_sycl = true,
            ("-fno-sycl", None) => {} // "-fsycl" follows, else nobody would be here
            ("-fsycl-device-only", None) => options.side = Side::Device,
            ("-fsycl-host-only", None) => options.side = Side::Host,
            ("-fsycl-requirement-sources", None) => options.requirement_sources = true,
            ("-fno-sycl-requirement-sources", None) => options.requirement_sources = false,
            ("-fsycl-known-local-ranges", None) => options.words.push(to_plugin("ranges=source")),
            ("-fno-sycl-known-local-ranges", None) => options.words.push(to_plugin("ranges=launch")),
            ("-fsycl-fp32-prec-sqrt", None) => self.take_roots(true),
            ("-fno-sycl-fp32-prec-sqrt", None) => self.take_roots(false),
            ("-fsycl-default-sub-group-size", Some(value)) => options.words.push(to_plugin(&default_size(word, value)?)),
            ("-fsycl-max-parallel-link-jobs", Some(number)) => options.jobs = Some(jobs(word, number)?),
            ("-fsycl-auto-pch", None) => options.kept_headers = true,
            ("-fno-sycl-auto-pch", None) => options.kept_headers = false,
            // As clang takes an option whose value is missing: build systems write it so where a variable is empty.
            ("-fsycl-targets", Some("")) => {
                self.note(format!("'{word}' names no target; the program is for the default ones"));
            }
            ("-fsycl-targets", Some(value)) => {
                options.targets = Some(target_names(word, value)?);
            }
            ("-fsycl-fixed-targets", Some(value)) => options.fixed_targets = target_names(word, value)?,
            ("-fsycl-device-config-file", Some(value)) if !value.is_empty() => options.config_files.push(value.into()),
            ("-fsycl-dump-device-code", None) => options.image_folder = Some(".".into()),
            ("-fsycl-dump-device-code", Some(value)) if !value.is_empty() => options.image_folder = Some(value.into()),
            ("-fsycl-aot-graph", Some(value)) if !value.is_empty() => options.aot_graph = Some(value.into()),
            ("-fsycl-aot-launcher", Some(value)) => options.aot_launcher = Some(value.to_owned()),
            ("-fsycl-aot-batch", Some(value)) if !value.is_empty() => {
                let seconds = value.parse::<u32>();
                let seconds = seconds.map_err(|_| Error::Usage(format!("'{word}': '{value}' is no number of seconds, such as 20")))?;
                options.aot_batch = Some(Duration::from_secs(seconds.into())); // 0: none, and no word about it
            }
            ("-fsycl-device-code-split", None) => options.code_split = CodeSplit::PerSource,
            ("-fsycl-device-code-split", Some(value)) => {
                options.code_split = choose(
                    word,
                    value,
                    &[
                        ("per_kernel", CodeSplit::PerKernel),
                        ("per_source", CodeSplit::PerSource),
                        ("auto", CodeSplit::PerSource),
                        ("off", CodeSplit::Off),
                    ],
                )?;
            }
            ("-fsycl-optional-features", Some(value)) => {
                let known = [("split", OptionalFeatures::Split), ("conditional", OptionalFeatures::Conditional)];
                options.optional_features = choose(word, value, &known)?;
            }
            ("-fsycl-requirements", Some(value)) => {
                let known = [("source", Requirements::Source), ("optimized", Requirements::Optimized)];
                options.requirements = choose(word, value, &known)?;
            }
            ("-fsycl-dialect", Some(value)) => {
                options.dialect = choose(word, value, &[("seed", Dialect::Seed), ("dpcpp", Dialect::Dpcpp)])?;
            }
            _ if known::takes_value(name) == Some(true) => {
                return Err(Error::Usage(format!("option '{name}' needs a value: '{name}=…'")));
            }
            _ if known::takes_value(name) == Some(false) => return Err(Error::Usage(format!("option '{name}' takes no value"))),
            _ => return Err(unknown(word)),
        }
        Ok(())
    }
}

/// A setting for the plugin of device passes.
fn to_plugin(setting: &str) -> Word {
    Word::Device(["-Xclang", "-plugin-arg-aspen", "-Xclang", setting].map(str::to_owned).into())
}

/// The plugin's setting for the size of kernels that name none.
fn default_size(word: &str, value: &str) -> Result<String, Error> {
    match value {
        "automatic" | "primary" => Ok("sub-group-size=0".into()),
        _ => match value.parse::<u32>() {
            Ok(size) if size > 0 => Ok(format!("sub-group-size={size}")),
            _ => Err(Error::Usage(format!("'{word}': '{value}' is no size, such as 16, and neither 'automatic' nor 'primary'"))),
        },
    }
}

fn target_names(word: &str, value: &str) -> Result<Vec<String>, Error> {
    let names: Vec<String> = value.split(',').map(|name| name.trim().to_owned()).collect();
    if names.iter().any(String::is_empty) {
        return Err(Error::Usage(format!("'{word}': an empty name; give targets like 'native_cpu,spir64'")));
    }
    Ok(names)
}
