//! Building a category of the suite: Catch2 once, the suite's own helpers once, then one object a file, kept while nothing is newer.
//!
//! The suite's CMake files know four SYCL implementations and no others, so what they say is done here: their options become macros, and
//! of the four names we give the one for which no test is switched off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};

use super::plan;
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
    /// Nothing older is kept.
    newest_input: SystemTime,
    shared: Vec<PathBuf>,
}

/// A category's programs, of the files that compile.
pub struct Built {
    pub programs: Vec<PathBuf>,
    pub compiled: u64,
    pub failed: BTreeMap<String, String>,
}

impl Suite {
    pub fn prepare(source: &Path, catch2: &Path, bin: &Path, folder: &Path, jobs: usize) -> Result<Suite> {
        let headers = catch2.join("src/catch2");
        let hint = "run `git submodule update --init` there, or give a checkout with --catch2";
        ensure!(headers.join("catch_user_config.hpp.in").is_file(), "no Catch2 (version 3) at {}: {hint}", catch2.display());
        let compiler = bin.join("aspen++");
        let mut suite = Suite {
            source: source.to_owned(),
            catch2: catch2.to_owned(),
            folder: folder.to_owned(),
            jobs: jobs.max(1),
            options: options(&source.join("CMakeLists.txt"))?,
            newest_input: newest(&compiler)?,
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
        for file in listed(&self.source.join("util"))? {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // The first needs OpenCL interoperability, the others OpenCL's headers, for tests of mathematical functions.
            if !name.starts_with("test_base_opencl") && !name.starts_with("math_") {
                files.push(file);
            }
        }
        println!("building the suite's helpers");
        let (objects, failed) = self.compile(&files, &self.folder.join("helpers"), &self.source.join("tests/common"), Form::AsWritten)?;
        ensure!(failed.is_empty(), "the suite's helpers do not compile: {failed:#?}");
        self.shared.extend(objects);
        Ok(())
    }

    /// Compiles the category's files and links those that compile.
    pub fn build(&self, category: &str, form: Form) -> Result<Built> {
        let (folder, beside) = (self.folder.join(category).join(form.folder()), self.source.join("tests").join(category));
        let mut built = Built { programs: Vec::new(), compiled: 0, failed: BTreeMap::new() };
        for program in plan::programs(&self.source, category, &self.folder.join(category).join("generated"), &self.options)? {
            let (objects, failed) = self.compile(&program.files, &folder, &beside, form)?;
            built.compiled += objects.len() as u64;
            built.failed.extend(failed);
            if objects.is_empty() {
                continue;
            }
            let path = folder.join(&program.name);
            let mut link = Command::new(&self.compiler);
            link.args(&objects).args(&self.shared).arg("-o").arg(&path).args(["-O1", "-w", "-pthread"]);
            match output(&mut link) {
                Ok(_) => built.programs.push(path),
                Err(error) => drop(built.failed.insert(format!("{}, linked", program.name), first_error(&format!("{error:#}")))),
            }
        }
        Ok(built)
    }

    /// One object a file, in the order of the files; a file that does not compile is in the other result, with its first error.
    fn compile(&self, files: &[PathBuf], folder: &Path, beside: &Path, form: Form) -> Result<(Vec<PathBuf>, BTreeMap<String, String>)> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let outcomes: Mutex<BTreeMap<usize, Result<std::result::Result<PathBuf, String>>>> = Mutex::default();
        let next = Mutex::new(0..files.len());
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    while let Some(i) = next.lock().ok().and_then(|mut next| next.next()) {
                        let outcome = self.compile_one(&files[i], folder, beside, form);
                        if let Ok(mut outcomes) = outcomes.lock() {
                            outcomes.insert(i, outcome);
                        }
                    }
                });
            }
        });
        let (mut objects, mut failed) = (Vec::new(), BTreeMap::new());
        for (i, outcome) in outcomes.into_inner().unwrap_or_default() {
            match outcome? {
                Ok(object) => objects.push(object),
                Err(error) => {
                    failed.insert(files[i].file_name().unwrap_or_default().to_string_lossy().into_owned(), error);
                }
            }
        }
        Ok((objects, failed))
    }

    fn compile_one(&self, file: &Path, folder: &Path, beside: &Path, form: Form) -> Result<std::result::Result<PathBuf, String>> {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (object, log) = (folder.join(format!("{stem}.o")), folder.join(format!("{stem}.log")));
        let kept = |path: &Path| is_newer(path, &[file]) && modified(path).is_some_and(|time| time > self.newest_input);
        if kept(&object) {
            return Ok(Ok(object));
        }
        if !kept(&log) {
            let mut compile = Command::new(&self.compiler);
            compile.args(["-std=c++17", "-O1", "-w", "-c"]).arg(file).arg("-o").arg(&object).args(&self.options);
            if form == Form::ActionsCalled {
                compile.arg("-include").arg(self.folder.join("called.hpp"));
            }
            compile.arg("-I").arg(&self.folder).arg("-I").arg(self.catch2.join("src")).arg("-I").arg(self.source.join("oclmath"));
            compile.arg("-I").arg(self.deep_folder());
            // Generated files include what lies beside their template.
            compile.arg("-I").arg(beside);
            let said = match compile.output().with_context(|| format!("cannot start {}", self.compiler.display()))? {
                output if output.status.success() => return Ok(Ok(object)),
                output => output.stderr,
            };
            std::fs::write(&log, said).with_context(|| format!("cannot write {}", log.display()))?;
        }
        let said = std::fs::read_to_string(&log).with_context(|| format!("cannot read {}", log.display()))?;
        Ok(Err(first_error(&said)))
    }
}

/// The first error among what a compiler said; places are left out, since they are the user's.
fn first_error(said: &str) -> String {
    let first = said.lines().find_map(|line| line.split_once("error: ").map(|(_, text)| text));
    first.or(said.lines().next()).unwrap_or("no message").to_owned()
}

/// The options that the suite's CMake file defines, as it gives them to the compiler, with our choices.
fn options(cmake: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(cmake).with_context(|| format!("cannot read {}", cmake.display()))?;
    let mut out = vec!["-DSYCL_CTS_COMPILING_WITH_PROTOSYCL=1".to_owned()];
    for part in text.split("add_cts_option(").skip(1) {
        let name = part.split_whitespace().next().unwrap_or_default();
        let description_end = part.match_indices('"').nth(1).map_or(0, |(at, _)| at + 1);
        let on = part[description_end..].trim_start().starts_with("ON");
        let wanted = on && name != "SYCL_CTS_ENABLE_OPENCL_INTEROP_TESTS";
        out.push(format!("-D{name}={}", u8::from(wanted)));
    }
    ensure!(out.len() > 1, "{} defines no options", cmake.display());
    Ok(out)
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
                    add_cts_option(SYCL_CTS_ENABLE_OPENCL_INTEROP_TESTS \"i\" ON)\n";
        std::fs::write(&path, text).expect("written");
        let found = options(&path).expect("options");
        std::fs::remove_file(&path).expect("our own file");
        assert_eq!(found[1..], ["-DA=0", "-DB=1", "-DSYCL_CTS_ENABLE_OPENCL_INTEROP_TESTS=0"]);
    }

    #[test]
    fn catch2_is_configured() {
        let text = configured("#cmakedefine CATCH_CONFIG_NO_POSIX_SIGNALS\n#cmakedefine CATCH_X\n#define W @CATCH_CONFIG_CONSOLE_WIDTH@\n");
        assert_eq!(text, "#define CATCH_CONFIG_NO_POSIX_SIGNALS\n\n#define W 80\n");
    }
}
