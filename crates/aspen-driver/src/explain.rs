//! `aspen++ --explain`: a chapter of the book, by parts.

use std::fmt::Write as _;

use crate::args::nearest;
use crate::error::Error;

/// The chapter: a section for each mistake, with what its messages say in a comment behind the heading.
const CHAPTER: &str = include_str!("../../../docs/book/mistakes.md");

/// A section.
struct Explanation<'a> {
    name: &'a str,
    says: Vec<&'a str>,
    text: String,
}

/// What to print for the words behind `--explain`: none, a name, a group of warnings (`-Wsycl-aspects`), or a part of a message.
///
/// # Errors
/// If nothing is known by those words.
pub fn page(words: &str) -> Result<String, Error> {
    let all = sections();
    if words.is_empty() {
        let mut out = String::from("Mistakes that `aspen++ --explain NAME` tells more about (a part of a message does, too):\n\n");
        for one in &all {
            let first = one.says.first().copied().unwrap_or_default();
            let _ = writeln!(out, "  {:<22}{first}", one.name);
        }
        return Ok(out);
    }
    let wanted = words.trim().trim_start_matches("-W").trim_start_matches("no-").trim_start_matches("error=").to_lowercase();
    if let Some(one) = all.iter().find(|one| one.name == wanted) {
        return Ok(one.text.clone());
    }
    let meant = |says: &&str| {
        let says = says.to_lowercase();
        wanted.contains(&says) || (wanted.len() >= 5 && says.contains(&wanted))
    };
    let found: Vec<&str> = all.iter().filter(|one| one.says.iter().any(meant)).map(|one| one.text.as_str()).collect();
    if found.is_empty() {
        let near = nearest(&wanted, all.iter().map(|one| one.name)).filter(|near| strsim::jaro_winkler(near, &wanted) > 0.8);
        let near = near.map(|near| format!(" did you mean '{near}'?")).unwrap_or_default();
        return Err(Error::Usage(format!("nothing is known to '--explain' by '{words}';{near} `aspen++ --explain` lists what is")));
    }
    Ok(found.join("\n"))
}

fn sections() -> Vec<Explanation<'static>> {
    let parts = CHAPTER.split("\n## ").skip(1).filter(|part| !part.starts_with("names\n"));
    parts
        .map(|part| {
            let (name, rest) = part.split_once('\n').unwrap_or((part, ""));
            let (says, body) = rest.split_once("-->").unwrap_or(("", rest));
            let says = says.trim().trim_start_matches("<!-- says:").split('|').map(str::trim).filter(|says| !says.is_empty()).collect();
            Explanation { name, says, text: plain(name, body) }
        })
        .collect()
}

/// Markdown as a terminal shows it: blocks of code are indented, links are their words.
fn plain(name: &str, body: &str) -> String {
    let mut out = format!("{name}\n\n");
    let mut in_code = false;
    let body = body.trim_start();
    for line in body.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if line.is_empty() {
            out.push('\n');
        } else if in_code {
            let _ = writeln!(out, "    {line}");
        } else {
            let _ = writeln!(out, "{}", without_links(line));
        }
    }
    out
}

fn without_links(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((text, after)) = link.split_once("](") else { break };
        let Some((_, after)) = after.split_once(')') else { break };
        out += before;
        out += text;
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{page, sections};

    #[test]
    fn every_section_has_a_name_what_it_says_and_a_text() {
        let all = sections();
        assert!(all.len() > 10, "{}", all.len());
        for one in all {
            assert!(!one.says.is_empty() && one.text.lines().count() > 3, "{}", one.name);
            assert!(!one.text.contains("```") && !one.text.contains(".md)"), "{}", one.text);
            assert_eq!(page(one.name).ok().as_deref(), Some(&*one.text));
        }
    }

    #[test]
    fn names_groups_and_messages_find_their_section() {
        let check = |words: &str, name: &str| {
            let found = page(words);
            assert!(found.as_ref().is_ok_and(|page| page.starts_with(&format!("{name}\n"))), "{words}: {found:?}");
        };
        check("throw", "throw");
        check("-Wsycl-aspects", "sycl-aspects");
        check("-Wno-error=sycl-external", "sycl-external");
        check("device code cannot throw exceptions, but 'throws' does", "throw");
        check("a.cpp:3:1: error: device code cannot call 'getenv', which is for the host only [-Wsycl-strict]", "host-only");
        check("the kernel captures 'local' by reference", "capture");
    }

    #[test]
    fn what_is_not_known_says_so() {
        let error = page("trow").expect_err("unknown").to_string();
        assert_eq!(error, "nothing is known to '--explain' by 'trow'; did you mean 'throw'? `aspen++ --explain` lists what is");
    }
}
