//! What specialising leaves, instruction by instruction: modules in SPIR-V's assembly language, through SPIRV-Tools' assembler, validator
//! and disassembler. Tokens that Debian's SPIRV-Tools do not know are numbers: capability 6245, decoration 6247.

use std::borrow::Cow;

use aspen_spirv::{SpecId, describe, specialise};
use tools::tool;

#[path = "common/tools.rs"]
mod tools;

fn assemble(text: &str) -> Vec<u8> {
    tool(&["spirv-as", "--preserve-numeric-ids", "--target-env", "spv1.4", "-o", "-", "-"], text.as_bytes()).expect("sound assembly")
}

/// The module's instructions by their ids, validated.
fn disassemble(module: &[u8]) -> String {
    let text = tool(&["spirv-dis", "--no-color", "--no-header", "--raw-id", "-"], module).expect("a sound module");
    let text = String::from_utf8(text).expect("text");
    if let Err(why) = tool(&["spirv-val", "--target-env", "spv1.4", "-"], module) {
        panic!("{why}\n{text}");
    }
    text.lines().map(|line| line.trim().to_owned() + "\n").collect()
}

/// Guards by aspect, requirements by index: what is true. Everything else of ours is false.
fn with<'t>(truths: &'t [&'t str]) -> impl Fn(SpecId) -> Option<bool> + 't {
    move |id| match id {
        SpecId::Guard(aspect) => Some(truths.contains(&aspect.to_string().as_str())),
        SpecId::Requirement(index) => Some(truths.contains(&index.to_string().as_str())),
        SpecId::User(_) => None,
    }
}

fn special(text: &str, truths: &[&str]) -> String {
    disassemble(&specialise(&assemble(text), &with(truths)).expect("a sound module"))
}

const HEAD: &str = "OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Float64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %1 \"k\" %40
OpName %1 \"k\"
OpName %2 \"with\"
OpName %3 \"without\"
OpDecorate %20 SpecId 1342177285 ; fp16
OpDecorate %21 SpecId 1342177286 ; fp64
%10 = OpTypeVoid
%11 = OpTypeBool
%12 = OpTypeInt 32 0
%13 = OpTypeFunction %10
%14 = OpTypeFloat 64
%15 = OpTypeFunction %12 %12
%16 = OpTypePointer Workgroup %12
%20 = OpSpecConstantFalse %11
%21 = OpSpecConstantFalse %11
%30 = OpConstant %12 0
%31 = OpConstant %12 1
%32 = OpConstant %12 7
%33 = OpConstantFalse %11
%34 = OpConstant %14 1.5
%40 = OpVariable %16 Workgroup
";

const CALLEES: &str = "%2 = OpFunction %10 None %13
%200 = OpLabel
%201 = OpFAdd %14 %34 %34
OpStore %40 %31
OpReturn
OpFunctionEnd
%3 = OpFunction %10 None %13
%300 = OpLabel
OpReturn
OpFunctionEnd
";

fn kernel(body: &str) -> String {
    format!("{HEAD}%1 = OpFunction %10 None %13\n%100 = OpLabel\n{body}OpReturn\nOpFunctionEnd\n{CALLEES}")
}

/// The body of function %1, without its first label and its end.
fn body(text: &str) -> String {
    let from = text.find("%100 = OpLabel\n").expect("the kernel") + "%100 = OpLabel\n".len();
    let to = text[from..].find("OpFunctionEnd").expect("its end") + from;
    text[from..to].to_owned()
}

#[test]
fn branches() {
    let text = kernel(
        "OpBranchConditional %21 %101 %102
%101 = OpLabel
%110 = OpFunctionCall %10 %2
OpBranch %103
%102 = OpLabel
%111 = OpFunctionCall %10 %3
OpBranch %103
%103 = OpLabel
%112 = OpPhi %12 %31 %101 %32 %102
%113 = OpIAdd %12 %112 %112
",
    );
    let yes = special(&text, &["fp64"]);
    assert_eq!(
        body(&yes),
        "OpBranch %101\n%101 = OpLabel\n%110 = OpFunctionCall %10 %2\nOpBranch %103\n%103 = OpLabel\n%112 = OpPhi %12 %31 %101\n\
         %113 = OpIAdd %12 %112 %112\nOpReturn\n"
    );
    assert!(yes.contains("OpCapability Float64") && yes.contains("\"with\"") && !yes.contains("without"), "{yes}");
    let no = special(&text, &["fp16"]);
    for gone in ["Float64", "OpTypeFloat", "\"with\"", "%40", "SpecConst", "SpecId", "%33", "OpConstant %14", "OpTypePointer"] {
        assert!(!no.contains(gone), "{gone} in {no}");
    }
    assert!(no.contains("OpEntryPoint Kernel %1 \"k\"\n"), "{no}");
}

#[test]
fn both_conditions_of_a_clause() {
    // LLVM writes `a && b` as a selection, and what follows a chain as a negation.
    let text = kernel(
        "%110 = OpSelect %11 %20 %21 %33
OpBranchConditional %110 %101 %102
%101 = OpLabel
%111 = OpFunctionCall %10 %2
OpBranch %102
%102 = OpLabel
%112 = OpLogicalNot %11 %110
OpBranchConditional %112 %103 %104
%103 = OpLabel
%113 = OpFunctionCall %10 %3
OpBranch %104
%104 = OpLabel
",
    );
    for (truths, called) in [(&["fp16", "fp64"][..], "%2"), (&["fp16"], "%3"), (&["fp64"], "%3"), (&[], "%3")] {
        let left = special(&text, truths);
        let calls: Vec<_> = left.lines().filter(|line| line.contains("OpFunctionCall")).collect();
        assert!(calls.len() == 1 && calls[0].ends_with(called), "{truths:?}: {left}");
        assert!(!left.contains("OpLogicalNot") && !left.contains("OpSelect") && !left.contains("OpTypeBool"), "{left}");
    }
}

#[test]
fn switches() {
    for (width, kind) in [(32, "%12"), (64, "%50")] {
        let text = kernel(&format!(
            "%110 = OpSelect {kind} %21 %52 %51
OpSwitch %110 %101 7 %102 1 %103
%101 = OpLabel
OpBranch %104
%102 = OpLabel
%112 = OpFunctionCall %10 %2
OpBranch %104
%103 = OpLabel
%113 = OpFunctionCall %10 %3
OpBranch %104
%104 = OpLabel
"
        ));
        let constants = if width == 32 {
            "%51 = OpConstant %12 9\n%52 = OpConstant %12 7\n".to_owned()
        } else {
            "%50 = OpTypeInt 64 0\n%51 = OpConstant %50 9\n%52 = OpConstant %50 7\n".to_owned()
        };
        let text = text.replace("%40 = OpVariable", &format!("{constants}%40 = OpVariable"));
        let yes = special(&text, &["fp64"]);
        assert_eq!(
            body(&yes),
            "OpBranch %102\n%102 = OpLabel\n%112 = OpFunctionCall %10 %2\nOpBranch %104\n%104 = OpLabel\nOpReturn\n",
            "{width}"
        );
        let no = special(&text, &[]);
        assert_eq!(body(&no), "OpBranch %101\n%101 = OpLabel\nOpBranch %104\n%104 = OpLabel\nOpReturn\n", "{width}");
        assert!(!yes.contains("Int64"), "{yes}");
        assert!(!no.contains("OpTypeInt 64") && !no.contains("Int64"), "{no}");
    }
}

#[test]
fn selections_and_values() {
    let text = kernel(
        "%110 = OpSelect %12 %21 %31 %32
%111 = OpIAdd %12 %110 %110
OpStore %40 %111
",
    );
    assert_eq!(body(&special(&text, &["fp64"])), "%110 = OpCopyObject %12 %31\n%111 = OpIAdd %12 %110 %110\nOpStore %40 %111\nOpReturn\n");
    assert_eq!(body(&special(&text, &[])), "%110 = OpCopyObject %12 %32\n%111 = OpIAdd %12 %110 %110\nOpStore %40 %111\nOpReturn\n");
    // A condition that is a value, too, becomes a plain constant; with an unknown operand the operation stays.
    let text = kernel(
        "%110 = OpLoad %12 %40
%111 = OpIEqual %11 %110 %31
%112 = OpLogicalAnd %11 %111 %21
OpBranchConditional %112 %101 %102
%101 = OpLabel
%113 = OpFunctionCall %10 %2
OpBranch %102
%102 = OpLabel
",
    );
    let yes = special(&text, &["fp64"]);
    assert!(yes.contains("%21 = OpConstantTrue %11") && yes.contains("%112 = OpLogicalAnd %11 %111 %21"), "{yes}");
    let no = special(&text, &[]);
    assert_eq!(body(&no), "%110 = OpLoad %12 %40\n%111 = OpIEqual %11 %110 %31\nOpBranch %102\n%102 = OpLabel\nOpReturn\n");
}

#[test]
fn loops_stay_loops() {
    let text = kernel(
        "OpBranch %101
%101 = OpLabel
%110 = OpPhi %12 %30 %100 %111 %104
%112 = OpULessThan %11 %110 %32
OpLoopMerge %105 %104 None
OpBranchConditional %112 %102 %105
%102 = OpLabel
OpBranchConditional %21 %103 %104
%103 = OpLabel
%113 = OpFunctionCall %10 %2
OpBranch %104
%104 = OpLabel
%111 = OpIAdd %12 %110 %31
OpBranch %101
%105 = OpLabel
",
    );
    let no = body(&special(&text, &[]));
    assert!(
        no.contains("OpLoopMerge %105 %104 None") && no.contains("%110 = OpPhi %12 %30 %100 %111 %104") && !no.contains("Call"),
        "{no}"
    );
    // A loop that is never left or never entered.
    let text = kernel(
        "OpBranchConditional %21 %101 %105
%101 = OpLabel
%110 = OpPhi %12 %30 %100 %111 %101
%111 = OpIAdd %12 %110 %31
%112 = OpULessThan %11 %111 %32
OpLoopMerge %105 %101 None
OpBranchConditional %112 %101 %105
%105 = OpLabel
",
    );
    assert_eq!(body(&special(&text, &[])), "OpBranch %105\n%105 = OpLabel\nOpReturn\n");
}

#[test]
fn what_is_not_touched_keeps_its_bytes() {
    let plain = assemble(
        &kernel("OpStore %40 %31\n").replace("OpDecorate %20 SpecId 1342177285 ; fp16\nOpDecorate %21 SpecId 1342177286 ; fp64\n", ""),
    );
    assert!(matches!(specialise(&plain, &|_| None), Ok(Cow::Borrowed(bytes)) if bytes == plain));
    let text = kernel("OpStore %40 %31\n%110 = OpFunctionCall %10 %2\n%111 = OpFunctionCall %10 %3\n");
    let before = assemble(&text);
    let after = specialise(&before, &with(&[])).expect("a sound module");
    // Two constants of two words' decorations go, the unused plain ones, and what the entry point lists stays.
    let lost: Vec<String> = {
        let (before, after) = (disassemble(&before), disassemble(&after));
        before.lines().filter(|line| !after.contains(*line)).map(str::to_owned).collect()
    };
    assert_eq!(
        lost,
        [
            "OpCapability Int64",
            "OpDecorate %20 SpecId 1342177285",
            "OpDecorate %21 SpecId 1342177286",
            "%11 = OpTypeBool",
            "%15 = OpTypeFunction %12 %12",
            "%20 = OpSpecConstantFalse %11",
            "%21 = OpSpecConstantFalse %11",
            "%30 = OpConstant %12 0",
            "%32 = OpConstant %12 7",
            "%33 = OpConstantFalse %11",
        ]
    );
    assert_eq!(after[..20], before[..20], "the header");
}

#[test]
fn a_users_specialization_constant_stays_the_users() {
    let text = kernel("%110 = OpSelect %12 %22 %31 %32\nOpStore %40 %110\n")
        .replace("%10 = OpTypeVoid", "OpDecorate %22 SpecId 5\n%10 = OpTypeVoid")
        .replace("%30 = OpConstant", "%22 = OpSpecConstantTrue %11\n%30 = OpConstant");
    let left = special(&text, &[]);
    assert!(left.contains("OpDecorate %22 SpecId 5") && left.contains("%110 = OpSelect %12 %22 %31 %32"), "{left}");
}

/// One kernel that needs fp64, atomics and Float16 each, and a plain one.
const CAPABILITIES: &str = "OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int64
OpCapability Int64Atomics
OpCapability Float16
OpCapability Float64
OpCapability Vector16
OpCapability Groups
OpCapability AtomicFloat32AddEXT
OpCapability AtomicFloat64AddEXT
OpCapability SubgroupDispatch
OpCapability !6245
OpExtension \"SPV_EXT_shader_atomic_float_add\"
OpExtension \"SPV_INTEL_function_variants\"
OpExtension \"SPV_KHR_unknown_thing\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %1 \"plain\" %42
OpEntryPoint Kernel %2 \"fp64\" %41
OpEntryPoint Kernel %3 \"atomic64\" %40
OpEntryPoint Kernel %4 \"fp16\"
OpEntryPoint Kernel %5 \"group\"
OpExecutionMode %5 SubgroupSize 16
OpDecorate %20 SpecId 1073741824
OpDecorate %21 SpecId 1073741825
OpDecorate %22 SpecId 1073741826
OpDecorate %23 SpecId 1073741827
OpDecorate %2 !6247 %20
OpDecorate %3 !6247 %21
OpDecorate %4 !6247 %22
OpDecorate %5 !6247 %23
%10 = OpTypeVoid
%11 = OpTypeBool
%12 = OpTypeInt 32 0
%13 = OpTypeFunction %10
%14 = OpTypeFloat 64
%15 = OpTypeInt 64 0
%16 = OpTypeFloat 16
%17 = OpTypeFloat 32
%18 = OpTypePointer CrossWorkgroup %15
%19 = OpTypePointer CrossWorkgroup %14
%50 = OpTypePointer CrossWorkgroup %17
%51 = OpTypeVector %16 16
%20 = OpSpecConstantTrue %11
%21 = OpSpecConstantTrue %11
%22 = OpSpecConstantTrue %11
%23 = OpSpecConstantTrue %11
%30 = OpConstant %12 1
%31 = OpConstant %12 0
%32 = OpConstant %15 1
%33 = OpConstant %14 1
%34 = OpConstant %17 1
%35 = OpConstant %16 1
%36 = OpConstant %12 3
%40 = OpVariable %18 CrossWorkgroup
%41 = OpVariable %19 CrossWorkgroup
%42 = OpVariable %50 CrossWorkgroup
%1 = OpFunction %10 None %13
%100 = OpLabel
%101 = OpAtomicFAddEXT %17 %42 %30 %31 %34
OpReturn
OpFunctionEnd
%2 = OpFunction %10 None %13
%200 = OpLabel
%201 = OpAtomicFAddEXT %14 %41 %30 %31 %33
OpReturn
OpFunctionEnd
%3 = OpFunction %10 None %13
%300 = OpLabel
OpAtomicStore %40 %30 %31 %32
OpReturn
OpFunctionEnd
%4 = OpFunction %10 None %13
%400 = OpLabel
%401 = OpCompositeConstruct %51 %35 %35 %35 %35 %35 %35 %35 %35 %35 %35 %35 %35 %35 %35 %35 %35
OpReturn
OpFunctionEnd
%5 = OpFunction %10 None %13
%500 = OpLabel
%501 = OpGroupIAdd %12 %36 Reduce %30
OpReturn
OpFunctionEnd
";

#[test]
fn capabilities_and_extensions_go_with_what_asked_for_them() {
    let declared = |truths: &[&str]| {
        // The extension that nobody knows is not for the validator.
        let module = specialise(&assemble(CAPABILITIES), &with(truths)).expect("a sound module").into_owned();
        let text =
            String::from_utf8(tool(&["spirv-dis", "--no-color", "--no-header", "--raw-id", "-"], &module).expect("sound")).expect("text");
        assert!(text.contains("SPV_KHR_unknown_thing") && !text.contains("function_variants") && !text.contains("6245"), "{text}");
        let known: Vec<u8> = assemble(&text.replace("OpExtension \"SPV_KHR_unknown_thing\"", ""));
        disassemble(&known);
        let names = text.lines().filter_map(|line| line.trim().strip_prefix("OpCapability "));
        names.filter(|name| !["Kernel", "Addresses", "Linkage"].contains(name)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(declared(&[]), "AtomicFloat32AddEXT");
    assert_eq!(declared(&["0"]), "Float64 AtomicFloat32AddEXT AtomicFloat64AddEXT");
    assert_eq!(declared(&["1"]), "Int64 Int64Atomics AtomicFloat32AddEXT");
    assert_eq!(declared(&["2"]), "Float16 Vector16 AtomicFloat32AddEXT");
    assert_eq!(declared(&["3"]), "Groups AtomicFloat32AddEXT SubgroupDispatch");
    let all = declared(&["0", "1", "2", "3"]);
    assert!(all.contains("Int64Atomics") && all.contains("Vector16") && all.contains("SubgroupDispatch"), "{all}");
}

#[test]
fn conditions_in_words() {
    let name = |id: SpecId| match id {
        SpecId::Requirement(index) => ["a", "b", "c", "d"][index as usize].to_owned(),
        other => format!("{other:?}"),
    };
    let text = CAPABILITIES
        .replace("%30 = OpConstant", "%60 = OpSpecConstantOp %11 LogicalAnd %20 %21\n%61 = OpSpecConstantOp %11 LogicalOr %60 %22\n%62 = OpSpecConstantOp %11 LogicalNot %61\n%63 = OpSpecConstantOp %11 LogicalAnd %61 %62\n%30 = OpConstant")
        .replace("OpDecorate %3 !6247 %21", "OpDecorate %3 !6247 %60")
        .replace("OpDecorate %4 !6247 %22", "OpDecorate %4 !6247 %61")
        .replace("OpDecorate %5 !6247 %23", "OpDecorate %5 !6247 %63");
    let described = describe(&assemble(&text), &name).expect("a sound module");
    let described: Vec<_> = described.iter().map(|(symbol, when)| (symbol.as_str(), when.as_str())).collect();
    assert_eq!(
        described,
        [("fp64", "a"), ("atomic64", "a and b"), ("fp16", "(a and b) or c"), ("group", "((a and b) or c) and not ((a and b) or c)")]
    );
    assert_eq!(describe(&assemble(&kernel("")), &name), Ok(Vec::new()));
    let bad = assemble(&CAPABILITIES.replace("OpDecorate %2 !6247 %20", "OpDecorate %2 !6247 %30"));
    assert!(describe(&bad, &name).expect_err("no condition").to_string().contains("'fp64' is no boolean"));
}

#[test]
fn bad_input_is_named() {
    let sound = assemble(CAPABILITIES);
    let error = |module: &[u8]| specialise(module, &with(&[])).expect_err("bad input").to_string();
    assert!(error(&sound[..sound.len() - 3]).contains("cut off"));
    assert!(error(&sound[..sound.len() - 8]).contains("without end"));
    assert!(error(b"BC\xc0\xde").contains("word 0"));
    let other: Vec<u8> = sound.chunks(4).flat_map(|word| [word[3], word[2], word[1], word[0]]).collect();
    assert!(error(&other).contains("big-endian"));
    // Conditions that are no boolean specialization constants, that refer to themselves, or to what has no value.
    for (from, to, why) in [
        ("OpDecorate %2 !6247 %20", "OpDecorate %2 !6247 %30", "no boolean specialization constant"),
        ("OpDecorate %2 !6247 %20", "OpDecorate %2 !6247 %999", "no constant of the module"),
        ("OpDecorate %2 !6247 %20", "OpDecorate %2 !6247 %14", "no boolean specialization constant"),
        ("OpDecorate %20 SpecId 1073741824\n", "", "has no value"),
        ("%20 = OpSpecConstantTrue %11", "%20 = OpSpecConstantOp %11 LogicalAnd %20 %20", "refers to itself"),
        (
            "%20 = OpSpecConstantTrue %11",
            "%20 = OpSpecConstantOp %11 LogicalNot %60\n%60 = OpSpecConstantOp %11 LogicalNot %20",
            "refers to itself",
        ),
    ] {
        let mut text = CAPABILITIES.replace(from, to);
        assert_ne!(text, CAPABILITIES);
        if to.contains("OpSpecConstantOp") {
            text = text.replace("OpDecorate %20 SpecId 1073741824\n", "");
        }
        let said = error(&assemble(&text));
        assert!(said.contains(why) && said.contains("'fp64'"), "{why}: {said}");
    }
    // Selections whose arms come later: a circle, and a chain that would be deep.
    let selections = |arms: &str| {
        let text = CAPABILITIES.replace("OpDecorate %2 !6247 %20", "OpDecorate %2 !6247 %60");
        text.replace("%30 = OpConstant", &format!("{arms}%30 = OpConstant"))
    };
    let circle = "%60 = OpSpecConstantOp %11 Select %21 %61 %61\n%61 = OpSpecConstantOp %11 Select %21 %62 %62\n\
                  %62 = OpSpecConstantOp %11 Select %21 %60 %60\n";
    let chain: String = (0..100_000)
        .map(|link| {
            let (this, next) = (if link == 0 { 60 } else { 1000 + link }, 1001 + link);
            format!("%{this} = OpSpecConstantOp %11 Select %21 %{next} %{next}\n")
        })
        .collect();
    for arms in [circle, &(chain + "%101000 = OpSpecConstantOp %11 LogicalNot %21\n")] {
        let said = error(&assemble(&selections(arms)));
        assert!(said.contains("to a constant that comes later") && said.contains("'fp64'"), "{said}");
    }
    let strange = CAPABILITIES.replace("OpDecorate %20 SpecId", "OpDecorate %30 SpecId 1342177285\nOpDecorate %20 SpecId");
    assert_eq!(error(&assemble(&strange)), "%30 has SpecId 0x50000005, but is no boolean specialization constant");
    // A kept function that calls a discarded one.
    let calls = CAPABILITIES.replace("%101 = OpAtomicFAddEXT", "%102 = OpFunctionCall %10 %6\n%101 = OpAtomicFAddEXT").replace(
        "%2 = OpFunction %10 None %13\n",
        "%6 = OpFunction %10 None %13\n%600 = OpLabel\nOpReturn\nOpFunctionEnd\n%2 = OpFunction %10 None %13\n",
    );
    let calls = calls.replace("OpDecorate %2 !6247 %20", "OpDecorate %2 !6247 %20\nOpDecorate %6 !6247 %20");
    let calls = calls.replace("OpDecorate %20 SpecId", "OpName %6 \"helper\"\nOpDecorate %20 SpecId");
    assert_eq!(
        error(&assemble(&calls)),
        "'plain' stays, but refers to 'helper', which is discarded: its condition is false for this device"
    );
    // An unknown opcode is kept, and so is what it may refer to.
    let mut words: Vec<u32> = sound.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let label = words.windows(2).position(|pair| pair == [2 << 16 | 248, 100]).expect("the label");
    words.splice(label + 2..label + 2, [3 << 16 | 8190, 41, 12345]);
    let unknown: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let left = specialise(&unknown, &with(&[])).expect("it is kept").into_owned();
    assert!(left.chunks(4).any(|word| word == (3u32 << 16 | 8190).to_le_bytes()));
    assert!(left.windows(16).any(|words| words == [4u32 << 16 | 59, 19, 41, 5].map(u32::to_le_bytes).concat()), "the variable %41 stays");
}

/// Bodies of `if_device_has` may be inlined once it is decided which of them stay; what else a user keeps apart stays apart.
#[test]
fn only_guarded_bodies_are_opened_to_inlining() {
    let guarded = "_ZN4sycl6detail16where_device_hasIJLNS_6aspectE6EEZ4mainEUlvE_JEEEvRT0_DpRT1_";
    let names = [guarded, "_ZN4sycl6detail18where_device_lacksIJE", "_ZN4user4workIZN4sycl6detail16where_device_hasIEvE", "_Z5plainv"];
    for (name, control) in names.into_iter().zip(["Inline", "Inline", "DontInline", "DontInline"]) {
        let text =
            kernel("OpBranchConditional %21 %101 %102\n%101 = OpLabel\n%110 = OpFunctionCall %10 %2\nOpBranch %102\n%102 = OpLabel\n")
                .replace("\"with\"", &format!("\"{name}\""))
                .replace("%2 = OpFunction %10 None", "%2 = OpFunction %10 DontInline");
        let left = special(&text, &["fp64"]);
        assert!(left.contains(&format!("%2 = OpFunction %10 {control} %13\n")), "{name}: {left}");
    }
}
