//! Why a kernel needs an aspect, by the code alone: every set of debug information tells the same lines, of calls that are inlined, too.
//! What is written here is what SPIRV-LLVM-Translator writes for such a kernel at -O2 -g.

use aspen_spirv::{ChainStep, Use, chain_to, place_of};
use tools::tool;

#[path = "common/tools.rs"]
mod tools;

/// Kernel `K` is a shell around a function of its name, into which `outer` and with it `inner` are inlined; `inner` has a double. `{…}` are
/// the set's own.
fn module(set: &str, by_id: bool) -> String {
    let number = |number: u32| if by_id { format!("%u{number}") } else { number.to_string() };
    let line = |line: u32, column: u32| match by_id {
        true => format!("%l{line} = OpExtInst %void %set DebugLine %src %u{line} %u{line} %u{column} %u{column}"),
        false => format!("OpLine %file {line} {column}"),
    };
    let function = |name: &str, linkage: &str, at: u32, body: &str| {
        let flags = if by_id { number(0) } else { "FlagIsDefinition".into() };
        let rest = if by_id { String::new() } else { format!(" {body}") };
        format!(
            "%d_{name} = OpExtInst %void %set DebugFunction %s_{name} %none %src {} {} %unit {linkage} {flags} {}{rest}\n",
            number(at),
            number(0),
            number(at)
        )
    };
    let language = if by_id { number(0) } else { "OpenCL_CPP".into() };
    let constants: String =
        [0, 2, 3, 4, 6, 7, 9, 14, 20, 30].iter().map(|number| format!("%u{number} = OpConstant %uint {number}\n")).collect();
    let extension = if by_id { "OpExtension \"SPV_KHR_non_semantic_info\"" } else { "" };
    let definition = if by_id { "%def = OpExtInst %void %set DebugFunctionDefinition %d_K %body" } else { "" };
    format!(
        "OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Float64
{extension}
%set = OpExtInstImport \"{set}\"
%cl = OpExtInstImport \"OpenCL.std\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"K\"
OpExecutionMode %k LocalSize 4 2 1
%file = OpString \"k.cpp\"
%s_inner = OpString \"inner\"
%s_outer = OpString \"outer\"
%s_K = OpString \"K\"
%nothing = OpString \"\"
%mangled = OpString \"_Z5innerf\"
OpName %body \"K\"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%type = OpTypeFunction %void %float
{constants}
%none = OpExtInst %void %set DebugInfoNone
%src = OpExtInst %void %set DebugSource %file
%unit = OpExtInst %void %set DebugCompilationUnit {} {} %src {language}
{}{}{}
%block = OpExtInst %void %set DebugLexicalBlock %src {} {} %d_inner
%in_k = OpExtInst %void %set DebugInlinedAt {} %d_K
%in_outer = OpExtInst %void %set DebugInlinedAt {} %d_outer %in_k
%body = OpFunction %void None %type
%x = OpFunctionParameter %float
%label = OpLabel
{definition}
%sc1 = OpExtInst %void %set DebugScope %d_K
{}
%sc2 = OpExtInst %void %set DebugScope %block %in_outer
{}
%d = OpFConvert %double %x
OpReturn
OpFunctionEnd
%k = OpFunction %void None %type
%y = OpFunctionParameter %float
%entry = OpLabel
%called = OpFunctionCall %void %body %y
OpReturn
OpFunctionEnd
",
        number(0),
        number(0),
        function("inner", "%mangled", 2, "%none"),
        function("outer", "%nothing", 6, "%none"),
        function("K", "%nothing", 9, "%body"),
        number(3),
        number(4),
        number(20),
        number(7),
        line(30, 9),
        line(3, 14),
    )
}

fn assembled(text: &str) -> Vec<u8> {
    tool(&["spirv-as", "--target-env", "spv1.4", "-o", "-", "-"], text.as_bytes()).expect("sound assembly")
}

fn step(function: &str, line: u32, column: u32) -> ChainStep {
    ChainStep { function: function.into(), place: Some(("k.cpp".into(), line, column)) }
}

#[test]
fn every_set_tells_inlined_calls() {
    let (shader, opencl) = ("NonSemantic.Shader.DebugInfo.100", "OpenCL.DebugInfo.100");
    for (what, bytes) in [
        ("OpenCL's", assembled(&module(opencl, false))),
        ("the shaders'", assembled(&module(shader, true))),
        // The assembler does not know this one, whose instructions up to here are the same.
        ("the translator's", renamed(assembled(&module(shader, true)), b"DebugInfo.100", b"DebugInfo.200")),
        ("the translator's first", renamed(assembled(&module(opencl, false)), b"OpenCL.DebugInfo.100", b"SPIRV.debug\0\0\0\0\0\0\0\0\0")),
    ] {
        let chain = chain_to(&bytes, "K", Use::Float(64)).expect("sound");
        assert_eq!(chain, Some(vec![step("_Z5innerf", 3, 14), step("outer", 7, 0), step("K", 20, 0)]), "{what}");
        assert_eq!(place_of(&bytes, "K"), Ok(Some(("k.cpp".into(), 9, 0))), "{what}");
        assert_eq!(chain_to(&bytes, "K", Use::Float(16)), Ok(None), "{what}");
    }
}

/// Names of the same length, but for the zeros behind one.
fn renamed(mut module: Vec<u8>, old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = module.windows(old.len()).position(|window| window == old).expect("there");
    module[at..at + old.len()].copy_from_slice(new);
    module
}

#[test]
fn what_says_nothing_or_nonsense_ends() {
    let text = module("OpenCL.DebugInfo.100", false);
    // Calls inlined into themselves, and a block inside itself.
    let circle = text.replace("DebugInlinedAt 20 %d_K", "DebugInlinedAt 20 %d_K %in_outer").replace("%src 3 4 %d_inner", "%src 3 4 %block");
    assert!(circle.contains("%d_K %in_outer") && circle.contains("4 %block"));
    assert!(chain_to(&assembled(&circle), "K", Use::Float(64)).expect("sound").is_some());
    let only_calls = text.replace("DebugInlinedAt 20 %d_K", "DebugInlinedAt 20 %d_K %in_outer");
    assert!(chain_to(&assembled(&only_calls), "K", Use::Float(64)).expect("sound").is_some_and(|chain| chain.len() < 1000));
    // A line of another set's is none.
    let other = text.replace("OpLine %file 3 14", "%l = OpExtInst %float %cl mad %x %x %x");
    assert_ne!(other, text);
    let chain = chain_to(&assembled(&other), "K", Use::Float(64)).expect("sound").expect("used");
    assert_eq!(chain[0], step("_Z5innerf", 30, 9), "the last line that is said");
    // The compiler's own instructions have line 0.
    let made = text.replace("OpLine %file 3 14", "OpLine %file 0 0");
    let chain = chain_to(&assembled(&made), "K", Use::Float(64)).expect("sound").expect("used");
    assert_eq!((chain[0].function.as_str(), &chain[0].place), ("_Z5innerf", &None));
    let bare: String =
        text.lines().filter(|line| !line.contains("%set") && !line.contains("OpLine")).map(|line| format!("{line}\n")).collect();
    let chain = chain_to(&assembled(&bare), "K", Use::Float(64)).expect("sound");
    assert_eq!(chain, Some(vec![ChainStep { function: "K".into(), place: None }]));
    assert_eq!(place_of(&assembled(&bare), "K"), Ok(None));
}
