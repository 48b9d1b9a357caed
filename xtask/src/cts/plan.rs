//! Which programs a category has, and of which files: asked of the suite's own CMake files (`xtask/cmake/cts-programs.cmake`), which also
//! generate the files that are made from templates.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::build::write_if_changed;
use crate::shell::output;

const SCRIPT: &str = include_str!("../../cmake/cts-programs.cmake");

/// What one executable is linked from.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    pub name: String,
    pub files: Vec<PathBuf>,
}

/// The programs of a category, none if its options switch it off; `folder` is where generated files go, `options` are macros of the suite's
/// options (`-DNAME=0`), and `fragment` is how many functions a file of the mathematical tests has.
pub fn programs(source: &Path, category: &str, folder: &Path, options: &[String], fragment: u32) -> Result<Vec<Program>> {
    let (script, out) = (folder.join("programs.cmake"), folder.join("programs"));
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    write_if_changed(&script, SCRIPT)?;
    let mut ask = Command::new("cmake");
    ask.current_dir(source.join("tests").join(category)).args(options);
    ask.arg(format!("-DSUITE={}", source.display())).arg(format!("-DCATEGORY={category}")).arg(format!("-DOUT={}", folder.display()));
    ask.arg(format!("-DSYCL_CTS_MATH_BUILTIN_FRAGMENT_SIZE={fragment}"));
    ask.arg("-DPYTHON_EXECUTABLE=python3").arg("-P").arg(&script);
    output(&mut ask)
        .context("the suite says in CMake files what its programs are; they need cmake and python3 (`apt install cmake python3`)")?;
    let text = std::fs::read_to_string(&out).with_context(|| format!("cannot read {}", out.display()))?;
    Ok(parse(&text, &source.join("tests").join(category)))
}

/// Of these programs' files those with a name in `only`, each a program of its own: a part is linked and run without the rest, and does not
/// take the place of the whole.
pub fn narrowed(programs: Vec<Program>, only: &[glob::Pattern]) -> Vec<Program> {
    let stem = |file: &Path| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_one = |program: Program| {
        let files = program.files.into_iter().filter(|file| only.iter().any(|pattern| pattern.matches(&stem(file))));
        files.map(move |file| Program { name: format!("{}.{}", program.name, stem(&file)), files: vec![file] })
    };
    programs.into_iter().flat_map(of_one).collect()
}

/// Relative names are those of files in `category`.
fn parse(text: &str, category: &Path) -> Vec<Program> {
    let mut out: Vec<Program> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("program ") {
            out.push(Program { name: name.to_owned(), files: Vec::new() });
        } else if let Some(last) = out.last_mut() {
            last.files.push(category.join(line));
        }
    }
    for program in &mut out {
        program.files.sort();
        program.files.dedup(); // some lists name a file twice, which CMake takes for once
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str, files: &[&str]) -> Program {
        Program { name: name.into(), files: files.iter().map(PathBuf::from).collect() }
    }

    #[test]
    fn files_named_are_programs_of_their_own() {
        let all = vec![program("a", &["/s/x_1.cpp", "/s/x_2.cpp", "/s/y.cpp"]), program("b", &["/s/z.cpp"])];
        let only = ["x_*", "y"].map(|name| glob::Pattern::new(name).expect("a pattern"));
        let wanted = [program("a.x_1", &["/s/x_1.cpp"]), program("a.x_2", &["/s/x_2.cpp"]), program("a.y", &["/s/y.cpp"])];
        assert_eq!(narrowed(all, &only), wanted);
    }

    #[test]
    fn a_list_of_programs_is_read() {
        assert_eq!(
            parse("program a\n/s/y.cpp\n/s/x.cpp\nprogram b\nz.cpp\n/s/z.cpp\n", Path::new("/s")),
            [program("a", &["/s/x.cpp", "/s/y.cpp"]), program("b", &["/s/z.cpp"])]
        );
    }
}
