//! `clang-scan-deps` beside `aspen++`: CMake scans C++20 sources for modules with the one that it finds in its compiler's folder.
//!
//! Clang's own takes the words behind `--` for clang's, so it knows neither our options nor where SYCL's headers are. Ours gives it what an
//! editor's clang is told (the plugin is not needed to preprocess); other compilers' words go through as they are. Where clang's is not
//! installed, a source that declares and imports no module needs none: CMake 3.28 scans every C++20 source. Source: P1689R5.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::known::{self, Meaning};
use crate::editor::{ForEditors, for_editors};
use crate::error::Error;
use crate::object_file::write_whole;
use crate::{help, own_file, toolchain};

/// Runs clang's own with these words, or answers without it. Returns only then, or if it cannot be run: the exit code.
pub fn main(words: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let error = match tool() {
        Ok(Some(tool)) => match command(&tool, words) {
            Ok(mut command) => Error::file("run", &tool, command.exec()),
            Err(error) => error,
        },
        Ok(None) => match without_tool(&words) {
            Ok(answer) => match help::print(&answer) {
                Ok(()) => return 0,
                Err(error) => error,
            },
            Err(error) => error,
        },
        Err(error) => error,
    };
    crate::tell(&format!("clang-scan-deps: error: {error}\n"));
    1
}

/// Clang's own, if it is installed.
fn tool() -> Result<Option<PathBuf>, Error> {
    let clang = toolchain::find_clang()?;
    let folder = clang.canonicalize().ok().and_then(|clang| clang.parent().map(Path::to_path_buf));
    Ok(folder.map(|folder| folder.join("clang-scan-deps")).filter(|tool| tool.is_file()))
}

/// What clang's own would say of a source without modules.
fn without_tool(words: &[String]) -> Result<String, Error> {
    let value = |option: &str| words.iter().position(|word| word == option).and_then(|at| words.get(at + 1));
    let at = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let is_source = |word: &&String| !word.starts_with('-') && Some(*word) != value("-o") && Path::new(word.as_str()).is_file();
    let source = words.iter().skip(at + 2).rfind(is_source);
    let (Some(source), Some(object)) = (source, value("-o")) else { return Err(missing("the source")) };
    let text = fs::read(source).map_err(|error| Error::file("read", source.as_ref(), error))?;
    if String::from_utf8_lossy(&text).lines().any(is_about_modules) {
        return Err(missing(&format!("'{source}' has modules, and it")));
    }
    if let Some(file) = value("-MF") {
        let target = value("-MT").map_or(object.as_str(), String::as_str);
        let rule = format!("{}: {}\n", target.replace(' ', "\\ "), source.replace(' ', "\\ "));
        write_whole(Path::new(file), rule.as_bytes(), false)?;
    }
    Ok(format!("{}\n", serde_json::json!({ "version": 1, "revision": 0, "rules": [{ "primary-output": object }] })))
}

fn missing(what: &str) -> Error {
    Error::Usage(format!("{what} needs clang's own clang-scan-deps, which is not installed (Debian package clang-tools-22)"))
}

/// Whether a line may declare a module or import one.
fn is_about_modules(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("export").map_or(line, str::trim_start);
    ["module", "import"]
        .iter()
        .any(|word| line.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c == '_' || c.is_alphanumeric())))
}

fn command(tool: &Path, mut words: Vec<String>) -> Result<Command, Error> {
    let own = own_file().map_err(|error| Error::file("find", "this program's own file".as_ref(), error))?;
    if let Some(at) = words.iter().position(|word| word == "--")
        && words.get(at + 1).is_some_and(|compiler| compiler.ends_with("aspen++"))
    {
        let behind = words.split_off(at + 1);
        words.extend(for_clang(behind, &for_editors(&own)?));
    }
    let mut command = Command::new(tool);
    command.args(words);
    Ok(command)
}

/// The words that clang reads in place of ours.
fn for_clang(words: Vec<String>, editor: &ForEditors) -> Vec<String> {
    let is_ours =
        |word: &str| editor.remove.iter().any(|removed| removed.strip_suffix('*').map_or(removed == word, |start| word.starts_with(start)));
    let mut kept = Vec::with_capacity(words.len());
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        if word == "-Xs" || word.starts_with("-Xsycl-target") {
            rest.next(); // its value
            continue;
        }
        // What DPC++'s and Intel's options stand for. Those that are refused are the compile's to tell.
        match known::read(&word, &mut rest) {
            Ok(Some(Meaning::Words(words))) => kept.extend(words),
            Ok(None) if !is_ours(&word) => kept.push(word),
            Ok(_) | Err(_) => {}
        }
    }
    kept[0] = editor.compiler.to_string_lossy().into_owned();
    kept.extend(editor.add.iter().filter(|word| !word.starts_with("-D__ASPEN_EDITOR__")).cloned());
    kept
}

#[cfg(test)]
mod tests {
    use super::{for_clang, without_tool};
    use crate::editor::ForEditors;

    #[test]
    fn clang_reads_its_own_words() {
        let editor = ForEditors {
            compiler: "/usr/bin/clang++-22".into(),
            add: vec!["-isystem".into(), "/i".into()],
            remove: vec!["-fsycl*".into(), "-Wsycl-*".into()],
        };
        let words = "/p/bin/aspen++ -fsycl-targets=spir64 -O2 -Xsycl-target-backend=spir64 -cl-x -Xs -d -Wsycl-aspects -fp-model precise -qopenmp -xHost -Xdevice-post-link -v -c a.cpp -o a.o";
        let read = for_clang(words.split(' ').map(str::to_owned).collect(), &editor);
        assert_eq!(read.join(" "), "/usr/bin/clang++-22 -O2 -ffp-model=precise -fopenmp -march=native -c a.cpp -o a.o -isystem /i");
    }

    #[test]
    fn sources_without_modules_need_no_tool() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let check = |text: &str| {
            std::fs::write(file("a b.cpp"), text)?;
            let words = ["-format=p1689", "--", "aspen++", "-c", "-o", "a.o", "-MT", "a.ddi", "-MD", "-MF", &file("d"), &file("a b.cpp")];
            Ok::<_, std::io::Error>(without_tool(&words.map(str::to_owned)))
        };
        assert_eq!(check("int important, module_count;\n")??, "{\"revision\":0,\"rules\":[{\"primary-output\":\"a.o\"}],\"version\":1}\n");
        assert_eq!(std::fs::read_to_string(file("d"))?, format!("a.ddi: {}\n", file("a b.cpp").replace(' ', "\\ ")));
        for text in ["export module m;", "import m;", " module;\n", "export import <vector>;"] {
            let said = check(text)?.expect_err(text).to_string();
            assert!(
                said.ends_with(
                    "has modules, and it needs clang's own clang-scan-deps, which is not installed (Debian package clang-tools-22)"
                ),
                "{said}"
            );
        }
        Ok(())
    }
}
