//! The fix of a finding: the missing aspect, put at the end of the attribute's list, as the user writes aspects there.
//!
//! The source is read as text, so the fix is offered only where the attribute really stands at its place: not in macros, not where `#line`
//! leads elsewhere. Source: DESIGN §4; issue 3, "a fix-it that adds the missing aspect to the attribute".

use aspen_contract::{Aspect, Place};

/// Text to be inserted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// In front of what stands here.
    pub place: Place,
    /// What.
    pub text: String,
}

impl Fix {
    /// Whether it is the first entry of a list that was empty.
    pub(super) fn begins_list(&self) -> bool {
        !self.text.starts_with(',')
    }
}

/// An attribute is not longer than this.
const LINES: u32 = 64;

/// Adds `aspect` to the attribute `spelling` (`sycl::device_has`) that begins at `attribute`.
pub fn list_aspect(attribute: &Place, spelling: &str, aspect: Aspect, line: &dyn Fn(&Place) -> Option<String>) -> Option<Fix> {
    let name = aspect.name()?;
    let wanted = spelling.rsplit("::").next()?;
    let mut reader = Reader { line, at: attribute.clone(), text: line(attribute)?.into_bytes(), lines: LINES };
    let mut word = reader.word()?;
    if word != wanted && word.trim_matches('_') == "sycl" && reader.peek()? == b':' {
        reader.expect(b':')?;
        reader.expect(b':')?;
        word = reader.word()?;
    }
    if word.trim_matches('_') != wanted {
        return None;
    }
    reader.expect(b'(')?;
    let mut list = reader.list()?;
    // S1's spelling wraps the list once more: `requires(has(A, B))`.
    if let Some(inner) = list.only_call_of("has", &mut reader) {
        list = inner;
    }
    let prefix = list.prefix().unwrap_or("sycl::aspect::");
    let comma = if list.text.is_empty() { "" } else { ", " };
    Some(Fix { text: format!("{comma}{prefix}{name}"), place: list.end })
}

/// What stands between two parentheses, without blanks and comments.
struct List {
    text: String,
    /// Where it begins.
    start: Place,
    /// Behind its last character.
    end: Place,
}

impl List {
    /// How aspects are written in it: what stands before the enumerator's name, `sycl::aspect::`.
    fn prefix(&self) -> Option<&str> {
        let end = self.text.rfind("aspect::")? + "aspect::".len();
        let start = self.text[..end].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':').map_or(0, |at| at + 1);
        Some(&self.text[start..end])
    }

    fn only_call_of(&self, name: &str, reader: &mut Reader<'_>) -> Option<List> {
        self.text.strip_prefix(name)?.strip_prefix('(')?;
        reader.go_to(&self.start)?;
        reader.word()?;
        reader.expect(b'(')?;
        reader.list()
    }
}

/// Reads tokens as far as this needs them.
struct Reader<'a> {
    line: &'a dyn Fn(&Place) -> Option<String>,
    at: Place,
    text: Vec<u8>,
    lines: u32,
}

impl Reader<'_> {
    fn index(&self) -> usize {
        (self.at.column as usize).saturating_sub(1)
    }

    fn go_to(&mut self, place: &Place) -> Option<()> {
        self.text = (self.line)(place)?.into_bytes();
        self.at = place.clone();
        Some(())
    }

    /// The next character that is neither blank nor in a comment.
    fn peek(&mut self) -> Option<u8> {
        let mut in_comment = false;
        loop {
            let rest = self.text.get(self.index()..).unwrap_or_default();
            match rest {
                [] | [b'/', b'/', ..] if !in_comment || rest.is_empty() => {
                    self.lines = self.lines.checked_sub(1)?;
                    self.go_to(&Place { line: self.at.line + 1, column: 1, ..self.at.clone() })?;
                }
                [b'*', b'/', ..] if in_comment => {
                    in_comment = false;
                    self.at.column += 2;
                }
                [b'/', b'*', ..] if !in_comment => {
                    in_comment = true;
                    self.at.column += 2;
                }
                [c, ..] if !in_comment && !c.is_ascii_whitespace() => return Some(*c),
                _ => self.at.column += 1,
            }
        }
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at.column += 1)
    }

    fn word(&mut self) -> Option<String> {
        self.peek()?;
        let rest = &self.text[self.index()..];
        let length = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == b'_').count();
        let word = String::from_utf8(rest[..length].to_vec()).ok()?;
        self.at.column += u32::try_from(length).ok()?;
        (length > 0).then_some(word)
    }

    /// From behind an opening parenthesis up to its closing one. Strings and character literals have no place in a list of aspects.
    fn list(&mut self) -> Option<List> {
        let mut out = List { text: String::new(), start: self.at.clone(), end: self.at.clone() };
        let mut open = 0_u32;
        loop {
            let c = self.peek()?;
            match c {
                b')' if open == 0 => return Some(out),
                b'"' | b'\'' => return None,
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            if out.text.is_empty() {
                out.start = self.at.clone();
            }
            out.text.push(char::from(c));
            self.at.column += 1;
            out.end = self.at.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `@` marks the attribute, `^` in the expectation the place of the insertion.
    #[track_caller]
    fn check(source: &str, spelling: &str, expected: Option<&str>) {
        let at = source.find('@').expect("a mark");
        let (before, plain) = (&source[..at], source.replacen('@', "", 1));
        let line = u32::try_from(before.matches('\n').count()).expect("small") + 1;
        let column = u32::try_from(at - before.rfind('\n').map_or(0, |end| end + 1)).expect("small") + 1;
        let place = Place { file: "x.cpp".into(), line, column };
        let lines = |place: &Place| plain.lines().nth(place.line as usize - 1).map(str::to_owned);
        let fixed = list_aspect(&place, spelling, Aspect::FP64, &lines).map(|fix| {
            let mut lines: Vec<String> = plain.lines().map(str::to_owned).collect();
            lines[fix.place.line as usize - 1].insert_str(fix.place.column as usize - 1, &format!("^{}", fix.text));
            lines.join("\n")
        });
        assert_eq!(fixed.as_deref(), expected);
    }

    #[test]
    fn aspects_are_written_as_beside_them() {
        let has = "sycl::device_has";
        check("[[@sycl::device_has(sycl::aspect::fp16)]]", has, Some("[[sycl::device_has(sycl::aspect::fp16^, sycl::aspect::fp64)]]"));
        check("[[@sycl::device_has( aspect::fp16 )]]", has, Some("[[sycl::device_has( aspect::fp16^, aspect::fp64 )]]"));
        check("[[@sycl::device_has(A, my::aspect::x)]]", has, Some("[[sycl::device_has(A, my::aspect::x^, my::aspect::fp64)]]"));
        check("[[@sycl::device_has()]]", has, Some("[[sycl::device_has(^sycl::aspect::fp64)]]"));
        check("[[@sycl::device_has(f<(1)>(), Pack...)]]", has, Some("[[sycl::device_has(f<(1)>(), Pack...^, sycl::aspect::fp64)]]"));
        check("[[using sycl: @device_has(aspect::gpu)]]", has, Some("[[using sycl: device_has(aspect::gpu^, aspect::fp64)]]"));
        check("[[@__sycl__::__device_has__(A)]]", has, Some("[[__sycl__::__device_has__(A^, sycl::aspect::fp64)]]"));
        check(
            "[[@sycl::requires(has(sycl::aspect::gpu))]]",
            "sycl::requires",
            Some("[[sycl::requires(has(sycl::aspect::gpu^, sycl::aspect::fp64))]]"),
        );
        check("[[@sycl::requires(A)]]", "sycl::requires", Some("[[sycl::requires(A^, sycl::aspect::fp64)]]"));
    }

    #[test]
    fn lists_over_several_lines() {
        check(
            "\n  [[@sycl :: device_has // why )\n  ( /* ) */ A,\n    B // last\n  )]]",
            "sycl::device_has",
            Some("\n  [[sycl :: device_has // why )\n  ( /* ) */ A,\n    B^, sycl::aspect::fp64 // last\n  )]]"),
        );
    }

    #[test]
    fn nothing_is_offered_where_the_attribute_does_not_stand() {
        for source in [
            "@MACRO void f();",
            "[[@sycl::device_has]]",
            "[[@sycl::device_has(A",
            "@",
            "[[@sycl::requires(A)]]",
            "[[@sycl::device_has(\")\")]]",
        ] {
            check(source, "sycl::device_has", None);
        }
    }
}
