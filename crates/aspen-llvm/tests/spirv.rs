//! What becomes of integers and instructions in SPIR-V: every combination of widths, and everything else that the back end alone gets
//! wrong, goes through SPIRV-Tools' validator. That values are right is for tests/opencl/integers.cpp. Its own `main`: code generation needs
//! a process with one thread.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::Command;

use aspen_llvm::{Context, Job, Output, generate};

const HEAD: &str =
    "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1\"
target triple = \"spirv64-unknown-unknown\"
";

/// The widths of SPIR-V's integers.
const LEGAL: [u32; 5] = [1, 8, 16, 32, 64];
/// Widths that front ends and LLVM make besides: bit-fields, sums of loops, switches as bit maps.
const OTHERS: [u32; 9] = [3, 7, 20, 24, 33, 40, 48, 56, 63];
/// Integers that two of SPIR-V's hold.
const WIDE: [u32; 4] = [65, 96, 127, 128];

/// A module of functions, and a name for each.
#[derive(Default)]
struct Functions {
    text: String,
    declared: std::collections::BTreeSet<String>,
    count: usize,
}

impl Functions {
    /// A function of `parameters` (`%a`, `%b`, `%c`) that gives `%r`.
    fn add(&mut self, result: &str, parameters: &[&str], body: &str) {
        let parameters: Vec<String> = parameters.iter().zip(["a", "b", "c"]).map(|(ty, name)| format!("{ty} %{name}")).collect();
        let (parameters, number) = (parameters.join(", "), self.count);
        writeln!(self.text, "define spir_func {result} @f{number}({parameters}) {{\ne:\n{body}\n  ret {result} %r\n}}").unwrap();
        self.count += 1;
    }

    /// A call of an intrinsic with arguments that are written with their types.
    fn intrinsic(&mut self, result: &str, name: &str, parameters: &[&str], arguments: &str, types: &str) {
        self.declared.insert(format!("declare {result} @llvm.{name}({types})"));
        self.add(result, parameters, &format!("  %r = call {result} @llvm.{name}({arguments})"));
    }

    fn module(&self) -> String {
        let declared: Vec<&str> = self.declared.iter().map(String::as_str).collect();
        format!("{HEAD}{}\n{}", declared.join("\n"), self.text)
    }
}

fn generated(ir: &str, passes: &str) -> Result<Vec<u8>, String> {
    let context = Context::new();
    let bitcode = context.parse("m", ir.as_bytes()).unwrap_or_else(|error| panic!("{error}:\n{ir}")).to_bitcode();
    let output = Output::SpirV { extensions: vec!["SPV_EXT_shader_atomic_float_add".into()], pointer_extensions: Vec::new() };
    let job = Job { name: "m".into(), bitcode, passes: passes.into(), debug: false, opt_level: 2, output };
    generate(&[job], NonZeroUsize::MIN).remove(0).map(|generated| generated.bytes).map_err(|error| error.to_string())
}

/// What the validator says against the module; nothing if it is valid.
fn complaint(image: &[u8]) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(image).unwrap();
    let output = Command::new("spirv-val").arg(file.path()).output().expect("spirv-val (Debian's spirv-tools)");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn check_valid(what: &str, functions: &Functions) {
    assert!(functions.count > 0, "{what}");
    let ir = functions.module();
    let image = generated(&ir, "").unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(complaint(&image), "", "{what}");
}

fn check_refused(ir: &str, expected: &str) {
    let error = generated(&(HEAD.to_owned() + ir), "").expect_err(expected);
    assert_eq!(error, format!("cannot generate code for image 'm': {expected}"));
}

fn of(width: u32, elements: u32) -> String {
    if elements == 1 { format!("i{width}") } else { format!("<{elements} x i{width}>") }
}

/// From each width through each to each, by every cast; arguments and results of functions too.
fn casts() {
    for elements in [1, 2, 3, 4, 8, 16] {
        let mut all = Functions::default();
        let widths = || LEGAL.into_iter().chain(OTHERS);
        for from in widths() {
            for to in widths().filter(|&to| to != from) {
                for extend in ["zext", "sext"] {
                    let cast = |from: u32, to: u32| if from > to { "trunc" } else { extend };
                    let (source, target) = (of(from, elements), of(to, elements));
                    all.add(&target, &[&source], &format!("  %r = {} {source} %a to {target}", cast(from, to)));
                }
            }
            for between in widths().filter(|&between| between < from) {
                for to in widths().filter(|&to| to > between) {
                    let (source, middle, target) = (of(from, elements), of(between, elements), of(to, elements));
                    for (extend, freeze) in [("zext", false), ("zext", true), ("sext", false)] {
                        let kept = if freeze { format!("  %n = freeze {middle} %m\n") } else { String::new() };
                        let name = if freeze { "n" } else { "m" };
                        let body = format!("  %m = trunc {source} %a to {middle}\n{kept}  %r = {extend} {middle} %{name} to {target}");
                        all.add(&target, &[&source], &body);
                    }
                }
            }
        }
        check_valid(&format!("casts of {elements} elements"), &all);
    }
}

/// Every operation on every width.
fn operations() {
    for (elements, widths) in
        [(1, LEGAL.to_vec()), (1, OTHERS.to_vec()), (2, LEGAL.to_vec()), (3, OTHERS.to_vec()), (4, LEGAL.to_vec()), (16, LEGAL.to_vec())]
    {
        let mut all = Functions::default();
        for width in widths {
            let (ty, bits) = (of(width, elements), of(1, elements));
            for op in ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor", "shl", "lshr", "ashr"] {
                all.add(&ty, &[&ty, &ty], &format!("  %r = {op} {ty} %a, %b"));
            }
            for predicate in ["eq", "ult", "uge", "slt", "sge"] {
                all.add(&bits, &[&ty, &ty], &format!("  %r = icmp {predicate} {ty} %a, %b"));
            }
            all.add(&ty, &[&bits, &ty, &ty], &format!("  %r = select {bits} %a, {ty} %b, {ty} %c"));
            all.add(&ty, &["i1", &ty, &ty], &format!("  %r = select i1 %a, {ty} %b, {ty} %c"));
            all.add(&ty, &[&ty], &format!("  %r = freeze {ty} %a"));
            all.add(
                &ty,
                &["i1", &ty],
                &format!("  br i1 %a, label %x, label %y\nx:\n  br label %y\ny:\n  %r = phi {ty} [%b, %x], [zeroinitializer, %e]"),
            );
            for float in ["float", "double"] {
                let float = if elements == 1 { float.to_owned() } else { format!("<{elements} x {float}>") };
                for (cast, from, to) in [("sitofp", &ty, &float), ("uitofp", &ty, &float), ("fptosi", &float, &ty), ("fptoui", &float, &ty)]
                {
                    if width > 1 {
                        all.add(to, &[from], &format!("  %r = {cast} {from} %a to {to}"));
                    }
                }
            }
            if width == 1 {
                continue;
            }
            let suffix = if elements == 1 { format!("i{width}") } else { format!("v{elements}i{width}") };
            let (one, two, three) = (format!("{ty} %a"), format!("{ty} %a, {ty} %b"), format!("{ty} %a, {ty} %b, {ty} %c"));
            for name in ["umax", "umin", "smax", "smin", "uadd.sat", "sadd.sat", "usub.sat", "ssub.sat", "ushl.sat", "sshl.sat"] {
                all.intrinsic(&ty, &format!("{name}.{suffix}"), &[&ty, &ty], &two, &format!("{ty}, {ty}"));
            }
            for name in ["ctpop", "bitreverse"] {
                all.intrinsic(&ty, &format!("{name}.{suffix}"), &[&ty], &one, &ty);
            }
            if width % 16 == 0 {
                all.intrinsic(&ty, &format!("bswap.{suffix}"), &[&ty], &one, &ty);
            }
            for name in ["ctlz", "cttz", "abs"] {
                all.intrinsic(&ty, &format!("{name}.{suffix}"), &[&ty], &format!("{one}, i1 false"), &format!("{ty}, i1"));
            }
            for name in ["fshl", "fshr"] {
                all.intrinsic(&ty, &format!("{name}.{suffix}"), &[&ty, &ty, &ty], &three, &format!("{ty}, {ty}, {ty}"));
            }
            for name in ["uadd", "sadd", "usub", "ssub", "umul", "smul"] {
                let both = format!("{{ {ty}, {bits} }}");
                all.declared.insert(format!("declare {both} @llvm.{name}.with.overflow.{suffix}({ty}, {ty})"));
                let call = format!(
                    "  %p = call {both} @llvm.{name}.with.overflow.{suffix}({two})\n  %o = extractvalue {both} %p, 1\n  %v = extractvalue {both} %p, 0"
                );
                all.add(&ty, &[&ty, &ty], &format!("{call}\n  %r = select {bits} %o, {ty} %v, {ty} %a"));
            }
            for name in ["ucmp", "scmp"] {
                all.intrinsic(&ty, &format!("{name}.{suffix}.{suffix}"), &[&ty, &ty], &two, &format!("{ty}, {ty}"));
            }
        }
        check_valid(&format!("operations on {elements} elements"), &all);
    }
}

/// Integers of more than 64 bits, from and to others.
fn wide_integers() {
    let mut all = Functions::default();
    for width in WIDE {
        let ty = of(width, 1);
        let wide = |name: &str| format!("  %{name}z = zext i64 %{name} to {ty}\n  %{name}w = mul {ty} %{name}z, 12345678901234567890123\n");
        for op in ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor", "shl", "lshr", "ashr"] {
            let body = format!("{}{}  %o = {op} {ty} %aw, %bw\n  %h = lshr {ty} %o, 37\n  %r = trunc {ty} %h to i64", wide("a"), wide("b"));
            all.add("i64", &["i64", "i64"], &body);
        }
        for predicate in ["eq", "ult", "sge"] {
            all.add("i1", &["i64", "i64"], &format!("{}{}  %r = icmp {predicate} {ty} %aw, %bw", wide("a"), wide("b")));
        }
        all.add(
            "i64",
            &["i64", "ptr"],
            &format!("{}  store {ty} %aw, ptr %b, align 1\n  %l = load {ty}, ptr %b\n  %r = trunc {ty} %l to i64", wide("a")),
        );
    }
    check_valid("wide integers", &all);
}

/// What memory holds: pieces of bytes, never beyond the type's own.
fn memory() {
    let mut all = Functions::default();
    for width in LEGAL.into_iter().chain(OTHERS) {
        let ty = of(width, 1);
        all.add(
            &ty,
            &["ptr addrspace(1)", &ty],
            &format!("  %r = load {ty}, ptr addrspace(1) %a, align 1\n  store {ty} %b, ptr addrspace(1) %a"),
        );
        all.add(&ty, &[&ty, "i16"], &format!("  %p = alloca {{ i8, {ty} }}\n  %q = getelementptr {{ i8, {ty} }}, ptr %p, i16 %b, i32 1\n  store {ty} %a, ptr %q\n  %r = load {ty}, ptr %q"));
    }
    check_valid("memory", &all);
    let mut load = Functions::default();
    load.add("i24", &["ptr"], "  %r = load i24, ptr %a, align 4");
    let image = generated(&load.module(), "").unwrap();
    // OpTypeInt 16 and 8: three bytes, no fourth.
    let widths: Vec<u32> = words(&image).filter(|word| word[0] & 0xFFFF == 21).map(|word| word[2]).collect();
    assert!(widths.contains(&16) && widths.contains(&8), "{widths:?}");
}

/// The instructions of a module, each with its operands.
fn words(image: &[u8]) -> impl Iterator<Item = Vec<u32>> {
    let all: Vec<u32> = image.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let mut rest = all[5..].to_vec();
    std::iter::from_fn(move || {
        let length = (*rest.first()? >> 16) as usize;
        Some(rest.drain(..length).collect())
    })
}

/// Instructions on legal types.
fn forms() {
    let mut all = Functions::default();
    let pair = "{ i32, float }";
    all.add(pair, &["i1", pair, pair], &format!("  %r = select i1 %a, {pair} %b, {pair} %c"));
    all.add(pair, &[pair], &format!("  %r = freeze {pair} %a"));
    all.add(
        pair,
        &["i1", pair],
        &format!("  br i1 %a, label %x, label %y\nx:\n  br label %y\ny:\n  %r = phi {pair} [%b, %x], [zeroinitializer, %e]"),
    );
    let nested = "{ [2 x i64], { i8, float } }";
    all.add(
        nested,
        &["i1", nested],
        &format!("  br label %y\ny:\n  %r = phi {nested} [%b, %e], [%r, %y]\n  br i1 %a, label %y, label %z\nz:"),
    );
    for (vector, integer) in
        [("<8 x i1>", "i8"), ("<16 x i1>", "i16"), ("<3 x i8>", "i24"), ("<3 x i16>", "i48"), ("<4 x i1>", "i4"), ("<4 x i8>", "i32")]
    {
        all.add(integer, &[vector], &format!("  %r = bitcast {vector} %a to {integer}"));
        all.add(vector, &[integer], &format!("  %r = bitcast {integer} %a to {vector}"));
    }
    for (name, elements, width) in
        [("or", 8, 1), ("and", 4, 1), ("xor", 3, 1), ("umax", 3, 1), ("add", 4, 32), ("smin", 16, 8), ("mul", 2, 24)]
    {
        let (vector, element) = (of(width, elements), of(width, 1));
        all.intrinsic(&element, &format!("vector.reduce.{name}.v{elements}i{width}"), &[&vector], &format!("{vector} %a"), &vector);
    }
    for ty in ["float", "double"] {
        let suffix = if ty == "float" { "f32" } else { "f64" };
        for name in ["exp10", "canonicalize"] {
            all.intrinsic(ty, &format!("{name}.{suffix}"), &[ty], &format!("{ty} %a"), ty);
        }
        for name in ["minimumnum", "maximumnum"] {
            all.intrinsic(ty, &format!("{name}.{suffix}"), &[ty, ty], &format!("{ty} %a, {ty} %b"), &format!("{ty}, {ty}"));
        }
        all.intrinsic(ty, &format!("ldexp.{suffix}.i32"), &[ty, "i32"], &format!("{ty} %a, i32 %b"), &format!("{ty}, i32"));
        let both = format!("{{ {ty}, {ty} }}");
        all.intrinsic(&both, &format!("sincos.{suffix}"), &[ty], &format!("{ty} %a"), ty);
        all.intrinsic(&format!("{{ {ty}, i32 }}"), &format!("frexp.{suffix}.i32"), &[ty], &format!("{ty} %a"), ty);
        let vector = format!("<2 x {ty}>");
        all.intrinsic(
            &vector,
            &format!("powi.v2{suffix}.i32"),
            &[&vector, "i32"],
            &format!("{vector} %a, i32 %b"),
            &format!("{vector}, i32"),
        );
        all.intrinsic(
            &vector,
            &format!("ldexp.v2{suffix}.v2i32"),
            &[&vector, "<2 x i32>"],
            &format!("{vector} %a, <2 x i32> %b"),
            &format!("{vector}, <2 x i32>"),
        );
    }
    let at = "ptr addrspace(1)";
    for op in ["nand", "uinc_wrap", "udec_wrap"] {
        for ty in ["i32", "i64"] {
            all.add(ty, &[at, ty], &format!("  %r = atomicrmw {op} {at} %a, {ty} %b syncscope(\"device\") acq_rel"));
        }
    }
    all.add("ptr", &[at, "ptr"], &format!("  %r = atomicrmw xchg {at} %a, ptr %b seq_cst"));
    all.add(
        "ptr",
        &[at, "ptr", "ptr"],
        &format!("  %p = cmpxchg {at} %a, ptr %b, ptr %c seq_cst monotonic\n  %r = extractvalue {{ ptr, i1 }} %p, 0"),
    );
    for (width, cases) in [(1, "i1 true, label %x"), (24, "i24 -1, label %x i24 7, label %y"), (64, "i64 5000000000, label %x")] {
        all.add(
            "i32",
            &[&of(width, 1)],
            &format!(
                "  switch i{width} %a, label %y [{cases}]\nx:\n  br label %y\ny:\n  %r = phi i32 [1, %x], {}",
                if width == 24 { "[2, %e], [2, %e]" } else { "[2, %e]" }
            ),
        );
    }
    all.intrinsic("ptr", "ptrmask.p0.i64", &["ptr", "i64"], "ptr %a, i64 %b", "ptr, i64");
    all.declared.insert("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)".into());
    all.add("ptr", &["ptr"], "  call void @llvm.prefetch.p0(ptr %a, i32 0, i32 3, i32 1)\n  %r = getelementptr i8, ptr %a, i64 1");
    check_valid("forms", &all);
}

/// Vectors of lengths that SPIR-V lacks, inside of functions.
fn odd_vectors() {
    let mut all = Functions::default();
    for (count, width) in [(5, 32), (6, 16), (7, 8), (12, 64), (32, 32), (128, 8), (64, 24)] {
        let (ty, element) = (of(width, count), format!("i{width}"));
        for op in ["add", "mul", "xor", "lshr"] {
            let body = format!(
                "  %v = load {ty}, ptr %a\n  %o = {op} {ty} %v, splat ({element} 3)\n  store {ty} %o, ptr %a, align 1\n  %r = add i64 %b, 1"
            );
            all.add("i64", &["ptr", "i64"], &body);
        }
        let body = format!(
            "  %p = alloca {ty}\n  %v = load {ty}, ptr %a\n  %i = insertelement {ty} %v, {element} 5, i64 %b\n  store {ty} %i, ptr %p\n  \
             %l = load {ty}, ptr %p\n  %c = icmp ult {ty} %l, %v\n  %s = select <{count} x i1> %c, {ty} %l, {ty} %v\n  \
             %x = shufflevector {ty} %s, {ty} poison, <2 x i32> <i32 1, i32 3>\n  %t = extractelement <2 x {element}> %x, i64 %b\n  \
             %w = extractelement {ty} %s, i64 %b\n  %m = add {element} %t, %w\n  %r = {} {element} %m to i64",
            if width == 64 { "bitcast" } else { "zext" }
        );
        all.add("i64", &["ptr", "i64"], &body);
    }
    // Memory that is read as another type.
    all.add("i8", &["<16 x i64>", "i64"], "  %v = bitcast <16 x i64> %a to <128 x i8>\n  %r = extractelement <128 x i8> %v, i64 16");
    all.add("i8", &["<16 x i64>", "i64"], "  %v = bitcast <16 x i64> %a to <128 x i8>\n  %r = extractelement <128 x i8> %v, i64 %b");
    all.add(
        "<16 x i64>",
        &["i8", "i64"],
        "  %v = insertelement <128 x i8> zeroinitializer, i8 %a, i64 %b\n  %r = bitcast <128 x i8> %v to <16 x i64>",
    );
    // A part of a vector, read as another type.
    for (shift, cut, to) in [(0, "i192", "<3 x i64>"), (64, "i192", "<6 x i32>"), (32, "i96", "<3 x i32>"), (16, "i160", "<10 x i16>")] {
        let shifted = if shift == 0 { String::new() } else { format!("  %s = lshr i256 %i, {shift}\n") };
        let name = if shift == 0 { "i" } else { "s" };
        let body = format!(
            "  %i = bitcast <8 x i32> %a to i256\n{shifted}  %t = trunc i256 %{name} to {cut}\n  %v = bitcast {cut} %t to {to}\n  \
             store {to} %v, ptr %b\n  %r = add i64 0, 1"
        );
        all.add("i64", &["<8 x i32>", "ptr"], &body);
    }
    for (shift, to) in [(192, "i64"), (200, "i8"), (96, "i32"), (8, "i16")] {
        let body = format!("  %i = bitcast <8 x i32> %a to i256\n  %s = lshr i256 %i, {shift}\n  %r = trunc i256 %s to {to}");
        all.add(to, &["<8 x i32>"], &body);
    }
    // Inside structures in memory, beside what SPIR-V has.
    for ty in ["{ <5 x float>, i32, [2 x <7 x i32>] }", "{ i8, { <3 x i16>, <6 x i64> }, [3 x <12 x i8>] }"] {
        let inner = if ty.starts_with("{ <5") { "i32 2, i64 %b" } else { "i32 2, i64 %b, i64 7" };
        let body = format!(
            "  %p = alloca {ty}\n  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %a, i64 64, i1 false)\n  \
             %g = getelementptr inbounds {ty}, ptr %p, i64 0, {inner}\n  %v = load i8, ptr %g\n  %r = zext i8 %v to i64"
        );
        all.add("i64", &["ptr", "i64"], &body);
    }
    all.declared.insert("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)".to_owned());
    check_valid("odd vectors", &all);
}

/// What has no form names the function, and the place where it is known.
fn what_has_no_form_is_named() {
    let places = r#"
!llvm.module.flags = !{!9}
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "big.cpp", directory: "/")
!2 = distinct !DISubprogram(name: "product", file: !1, line: 3, unit: !0, type: !4)
!3 = !DILocation(line: 4, column: 7, scope: !2)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!9 = !{i32 2, !"Debug Info Version", i32 3}
"#;
    let cases = [
        (
            format!(
                "define spir_func i64 @_Z7productl(i64 %x) !dbg !2 {{\n  %w = zext i64 %x to i300, !dbg !3\n  %m = mul i300 %w, %w, !dbg !3\n  %h = lshr i300 %m, 200, !dbg !3\n  %r = trunc i300 %h to i64, !dbg !3\n  ret i64 %r, !dbg !3\n}}\n{places}"
            ),
            "in function 'product(long)': integers of 300 bits, which SPIR-V lacks, are used in a way that Aspen cannot rewrite ('zext') (big.cpp:4:7)",
        ),
        (
            "define spir_func <5 x i32> @five(<5 x i32> %v) {\n  ret <5 x i32> %v\n}".into(),
            "in function 'five': a vector of 5 elements; SPIR-V has vectors of 2, 3, 4, 8 and 16",
        ),
        (
            "define spir_func void @extended(ptr %p, ptr %q) {\n  %v = load x86_fp80, ptr %p\n  store x86_fp80 %v, ptr %q\n  ret void\n}"
                .into(),
            "in function 'extended': a floating-point number of 80 bits; SPIR-V has those of 16, 32 and 64",
        ),
        (
            "define spir_func bfloat @brain(bfloat %x) {\n  %y = fadd bfloat %x, %x\n  ret bfloat %y\n}".into(),
            "in function 'brain': a number of the type bfloat, which SPIR-V lacks without an extension",
        ),
    ];
    for (ir, expected) in cases {
        check_refused(&ir, expected);
    }
}

/// Formats that are literals lie in constant memory, so that what prints needs no extension; others need it. (Here none is allowed.)
fn formats() {
    let printing = |format: &str| {
        format!(
            "{HEAD}@text = private unnamed_addr addrspace(1) constant [4 x i8] c\"%d\\0A\\00\"\n\
             declare spir_func i32 @printf(ptr addrspace(4), ...)\n\
             define spir_kernel void @k(ptr addrspace(1) %p) {{\n  %f = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)\n  \
             %r = call spir_func i32 (ptr addrspace(4), ...) @printf(ptr addrspace(4) {format}, i32 7)\n  ret void\n}}\n"
        )
    };
    let literal = printing("addrspacecast (ptr addrspace(1) @text to ptr addrspace(4))");
    let error = generated(&literal, "").err().unwrap_or_default();
    assert_eq!(error, "", "a literal");
    let error = generated(&printing("%f"), "").expect_err("a format that is no literal");
    assert!(error.contains("SPV_EXT_relaxed_printf_string_address_space is required"), "{error}");
}

fn main() {
    casts();
    operations();
    wide_integers();
    memory();
    forms();
    odd_vectors();
    what_has_no_form_is_named();
    formats();
    println!("spirv: 8 tests ok");
}
