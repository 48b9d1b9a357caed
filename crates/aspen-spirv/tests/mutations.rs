//! Any bytes are an error or a module: sound modules changed at random. The same holds under libFuzzer (`fuzz_targets/specialise.rs`);
//! what must hold is in `fuzz/src/specialise.rs`.

mod common;
#[path = "../../../fuzz/src/specialise.rs"]
mod target;

use std::io::Write;
use std::process::{Command, Stdio};

use aspen_spirv::{Numbering, SpecId, specialise, write};
use common::{Graph, Random};

const ROUNDS: usize = 40_000;
/// How often the validator judges; it is a process each time.
const JUDGED: usize = 400;

const EDGES: [u32; 10] = [0, 1, 2, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x5000_0005, 0x4000_0000];

fn seeds() -> Vec<Vec<u8>> {
    let mut random = Random::new(11);
    let mut out = Vec::new();
    for number in 0..40 {
        let graph = Graph::random(&mut random, number % 2 == 0);
        let roots = graph.roots();
        let numbering = Numbering::new(roots.iter().map(|(_, requirements)| requirements)).expect("few requirements");
        let roots: Vec<_> = roots.iter().map(|(symbol, requirements)| (symbol.as_str(), requirements)).collect();
        out.push(write(&graph.module(), &roots, &numbering).expect("a sound module").into_owned());
    }
    out
}

fn mutated(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = seed.to_vec();
    for _ in 0..=random.below(3) {
        let word = random.below(out.len() / 4) * 4;
        match random.below(6) {
            0 => out[word + random.below(4)] ^= 1 << random.below(8),
            1 => out[word..word + 4].copy_from_slice(&EDGES[random.below(EDGES.len())].to_le_bytes()),
            // Another id, or another literal.
            2 => out[word..word + 4].copy_from_slice(&(random.below(130) as u32).to_le_bytes()),
            3 => {
                let other = random.below(out.len() / 4) * 4;
                let bytes: [u8; 4] = out[other..other + 4].try_into().expect("four bytes");
                out[word..word + 4].copy_from_slice(&bytes);
            }
            4 => _ = out.drain(word..(word + 4 * random.below(8)).min(out.len())),
            _ => out.truncate(word + random.below(5)),
        }
        if out.len() < 24 {
            return seed.to_vec();
        }
    }
    out
}

#[test]
fn changed_modules_are_errors_or_modules() {
    let (seeds, mut random) = (seeds(), Random::new(12));
    let mut sound = 0;
    for round in 0..ROUNDS {
        let input = mutated(&seeds[round % seeds.len()], &mut random);
        sound += usize::from(target::specialised(&input));
    }
    // Many changes leave a module that can be specialised.
    assert!((ROUNDS / 10..ROUNDS).contains(&sound), "{sound}");
}

/// What the validator says against a module.
fn complaint(module: &[u8]) -> String {
    complaint_of("spirv-val", module)
}

/// Against a conditional module: of the validator that knows it whole (`cargo xtask devices --install`), else of Debian's without the
/// tokens that this does not know. `cargo xtask test` names what is not installed.
fn complaint_of_conditional(module: &[u8]) -> String {
    match std::env::var("ASPEN_SPIRV_VAL") {
        Ok(tool) => complaint_of(&tool, module),
        Err(_) => complaint(&without_unknown_tokens(module)),
    }
}

fn complaint_of(tool: &str, module: &[u8]) -> String {
    let mut child = Command::new(tool)
        .args(["--target-env", "spv1.3", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-val (Debian package spirv-tools)");
    child.stdin.take().expect("a pipe").write_all(module).expect("it reads all");
    String::from_utf8_lossy(&child.wait_with_output().expect("it ends").stderr).into_owned()
}

/// Without the memory model, or, for a validator that knows conditional functions, without the extension they belong to.
fn without_extension(module: &[u8]) -> Vec<u8> {
    let words: Vec<u32> = module.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let knows = std::env::var_os("ASPEN_SPIRV_VAL").is_some();
    let (mut out, mut at) = (words[..5].to_vec(), 5);
    while at < words.len() {
        let end = at + (words[at] >> 16) as usize;
        let is_extension = words[at] & 0xffff == 10 && module[4 * (at + 1)..].starts_with(b"SPV_INTEL_function_variants");
        if !(is_extension && knows) && (knows || words[at] & 0xffff != 14) {
            out.extend(&words[at..end]);
        }
        at = end;
    }
    out.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Without the capability and the decorations that SPIRV-Tools of Debian do not know.
fn without_unknown_tokens(module: &[u8]) -> Vec<u8> {
    let words: Vec<u32> = module.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let (mut out, mut at) = (words[..5].to_vec(), 5);
    while at < words.len() {
        let end = at + (words[at] >> 16) as usize;
        match words[at] & 0xffff {
            17 if words[at + 1] == 6245 => {}
            71 if words[at + 2] == 6247 => {}
            10 if module[4 * (at + 1)..].starts_with(b"SPV_INTEL_function_variants") => {}
            _ => out.extend(&words[at..end]),
        }
        at = end;
    }
    out.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn written_and_specialised_modules_are_valid() {
    let mut random = Random::new(13);
    for number in 0..JUDGED {
        let graph = Graph::random(&mut random, false);
        let roots = graph.roots();
        let numbering = Numbering::new(roots.iter().map(|(_, requirements)| requirements)).expect("few requirements");
        let roots: Vec<_> = roots.iter().map(|(symbol, requirements)| (symbol.as_str(), requirements)).collect();
        let module = write(&graph.module(), &roots, &numbering).expect("a sound module").into_owned();
        if number % 4 == 0 && module.windows(4).any(|word| word == 6247u32.to_le_bytes()) {
            assert_ne!(complaint_of_conditional(&without_extension(&module)), "", "the validator judges conditional functions");
        }
        if number % 4 == 0 {
            assert_eq!(complaint_of_conditional(&module), "", "{graph:?}");
        }
        let device = random.below(16) as u32;
        let value = |id| match id {
            SpecId::User(_) => None,
            SpecId::Requirement(index) => Some(device >> index & 1 == 1),
            SpecId::Guard(aspect) => Some(device >> (aspect.number() - 5) & 1 == 1),
        };
        let special = specialise(&module, &value).expect("a sound module");
        assert_eq!(complaint(&special), "", "device {device:04b} of {graph:?}");
    }
}
