//! Building a category of the suite: Catch2 once, the suite's own helpers once, then one object a file, kept while nothing is newer.
//!
//! The suite's CMake files know four SYCL implementations and no others, so what they say is done here: their options become macros, and
//! of the four names we give the one for which no test is switched off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};

use super::{plan, pool};
use crate::shell::{output, run};

/// How a category is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    AsWritten,
    /// `CHECK_NOTHROW(action)` of optional_kernel_features names a function and does not call it, so that the launches which must work
    /// never happen. Here they are called.
    ActionsCalled,
}

impl Form {
    pub const fn name(self) -> &'static str {
        match self {
            Form::AsWritten => "as written",
            Form::ActionsCalled => "actions called",
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Form::AsWritten => "written",
            Form::ActionsCalled => "called",
        }
    }
}

pub fn forms(category: &str) -> &'static [Form] {
    if category == "optional_kernel_features" { &[Form::AsWritten, Form::ActionsCalled] } else { &[Form::AsWritten] }
}

/// Included before everything else for [`Form::ActionsCalled`].
const CALLED: &str = "#include <catch2/catch_test_macros.hpp>
#include <type_traits>
namespace aspen_cts {
template <class T> void evaluate(T &&value) {
  if constexpr (std::is_invocable_v<T &>)
    value();
  else
    (void)value;
}
} // namespace aspen_cts
#undef CHECK_NOTHROW
#define CHECK_NOTHROW(...) \\
  INTERNAL_CATCH_NO_THROW(\"CHECK_NOTHROW\", Catch::ResultDisposition::ContinueOnFailure, ::aspen_cts::evaluate(__VA_ARGS__))
";

/// The suite, with everything built that its categories share.
pub struct Suite {
    source: PathBuf,
    catch2: PathBuf,
    compiler: PathBuf,
    /// Where objects and programs go.
    pub folder: PathBuf,
    jobs: usize,
    options: Vec<String>,
    /// How many functions a file of the generated tests of mathematical functions has.
    fragment: u32,
    /// Where OpenCL's headers are, which the references of mathematical functions include.
    opencl_headers: PathBuf,
    only: Vec<glob::Pattern>,
    /// Nothing older is kept.
    newest_input: SystemTime,
    shared: Vec<PathBuf>,
}

/// What the suite is built with.
pub struct Settings<'a> {
    pub source: &'a Path,
    pub catch2: &'a Path,
    pub opencl_headers: &'a Path,
    /// Folder of aspen++.
    pub bin: &'a Path,
    /// Where objects and programs go.
    pub folder: &'a Path,
    pub jobs: usize,
    pub fragment: u32,
    /// The suite's options that are to be other than we have them.
    pub set: &'a [(String, bool)],
    /// Patterns of the names of files, without endings; none: all.
    pub only: &'a [String],
    /// Whether to keep what is older than compiler and headers.
    pub older: bool,
}

/// A category's programs, of the files that compile.
pub struct Built {
    pub category: String,
    pub form: Form,
    pub programs: Vec<PathBuf>,
    pub compiled: u64,
    pub failed: BTreeMap<String, String>,
    /// Programs that do not link, with the error: each of their files is a program of its own instead.
    pub apart: BTreeMap<String, String>,
}

/// A file to compile.
struct Unit {
    category: String,
    file: PathBuf,
    folder: PathBuf,
    beside: PathBuf,
    form: Form,
}

/// An object, or the first error.
type Compiled = std::result::Result<PathBuf, String>;

impl Suite {
    pub fn prepare(settings: &Settings<'_>) -> Result<Suite> {
        let Settings { source, catch2, bin, folder, .. } = *settings;
        let has_opencl = settings.opencl_headers.join("CL/cl.h").is_file();
        let headers = catch2.join("src/catch2");
        let hint = "run `git submodule update --init` there, or give a checkout with --catch2";
        ensure!(headers.join("catch_user_config.hpp.in").is_file(), "no Catch2 (version 3) at {}: {hint}", catch2.display());
        let compiler = bin.join("aspen++");
        let mut suite = Suite {
            source: source.to_owned(),
            catch2: catch2.to_owned(),
            folder: folder.to_owned(),
            jobs: settings.jobs.max(1),
            options: options(&source.join("CMakeLists.txt"), has_opencl, settings.set)?,
            fragment: settings.fragment,
            opencl_headers: settings.opencl_headers.to_owned(),
            only: settings
                .only
                .iter()
                .map(|name| glob::Pattern::new(name).with_context(|| format!("--file {name}")))
                .collect::<Result<_>>()?,
            newest_input: if settings.older { SystemTime::UNIX_EPOCH } else { newest(&compiler)? },
            shared: Vec::new(),
            compiler,
        };
        std::fs::create_dir_all(folder.join("catch2")).with_context(|| format!("cannot make {}", folder.display()))?;
        write_if_changed(&folder.join("called.hpp"), CALLED)?;
        let config = std::fs::read_to_string(headers.join("catch_user_config.hpp.in"))?;
        write_if_changed(&folder.join("catch2/catch_user_config.hpp"), &configured(&config))?;
        suite.link_util()?;
        suite.build_catch2(&headers)?;
        suite.build_helpers()?;
        Ok(suite)
    }

    /// One test includes "../../../util/…", which is right seen from the submodule's src folder only; so a folder as deep is given.
    fn link_util(&self) -> Result<()> {
        let (folder, link) = (self.deep_folder(), self.folder.join("suite/util"));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        if std::fs::read_link(&link).is_ok_and(|old| old == self.source.join("util")) {
            return Ok(());
        }
        if link.symlink_metadata().is_ok() {
            std::fs::remove_file(&link).with_context(|| format!("cannot replace {}", link.display()))?;
        }
        std::os::unix::fs::symlink(self.source.join("util"), &link).with_context(|| format!("cannot make {}", link.display()))
    }

    fn deep_folder(&self) -> PathBuf {
        self.folder.join("suite/vendor/catch2/src")
    }

    /// All of it as one unit: that compiles in seconds.
    fn build_catch2(&mut self, headers: &Path) -> Result<()> {
        let mut files = Vec::new();
        cpp_files(headers, &mut files)?;
        let lines: String = files
            .iter()
            .filter(|file| !file.ends_with("catch_main.cpp"))
            .map(|file| format!("#include \"{}\"\n", file.display()))
            .collect();
        let (unit, object) = (self.folder.join("catch2.cpp"), self.folder.join("catch2.o"));
        write_if_changed(&unit, &lines)?;
        if !is_newer(&object, &[&unit]) {
            println!("building Catch2");
            let mut compile = Command::new("clang++-22");
            compile.args(["-std=c++17", "-O1", "-w", "-c"]).arg(&unit).arg("-o").arg(&object);
            run(compile.arg("-I").arg(&self.folder).arg("-I").arg(self.catch2.join("src")))?;
        }
        self.shared.push(object);
        Ok(())
    }

    fn build_helpers(&mut self) -> Result<()> {
        let mut files = vec![self.source.join("tests/common/main.cpp")];
        let has_opencl = self.opencl_headers.join("CL/cl.h").is_file();
        for file in listed(&self.source.join("util"))? {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // They need OpenCL's headers.
            if has_opencl || !(name.starts_with("test_base_opencl") || name.starts_with("math_")) {
                files.push(file);
            }
        }
        if has_opencl {
            files.extend(listed(&self.source.join("oclmath"))?);
        } else {
            println!("no CL/cl.h at {}: math_builtin_api will not link (--opencl-headers)", self.opencl_headers.display());
        }
        println!("building the suite's helpers");
        let unit = |file: PathBuf| Unit {
            category: "helpers".to_owned(),
            file,
            folder: self.folder.join("helpers"),
            beside: self.source.join("tests/common"),
            form: Form::AsWritten,
        };
        let units: Vec<Unit> = files.into_iter().map(unit).collect();
        let mut objects = Vec::new();
        for compiled in self.compile(&units)? {
            objects.push(compiled.map_err(|error| anyhow::anyhow!("the suite's helpers do not compile: {error}"))?);
        }
        self.shared.extend(objects);
        Ok(())
    }

    /// Builds all forms of the categories: first all objects, since a category of one file would keep the other threads waiting, then the
    /// programs, of those files that compile.
    pub fn build(&self, categories: &[String]) -> Result<Vec<Built>> {
        let plan = |category: &String| {
            let folder = self.folder.join(category).join("generated");
            plan::programs(&self.source, category, &folder, &self.options, self.fragment)
        };
        let mut plans: Vec<Vec<plan::Program>> = pool::each(self.jobs, categories, plan).into_iter().collect::<Result<_>>()?;
        if !self.only.is_empty() {
            plans = plans.into_iter().map(|programs| plan::narrowed(programs, &self.only)).collect();
            let patterns: Vec<&str> = self.only.iter().map(glob::Pattern::as_str).collect();
            ensure!(plans.iter().any(|programs| !programs.is_empty()), "no file of {categories:?} is called {patterns:?}");
        }
        let (mut built, mut units, mut links) = (Vec::new(), Vec::new(), Vec::new());
        for (category, programs) in categories.iter().zip(&plans) {
            for form in forms(category) {
                let (folder, beside) = (self.folder.join(category).join(form.folder()), self.source.join("tests").join(category));
                for program in programs {
                    let first = units.len();
                    units.extend(program.files.iter().map(|file| Unit {
                        category: category.clone(),
                        file: file.clone(),
                        folder: folder.clone(),
                        beside: beside.clone(),
                        form: *form,
                    }));
                    links.push((built.len(), folder.join(&program.name), first..units.len()));
                }
                let (category, form) = (category.clone(), *form);
                built.push(Built { category, form, programs: Vec::new(), compiled: 0, failed: BTreeMap::new(), apart: BTreeMap::new() });
            }
        }
        let compiled = self.compile(&units)?;
        for (at, _, range) in &links {
            for (unit, compiled) in units[range.clone()].iter().zip(&compiled[range.clone()]) {
                match compiled {
                    Ok(_) => built[*at].compiled += 1,
                    Err(error) => drop(built[*at].failed.insert(name_of(&unit.file), error.clone())),
                }
            }
        }
        let linked = pool::each(self.jobs, &links, |(_, program, range)| {
            let objects: Vec<&PathBuf> = compiled[range.clone()].iter().flatten().collect();
            if objects.is_empty() { Ok(Vec::new()) } else { self.link(program, &objects).map(|()| vec![program.clone()]) }
        });
        for ((at, program, range), linked) in links.iter().zip(linked) {
            let programs = linked.or_else(|error| {
                println!("{}: {error:#}\neach of its files is linked alone", name_of(program));
                let places = self.folder.display().to_string() + "/";
                built[*at].apart.insert(name_of(program), first_error(&format!("{error:#}")).replace(&places, ""));
                let objects: Vec<&PathBuf> = compiled[range.clone()].iter().flatten().collect();
                let alone = |object: &&PathBuf| {
                    let path = program.with_extension(object.file_stem().unwrap_or_default());
                    self.link(&path, &[object]).map(|()| path)
                };
                pool::each(self.jobs, &objects, alone).into_iter().collect::<Result<Vec<_>>>()
            })?;
            built[*at].programs.extend(programs);
        }
        Ok(built)
    }

    fn link(&self, program: &Path, objects: &[&PathBuf]) -> Result<()> {
        let inputs: Vec<&Path> = objects.iter().map(|object| object.as_path()).chain(self.shared.iter().map(PathBuf::as_path)).collect();
        if is_newer(program, &inputs) {
            return Ok(());
        }
        let whole = program.with_file_name(name_of(program) + ".linking");
        let mut link = Command::new(&self.compiler);
        link.args(&inputs).arg("-o").arg(&whole).args(["-O1", "-w", "-pthread"]);
        if self.opencl_headers.join("CL/cl.h").is_file() {
            // Tests of interoperability call it. The loader's package has no link for linkers.
            link.arg("-l:libOpenCL.so.1");
        }
        output(&mut link)?;
        std::fs::rename(&whole, program).with_context(|| format!("cannot write {}", program.display()))
    }

    /// One result a unit, in their order. Says what takes long, since that is what the next run is planned by.
    fn compile(&self, units: &[Unit]) -> Result<Vec<Compiled>> {
        let done = AtomicUsize::new(0);
        let outcomes = pool::each(self.jobs, units, |unit| {
            let outcome = self.compile_one(unit);
            let number = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Ok((compiled, Some(time))) = &outcome {
                let verdict = compiled.as_ref().err().map_or_else(String::new, |error| format!(": does not compile: {error}"));
                let (all, file) = (units.len(), name_of(&unit.file));
                println!("[{number}/{all}] {}/{file} {:.1} s{verdict}", unit.category, time.as_secs_f64());
            }
            outcome
        });
        let outcomes: Vec<(Compiled, Option<Duration>)> = outcomes.into_iter().collect::<Result<_>>()?;
        let mut times: Vec<(Duration, &Unit)> = outcomes.iter().zip(units).filter_map(|((_, time), unit)| Some(((*time)?, unit))).collect();
        times.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        if times.len() > 10 {
            let sum: Duration = times.iter().map(|(time, _)| *time).sum();
            println!("{} files compiled, {:.0} s in sum; the slowest:", times.len(), sum.as_secs_f64());
            for (time, unit) in &times[..10] {
                println!("    {:.1} s {}/{}", time.as_secs_f64(), unit.category, name_of(&unit.file));
            }
        }
        Ok(outcomes.into_iter().map(|(compiled, _)| compiled).collect())
    }

    /// With the time it took, if it was not kept from before.
    fn compile_one(&self, unit: &Unit) -> Result<(Compiled, Option<Duration>)> {
        let Unit { file, folder, beside, form, .. } = unit;
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (object, log, part) =
            (folder.join(format!("{stem}.o")), folder.join(format!("{stem}.log")), folder.join(format!("{stem}.part.o")));
        let kept = |path: &Path| is_newer(path, &[file]) && modified(path).is_some_and(|time| time > self.newest_input);
        if kept(&object) {
            return Ok((Ok(object), None));
        }
        let mut time = None;
        if !kept(&log) {
            let start = Instant::now();
            let mut compile = Command::new(&self.compiler);
            // Tests ask what device code does; optimising the host's would take most of the time.
            compile.args(["-std=c++17", "-O1", "-Xarch_host", "-O0", "-w", "-DCL_TARGET_OPENCL_VERSION=120", "-c"]);
            compile.arg(file).arg("-o").arg(&part).args(&self.options);
            if *form == Form::ActionsCalled {
                compile.arg("-include").arg(self.folder.join("called.hpp"));
            }
            compile.arg("-I").arg(&self.folder).arg("-I").arg(self.catch2.join("src")).arg("-I").arg(self.source.join("oclmath"));
            compile.arg("-I").arg(self.deep_folder()).arg("-I").arg(&self.opencl_headers);
            // Generated files include what lies beside their template.
            compile.arg("-I").arg(beside);
            let said = compile.output().with_context(|| format!("cannot start {}", self.compiler.display()))?;
            time = Some(start.elapsed());
            if said.status.success() {
                // Whole or not at all: what is ended in the middle leaves no object behind that the next run would keep.
                std::fs::rename(&part, &object).with_context(|| format!("cannot write {}", object.display()))?;
                return Ok((Ok(object), time));
            }
            std::fs::write(&log, said.stderr).with_context(|| format!("cannot write {}", log.display()))?;
        }
        let said = std::fs::read_to_string(&log).with_context(|| format!("cannot read {}", log.display()))?;
        Ok((Err(first_error(&said)), time))
    }
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The first error among what a compiler said; places are left out, since they are the user's.
fn first_error(said: &str) -> String {
    let first = said.lines().find_map(|line| line.split_once("error: ").map(|(_, text)| text));
    first.or(said.lines().next()).unwrap_or("no message").to_owned()
}

/// The options that the suite's CMake file defines, as it gives them to the compiler: with its defaults but for those in `set`, and for
/// what needs OpenCL's headers where there are none.
fn options(cmake: &Path, has_opencl: bool, set: &[(String, bool)]) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(cmake).with_context(|| format!("cannot read {}", cmake.display()))?;
    let (mut out, mut forced) = (BTreeMap::new(), BTreeMap::new());
    for part in text.split("add_cts_option(").skip(1) {
        let name = part.split_whitespace().next().unwrap_or_default();
        let description_end = part.match_indices('"').nth(1).map_or(0, |(at, _)| at + 1);
        let on = part[description_end..].trim_start().starts_with("ON");
        out.insert(name.to_owned(), on && (has_opencl || name != "SYCL_CTS_ENABLE_OPENCL_INTEROP_TESTS"));
        let own = part.split_once(')').map_or(part, |(own, _)| own);
        if let Some((by, _)) = own.split_once("FORCE_ON ${").and_then(|(_, by)| by.split_once('}')) {
            forced.insert(name.to_owned(), by.to_owned());
        }
    }
    ensure!(!out.is_empty(), "{} defines no options", cmake.display());
    for (name, on) in set {
        let known = out.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        *out.get_mut(name).with_context(|| format!("--set {name}: the suite has the options {known}"))? = *on;
    }
    // What switches others on is not switched on so itself.
    for (name, by) in &forced {
        let is_on = out.get(by).is_some_and(|on| *on) && !set.iter().any(|(asked, _)| asked == name);
        out.entry(name.clone()).and_modify(|on| *on |= is_on);
    }
    let macros = out.iter().map(|(name, on)| format!("-D{name}={}", u8::from(*on)));
    Ok(std::iter::once("-DSYCL_CTS_COMPILING_WITH_PROTOSYCL=1".to_owned()).chain(macros).collect())
}

/// Catch2's configuration with its defaults, and without signal handlers, as the suite has it.
fn configured(template: &str) -> String {
    let line = |line: &str| match line.strip_prefix("#cmakedefine ") {
        Some(name) if name.trim() == "CATCH_CONFIG_NO_POSIX_SIGNALS" => "#define CATCH_CONFIG_NO_POSIX_SIGNALS\n".to_owned(),
        Some(_) => "\n".to_owned(),
        None => format!("{line}\n"),
    };
    let text: String = template.lines().map(line).collect();
    text.replace("@CATCH_CONFIG_DEFAULT_REPORTER@", "console").replace("@CATCH_CONFIG_CONSOLE_WIDTH@", "80")
}

/// The time of the newest of what objects depend on besides their source: compiler, plugin and headers.
fn newest(compiler: &Path) -> Result<SystemTime> {
    let plugin = output(Command::new(compiler).args(["-###", "-c", "-x", "c++", "/dev/null", "-o", "/dev/null"]))?;
    let said = String::from_utf8_lossy(&plugin.stderr).into_owned() + &String::from_utf8_lossy(&plugin.stdout);
    let mut time = modified(&compiler.canonicalize()?).context("the compiler has no time")?;
    let words = said.split([' ', '"', '\n', '=']).filter(|word| word.ends_with("libaspen_clang.so"));
    for file in words.map(PathBuf::from) {
        time = time.max(modified(&file).unwrap_or(time));
    }
    let headers = compiler.ancestors().map(|folder| folder.join("include/sycl")).find(|folder| folder.is_dir());
    let mut folders: Vec<PathBuf> = headers.into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { time = time.max(modified(&path).unwrap_or(time)) }
        }
    }
    Ok(time)
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}

fn is_newer(made: &Path, than: &[&Path]) -> bool {
    modified(made).is_some_and(|time| than.iter().all(|input| modified(input).is_some_and(|input| input < time)))
}

pub fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The `.cpp` files of a folder, sorted.
fn listed(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "cpp"));
    files.sort();
    Ok(files)
}

/// The same of a folder and those in it.
fn cpp_files(folder: &Path, out: &mut Vec<PathBuf>) -> Result<()> {
    out.extend(listed(folder)?);
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().try_for_each(|folder| cpp_files(folder, out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_macros() {
        let path = std::env::temp_dir().join(format!("aspen-cts-{}.cmake", std::process::id()));
        let text = "add_cts_option(A\n  \"about ON\" OFF\n WARN_IF_OFF \"x\")\nadd_cts_option(B \"b\" ON)\n\
                    add_cts_option(PART \"p\" OFF\n FORCE_ON ${A})\n\
                    add_cts_option(SYCL_CTS_ENABLE_OPENCL_INTEROP_TESTS \"i\" ON)\n";
        std::fs::write(&path, text).expect("written");
        let check = |set: &[(String, bool)], expected: [&str; 4]| {
            assert_eq!(options(&path, true, set).expect("options")[1..], expected);
        };
        check(&[], ["-DA=0", "-DB=1", "-DPART=0", "-DSYCL_CTS_ENABLE_OPENCL_INTEROP_TESTS=1"]);
        check(&[("A".into(), true), ("B".into(), false)], ["-DA=1", "-DB=0", "-DPART=1", "-DSYCL_CTS_ENABLE_OPENCL_INTEROP_TESTS=1"]);
        assert_eq!(options(&path, false, &[]).expect("options")[4], "-DSYCL_CTS_ENABLE_OPENCL_INTEROP_TESTS=0");
        let unknown = options(&path, true, &[("C".into(), true)]).expect_err("no such option").to_string();
        assert!(unknown.contains("--set C") && unknown.contains("A, B, PART"), "{unknown}");
        std::fs::remove_file(&path).expect("our own file");
    }

    #[test]
    fn catch2_is_configured() {
        let text = configured("#cmakedefine CATCH_CONFIG_NO_POSIX_SIGNALS\n#cmakedefine CATCH_X\n#define W @CATCH_CONFIG_CONSOLE_WIDTH@\n");
        assert_eq!(text, "#define CATCH_CONFIG_NO_POSIX_SIGNALS\n\n#define W 80\n");
    }
}
