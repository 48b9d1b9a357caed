//! Images of both kinds, as their consumers see them. Its own `main`: code generation needs a process with one thread.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::ffi::{CStr, CString};
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use aspen_codegen::{Cache, Gen, Image, ImageInput, NativeCpu, SpirV, generate_images};
use aspen_contract::Capabilities;
use aspen_image::ImageKind;
use aspen_llvm::Context;

const SPIRV: &str = r#"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
declare spir_func i32 @elsewhere(i32)
declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
define spir_kernel void @k(ptr addrspace(1) %p) {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %q = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %i
  store i32 1, ptr addrspace(1) %q, align 4
  ret void }
define weak_odr spir_func i32 @exported(i32 %x) { %y = call spir_func i32 @elsewhere(i32 %x)
  ret i32 %y }
"#;

const X86: &str = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@shared = linkonce_odr thread_local global i32 0
declare double @pow(double, double)
define linkonce_odr i32 @next() { %x = load i32, ptr @shared
  %y = add i32 %x, 1
  store i32 %y, ptr @shared
  ret i32 %y }
define weak_odr i32 @"_ZTS1K.aspen_0123456789abcdef"(double %x) { %y = call i32 @next()
  %p = call double @pow(double %x, double %x)
  %i = fptosi double %p to i32
  %z = add i32 %i, %y
  ret i32 %z }
"#;

const KERNEL: &str = "_ZTS1K.aspen_0123456789abcdef";

fn input(name: &str, ir: &str, entries: &[&str]) -> ImageInput {
    let context = Context::new();
    let module = context.parse(name, ir.as_bytes()).unwrap();
    let bitcode = module.clone_closure(entries).unwrap().to_bitcode();
    ImageInput {
        name: name.into(),
        bitcode,
        more: Vec::new(),
        entries: entries.iter().map(ToString::to_string).collect(),
        opt_level: 2,
        debug: false,
        work_group: None,
        sub_group: None,
        conditions: None,
    }
}

fn two() -> NonZeroUsize {
    NonZeroUsize::new(2).unwrap()
}

fn spirv_images_list_their_imports() {
    let inputs = vec![input("a_0", SPIRV, &["k"]), input("a_1", SPIRV, &["exported", "k"]), input("a_0", SPIRV, &["k"])];
    let images: Vec<_> = generate_images(&SpirV, inputs, two()).into_iter().map(Result::unwrap).collect();
    for image in &images {
        assert!(image.kind == ImageKind::SpirV && image.bytes.starts_with(&[3, 2, 0x23, 7]) && image.messages.is_empty());
    }
    assert_eq!(images.iter().map(|image| image.imports.join(" ")).collect::<Vec<_>>(), ["", "elsewhere", ""]);
    assert_eq!(images[0], images[2]);
}

/// Loads an image and calls its kernel twice.
fn call_twice(image: &[u8], folder: &Path, name: &str) -> [i32; 2] {
    call_each(image, folder, name, [KERNEL, KERNEL])
}

/// Loads an image and calls two of its kernels.
fn call_each(image: &[u8], folder: &Path, name: &str, kernels: [&str; 2]) -> [i32; 2] {
    let path = folder.join(name);
    std::fs::write(&path, image).unwrap();
    let path = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: a shared object that this test made; the kernel has that type.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
        assert!(!library.is_null(), "{}", CStr::from_ptr(libc::dlerror()).to_string_lossy());
        for hidden in [c"next", c"shared"] {
            assert!(libc::dlsym(library, hidden.as_ptr()).is_null(), "{hidden:?} must not be exported");
        }
        kernels.map(|name| {
            let kernel = libc::dlsym(library, CString::new(name).unwrap().as_ptr());
            assert!(!kernel.is_null());
            let kernel: extern "C" fn(f64) -> i32 = std::mem::transmute(kernel);
            kernel(2.0)
        })
    }
}

fn native_images_load_and_share_nothing() {
    let images = |jobs| generate_images(&NativeCpu::default(), vec![input("n_0", X86, &[KERNEL]), input("n_1", X86, &[KERNEL])], jobs);
    let images: Vec<_> = images(two()).into_iter().zip(images(NonZeroUsize::MIN)).map(|(a, b)| (a.unwrap(), b.unwrap())).collect();
    let folder = tempfile::tempdir().unwrap();
    for (index, (image, again)) in images.iter().enumerate() {
        assert_eq!(image, again, "the number of jobs does not change the bytes");
        assert_eq!((image.kind, &image.imports, &*image.messages), (ImageKind::Object, &vec![], ""));
        // pow(2, 2) + 1, + 2: the counter starts anew in each image.
        assert_eq!(call_twice(&image.bytes, folder.path(), &format!("{index}.so")), [5, 6]);
    }
}

/// Two parts have a variable in common, under a name or none, and each its copy of a function and a constant.
fn parts_of_an_image_share_what_changes() {
    const OTHER: &str = "_ZTS1L.aspen_0123456789abcdef";
    let body = X86.split_once("define weak_odr i32 @").map(|(_, kernel)| kernel.split_once('(').unwrap().1).unwrap();
    for ir in [X86.to_owned(), X86.replace("@shared", "@0").replace("linkonce_odr thread_local", "internal thread_local")] {
        let ir = format!("{ir}\ndefine weak_odr i32 @\"{OTHER}\"({body}");
        let context = Context::new();
        let whole = context.parse("whole", ir.as_bytes()).unwrap();
        let mut closure = whole.clone_closure(&[KERNEL, OTHER]).unwrap();
        assert!(closure.parts(&[vec![KERNEL, OTHER]], 1, 1000).unwrap().is_empty(), "it is small");
        let parts = closure.parts(&[vec![KERNEL, OTHER]], 1, 1).unwrap();
        assert_eq!(parts.len(), 2);
        let mut made = input("p_0", &ir, &[KERNEL, OTHER]);
        (made.bitcode, made.more) = (parts[0].to_bitcode(), vec![parts[1].to_bitcode()]);
        let mut results =
            [two(), NonZeroUsize::MIN].map(|jobs| generate_images(&NativeCpu::default(), vec![made.clone()], jobs).remove(0).unwrap());
        assert_eq!(results[0], results[1], "the number of jobs does not change the bytes");
        assert!(results[0].commands[0].contains(" image0.o image0.1.o "), "{:?}", results[0].commands);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(call_each(&std::mem::take(&mut results[0].bytes), folder.path(), "parts.so", [KERNEL, OTHER]), [5, 6]);
    }
}

fn errors_name_the_image_and_the_command() {
    let unresolved = X86.replace("@pow(", "@not_there(");
    let inputs = vec![input("n_0", &unresolved, &[KERNEL]), input("n_1", SPIRV, &["k"]), input("n_2", X86, &[KERNEL])];
    let results = generate_images(&NativeCpu::default(), inputs, two());
    let errors: Vec<String> = results.iter().map(|result| result.as_ref().map_or_else(ToString::to_string, |_| "ok".into())).collect();
    assert!(errors[0].starts_with("cannot make image 'n_0': clang++-22 -shared -fPIC image0.o"), "{}", errors[0]);
    assert!(errors[0].contains("undefined reference to `not_there'") || errors[0].contains("undefined symbol: not_there"), "{}", errors[0]);
    assert_eq!(errors[1], "cannot generate code for image 'n_1': the module is for 'spirv64-unknown-unknown', not for x86_64");
    assert_eq!(errors[2], "ok");
    let missing = NativeCpu { compiler: "no-such-clang".into() };
    let error = generate_images(&missing, vec![input("n_0", X86, &[KERNEL])], two()).remove(0).unwrap_err().to_string();
    assert!(error.starts_with("cannot make image 'n_0': cannot run 'no-such-clang' (the Debian package clang-22 brings it): "), "{error}");
}

const DOUBLE: &str = r#"
target triple = "spirv64-unknown-unknown"
define spir_kernel void @d(ptr addrspace(1) %p, double %x) { %y = fdiv double %x, 3.0
  store double %y, ptr addrspace(1) %p, align 8
  ret void }
"#;

/// The real ocloc: dg1 has no fp64, skl has.
fn gen_binaries() {
    let make = |device: &str| {
        let target = Gen {
            compiler: "ocloc".into(),
            options: vec!["-device".into(), device.into()],
            limit: Gen::LIMIT,
            cache: None,
            device: Capabilities::default(),
            elsewhere: false,
        };
        generate_images(&target, vec![input("g_0", SPIRV, &["k"]), input("g_1", DOUBLE, &["d"])], two())
    };
    let skl: Vec<_> = make("skl").into_iter().map(Result::unwrap).collect();
    for image in &skl {
        // EM_INTELGT; ocloc 22.43 leaves the machine out.
        assert!(image.kind == ImageKind::Object && image.bytes.starts_with(b"\x7fELF") && image.messages.is_empty(), "{}", image.messages);
    }
    assert_eq!(skl[0], make("skl").swap_remove(0).unwrap());
    let mut dg1 = make("dg1").into_iter();
    assert!(dg1.next().unwrap().is_ok());
    let error = dg1.next().unwrap().unwrap_err().to_string();
    assert!(error.starts_with("cannot make image 'g_1': ocloc compile -spirv_input -file image1.spv -device dg1 -output "), "{error}");
    assert_eq!(error.matches("Double type is not supported on this platform.").count(), 1, "{error}");
    let error = make("zz9").swap_remove(0).unwrap_err().to_string();
    assert!(error.contains("Cannot get HW Info for device zz9."), "{error}");
}

/// Compilers that fail in all the ways that a compiler can.
fn bad_ahead_of_time_compilers() {
    let folder = tempfile::tempdir().unwrap();
    let error = |script: &str| {
        let compiler = folder.path().join("cc");
        std::fs::write(&compiler, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
        let target = Gen {
            compiler,
            options: Vec::new(),
            limit: Duration::from_millis(500),
            cache: None,
            device: Capabilities::default(),
            elsewhere: false,
        };
        let result = generate_images(&target, vec![input("g_0", SPIRV, &["k"])], two()).remove(0);
        let text = result.unwrap_err().to_string();
        text.lines().skip(1).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(error("echo no; echo no >&2; exit 3"), "no\nit ended with exit status: 3");
    assert_eq!(error("kill -SEGV $$"), "it ended with signal: 11 (SIGSEGV)");
    assert_eq!(error("exec sleep 30"), "it did not end within 0.5 seconds and was stopped");
    assert_eq!(error("echo fine"), "fine\nit wrote no image");
    assert_eq!(error(": > image0.gen"), "it wrote an empty image");
    let missing = Gen {
        compiler: "no-such-ocloc".into(),
        options: Vec::new(),
        limit: Gen::LIMIT,
        cache: None,
        device: Capabilities::default(),
        elsewhere: false,
    };
    let error = generate_images(&missing, vec![input("g_0", SPIRV, &["k"])], two()).remove(0).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot make image 'g_0': cannot run 'no-such-ocloc' (the Debian package intel-opencl-icd brings it): "),
        "{error}"
    );
}

/// A compiler that counts its runs: what did not change is not compiled again.
fn results_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (compiler, runs) = (folder.path().join("cc"), folder.path().join("runs"));
    std::fs::write(&compiler, format!("#!/bin/sh\necho >> {}\ncp \"$4\" \"${{4%.spv}}.gen\"\n", runs.display())).unwrap();
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    let make = |option: &str, cached: bool, second: &str| {
        let cache = cached.then(|| Cache::new(folder.path().join("cache"), None));
        let target = Gen {
            compiler: compiler.clone(),
            options: vec![option.into()],
            limit: Gen::LIMIT,
            cache,
            device: Capabilities::default(),
            elsewhere: false,
        };
        let inputs = vec![input("g_0", SPIRV, &["k"]), input("g_1", second, &["d"])];
        // What was found says of no command that it ran.
        let without_commands = |image: Image| Image { commands: Vec::new(), ..image };
        let images: Vec<_> = generate_images(&target, inputs, two()).into_iter().map(Result::unwrap).map(without_commands).collect();
        let count = std::fs::read_to_string(&runs).unwrap_or_default().lines().count();
        std::fs::remove_file(&runs).ok();
        (images, count)
    };
    let changed = DOUBLE.replace("3.0", "5.0");
    let (first, runs) = make("-x", true, DOUBLE);
    assert_eq!(runs, 2);
    assert_eq!(make("-x", true, DOUBLE), (first, 0));
    assert_eq!(make("-x", true, &changed).1, 1);
    assert_eq!(make("-y", true, DOUBLE).1, 2);
    assert_eq!(make("-x", false, DOUBLE).1, 2);
}

fn main() {
    spirv_images_list_their_imports();
    native_images_load_and_share_nothing();
    parts_of_an_image_share_what_changes();
    errors_name_the_image_and_the_command();
    gen_binaries();
    bad_ahead_of_time_compilers();
    results_are_kept();
    println!("images: 7 tests ok");
}
