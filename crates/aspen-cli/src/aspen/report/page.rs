//! The report as one HTML page that opens from disk: the document as a block of data, a style and a script beside it. The page fetches
//! nothing, and says so to the browser.

use std::borrow::Cow;

use super::document;
use super::model::Report;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 3] = [include_str!("page/data.js"), include_str!("page/table.js"), include_str!("page/views.js")];

/// The page.
pub fn page(report: &Report) -> String {
    let data = safe(&document::document(report).to_string());
    let title = report.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>().join(", ");
    // Every mark stands once, and what is put in is not looked at again.
    let mut out = String::with_capacity(PAGE.len() + STYLE.len() + data.len() + (64 << 10));
    let mut rest = PAGE;
    for (mark, text) in [
        ("{{title}}", Cow::Owned(escaped(&title))),
        ("{{style}}", Cow::Borrowed(STYLE)),
        ("{{data}}", Cow::Owned(data)),
        ("{{script}}", Cow::Owned(SCRIPTS.concat())),
    ] {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        out.push_str(before);
        out.push_str(&text);
        rest = after;
    }
    out + rest
}

/// JSON that ends no `<script>` and begins no comment; `\u003c` is the same to every reader of JSON.
fn safe(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_markup() {
        let hostile = serde_json::json!({ "name": "a<b>&\"</script><!--{{script}}\u{2028}" });
        let text = safe(&hostile.to_string());
        assert!(!text.contains(['<', '>', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), hostile);
        assert_eq!(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
    }

    #[test]
    fn the_page_needs_nothing_beside_it() {
        for (name, text) in [("page.html", PAGE), ("page.css", STYLE)].into_iter().chain(SCRIPTS.map(|script| ("script", script))) {
            for word in ["http:", "https:", "//cdn", "@import", "url(", "fetch(", "XMLHttpRequest", "src="] {
                assert!(!text.contains(word), "{name}: {word}");
            }
        }
        for mark in ["{{title}}", "{{style}}", "{{data}}", "{{script}}"] {
            assert_eq!(PAGE.matches(mark).count(), 1, "{mark}");
        }
    }
}
