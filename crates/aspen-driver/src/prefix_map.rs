//! `-ffile-prefix-map=OLD=NEW` for what objects keep of a unit besides clang's own: places and names of kernels, and which unit it was.
//! Diagnostics of the compilation name files as they are.
//!
//! The last option that fits counts, and a prefix is one of the text, as in debug information (`__FILE__` has an order of its own). Source:
//! clang 22, `CGDebugInfo::remapDIPath`. Known limit: a folder with " at " in its name is not found in names of lambdas.

use aspen_analysis::Launch;
use aspen_analysis::summary::{Role, Summary};
use aspen_contract::Place;

use crate::args::Options;

const OPTION: &str = "-ffile-prefix-map=";

/// Beginnings of paths, and what stands for them; the first that fits counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PrefixMap(Vec<(String, String)>);

impl PrefixMap {
    /// What the command line says. Clang refuses an option without a second `=`.
    pub fn of(options: &Options) -> PrefixMap {
        let words = options.host_words();
        let pairs = words.iter().filter_map(|word| word.strip_prefix(OPTION)?.split_once('='));
        PrefixMap(pairs.map(|(old, new)| (old.to_owned(), new.to_owned())).rev().collect())
    }

    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A path as objects keep it.
    pub fn path(&self, path: &str) -> String {
        let mapped = self.0.iter().find_map(|(old, new)| path.strip_prefix(old.as_str()).map(|rest| format!("{new}{rest}")));
        mapped.unwrap_or_else(|| path.to_owned())
    }

    /// A name for people, as objects keep it: those of lambdas and of unnamed types say where they are (`lambda at FILE:3:9`).
    pub fn name(&self, name: &str) -> String {
        const AT: &str = " at ";
        let mut parts = name.split(AT);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out += AT;
            out += &self.path(part);
        }
        out
    }

    fn place(&self, place: &mut Option<Place>) {
        if let Some(place) = place {
            place.file = self.path(&place.file);
        }
    }

    /// A launch as objects keep it.
    pub fn launch(&self, launch: &Launch) -> Launch {
        let mut launch = launch.clone();
        launch.name = self.name(&launch.name);
        self.place(&mut launch.place);
        launch
    }

    /// A summary as objects keep it.
    pub fn summary(&self, summary: &Summary) -> Summary {
        let mut summary = summary.clone();
        if self.is_empty() {
            return summary;
        }
        for function in &mut summary.functions {
            function.name = self.name(&function.name);
            function.unit = self.path(&function.unit);
            if let Role::Kernel(kernel) = &mut function.role {
                kernel.name = self.name(&kernel.name);
            }
            self.place(&mut function.place);
            function.declared.iter_mut().for_each(|declared| self.place(&mut declared.place));
            function.uses.iter_mut().for_each(|used| self.place(&mut used.place));
            function.calls.iter_mut().for_each(|call| self.place(&mut call.place));
            function.indirect.iter_mut().for_each(|call| self.place(&mut call.place));
            function.reqd_work_group_size.iter_mut().for_each(|(_, place)| self.place(place));
            function.reqd_sub_group_size.iter_mut().for_each(|(_, place)| self.place(place));
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{self, Invocation};

    #[test]
    fn paths_and_names() {
        let words = ["-ffile-prefix-map=/a=x", "-ffile-prefix-map=/a/b=y", "-ffile-prefix-map=/c=", "-c", "p.cpp"];
        let Ok(Invocation::Run(options)) = args::parse(words.map(String::from).into()) else { panic!("a sound command line") };
        let map = PrefixMap::of(&options);
        for (path, mapped) in [("/a/p", "x/p"), ("/a/b/p", "y/p"), ("/c/p", "/p"), ("/d/a/p", "/d/a/p"), ("p", "p")] {
            assert_eq!(map.path(path), mapped);
        }
        assert_eq!(map.name("kernel<(lambda at /a/p:1:2), (lambda at /d/p:1:2)>"), "kernel<(lambda at x/p:1:2), (lambda at /d/p:1:2)>");
    }
}
