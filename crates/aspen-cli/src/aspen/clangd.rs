//! `aspen clangd-config`: a `.clangd` with which clangd reads SYCL sources. Source: issue 18, "Editors"; DESIGN §2.

use aspen_driver::editor::{ForEditors, for_editors};

use crate::{Answer, Failure};

/// Prints the file's text.
pub fn run() -> Result<Answer, Failure> {
    let executable = std::env::current_exe().map_err(|error| Failure::Input(format!("this program's own file is not found: {error}")))?;
    let words = for_editors(&executable).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(Answer::clean(text(&words)))
}

/// YAML takes a word as JSON writes it.
fn text(words: &ForEditors) -> String {
    let quoted = |word: &str| serde_json::Value::from(word).to_string();
    let list = |words: &mut dyn Iterator<Item = &str>| words.map(quoted).collect::<Vec<_>>().join(", ");
    format!(
        "# Written by `aspen clangd-config`: clangd reads SYCL by clang alone. What Aspen itself warns of, `aspen++ -fsyntax-only FILE` prints.\n\
         CompileFlags:\n  Compiler: {}\n  Add: [{}]\n  Remove: [{}]\n",
        quoted(&words.compiler.display().to_string()),
        list(&mut words.add.iter().map(String::as_str)),
        list(&mut words.remove.iter().map(String::as_str)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        let words =
            ForEditors { compiler: "/o p/\"c\"".into(), add: vec!["-DA=#1".into(), "-isystem".into()], remove: vec!["-fsycl*".into()] };
        let printed = text(&words);
        let lines: Vec<&str> = printed.lines().skip(1).collect();
        assert_eq!(lines, ["CompileFlags:", r#"  Compiler: "/o p/\"c\"""#, r#"  Add: ["-DA=#1", "-isystem"]"#, r#"  Remove: ["-fsycl*"]"#]);
    }
}
