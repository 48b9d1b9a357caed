//! How a source begins: whether SYCL's header may as well be the first thing that it reads.

/// What comes before the header, and where it is included.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Beginning {
    /// File and line of each `#include` on the way, from 1: the source's, that of its own header in which the next one stands, …, SYCL's.
    pub includes: Vec<(String, usize)>,
    /// Macros that are defined or undefined before.
    pub macros: Vec<String>,
    /// Those of them that guard own headers against a second inclusion; whoever defines one beforehand leaves such a header out.
    pub guards: Vec<String>,
}

/// A file by its name as clang spells it, and its text.
pub type Own = (String, String);

/// How deep own headers may include each other.
const DEEP: usize = 16;

/// SYCL's header.
const SYCL: [&str; 2] = ["sycl/sycl.hpp", "CL/sycl.hpp"];

/// Headers of C and C++, and a few of POSIX's: they neither ask for macros of SYCL's header nor make any that it asks for. Source: C++23
/// [headers], [support.c.headers].
pub const INDIFFERENT: &str = "algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes \
    climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio \
    cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream functional future \
    initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex new numbers \
    numeric optional ostream queue random ranges ratio scoped_allocator semaphore set shared_mutex source_location span sstream \
    stack stdexcept stop_token streambuf string string_view syncstream system_error thread tuple type_traits typeindex typeinfo \
    unordered_map unordered_set utility valarray variant vector version assert.h ctype.h errno.h fenv.h float.h inttypes.h limits.h \
    locale.h math.h setjmp.h signal.h stdalign.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h time.h wchar.h \
    alloca.h dirent.h dlfcn.h fcntl.h getopt.h libgen.h malloc.h memory.h omp.h pthread.h sched.h sys/mman.h sys/resource.h sys/stat.h sys/time.h \
    sys/times.h sys/types.h sys/wait.h unistd.h";

/// The beginning of a source that includes SYCL's header before anything but comments, macros and headers that do not mind, itself or in
/// its own first header. `None` where something else comes first, or the header does not come. `open`: what a file of that name means by a
/// quoted name, if it is known.
pub fn of(path: &str, source: &str, open: &dyn Fn(&str, &str) -> Option<Own>) -> Option<Beginning> {
    let mut found = Beginning::default();
    read(path, source, open, &mut found).then_some(found)
}

/// Around what a header says, so that it says it once.
#[derive(PartialEq)]
enum Guard {
    /// It may come yet: nothing else has.
    Open,
    /// `#ifndef` of this name: what follows defines it.
    Asked(String),
    /// It is there, or none comes.
    Passed,
}

/// Whether SYCL's header comes, and nothing before it that minds or might.
fn read(path: &str, source: &str, open: &dyn Fn(&str, &str) -> Option<Own>, found: &mut Beginning) -> bool {
    let is_header = !found.includes.is_empty();
    let mut guard = if is_header { Guard::Open } else { Guard::Passed };
    let mut in_comment = false;
    for (index, line) in source.strip_prefix('\u{feff}').unwrap_or(source).lines().enumerate() {
        // Lines that go on, or that are several to clang.
        if line.trim_end().ends_with('\\') || line.contains('\r') {
            return false;
        }
        let code = without_comments(line, &mut in_comment);
        let code = code.trim();
        if code.is_empty() {
            continue;
        }
        // A line that is no directive might be anything, and in quotes a comment may only seem to begin.
        let quotes = line.matches(['"', '\'']).count();
        let Some(directive) = code.strip_prefix('#').filter(|_| !in_comment).map(str::trim_start) else { return false };
        let (kind, rest) = directive.split_at(directive.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(directive.len()));
        let rest = rest.trim_start();
        match (kind, &guard) {
            ("include", Guard::Open | Guard::Passed) if quotes == 2 => {
                let Some(name) = quoted(rest).filter(|_| found.includes.len() < DEEP) else { return false };
                let own = open(path, name);
                found.includes.push((path.to_owned(), index + 1));
                return match own {
                    // What was read may say nothing the second time.
                    Some((file, text)) => found.includes.iter().all(|(own, _)| *own != file) && read(&file, &text, open, found),
                    None => SYCL.contains(&name),
                };
            }
            _ if quotes > 0 => return false,
            ("include", Guard::Open | Guard::Passed) => {
                match rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
                    Some((header, "")) if SYCL.contains(&header) => {
                        found.includes.push((path.to_owned(), index + 1));
                        return true;
                    }
                    Some((header, "")) if INDIFFERENT.split_ascii_whitespace().any(|known| known == header) => {}
                    _ => return false,
                }
                guard = Guard::Passed;
            }
            ("pragma", Guard::Open | Guard::Passed) if is_header && rest == "once" => {}
            ("ifndef", Guard::Open) if !found.macros.iter().any(|own| own == rest) => guard = Guard::Asked(rest.to_owned()),
            ("define" | "undef", _) => {
                let name = &rest[..rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())];
                if let Guard::Asked(asked) = &guard {
                    if kind != "define" || asked != name {
                        return false;
                    }
                    found.guards.push(name.to_owned());
                }
                found.macros.push(name.to_owned());
                guard = Guard::Passed;
            }
            _ => return false,
        }
    }
    false
}

/// The name in quotes, and nothing else.
fn quoted(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('"')?.strip_suffix('"')
}

/// What of a line is not in comments; each of them is a blank. Lines with quotes are accepted as comments only.
fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some((_, behind)) = rest.split_once("*/") else { return out };
            (*in_comment, rest) = (false, behind);
            out.push(' ');
        }
        match (rest.find("/*"), rest.find("//")) {
            (Some(block), line) if line.is_none_or(|line| block < line) => {
                out += &rest[..block];
                (*in_comment, rest) = (true, &rest[block + 2..]);
            }
            (_, Some(line)) => return out + &rest[..line],
            _ => return out + rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    /// All includes, and the macros before them.
    type Expected<'e> = Option<(Vec<(&'e str, usize)>, &'e [&'e str])>;

    /// `expected`: the line of the include and the macros before it.
    fn check(source: &str, expected: Option<(usize, &[&str])>) {
        check_with(&[], source, expected.map(|(line, macros)| (vec![("a.cpp", line)], macros)));
    }

    /// With own headers, by their names.
    #[track_caller]
    fn check_with(own: &[(&str, &str)], source: &str, expected: Expected<'_>) {
        let open = |_: &str, name: &str| own.iter().find(|(own, _)| *own == name).map(|(own, text)| (own.to_string(), text.to_string()));
        let found = of("a.cpp", source, &open);
        let found = found.as_ref().map(|found| {
            let includes: Vec<_> = found.includes.iter().map(|(file, line)| (file.as_str(), *line)).collect();
            (includes, found.macros.iter().map(String::as_str).collect::<Vec<_>>())
        });
        assert_eq!(found, expected.map(|(includes, macros)| (includes, macros.to_vec())), "{source}");
    }

    #[test]
    fn own_headers() {
        let once = "// own\n#pragma once\n#include <vector>\n#include <sycl/sycl.hpp>\nint x;\n";
        let guarded = "#ifndef OWN_H\n#define OWN_H 1\n\n#include \"once.h\" // first\n#endif\n";
        let own = [
            ("once.h", once),
            ("guarded.h", guarded),
            ("plain.h", "#include <sycl/sycl.hpp>\n"),
            ("other.h", "#pragma once\nint y;\n"),
            ("nothing.h", "#pragma once\n"),
            ("unguarded.h", "#ifndef A\n#include <sycl/sycl.hpp>\n#endif\n"),
            ("misguarded.h", "#ifndef A\n#define B\n#include <sycl/sycl.hpp>\n#endif\n"),
            ("late.h", "#define B\n#ifndef A\n#define A\n#include <sycl/sycl.hpp>\n#endif\n"),
            ("itself.h", "#include \"itself.h\"\n"),
            ("round.h", "#include \"about.h\"\n"),
            ("about.h", "#include \"round.h\"\n"),
        ];
        let check = |source: &str, expected: Expected<'_>| check_with(&own, source, expected);
        check("#include \"plain.h\"", Some((vec![("a.cpp", 1), ("plain.h", 1)], &[])));
        check("#include <cmath>\n#define N\n#include \"once.h\"\nint z;", Some((vec![("a.cpp", 3), ("once.h", 4)], &["N"])));
        check("# include \"guarded.h\"", Some((vec![("a.cpp", 1), ("guarded.h", 4), ("once.h", 4)], &["OWN_H"])));
        check("#define OWN_H\n#include \"guarded.h\"", None);
        for none in ["other", "nothing", "unguarded", "misguarded", "late", "itself", "round", "missing"] {
            check(&format!("#include \"{none}.h\"\n#include <sycl/sycl.hpp>"), None);
        }
        check("#include \"sycl/sycl.hpp\"", Some((vec![("a.cpp", 1)], &[])));
        check("#include \"plain.h\" int", None);
        check("#include \"plain.h\" \"", None);
        check("#include \"plain//.h\"", None);
        check("#include 'plain.h'", None);
    }

    #[test]
    fn beginnings() {
        check("#include <sycl/sycl.hpp>\nint x;", Some((1, &[])));
        check("// a\n/* b\n#if c */\n\n# include <CL/sycl.hpp> // d", Some((5, &[])));
        check("\u{feff}#include <vector>\n#include<stdio.h>\n#include <sycl/sycl.hpp>", Some((3, &[])));
        check("#define N 4\n#undef M\n#define F(x) x\n#include <sycl/sycl.hpp>", Some((4, &["N", "M", "F"])));
        check("#define S \"/*\"\n#include <sycl/sycl.hpp>\n*/", None);
        check("#define S \"//\" /*\n#include <sycl/sycl.hpp>\n*/", None);
        check("// a \\\n#include <sycl/sycl.hpp>", None);
        check("// it's\n#include <sycl/sycl.hpp>\r\n", Some((2, &[])));
        check("// a\rint x;\n#include <sycl/sycl.hpp>", None);
        check("#define S \\\n4\n#include <sycl/sycl.hpp>", None);
        check("/* a */ int x;\n#include <sycl/sycl.hpp>", None);
        check("#include \"own.h\"\n#include <sycl/sycl.hpp>", None);
        check("#include <boost/any.hpp>\n#include <sycl/sycl.hpp>", None);
        check("#ifdef A\n#include <sycl/sycl.hpp>\n#endif", None);
        check("#pragma once\n#include <sycl/sycl.hpp>", None);
        check("#include <sycl/sycl.hpp> int", None);
        check("#includefoo <sycl/sycl.hpp>", None);
        check("#definefoo\n#include <sycl/sycl.hpp>", None);
        check("#include <vector>\n", None);
        check("", None);
    }
}
