//! Command lines as data: what is understood, where each word goes, and what is refused with which words.

use super::*;

fn words(line: &str) -> Vec<String> {
    response::split(line)
}

fn options(line: &str) -> Options {
    match parse(words(line)) {
        Ok(Invocation::Run(options)) => *options,
        other => panic!("{line}: {other:?}"),
    }
}

fn refusal(line: &str) -> String {
    parse(words(line)).err().map_or_else(|| panic!("'{line}' is not refused"), |error| error.to_string())
}

#[test]
fn every_word_goes_where_it_belongs() {
    for (line, host, device, link) in [
        ("-O2 -DX=1 x.cpp", "-O2 -DX=1", "-DX=1", "-O2 -DX=1"),
        ("-D X -I inc x.cpp -isystem sys", "-D X -I inc -isystem sys", "-D X -I inc -isystem sys", "-D X -I inc -isystem sys"),
        ("x.cpp -lm -L. -Wl,-z,now -Xlinker -s", "", "", "-lm -L. -Wl,-z,now -Xlinker -s"),
        (
            "x.cpp -march=native -fsanitize=address -flto",
            "-march=native -fsanitize=address -flto",
            "",
            "-march=native -fsanitize=address -flto",
        ),
        ("x.cpp --coverage -fcf-protection=full -fprofile-generate", "--coverage -fcf-protection=full -fprofile-generate", "", ""),
        ("x.cpp -Werror -Wall -pedantic-errors", "-Werror -Wall -pedantic-errors", "-Wall", ""),
        ("x.cpp -Wno-sycl-aspects -Werror=sycl-external", "", "", ""),
        ("-Xarch_host -DH -Xarch_device -DD x.cpp", "-DH", "-DD", "-DH"),
        ("-g x.cpp", "-g", "-g", "-g"),
        ("-fno-builtin -fno-builtin-memcpy x.cpp", "-fno-builtin -fno-builtin-memcpy", "", "-fno-builtin -fno-builtin-memcpy"),
        ("-g0 x.cpp", "-g0", "", "-g0"),
        ("-std=c++20 -mllvm -x=y x.cpp", "-std=c++20 -mllvm -x=y", "-std=c++20 -mllvm -x=y", ""),
        ("-shared -fPIC x.cpp", "-fPIC", "", "-shared -fPIC"),
        ("-u sym -undef x.cpp", "-undef", "-undef", "-u sym -undef"),
        ("-fsycl -fsycl-targets=spir64 -j4 -v -save-temps x.cpp", "", "", ""),
        ("-Wp,-DX x.cpp", "-Wp,-DX", "", ""),
        ("-mfpmath=sse -mtls-dialect=gnu2 x.cpp", "-mfpmath=sse -mtls-dialect=gnu2", "", ""),
        // What is laid out in memory is laid out alike everywhere, or refused by the pass that cannot.
        ("-mlong-double-64 x.cpp", "-mlong-double-64", "-mlong-double-64", ""),
        (
            "-fzero-call-used-regs=used-gpr -fsplit-machine-functions x.cpp",
            "-fzero-call-used-regs=used-gpr -fsplit-machine-functions",
            "",
            "",
        ),
        ("-mms-bitfields -mllvm -x -m64 x.cpp", "-mms-bitfields -mllvm -x -m64", "-mms-bitfields -mllvm -x -m64", ""),
        (
            "--serialize-diagnostics x.dia -Xarch_x86_64 -DH x.cpp",
            "--serialize-diagnostics x.dia -Xarch_x86_64 -DH",
            "-Xarch_x86_64 -DH",
            "",
        ),
        ("--std c++20 --imacros f.h x.cpp", "-std=c++20 --imacros f.h", "-std=c++20 --imacros f.h", ""),
    ] {
        let options = options(line);
        assert_eq!(options.host_words(), words(host), "{line}: host");
        assert_eq!(options.device_words(), words(device), "{line}: device");
        if !link.is_empty() {
            assert_eq!(options.choose(|word| !matches!(word, Word::Device(_))), words(link), "{line}: link");
        }
    }
}

#[test]
fn inputs_and_their_kinds() {
    use InputKind::{HostSource, Linker, Sycl};
    for (line, kinds) in [
        ("x.cpp y.cc z.cxx w.C", &[Sycl, Sycl, Sycl, Sycl][..]),
        ("x.c y.s z.ll w.ii", &[Sycl, HostSource, HostSource, HostSource]),
        ("-x c x.c -x none y.c", &[HostSource, Sycl]),
        ("x.o liba.a libb.so.3 script", &[Linker, Linker, Linker, Linker]),
        ("-x c++ x.txt -x none y.o", &[Sycl, Linker]),
        ("-xc x.cpp", &[HostSource]),
        ("-x c++ -", &[Sycl]),
        ("-- -odd.cpp", &[Sycl]),
        ("-fsyntax-only x.hpp -x c++-header y -x c-header z", &[Sycl, Sycl, HostSource]),
        ("-E x.hpp", &[HostSource]),
    ] {
        assert_eq!(options(line).inputs.iter().map(|input| input.kind).collect::<Vec<_>>(), kinds, "{line}");
    }
    assert_eq!(options("-I x.cpp y.cpp").inputs.len(), 1, "the value of an option is no input");
}

#[test]
fn our_options() {
    let read =
        options("-fsycl-targets=native_cpu,spir64 -fsycl-device-code-split=off -fsycl-dialect=dpcpp -fno-sycl-requirement-sources x.cpp");
    assert_eq!(read.targets, Some(vec!["native_cpu".into(), "spir64".into()]));
    assert_eq!((read.code_split, read.dialect, read.requirement_sources), (CodeSplit::Off, Dialect::Dpcpp, false));
    for (mode, split) in [("per_kernel", CodeSplit::PerKernel), ("per_source", CodeSplit::PerSource), ("auto", CodeSplit::PerSource)] {
        assert_eq!(options(&format!("-fsycl-device-code-split={mode} x.cpp")).code_split, split);
    }
    let read = options("-fsycl-device-only -S -emit-llvm x.cpp -o -");
    assert_eq!((read.side, read.stage, read.emit_llvm, read.output.as_deref()), (Side::Device, Stage::Assembly, true, Some("-")));
    let read = options("-c -MMD -MF x.d -MT t -MP x.cpp -ox.o -j 3 -fdiagnostics-format=sarif -fno-diagnostics-color");
    let depfile =
        Depfile { user_headers_only: true, alone: false, file: Some("x.d".into()), targets: vec![("-MT", "t".into())], phony: true };
    assert_eq!((read.depfile, read.output.as_deref(), read.jobs.map(NonZeroUsize::get)), (Some(depfile), Some("x.o"), Some(3)));
    assert_eq!((read.look.format, read.look.color, read.stage), (Format::Sarif, Some(false), Stage::Object));
    let read = options("-Xs '-device skl' -Xsycl-target-backend=spir64_gen -x x.cpp -save-temps=keep -shared");
    assert_eq!(read.backend_options, [(None, "-device skl".into()), (Some("spir64_gen".into()), "-x".into())]);
    assert_eq!((read.save_temps, read.shared), (Some("keep".into()), true));
}

/// Embree gives it so to DPC++.
#[test]
fn options_of_dpcpps_compiler_proper() {
    assert_eq!(options("-Xclang -fsycl-allow-func-ptr x.cpp").words, options("-fsycl-allow-func-ptr x.cpp").words);
    assert_eq!(options("-Xclang -fsycl-is-device x.cpp").words[0], Word::All(vec!["-Xclang".into(), "-fsycl-is-device".into()]));
}

#[test]
fn triples_are_names() {
    let nothing: &[(Option<&str>, &str)] = &[];
    for (line, targets, words) in [
        ("-fsycl-targets=spir64-unknown-unknown,native_cpu", "spir64,native_cpu", nothing),
        ("-fsycl-targets=spir64-unknown-unknown-sycldevice", "spir64", nothing),
        ("-fsycl-targets=nvptx64-nvidia-cuda", "nvidia_gpu_sm_75", nothing),
        ("-fsycl-targets=spirv64,nvptx64-nvidia-cuda -Xsycl-target-backend --cuda-gpu-arch=sm_80", "spir64,nvidia_gpu_sm_80", nothing),
        (
            "-fsycl-targets=nvptx64-nvidia-cuda -Xsycl-target-backend=nvptx64-nvidia-cuda '--offload-arch=sm_80 --offload-arch=sm_90 -v'",
            "nvidia_gpu_sm_80,nvidia_gpu_sm_90",
            &[(Some("nvidia_gpu_sm_80"), "-v"), (Some("nvidia_gpu_sm_90"), "-v")],
        ),
        ("-fsycl-targets=amdgcn-amd-amdhsa -Xsycl-target-backend=amdgcn-amd-amdhsa --offload-arch=gfx90a", "amd_gpu_gfx90a", nothing),
        (
            "-fsycl-targets=amdgcn-amd-amdhsa,nvptx64-nvidia-cuda,native_cpu -Xsycl-target-backend=amdgcn-amd-amdhsa \
             '--offload-arch=gfx1100 --offload-arch=gfx906 -O3' -Xsycl-target-backend=nvptx64-nvidia-cuda --offload-arch=sm_90",
            "amd_gpu_gfx1100,amd_gpu_gfx906,nvidia_gpu_sm_90,native_cpu",
            &[(Some("amd_gpu_gfx1100"), "-O3"), (Some("amd_gpu_gfx906"), "-O3")],
        ),
        ("-fsycl-targets=spir64_x86_64 -Xsycl-target-backend=spir64_x86_64 -march=avx2", "spir64_x86_64,x86_64_v3", nothing),
        ("-fsycl-targets=spir64_gen -Xs '-device pvc' -Xsv", "spir64_gen", &[(None, "-device pvc"), (None, "-v")]),
        ("-Xsycl-target-backend=nvptx64-nvidia-cuda --cuda-gpu-arch=sm_80", "", nothing),
    ] {
        let read = options(&format!("{line} x.cpp"));
        assert_eq!(read.targets.unwrap_or_default().join(","), targets, "{line}");
        let given: Vec<(Option<&str>, &str)> = read.backend_options.iter().map(|(name, words)| (name.as_deref(), words.as_str())).collect();
        assert_eq!(given, words, "{line}");
    }
    for (line, needle) in [
        ("-fsycl-targets=amdgcn-amd-amdhsa", "'-fsycl-targets': 'amdgcn-amd-amdhsa' needs to know for which processor"),
        ("-fsycl-targets=spir64_fpga", "no target for FPGAs"),
    ] {
        let text = refusal(&format!("{line} x.cpp"));
        assert!(text.contains(needle), "{line}: {text}");
    }
}

#[test]
fn levels() {
    for (line, level, debug) in [
        ("x.cpp", None, false),
        ("-O3 -O0 x.cpp", Some("0"), false),
        ("-O -g x.cpp", Some(""), true),
        ("-Ofast -g -g0 x.cpp", Some("fast"), false),
        ("-g1 x.cpp", None, false),
        ("-gdwarf-4 x.cpp", None, true),
        ("-gz x.cpp", None, false),
    ] {
        let options = options(line);
        assert_eq!((options.optimisation.as_deref(), options.debug), (level, debug), "{line}");
    }
}

#[test]
fn questions() {
    assert_eq!(parse(words("--help x.cpp")).ok(), Some(Invocation::Help));
    assert_eq!(parse(words("--version")).ok(), Some(Invocation::Version));
    assert_eq!(parse(words("-v")).ok(), Some(Invocation::AskClang(vec!["-v".into()])));
    assert!(matches!(parse(words("-v -lx")), Ok(Invocation::Run(_))));
    for line in ["-Wl,--version -lx", "-Wl,--version", "-Wl,-v"] {
        assert!(matches!(parse(words(line)), Ok(Invocation::AskClang(_))), "{line}");
    }
    assert_eq!(parse(words("-print-resource-dir")).ok(), Some(Invocation::AskClang(vec!["-print-resource-dir".into()])));
}

#[test]
fn refusals() {
    for (line, needles) in [
        ("", &["no input files"][..]),
        ("-O2", &["no input files"]),
        ("-fsycl-no-such-thing x.cpp", &["-fsycl-no-such-thing", "did you mean"]),
        ("-fsycl-target=spir64 x.cpp", &["did you mean '-fsycl-targets'"]),
        ("-fsycl-device-code-split=bogus x.cpp", &["'bogus'", "per_kernel"]),
        ("-fsycl-dialect=klingon x.cpp", &["'klingon'", "'seed', 'dpcpp'"]),
        ("-fsycl-optional-features=maybe x.cpp", &["'maybe'"]),
        ("-fsycl-targets x.cpp", &["needs a value"]),
        ("-fsycl-targets=spir64,, x.cpp", &["empty name"]),
        ("-fsycl-device-only=1 x.cpp", &["takes no value"]),
        ("-fdiagnostics-format=xml x.cpp", &["'xml'", "sarif"]),
        ("-fdiagnostics-color=blue x.cpp", &["'blue'"]),
        ("-j 0 x.cpp", &["'-j 0'"]),
        ("-jx x.cpp", &["'-j x'"]),
        ("x.cpp -o", &["'-o' needs a value"]),
        ("x.cpp -D", &["'-D' needs a value"]),
        ("-c x.cpp y.cpp -o z.o", &["'-o'", "several output files"]),
        ("-c x.o", &["no source files", "'x.o'"]),
        ("-save-temps= x.cpp", &["folder"]),
        ("--analyze x.cpp", &["'--analyze'", "clang++-22 --analyze"]),
        ("-emit-llvm x.cpp", &["'-emit-llvm' cannot be used when linking"]),
        ("-emit-ast x.cpp", &["'-emit-ast'"]),
        ("-fsyntax-only -Xclang -ast-dump x.cpp", &["run clang++-22 -Xclang -ast-dump with"]),
        ("-Xclang -ast-dump=json x.cpp", &["-ast-dump=json"]),
        ("-c -Xclang -ast-dump-lookups x.cpp", &["-ast-dump-lookups"]),
    ] {
        let text = refusal(line);
        assert!(needles.iter().all(|needle| text.contains(needle)), "{line}: {text}");
    }
}

#[test]
fn names_that_look_like_options() {
    let read = options("-c -- -x.cpp");
    assert_eq!((read.inputs[0].path.as_str(), read.inputs[0].kind), ("./-x.cpp", InputKind::Sycl));
}

#[test]
fn response_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("words");
    std::fs::write(&file, "-O2 -DA='b c'\nx.cpp").expect("writable");
    let expand = || response::expand(vec![format!("@{}", file.display())]);
    let read = parse(expand().expect("readable"));
    let Ok(Invocation::Run(read)) = read else { panic!("{read:?}") };
    assert_eq!((read.host_words(), read.inputs[0].path.as_str()), (vec!["-O2".into(), "-DA=b c".into()], "x.cpp"));
    std::fs::write(&file, "\u{feff}-c x.cpp").expect("writable");
    assert_eq!(expand().expect("readable"), ["-c", "x.cpp"]);
    std::fs::write(&file, format!("@{}", file.display())).expect("writable");
    let error = expand().expect_err("a cycle");
    assert!(error.to_string().contains("includes itself"), "{error}");
}

#[test]
fn sycl_has_a_standard_of_its_own() {
    for (line, standard, said) in [
        ("-fsycl -std=c++14 x.cpp", "-std=c++17", true),
        ("-std=gnu++11 x.cpp -fsycl", "-std=gnu++17", true),
        ("-fsycl -std=c++17 x.cpp", "-std=c++17", false),
        ("-fsycl -std=c++2b x.cpp", "-std=c++2b", false),
        ("-fsycl -std=c11 x.cpp", "-std=c11", false),
        ("-std=c++14 x.cpp", "-std=c++14", false),
        ("-fsycl -std=c++14 -w x.cpp -w", "-std=c++17", false),
    ] {
        let options = options(line);
        for words in [options.host_words(), options.device_words()] {
            assert!(words.contains(&standard.to_owned()), "{line}: {words:?}");
        }
        assert_eq!(options.notes.iter().any(|note| note.contains("is taken for")), said, "{line}: {:?}", options.notes);
    }
}

/// clang's own table of options is part of libclang's headers, against which the plugin is built.
#[test]
fn values_are_no_inputs() {
    let asked = std::process::Command::new("llvm-config-22").arg("--includedir").output().expect("llvm-config-22");
    let folder = String::from_utf8(asked.stdout).expect("a path");
    let table = std::fs::read_to_string(format!("{}/clang/Options/Options.inc", folder.trim())).expect("clang's table");
    let mut count = 0;
    for row in table.lines().filter_map(|line| line.strip_prefix("OPTION(")) {
        let fields: Vec<&str> = row.split(", ").collect();
        let name = row.split("/* ").nth(1).and_then(|rest| rest.split(" */").next()).unwrap_or_default();
        let takes_next = matches!(fields.get(3), Some(&("Separate" | "JoinedOrSeparate")));
        if !takes_next || !name.starts_with('-') || !row.contains("DefaultVis") {
            continue;
        }
        // Prefixes by their number: 3 is one dash or two.
        for name in [name.to_owned(), format!("-{name}")].iter().take(if fields[0] == "3" { 2 } else { 1 }) {
            count += 1;
            let words = vec![name.clone(), "value.cpp".to_owned(), "x.cpp".to_owned()];
            if let Ok(Invocation::Run(read)) = parse(words) {
                assert!(read.inputs.iter().all(|input| input.path != "value.cpp"), "the value of '{name}' is read as an input");
            }
        }
    }
    assert!(count > 150, "{count} options");
}
