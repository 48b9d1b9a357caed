//! Dependency files for make: the headers of all passes of a source in one rule. Source: DESIGN §2.

use std::path::Path;

use crate::args::Depfile;

/// One rule with the prerequisites of all rules given, each once, in the order they first come, but for those that are `hidden`.
pub fn merge(rules: &[String], targets: &str, phony: bool, hidden: impl Fn(&Path) -> bool) -> String {
    let mut files: Vec<&str> = Vec::new();
    for rule in rules {
        for file in prerequisites(rule) {
            if !files.contains(&file) && !hidden(Path::new(&plain(file))) {
                files.push(file);
            }
        }
    }
    let mut out = format!("{targets}:");
    for file in &files {
        out += &format!(" \\\n  {file}");
    }
    out.push('\n');
    if phony {
        // The first one is the source itself.
        for file in files.iter().skip(1) {
            out += &format!("\n{file}:\n");
        }
    }
    out
}

/// A rule with these prerequisites, as clang writes one.
pub fn rule(files: &[&Path]) -> String {
    let files: Vec<String> = files.iter().map(|file| quoted(&file.to_string_lossy())).collect();
    format!("x: {}\n", files.join(" "))
}

/// The targets of the rule as the user wants them, else `default`.
pub fn targets(depfile: &Depfile, default: &str) -> String {
    if depfile.targets.is_empty() {
        return quoted(default);
    }
    let names = depfile.targets.iter().map(|(option, name)| if *option == "-MQ" { quoted(name) } else { name.clone() });
    names.collect::<Vec<_>>().join(" ")
}

/// The option by which a pass of clang's lists what it reads.
pub fn option(wanted: &Depfile) -> &'static str {
    match (wanted.alone, wanted.user_headers_only) {
        (false, false) => "-MD",
        (false, true) => "-MMD",
        (true, false) => "-M",
        (true, true) => "-MM",
    }
}

/// A file name as make reads it back.
pub fn quoted(name: &str) -> String {
    name.replace('$', "$$").replace('#', "\\#").replace(' ', "\\ ")
}

/// The names of a rule's prerequisites.
pub fn files(rule: &str) -> Vec<String> {
    prerequisites(rule).into_iter().map(plain).collect()
}

/// The name that [`quoted`] made this of.
fn plain(file: &str) -> String {
    file.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$")
}

/// The words after the first colon that ends a word; backslashes protect blanks, and join lines.
fn prerequisites(rule: &str) -> Vec<&str> {
    let Some(start) = rule.find(": ").map(|at| at + 2) else { return Vec::new() };
    let (mut files, mut word) = (Vec::new(), None);
    let text = &rule[start..];
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins_lines = c == '\\' && chars.peek().is_some_and(|(_, next)| *next == '\n');
        if c.is_whitespace() || joins_lines {
            files.extend(word.take().map(|from: usize| &text[from..at]));
            if joins_lines {
                chars.next();
            }
        } else {
            word.get_or_insert(at);
            if c == '\\' {
                chars.next();
            }
        }
    }
    files.extend(word.map(|from| &text[from..]));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_passes_each_once() {
        let host = "x.o: x.cpp a\\ b.h \\\n  /a\\ folder/kept.hpp /usr/include/c++/12/vector host.h\n".to_owned();
        assert_eq!(files(&host), ["x.cpp", "a b.h", "/a folder/kept.hpp", "/usr/include/c++/12/vector", "host.h"]);
        let device = "y: x.cpp a\\ b.h \\\n  device.h\n".to_owned();
        assert_eq!(
            merge(&[host, device], "out/x.o", true, |file| file == Path::new("/a folder/kept.hpp")),
            "out/x.o: \\\n  x.cpp \\\n  a\\ b.h \\\n  /usr/include/c++/12/vector \\\n  host.h \\\n  device.h\n\n\
             a\\ b.h:\n\n/usr/include/c++/12/vector:\n\nhost.h:\n\ndevice.h:\n"
        );
    }

    #[test]
    fn targets_are_quoted_only_where_asked() {
        let mut wanted = Depfile::default();
        assert_eq!(targets(&wanted, "a $b.o"), "a\\ $$b.o");
        wanted.targets = vec![("-MT", "$(X)".into()), ("-MQ", "$(X)".into())];
        assert_eq!(targets(&wanted, "a.o"), "$(X) $$(X)");
    }
}
