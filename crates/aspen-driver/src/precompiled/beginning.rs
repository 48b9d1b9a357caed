//! How a source begins: whether SYCL's header may as well be the first thing that it reads.

/// What comes before the header, and where it is included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beginning {
    /// The line of the `#include`, from 1.
    pub line: usize,
    /// Macros that are defined or undefined before.
    pub macros: Vec<String>,
}

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

/// The beginning of a source that includes SYCL's header before anything but comments, macros and headers that do not mind. `None` where
/// something else comes first, or the header does not come.
pub fn of(source: &str) -> Option<Beginning> {
    let mut macros = Vec::new();
    let mut in_comment = false;
    for (index, line) in source.strip_prefix('\u{feff}').unwrap_or(source).lines().enumerate() {
        // Lines that go on, or that are several to clang, and quotes, in which a comment may only seem to begin.
        if line.trim_end().ends_with('\\') || line.contains('\r') {
            return None;
        }
        let code = without_comments(line, &mut in_comment);
        let code = code.trim();
        if code.is_empty() {
            continue;
        }
        // A line that is no directive might be anything.
        let directive = code.strip_prefix('#').filter(|_| !in_comment && !line.contains(['"', '\'']))?.trim_start();
        if let Some(header) = directive.strip_prefix("include") {
            let (header, rest) = header.trim_start().strip_prefix('<')?.split_once('>')?;
            match header {
                _ if !rest.trim().is_empty() => return None,
                "sycl/sycl.hpp" | "CL/sycl.hpp" => return Some(Beginning { line: index + 1, macros }),
                _ if !INDIFFERENT.split_ascii_whitespace().any(|known| known == header) => return None,
                _ => {}
            }
        } else {
            let word = directive.strip_prefix("define").or_else(|| directive.strip_prefix("undef"))?;
            let name = word.strip_prefix([' ', '\t'])?.trim_start();
            let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
            macros.push(name[..end].to_owned());
        }
    }
    None
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

    /// `expected`: the line of the include and the macros before it.
    fn check(source: &str, expected: Option<(usize, &[&str])>) {
        let found = of(source);
        let found = found.as_ref().map(|found| (found.line, found.macros.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!(found, expected.map(|(line, macros)| (line, macros.to_vec())), "{source}");
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
