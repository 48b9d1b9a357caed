//! What an editor's clang is told, so that it reads SYCL without our plugin.
//!
//! Source: issue 18, "Editors"; clangd's configuration, `CompileFlags`.

use std::path::{Path, PathBuf};

use crate::args::known::{self, Takes};
use crate::error::Error;
use crate::passes::PREDEFINED;
use crate::toolchain::Toolchain;

/// Beside a program's own command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForEditors {
    /// The clang that stands in for `aspen++`.
    pub compiler: PathBuf,
    /// Words to add.
    pub add: Vec<String>,
    /// Words to take away, since clang does not know them or does other things by them; `*` at the end stands for anything.
    pub remove: Vec<String>,
}

/// By where this installation lies. `executable` is a program of it.
///
/// # Errors
/// If a part of the installation, or clang, is missing.
pub fn for_editors(executable: &Path) -> Result<ForEditors, Error> {
    let toolchain = Toolchain::find(executable)?;
    // The header does without what the plugin puts into it, and objects that are made so link to nothing.
    let mut add = vec!["-D__ASPEN_EDITOR__=1".to_owned()];
    add.extend(PREDEFINED.iter().map(|text| format!("-D{text}")));
    add.extend(["-isystem".to_owned(), toolchain.include.display().to_string()]);
    // The host pass, without the passes that clang's own '-fsycl' would add; attributes of SYCL are the plugin's.
    add.extend(["-Xclang", "-fsycl-is-host", "-Xclang", "-sycl-std=2020", "-Wno-unknown-attributes"].map(str::to_owned));
    let own = [
        "-fsycl*",
        "-fno-sycl*",
        "-Xsycl-target*",
        "-Xs*",
        "-Rpass-missed=aspen-items",
        "-Wsycl-*",
        "-Wno-sycl-*",
        "-Werror=sycl-*",
        "-Wno-error=sycl-*",
    ];
    let mut remove: Vec<String> = own.map(str::to_owned).into();
    // Those of DPC++ and Intel's compiler, too: clang calls them unknown, or, as '-xHost', another language.
    for known in known::OPTIONS {
        let joined = !matches!(known.takes, Takes::Nothing | Takes::Word);
        let word = format!("{}{}", known.name, if joined { "*" } else { "" });
        if !remove.iter().any(|removed| removed.strip_suffix('*').map_or(*removed == word, |start| word.starts_with(start))) {
            remove.push(word);
        }
    }
    Ok(ForEditors { compiler: toolchain.clang, add, remove })
}
