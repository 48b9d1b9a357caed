//! Which image a kernel runs from, and why not: choice among targets, images that import functions of other modules, what is read before
//! the check. The devices are made up; what they are asked to load is written down.

mod made_up;

use std::sync::{Mutex, OnceLock, mpsc};
use std::time::Duration;

use aspen_contract::{Aspect, Guard, Need, Place, Requirements, Source, Step};
use aspen_image::decided::decided_set;
use aspen_image::image::{IMPORTED_SYMBOLS, KERNELS, add_sets, symbols_set};
use aspen_image::kernel_reqs::kernel_reqs_set;
use aspen_image::{DECIDED, Decided, ImageBuilder, ImageKind, KERNEL_REQS, Kernel as KernelOf, KernelInfo, Value};
use aspen_runtime::Code;
use aspen_runtime::registry::{KernelKey, ModuleRecord, Registry};
use aspen_spirv::Numbering;
use made_up::{Beside, KERNEL, Maker, World, started, started_as};

fn needing(aspects: &[&str]) -> Requirements {
    Requirements { aspects: aspects.iter().filter_map(|name| Aspect::from_name(name)).collect(), ..Requirements::default() }
}

/// An image of kernel K for a target.
fn kernel(target: &str, aspects: &[&str]) -> ImageBuilder {
    let info = KernelInfo { name: "k".into(), requirements: needing(aspects) };
    library(target, &format!("{target}_k"), aspects).kernel(KernelOf { symbol: "K".into(), info }, Vec::new())
}

/// An image without kernels.
fn library(target: &str, name: &str, aspects: &[&str]) -> ImageBuilder {
    ImageBuilder::new(ImageKind::SpirV, "triple", target, name).requirements(&needing(aspects))
}

fn bytes(builder: ImageBuilder) -> Vec<u8> {
    // A module without instructions: it is read for what it can be specialised by.
    let header: Vec<u8> = [0x0723_0203_u32, 0x0001_0400, 0, 1, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    builder.to_bytes(&header).expect("it can be written")
}

/// Targets, and the aspects that the kernel needs in their images.
type Images<'a> = &'a [(&'a str, &'a [&'a str])];

#[test]
fn the_best_image_whose_requirements_are_met_is_taken() {
    let fp64 = "kernel 'k' cannot run on 'made up':\n  needs aspect fp64";
    let cases: [(Images<'_>, &str); 9] = [
        (&[("jit", &[]), ("aot", &[]), ("exact", &[])], "ok: exact_k"),
        (&[("jit", &[]), ("aot", &[])], "ok: aot_k"),
        (&[("jit", &[]), ("aot", &[]), ("exact", &["fp64"])], "ok: aot_k"),
        (&[("jit", &["fp16"]), ("aot", &["fp64"])], "ok: jit_k"),
        (&[("elsewhere", &[]), ("jit", &[])], "ok: jit_k"),
        // What a driver does not take is made from the next.
        (&[("jit", &[]), ("broken", &[])], "ok: broken_k; jit_k"),
        (&[("jit", &["fp64"]), ("aot", &["fp64"])], &format!("KernelNotSupported: {fp64}")),
        (
            &[("jit", &["fp64"]), ("aot", &["fp64", "cpu"])],
            "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  image 'aot_k' (aot) of module 1:\n    needs aspect cpu\n    needs aspect fp64\
             \n  image 'jit_k' (jit) of module 1:\n    needs aspect fp64",
        ),
        (
            &[("elsewhere", &[]), ("beyond", &[])],
            "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  the program has no image of it for opencl, only for beyond, elsewhere \
             (-fsycl-targets)",
        ),
    ];
    for (images, wanted) in cases {
        let world = World::new();
        world.module(1, &images.iter().map(|(target, aspects)| bytes(kernel(target, aspects))).collect::<Vec<_>>());
        assert_eq!(world.launch(), wanted, "{images:?}");
    }
    let world = World::new();
    world.module(1, &[bytes(kernel("broken", &[]))]);
    assert_eq!(world.launch(), "build Build: the driver is too old: broken_k");
}

/// Images made ahead of time took for granted what the database said of their target; the device may have more, or less.
/// Source: docs/decisions/0063.
#[test]
fn a_program_was_built_for_a_device_whatever_its_kernels_need() {
    let cases: [(Images<'_>, bool); 4] = [
        (&[], false),
        (&[("elsewhere", &[]), ("beyond", &[])], false),
        (&[("elsewhere", &[]), ("jit", &[])], true),
        (&[("jit", &["fp64"])], true),
    ];
    for (images, wanted) in cases {
        let world = World::new();
        world.module(1, &images.iter().map(|(target, aspects)| bytes(kernel(target, aspects))).collect::<Vec<_>>());
        assert_eq!(world.registry.has_image_for(world.device), wanted, "{images:?}");
    }
}

#[test]
fn what_was_decided_ahead_of_time_has_to_be_true_of_the_device() {
    let decided = |target: &str, left_out: &[&str], taken: &[&str]| {
        let aspects = |names: &[&str]| names.iter().filter_map(|name| Aspect::from_name(name)).collect::<Vec<_>>();
        let left_out = aspects(left_out).into_iter().map(Need::Aspect).collect();
        let of = Decided { left_out, taken: aspects(taken).into_iter().collect() };
        let needs: &[&str] = if target == "aot" { &["fp16"] } else { &[] };
        bytes(kernel(target, needs).set(DECIDED, decided_set([("K", of)])))
    };
    // The device has fp16; the target was thought to lack it, and the kernel was left out.
    let lacking = || decided("aot", &["fp16"], &[]);
    let refused = "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect fp16, which its image for 'aot' was made without: the \
                   target's entry in the device database lacks it\n  (correct the entry by -fsycl-device-config-file, or compile for spir64 too)";
    // The device lacks fp64; the target was thought to have it, and a body of if_device_has was chosen.
    let taken = || decided("exact", &[], &["fp64"]);
    for (images, wanted) in [
        (vec![lacking()], refused),
        (vec![lacking(), bytes(kernel("jit", &["fp16"]))], "ok: jit_k"),
        (vec![taken()], "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect fp64"),
        (vec![taken(), bytes(kernel("jit", &[]))], "ok: jit_k"),
        (vec![decided("exact", &[], &["fp16"])], "ok: exact_k"),
    ] {
        let world = World::new();
        world.module(1, &images);
        assert_eq!(world.launch(), wanted);
    }
    let world = World::new();
    let damaged = [("K".to_owned(), Value::U32(1))].into_iter().collect();
    world.module(1, &[bytes(kernel("aot", &[]).set(DECIDED, damaged))]);
    let said = world.launch();
    assert!(said.starts_with("Build: ") && said.contains("'K'") && said.contains("Aspen/decided"), "{said}");
}

/// A launch reads what is said of its own kernel: one that read all of it would take time by the square of the number of kernels.
#[test]
fn what_is_said_of_other_kernels_is_not_read() {
    let damaged = |symbol: &str| {
        let other = KernelOf { symbol: symbol.into(), info: KernelInfo { name: "other".into(), requirements: Requirements::default() } };
        let builder = kernel("jit", &[]).kernel(other, Vec::new());
        let mut sets = builder.property_sets();
        let mut kernels = sets.remove(KERNELS).expect("there are kernels");
        kernels.insert(symbol.into(), Value::U32(1));
        let mut entry = builder.entry(bytes(library("jit", "code", &[]))).expect("it can be written");
        add_sets(&mut entry, &[(KERNELS.to_owned(), kernels)].into_iter().collect()).expect("names");
        entry.to_bytes().expect("it can be written")
    };
    let launched = |symbol: &str| {
        let world = World::new();
        world.module(1, &[damaged(symbol)]);
        world.registry.check(world.device, KERNEL).map_err(|error| error.message().to_owned())
    };
    assert_eq!(launched("L"), Ok(()));
    let said = launched("K").expect_err("it is the kernel's own");
    assert!(said.contains("'K' of 'Aspen/kernels' is no byte array"), "{said}");
}

/// A profile lacks what the device has, and has what it lacks: the bodies are those that both can, and what these need is checked.
#[test]
fn guards_are_asked_of_profile_and_device_together() {
    let aspect = |name: &str| Aspect::from_name(name).expect("an aspect");
    let guard = |has: &[&str], lacks: &[&str]| Guard {
        has: has.iter().map(|name| aspect(name)).collect(),
        lacks: lacks.iter().map(|name| [aspect(name)].into()).collect(),
    };
    for (guard, needed, wanted) in [
        (guard(&[], &["fp64"]), "fp16", "KernelNotSupported: kernel 'k' cannot run on 'wide':\n  needs aspect fp16"),
        (guard(&["fp16"], &[]), "fp64", "ok: jit_k"),
        (guard(&["fp64"], &[]), "fp16", "ok: jit_k"),
        (guard(&[], &["fp16"]), "fp64", "KernelNotSupported: kernel 'k' cannot run on 'intel_gpu_dg1':\n  needs aspect fp64"),
    ] {
        let maker = Maker { devices: vec![("wide", &["gpu", "fp64"])], ..Maker::default() };
        let world = World { registry: Registry::new(), device: started_as(&maker, Some("intel_gpu_dg1"))[0], loads: maker.loads };
        let guards = [(guard.clone(), [aspect(needed)].into())].into();
        world.module(1, &[bytes(kernel("jit", &[]).guards("K", &guards))]);
        assert_eq!(world.launch(), wanted, "{guard:?}");
    }
}

/// What the profile lacks it refuses, whatever it leaves open; what only the device lacks is refused with what that has.
#[test]
fn who_refuses_is_who_lacks_it() {
    let sixteens = Requirements { reqd_sub_group_size: Some(16), ..Requirements::default() };
    let in_sixteens = kernel("jit", &[]).requirements(&sixteens);
    for (profile, image, wanted) in [
        ("nvidia_gpu_sm_80", kernel("jit", &["cpu"]), "'nvidia_gpu_sm_80':\n  needs aspect cpu"),
        ("intel_gpu_dg1", in_sixteens, "'wide':\n  needs sub-group size 16; the device has 8"),
    ] {
        let maker = Maker { devices: vec![("wide", &["cpu"])], ..Maker::default() };
        let world = World { registry: Registry::new(), device: started_as(&maker, Some(profile))[0], loads: maker.loads };
        world.module(1, &[bytes(image)]);
        assert_eq!(world.launch(), format!("KernelNotSupported: kernel 'k' cannot run on {wanted}"));
    }
}

#[test]
fn the_launching_modules_images_are_searched_before_others() {
    let world = World::new();
    world.module(2, &[bytes(kernel("exact", &[]))]);
    world.module(1, &[bytes(kernel("jit", &[]))]);
    assert_eq!(world.launch(), "ok: jit_k");
    // Another module's kernel of that name may be another one: it does not run in the place of one that is refused, but of one that was not made for the device.
    let world = World::new();
    world.module(2, &[bytes(kernel("exact", &[]))]);
    world.module(1, &[bytes(kernel("jit", &["fp64"]))]);
    assert_eq!(world.launch(), "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect fp64");
    let world = World::new();
    world.module(2, &[bytes(kernel("exact", &[]))]);
    world.module(1, &[bytes(kernel("elsewhere", &[]))]);
    assert_eq!(world.launch(), "ok: exact_k");
}

const MISSING: &str = "Build: kernel 'k' cannot run on 'made up':\n  its image calls device function 'ns::f' (_ZN2ns1fEi), which no loaded module \
                       provides for 'jit'";
const LOAD_IT: &str = "; load the library that defines it before the launch";

#[test]
fn functions_come_from_modules_that_come_and_go() {
    let world = World::new();
    let importing = |aspects: &[&str]| bytes(kernel("jit", aspects).imports(["_ZN2ns1fEi"]));
    let provider = |name: &str, aspects: &[&str]| bytes(library("jit", name, aspects).export("_ZN2ns1fEi", Vec::new()));
    world.module(1, &[importing(&[])]);
    assert_eq!(world.launch(), format!("{MISSING}{LOAD_IT}"));
    // An image for another device is no help, and is named.
    world.module(2, &[bytes(library("elsewhere", "far", &[]).export("_ZN2ns1fEi", Vec::new()))]);
    assert_eq!(world.launch(), format!("{MISSING} (for other devices image 'far' (elsewhere) of module 2 does){LOAD_IT}"));
    world.module(3, &[provider("near", &[])]);
    assert_eq!(world.launch(), "ok: jit_k _ZN2ns1fEi<-1 + near");
    assert_eq!(world.launch(), "ok: ", "loaded once");
    world.module(4, &[provider("double", &[])]);
    assert_eq!(
        world.launch(),
        "Build: kernel 'k' cannot run on 'made up':\n  its image calls device function 'ns::f' (_ZN2ns1fEi), which several modules define: image \
         'near' (jit) of module 3, image 'double' (jit) of module 4; load only one of them"
    );
    world.registry.unregister(3);
    assert_eq!(world.launch(), "ok: jit_k _ZN2ns1fEi<-1 + double");
    world.registry.unregister(4);
    assert_eq!(world.launch(), format!("{MISSING} (for other devices image 'far' (elsewhere) of module 2 does){LOAD_IT}"));
    // The same library again is another one.
    world.module(4, &[provider("double", &[])]);
    assert_eq!(world.launch(), "ok: jit_k _ZN2ns1fEi<-1 + double");
}

#[test]
fn the_check_runs_over_all_images_that_are_called() {
    let place = |line| Some(Place { file: "lib.cpp".into(), line, column: 3 });
    let step = |function: &str, line| Step { function: function.into(), place: place(line), remark: None };
    let fp64 = Source { need: Need::Aspect(Aspect::FP64), declared: false, chain: vec![step("half", 4), step("g", 9)] };
    let world = World::new();
    world.module(1, &[bytes(kernel("jit", &["fp16"]).imports(["f"]))]);
    world.module(2, &[bytes(library("jit", "middle", &[]).export("f", Vec::new()).imports(["_Z1gv"]))]);
    world.module(3, &[bytes(library("jit", "last", &["fp64", "fp16"]).export("_Z1gv", vec![fp64]))]);
    assert_eq!(
        world.launch(),
        "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect fp64: lib.cpp:4:3 in 'half', called from 'g' lib.cpp:9:3, \
         called from the kernel"
    );
    // Without explanations the function is named.
    world.registry.unregister(3);
    world.module(3, &[bytes(library("jit", "last", &["cpu"]).export("_Z1gv", Vec::new()))]);
    assert_eq!(
        world.launch(),
        "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect cpu: in 'g', called from the kernel"
    );
    // What the device lacks is said before what is missing.
    world.registry.unregister(3);
    world.registry.unregister(1);
    world.module(1, &[bytes(kernel("jit", &["fp64"]).imports(["f"]))]);
    assert_eq!(world.launch(), "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect fp64");
    // Images that call each other.
    let world = World::new();
    world.module(1, &[bytes(kernel("jit", &[]).export("h", Vec::new()).imports(["f"]))]);
    world.module(2, &[bytes(library("jit", "back", &[]).export("f", Vec::new()).imports(["h"]))]);
    assert_eq!(world.launch(), "ok: jit_k f<-1 + back h<-0");
    // One size for all.
    let sized = |size| Requirements { reqd_sub_group_size: Some(size), ..Requirements::default() };
    let world = World::new();
    world.module(1, &[bytes(kernel("jit", &[]).requirements(&sized(8)).imports(["f"]))]);
    world.module(2, &[bytes(library("jit", "other", &[]).requirements(&sized(8)).export("f", Vec::new()))]);
    assert_eq!(world.launch(), "ok: jit_k f<-1 + other");
    // A function that both the launching module and another one define is its own.
    let world = World::new();
    world.module(1, &[bytes(kernel("jit", &[]).imports(["f"])), bytes(library("jit", "own", &[]).export("f", Vec::new()))]);
    world.module(2, &[bytes(library("jit", "other", &[]).export("f", Vec::new()))]);
    assert_eq!(world.launch(), "ok: jit_k f<-1 + own");
}

/// Of an image that exports several functions with their own needs, those count that are called, and all of those. Source: DESIGN §7.11.
#[test]
fn what_stands_beside_an_imported_function_is_not_asked_for() {
    let dbl = Requirements { aspects: [Aspect::FP64].into(), ..Requirements::default() };
    let numbering = Numbering::new([&dbl]).expect("few needs");
    let entries =
        |requirements: &Requirements| numbering.entries(requirements).into_iter().map(|(need, id)| (need, id.number())).collect::<Vec<_>>();
    let reqs = kernel_reqs_set([("plain", entries(&Requirements::default())), ("dbl", entries(&dbl))]);
    let provider = || {
        let builder = library("jit", "lib", &[]).export("plain", Vec::new()).export("dbl", Vec::new());
        bytes(builder.set(KERNEL_REQS, reqs.clone()))
    };
    for (imports, expected) in [
        (&["plain"][..], "ok: jit_k plain<-1 + lib"),
        (&["dbl"], "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect fp64: in 'dbl', called from the kernel"),
        // The first in alphabetical order is not the one that says no.
        (
            &["also", "dbl"],
            "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect fp64: in 'dbl', called from the kernel",
        ),
        (
            &["dbl", "plain"],
            "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect fp64: in 'dbl', called from the kernel",
        ),
    ] {
        let world = World::new();
        world.module(1, &[bytes(kernel("jit", &[]).imports(imports.iter().copied()))]);
        let also = bytes(library("jit", "also", &[]).export("also", Vec::new()).imports(["plain"]));
        world.module(2, &[provider(), also]);
        assert_eq!(world.launch(), expected, "{imports:?}");
    }
}

#[test]
fn one_damaged_image_leaves_the_others() {
    let other = |symbol: &str, name: &str| {
        let info = KernelInfo { name: symbol.into(), requirements: Requirements::default() };
        bytes(library("jit", name, &[]).kernel(KernelOf { symbol: symbol.into(), info }, Vec::new()))
    };
    let images = [other("A", "a"), bytes(kernel("jit", &[])), other("B", "b")];
    for (image, damage) in [(0, 0), (0, 9), (1, 3), (1, 17), (1, 40), (2, 25)] {
        let mut damaged = images.clone();
        damaged[image][damage] ^= 0x55;
        let world = World::new();
        world.module(1, &damaged);
        for (index, symbol) in ["A", "K", "B"].into_iter().enumerate() {
            let key = KernelKey { symbol, ..KERNEL };
            let outcome = world.registry.load(world.device, key);
            match outcome {
                Ok(_) => assert_ne!(index, image, "byte {damage}"),
                Err(error) => {
                    assert_eq!(index, image, "byte {damage}: {error}");
                    assert!(error.message().contains("module 1 (section .llvm.offloading) are damaged"), "{error}");
                }
            }
        }
    }
}

#[test]
fn a_damaged_list_of_imports_runs_nothing() {
    let world = World::new();
    let mut image = bytes(kernel("jit", &[]).set(IMPORTED_SYMBOLS, symbols_set(["gone"])));
    let at = image.windows(7).position(|window| window == b"gone=1|").expect("the set's text");
    image[at + 4] = b'?';
    world.module(1, &[image]);
    let text = world.launch();
    assert!(text.starts_with("Build: image 'jit_k' (jit) of module 1: ") && text.contains(IMPORTED_SYMBOLS), "{text}");
}

/// Pages of their own, so that access can be taken away.
struct Pages {
    start: *mut u8,
    size: usize,
}

const PAGE: usize = 4096;

impl Pages {
    fn with(content: &[u8]) -> Pages {
        let size = content.len().next_multiple_of(PAGE);
        // SAFETY: a fresh mapping, filled within its size.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start = libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            std::ptr::copy_nonoverlapping(content.as_ptr(), start.cast(), content.len());
            start.cast()
        };
        Pages { start, size }
    }

    fn protect(&self, from: usize, to: usize, access: libc::c_int) {
        assert!(from.is_multiple_of(PAGE) && to <= self.size && from < to);
        // SAFETY: within the mapping; whoever reads there dies, which is the test.
        assert_eq!(unsafe { libc::mprotect(self.start.add(from).cast(), to - from, access) }, 0);
    }
}

/// Source: S0 "before anything is read".
#[test]
fn nothing_of_an_image_is_read_before_the_check() {
    let code = vec![0xC3; 64 * PAGE];
    let image = kernel("jit", &["fp64"]).to_bytes(&code).expect("it can be written");
    let begin = image.windows(PAGE).position(|window| window.iter().all(|byte| *byte == 0xC3)).expect("the code is there");
    let pages = Pages::with(&image);
    let (first, last) = (begin.next_multiple_of(PAGE), (begin + code.len()) / PAGE * PAGE);
    assert!(last - first >= 62 * PAGE, "nearly all of the code lies in pages of its own");
    pages.protect(first, last, libc::PROT_NONE);
    let world = World::new();
    let record = ModuleRecord { record: 1, anchor: 1, images: pages.start, images_size: image.len() };
    // SAFETY: mapped for the rest of the test; what cannot be read is not to be read.
    unsafe { world.registry.register(record) };
    assert_eq!(world.launch(), "KernelNotSupported: kernel 'k' cannot run on 'made up':\n  needs aspect fp64");
    assert_eq!(world.registry.kernels(), [("K".to_owned(), String::new())]);
    pages.protect(first, last, libc::PROT_READ);
    world.registry.unregister(1);
}

/// One module with a kernel for each of the needs, each kernel under its condition.
fn conditional(kernels: &[(&'static str, &[&str])]) -> Vec<u8> {
    let mut words: Vec<u32> = vec![0x0723_0203, 0x0001_0000, 0, 0, 0];
    let mut put = |opcode: u32, operands: &[u32]| {
        words.push(u32::try_from(operands.len() + 1).expect("short") << 16 | opcode);
        words.extend(operands);
    };
    put(17, &[6]);
    put(17, &[4]);
    put(14, &[2, 2]);
    let letter = |symbol: &str| u32::from(symbol.as_bytes()[0]);
    kernels.iter().zip(10..).for_each(|((symbol, _), id)| put(15, &[6, id, letter(symbol)]));
    put(19, &[1]);
    put(33, &[2, 1]);
    for (_, id) in kernels.iter().zip(10..) {
        put(54, &[1, id, 0, 2]);
        put(248, &[id + 100]);
        put(253, &[]);
        put(56, &[]);
    }
    words[3] = 200;
    let plain: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let needs: Vec<(&str, Requirements)> = kernels.iter().map(|(symbol, aspects)| (*symbol, needing(aspects))).collect();
    let numbering = Numbering::new(needs.iter().map(|(_, requirements)| requirements)).expect("few needs");
    let roots: Vec<_> = needs.iter().map(|(symbol, requirements)| (*symbol, requirements)).collect();
    let module = aspen_spirv::write(&plain, &roots, &numbering).expect("a sound module");
    let reqs = kernel_reqs_set(needs.iter().map(|(symbol, requirements)| {
        let entries = numbering.entries(requirements).into_iter().map(|(need, id)| (need, id.number()));
        (*symbol, entries.collect())
    }));
    let mut builder = library("jit", "all", &[]).set(KERNEL_REQS, reqs);
    for (symbol, requirements) in needs {
        let info = KernelInfo { name: symbol.into(), requirements };
        builder = builder.kernel(KernelOf { symbol: symbol.into(), info }, Vec::new());
    }
    builder.to_bytes(&module).expect("it can be written")
}

/// Source: issue 7 "Run time": specialised and built once per distinct vector of values, whatever is launched how often; refused kernels
/// never reach the driver.
#[test]
fn a_conditional_module_is_built_once_for_each_kind_of_device() {
    let kernels: [(&'static str, &[&str]); 4] = [("A", &[]), ("B", &["fp64"]), ("C", &["fp16"]), ("D", &["fp16", "fp64"])];
    let devices: Vec<(&'static str, &'static [&'static str])> = vec![
        ("plain", &["gpu"]),
        ("half", &["gpu", "fp16"]),
        // Differs in what the module does not ask for.
        ("half of another kind", &["cpu", "fp16", "atomic64"]),
        ("all", &["gpu", "fp16", "fp64"]),
    ];
    let maker = Maker { devices: devices.clone(), ..Maker::default() };
    let (registry, started) = (Registry::new(), started(&maker));
    let bytes: &'static [u8] = conditional(&kernels).leak();
    let record = ModuleRecord { record: 1, anchor: 1, images: bytes.as_ptr(), images_size: bytes.len() };
    // SAFETY: leaked.
    unsafe { registry.register(record) };
    // Every kernel on every device from many threads, in different orders.
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (registry, devices) = (&registry, &devices);
            scope.spawn(move || {
                for turn in 0..64 {
                    let (device, kernel) = ((turn + thread) % 4, (turn / 4 + thread) % 4);
                    let (symbol, needs) = kernels[kernel];
                    let runs = needs.iter().all(|need| devices[device].1.contains(need));
                    let said = registry.load(started[device], KernelKey { module: 1, tag: "", symbol });
                    match said {
                        Ok(_) => assert!(runs, "{symbol} on {}", devices[device].0),
                        Err(error) => assert!(!runs && error.code() == Code::KernelNotSupported, "{symbol}: {error}"),
                    }
                }
            });
        }
    });
    let mut built = std::mem::take(&mut *maker.modules.lock().expect("unpoisoned"));
    built.sort();
    let entries = |module: &[u8]| {
        let words: Vec<u32> = module.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        let symbols = words.windows(4).filter(|words| words[..2] == [4 << 16 | 15, 6]).map(|words| words[3]);
        symbols.filter_map(char::from_u32).collect::<String>()
    };
    let summary: Vec<_> = built.iter().map(|(device, module)| (device.as_str(), entries(module))).collect();
    let text = |list: &[(&'static str, &str)]| list.iter().map(|(device, symbols)| (*device, (*symbols).to_owned())).collect::<Vec<_>>();
    assert_eq!(summary, text(&[("all", "ABCD"), ("half", "AC"), ("half of another kind", "AC"), ("plain", "A")]));
    assert_eq!(built[1].1, built[2].1, "the same values, the same bytes, and so one entry of the JIT cache for devices of one kind");
    assert!(built.iter().all(|(_, module)| aspen_spirv::spec_ids(module) == Ok(Vec::new())), "nothing is left to decide");
}

/// A library that is opened or closed holds the system's loader lock while its module comes or goes, and devices take that lock to load and
/// to give up programs: nothing of that may happen while the registry is locked.
#[test]
fn modules_come_and_go_while_a_device_loads_and_while_programs_go() {
    static REGISTRY: Registry = Registry::new();
    static CALLS: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    static IMAGE: OnceLock<Vec<u8>> = OnceLock::new();
    fn module(anchor: usize) -> ModuleRecord {
        let bytes = IMAGE.get_or_init(|| bytes(kernel("jit", &[])));
        ModuleRecord { record: anchor, anchor, images: bytes.as_ptr(), images_size: bytes.len() }
    }
    let beside = || {
        let (done, waits) = mpsc::channel();
        std::thread::spawn(move || {
            // SAFETY: a static's.
            unsafe { REGISTRY.register(module(7)) };
            REGISTRY.unregister(7);
            done.send(()).ok();
        });
        let free = waits.recv_timeout(Duration::from_secs(20)).is_ok();
        CALLS.lock().expect("unpoisoned").push(if free { "free" } else { "locked" });
    };
    let maker = Maker { devices: vec![("made up", &[])], beside: Beside(Some(beside)), ..Maker::default() };
    let device = started(&maker)[0];
    // SAFETY: a static's.
    unsafe { REGISTRY.register(module(1)) };
    REGISTRY.load(device, KERNEL).expect("the device takes it");
    REGISTRY.unregister(1);
    // Loading it, dropping the program, and its kernel.
    assert_eq!(*CALLS.lock().expect("unpoisoned"), ["free"; 3]);
    assert_eq!(REGISTRY.kernels(), []);
}
