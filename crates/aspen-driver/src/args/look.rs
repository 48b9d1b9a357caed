//! How diagnostics look: clang's options of that, which hold for the driver's own as for clang's. Source: clang 22, `clang/Driver/Options.td`.

use super::values::choose;
use crate::error::Error;

/// How our findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// As clang prints its own.
    #[default]
    Text,
    /// One JSON document on stderr.
    Json,
    /// One SARIF 2.1.0 document on stderr.
    Sarif,
}

/// How a text says where something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Places {
    /// `FILE:LINE:COLUMN`.
    #[default]
    Clang,
    /// `FILE(LINE,COLUMN)`.
    Msvc,
    /// `FILE +LINE:COLUMN`.
    Vi,
}

/// The last word about each of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look {
    /// `-fdiagnostics-format=json`, `sarif`.
    pub format: Format,
    /// `-fdiagnostics-format=clang`, `msvc`, `vi`.
    pub places: Places,
    /// `-f[no-]diagnostics-color`; `None`: colours on a terminal that wants them.
    pub color: Option<bool>,
    /// `-f[no-]show-source-location`.
    pub shows_place: bool,
    /// `-f[no-]show-column`.
    pub shows_column: bool,
    /// `-fdiagnostics-absolute-paths`.
    pub absolute: bool,
    /// `-f[no-]caret-diagnostics`: the source's line.
    pub snippet: bool,
    /// `-f[no-]diagnostics-show-line-numbers`, beside that line.
    pub numbers: bool,
    /// `-f[no-]diagnostics-show-option`: the warning's group.
    pub group: bool,
    /// `-f[no-]diagnostics-fixit-info`: what to insert, under the source's line.
    pub fixes: bool,
    /// `-fdiagnostics-parseable-fixits`: the same, for tools.
    pub fixes_for_tools: bool,
    /// `-fmessage-length=`: how wide a message may be; 0: as it is.
    pub width: usize,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            format: Format::Text,
            places: Places::Clang,
            color: None,
            shows_place: true,
            shows_column: true,
            absolute: false,
            snippet: true,
            numbers: true,
            group: true,
            fixes: true,
            fixes_for_tools: false,
            width: 0,
        }
    }
}

impl Look {
    /// Takes note of an option. Returns whether the driver alone has it: what it tells clang of these is in [`Look::words`].
    ///
    /// # Errors
    /// If it has a value that there is not.
    pub(super) fn read(&mut self, word: &str) -> Result<bool, Error> {
        if let Some(value) = word.strip_prefix("-fdiagnostics-format=") {
            let text = |places| (Format::Text, places);
            let known = [
                ("text", text(Places::Clang)),
                ("clang", text(Places::Clang)),
                ("msvc", text(Places::Msvc)),
                ("vi", text(Places::Vi)),
                ("json", (Format::Json, Places::Clang)),
                ("sarif", (Format::Sarif, Places::Clang)),
            ];
            (self.format, self.places) = choose(word, value, &known)?;
            return Ok(true);
        }
        if let Some(value) = word.strip_prefix("-fdiagnostics-color=") {
            self.color = choose(word, value, &[("always", Some(true)), ("never", Some(false)), ("auto", None)])?;
            return Ok(true);
        }
        if let Some(value) = word.strip_prefix("-fmessage-length=") {
            self.width = value.parse().unwrap_or(0); // clang says what is wrong with it
            return Ok(false);
        }
        let Some(name) = word.strip_prefix("-f") else { return Ok(false) };
        let (name, on) = name.strip_prefix("no-").map_or((name, true), |name| (name, false));
        let flag = match name {
            "diagnostics-color" | "color-diagnostics" => {
                self.color = Some(on);
                return Ok(true);
            }
            "show-source-location" => &mut self.shows_place,
            "show-column" => &mut self.shows_column,
            "caret-diagnostics" => &mut self.snippet,
            "diagnostics-show-line-numbers" => &mut self.numbers,
            "diagnostics-show-option" => &mut self.group,
            "diagnostics-fixit-info" => &mut self.fixes,
            // These have no opposite.
            "diagnostics-absolute-paths" if on => &mut self.absolute,
            "diagnostics-parseable-fixits" if on => &mut self.fixes_for_tools,
            _ => return Ok(false),
        };
        *flag = on;
        Ok(false)
    }

    /// How clang shall print what it finds: for people, or a line for each finding, which is read back.
    pub fn words(&self, color: bool) -> Vec<String> {
        let words: &[&str] = match (self.format, self.places) {
            (Format::Json | Format::Sarif, _) => &[
                "-fno-caret-diagnostics",
                "-fshow-source-location",
                "-fshow-column",
                "-fdiagnostics-show-option",
                "-fdiagnostics-show-category=none",
                "-fmessage-length=0",
            ],
            (Format::Text, Places::Clang) => &[],
            (Format::Text, Places::Msvc) => &["-fdiagnostics-format=msvc"],
            (Format::Text, Places::Vi) => &["-fdiagnostics-format=vi"],
        };
        words.iter().copied().chain(color.then_some("-fdiagnostics-color=always")).map(str::to_owned).collect()
    }
}
