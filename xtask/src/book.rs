//! The book in docs/: its pages are made by mdBook, its links are checked without it, so that CI need not build it. What its examples do is
//! checked by the runner of `tests/runner` (suite `book`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::shell::{Tree, run};

/// The release of mdBook that makes the pages.
const MDBOOK: &str = "0.5.4";
/// Lists the chapters, in order.
const SUMMARY: &str = "docs/SUMMARY.md";
/// Documents that are no chapters, but have links.
const OTHERS: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// `cargo xtask docs`.
///
/// # Errors
/// Chapters that are not as they should be, a failure of mdBook or of its installation.
pub fn docs(tree: &Tree) -> Result<()> {
    check(&tree.root)?;
    let tools = tree.target.join("tools");
    let mdbook = tools.join("bin/mdbook");
    let has = Command::new(&mdbook).arg("--version").output().is_ok_and(|said| said.stdout.ends_with(format!("v{MDBOOK}\n").as_bytes()));
    if !has {
        println!("installing mdBook {MDBOOK} into {}", tools.display());
        let mut install =
            tree.cargo(&["install", "mdbook", "--locked", "--version", MDBOOK, "--no-default-features", "--features", "search"]);
        run(install.arg("--root").arg(&tools))?;
    }
    let out = tree.target.join("book");
    run(Command::new(&mdbook).arg("build").arg(tree.root.join("docs")).arg("--dest-dir").arg(&out))?;
    println!("{}", out.join("index.html").display());
    Ok(())
}

/// Checks that every document in docs/ and docs/book/ is a chapter and every chapter is there, that links within the repository lead somewhere, and
/// that programs stand only where a test runs them.
///
/// # Errors
/// All that is wrong, each with its file and line.
pub fn check(root: &Path) -> Result<()> {
    let mut files = BTreeMap::new();
    for folder in ["docs", "docs/book"] {
        for entry in std::fs::read_dir(root.join(folder)).with_context(|| format!("cannot list {folder}"))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                files.insert(format!("{folder}/{name}"), String::new());
            }
        }
    }
    files.extend(OTHERS.map(|name| (name.to_owned(), String::new())));
    for (name, text) in &mut files {
        *text = std::fs::read_to_string(root.join(name)).with_context(|| format!("cannot read {name}"))?;
    }
    let wrong = faults(&files, |file| root.join(file).exists());
    ensure!(wrong.is_empty(), "the documents have faults:\n  {}", wrong.join("\n  "));
    Ok(())
}

/// A document taken apart; lines count from 1.
#[derive(Default)]
struct Document {
    anchors: BTreeSet<String>,
    links: Vec<(usize, String)>,
    /// Lines of programs in C++.
    programs: Vec<usize>,
}

impl Document {
    fn read(text: &str) -> Document {
        let mut out = Document::default();
        let mut heading: Option<String> = None;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            let line = text[..range.start].matches('\n').count() + 1;
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(words) | Event::Code(words) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&words);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    let anchor = anchor(&heading.take().unwrap_or_default());
                    let free = (0..).map(|number| if number == 0 { anchor.clone() } else { format!("{anchor}-{number}") });
                    out.anchors.extend({ free }.find(|name| !out.anchors.contains(name)));
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => out.links.push((line, dest_url.into_string())),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if info.split(',').next() == Some("cpp") => {
                    out.programs.push(line)
                }
                _ => {}
            }
        }
        out
    }
}

/// What mdBook and GitHub make of a heading's text.
fn anchor(text: &str) -> String {
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || c.is_whitespace() || "-_".contains(*c));
    kept.map(|c| if c.is_whitespace() { '-' } else { c }).collect::<String>().to_lowercase()
}

/// What is wrong with documents, by their paths in the repository; `exists` answers for other files.
fn faults(files: &BTreeMap<String, String>, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let documents: BTreeMap<&str, Document> = files.iter().map(|(name, text)| (name.as_str(), Document::read(text))).collect();
    let mut out = Vec::new();
    let Some(summary) = documents.get(SUMMARY) else { return vec![format!("{SUMMARY} is missing")] };
    let chapters: BTreeSet<String> = summary.links.iter().filter_map(|(_, link)| target(SUMMARY, link)).map(|(file, _)| file).collect();
    for name in documents.keys().filter(|name| name.starts_with("docs/") && **name != SUMMARY && !chapters.contains(**name)) {
        out.push(format!("{SUMMARY}: {name} is no chapter"));
    }
    for (name, document) in &documents {
        let is_chapter = chapters.contains(*name);
        for (line, link) in &document.links {
            let Some((file, anchor)) = target(name, link) else { continue };
            let known = documents.get(file.as_str());
            if known.is_none() && !exists(&file) {
                out.push(format!("{name}:{line}: there is no {file}"));
            } else if is_chapter && !(if file.ends_with(".md") { chapters.contains(&file) } else { file.starts_with("docs/") }) {
                out.push(format!("{name}:{line}: {file} is not in the book; name it without a link"));
            } else if anchor.as_ref().is_some_and(|anchor| known.is_some_and(|document| !document.anchors.contains(anchor))) {
                out.push(format!("{name}:{line}: {file} has no heading '#{}'", anchor.unwrap_or_default()));
            }
        }
        if !name.starts_with("docs/book/") {
            out.extend(
                document.programs.iter().map(|line| format!("{name}:{line}: no test runs this program; those of docs/book are run")),
            );
        }
    }
    out
}

/// The file that a link of a document leads to, by its path in the repository, and the heading; none for addresses elsewhere.
fn target(from: &str, link: &str) -> Option<(String, Option<String>)> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor.to_owned())));
    if file.is_empty() {
        return Some((from.to_owned(), anchor));
    }
    let mut path = PathBuf::from(from);
    path.pop();
    for part in Path::new(file).components() {
        match part {
            std::path::Component::ParentDir => _ = path.pop(),
            std::path::Component::CurDir => {}
            other => path.push(other),
        }
    }
    Some((path.to_string_lossy().into_owned(), anchor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_no_faults() {
        check(&crate::shell::Tree::find(crate::shell::Profile::Debug).expect("the repository").root).expect("links that lead somewhere");
    }

    #[test]
    fn faults_are_told() {
        let summary = "- [A](a.md)\n- [B](book/b.md)\n";
        for (a, b, expected) in [
            ("# One `x.y`\n[b](book/b.md#two)", "# Two\n[a](../a.md#one-xy) [web](https://a.example/b#c)", vec![]),
            ("[c](c.md)", "", vec!["docs/a.md:1: there is no docs/c.md"]),
            ("", "# T\n# T\n[1](#t-1)\n[2](#t-2)", vec!["docs/book/b.md:4: docs/book/b.md has no heading '#t-2'"]),
            ("\n[up](../README.md)", "", vec!["docs/a.md:2: README.md is not in the book; name it without a link"]),
            ("![p](p.png) ![q](q.png)", "", vec!["docs/a.md:1: there is no docs/q.png"]),
            (
                "```cpp\nint a;\n```",
                "```cpp,file=a.cpp\nint a;\n```",
                vec!["docs/a.md:1: no test runs this program; those of docs/book are run"],
            ),
        ] {
            let files = [(SUMMARY, summary), ("docs/a.md", a), ("docs/book/b.md", b), ("README.md", "[a](docs/a.md)")];
            let files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
            assert_eq!(faults(&files, |file| file == "docs/p.png"), expected, "{a} {b}");
        }
        let files = [(SUMMARY, "- [B](b.md)"), ("docs/a.md", "")].map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        assert_eq!(faults(&files, |_| false), ["docs/SUMMARY.md: docs/a.md is no chapter", "docs/SUMMARY.md:1: there is no docs/b.md"]);
    }
}
