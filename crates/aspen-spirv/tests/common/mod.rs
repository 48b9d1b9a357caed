//! Call graphs as SPIR-V modules, and a reader of modules that shares no code with the crate.
#![allow(dead_code)] // each test file uses a part

use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{Aspect, Guard, Need, Requirements, WorkGroupSize};

/// A generator of numbers, always the same ones (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % bound
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Plain,
    Kernel,
    Exported,
}

/// A function of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    /// What a root needs, as a set of bits over [`needs`].
    pub needs: u32,
    pub calls: Vec<usize>,
    /// Guards by index, with the functions called where they hold and where not.
    pub guarded: Vec<(usize, Option<usize>, Option<usize>)>,
    /// Functions whose address it takes.
    pub takes: Vec<usize>,
    pub calls_indirectly: bool,
    /// What guarded code of a root needs: nothing, fp64 where the device has fp16, fp16 where it lacks fp64.
    pub guarded_need: usize,
}

#[derive(Clone, Debug)]
pub struct Graph {
    pub nodes: Vec<Node>,
}

/// What roots of random graphs need: two aspects that are guards, too, and both sizes.
pub fn needs() -> [Need; 4] {
    [
        Need::Aspect(Aspect::FP16),
        Need::Aspect(Aspect::FP64),
        Need::SubGroupSize(16),
        Need::WorkGroupSize(WorkGroupSize::try_from(vec![4, 8]).expect("two dimensions")),
    ]
}

pub fn requirements(bits: u32, guarded_need: usize) -> Requirements {
    let mut out = Requirements::default();
    let guard = |has: &[Aspect], lacks: &[Aspect]| Guard {
        has: has.iter().copied().collect(),
        lacks: lacks.iter().map(|aspect| [*aspect].into()).collect(),
    };
    match guarded_need {
        1 => _ = out.guarded.insert(guard(&[Aspect::FP16], &[]), [Aspect::FP64].into()),
        2 => _ = out.guarded.insert(guard(&[], &[Aspect::FP64]), [Aspect::FP16].into()),
        _ => {}
    }
    for (bit, need) in needs().into_iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1) {
        match need {
            Need::Aspect(aspect) => _ = out.aspects.insert(aspect),
            Need::SubGroupSize(size) => out.reqd_sub_group_size = Some(size),
            Need::WorkGroupSize(size) => out.reqd_work_group_size = Some(size),
        }
        let _ = bit;
    }
    out
}

impl Graph {
    /// Functions call each other in any direction, so there are cycles.
    pub fn random(random: &mut Random, pointers: bool) -> Graph {
        let count = 1 + random.below(9);
        let node = |random: &mut Random| {
            let kind = [Kind::Plain, Kind::Plain, Kind::Kernel, Kind::Kernel, Kind::Exported][random.below(5)];
            let needs = if kind == Kind::Plain || random.chance(15) { 0 } else { random.below(16) as u32 };
            // Nobody calls kernels here: SPIR-V has no such calls. The caller filters them.
            let calls = (0..random.below(3)).map(|_| random.below(count)).collect();
            let arm = |random: &mut Random| random.chance(70).then(|| random.below(count));
            let guarded = (0..random.below(4).saturating_sub(1)).map(|_| (random.below(2), arm(random), arm(random))).collect();
            let takes = if pointers && random.chance(20) { vec![random.below(count)] } else { Vec::new() };
            let guarded_need = if kind != Kind::Plain && random.chance(20) { 1 + random.below(2) } else { 0 };
            Node { kind, needs, calls, guarded, takes, calls_indirectly: pointers && random.chance(20), guarded_need }
        };
        let mut nodes: Vec<Node> = (0..count).map(|_| node(random)).collect();
        let kernels: BTreeSet<usize> = (0..count).filter(|index| nodes[*index].kind == Kind::Kernel).collect();
        for node in &mut nodes {
            node.calls.retain(|callee| !kernels.contains(callee));
            node.takes.retain(|callee| !kernels.contains(callee));
            for (_, yes, no) in &mut node.guarded {
                *yes = yes.filter(|callee| !kernels.contains(callee));
                *no = no.filter(|callee| !kernels.contains(callee));
            }
        }
        Graph { nodes }
    }

    pub fn symbol(&self, index: usize) -> String {
        format!("f{index}")
    }

    pub fn roots(&self) -> Vec<(String, Requirements)> {
        let roots = self.nodes.iter().enumerate().filter(|(_, node)| node.kind != Kind::Plain);
        roots.map(|(index, node)| (self.symbol(index), requirements(node.needs, node.guarded_need))).collect()
    }

    /// Whom a function leads to. `guards`: the device's aspects, if they are to decide; `through_pointers`: whether calls through pointers
    /// count, or only that addresses are taken.
    pub fn next(&self, index: usize, guards: Option<u32>, through_pointers: bool) -> BTreeSet<usize> {
        let node = &self.nodes[index];
        let mut out: BTreeSet<usize> = node.calls.iter().chain(&node.takes).copied().collect();
        for (guard, yes, no) in &node.guarded {
            let holds = guards.map(|bits| bits >> guard & 1 == 1);
            out.extend(yes.filter(|_| holds != Some(false)));
            out.extend(no.filter(|_| holds != Some(true)));
        }
        if through_pointers && node.calls_indirectly {
            out.extend(self.nodes.iter().flat_map(|node| &node.takes));
        }
        out
    }

    /// Functions reached from the roots whose needs the device has.
    pub fn kept(&self, device: u32, guards: Option<u32>, through_pointers: bool) -> BTreeSet<usize> {
        let has = |bit: u32| device >> bit & 1 == 1;
        let runs = |node: &Node| {
            let guarded = match node.guarded_need {
                1 => !has(0) || has(1),
                2 => has(1) || has(0),
                _ => true,
            };
            node.kind != Kind::Plain && node.needs & !device == 0 && guarded
        };
        self.reached((0..self.nodes.len()).filter(|index| runs(&self.nodes[*index])).collect(), guards, through_pointers)
    }

    /// What specialising leaves: exports whose condition holds stay, even if only a caller's needs make it hold.
    pub fn specialised(&self, device: u32) -> BTreeSet<usize> {
        let mut roots: Vec<usize> = self.kept(device, None, true).into_iter().collect();
        roots.retain(|index| self.nodes[*index].kind != Kind::Plain);
        self.reached(roots, Some(device), false)
    }

    fn reached(&self, mut list: Vec<usize>, guards: Option<u32>, through_pointers: bool) -> BTreeSet<usize> {
        let mut out = BTreeSet::new();
        while let Some(index) = list.pop() {
            if out.insert(index) {
                list.extend(self.next(index, guards, through_pointers));
            }
        }
        out
    }

    /// The module: void functions without parameters; function i has id 100 + i.
    pub fn module(&self) -> Vec<u8> {
        let pointers = self.nodes.iter().any(|node| node.calls_indirectly || !node.takes.is_empty());
        let mut m = Assembler::default();
        m.op(17, &[6]).op(17, &[4]).op(17, &[5]);
        if pointers {
            m.op(17, &[5603]);
            m.text(10, &[], "SPV_INTEL_function_pointers", &[]);
        }
        m.op(14, &[2, 2]);
        for (index, _) in self.nodes.iter().enumerate().filter(|(_, node)| node.kind == Kind::Kernel) {
            m.text(15, &[6, function(index)], &self.symbol(index), &[]);
        }
        for (index, _) in self.nodes.iter().enumerate().filter(|(_, node)| node.kind == Kind::Kernel && node.needs & 8 != 0) {
            m.op(16, &[function(index), 17, 8, 4, 1]);
        }
        for index in 0..self.nodes.len() {
            m.text(5, &[function(index)], &self.symbol(index), &[]);
        }
        for (index, _) in self.nodes.iter().enumerate().filter(|(_, node)| node.kind == Kind::Exported) {
            m.text(71, &[function(index), 41], &self.symbol(index), &[0]);
        }
        m.op(71, &[GUARD, 1, 0x5000_0005]).op(71, &[GUARD + 1, 1, 0x5000_0006]);
        m.op(19, &[VOID]).op(20, &[BOOL]).op(33, &[FUNCTION_TYPE, VOID]);
        m.op(48, &[BOOL, GUARD]).op(49, &[BOOL, GUARD + 1]);
        if pointers {
            m.op(32, &[POINTER_TYPE, 5605, FUNCTION_TYPE]);
            let taken: BTreeSet<usize> = self.nodes.iter().flat_map(|node| node.takes.iter().copied()).collect();
            for index in taken {
                m.op(5600, &[POINTER_TYPE, 60 + index as u32, function(index)]);
            }
            m.op(1, &[POINTER_TYPE, 59]);
        }
        let mut next = 1000;
        let mut fresh = || {
            next += 1;
            next
        };
        for (index, node) in self.nodes.iter().enumerate() {
            m.op(54, &[VOID, function(index), 0, FUNCTION_TYPE]).op(248, &[fresh()]);
            for callee in &node.calls {
                m.op(57, &[VOID, fresh(), function(*callee)]);
            }
            for callee in &node.takes {
                m.op(83, &[POINTER_TYPE, fresh(), 60 + *callee as u32]);
            }
            if node.calls_indirectly {
                m.op(5601, &[VOID, fresh(), 59]);
            }
            for (guard, yes, no) in &node.guarded {
                let (then, otherwise, end) = (fresh(), fresh(), fresh());
                m.op(250, &[GUARD + *guard as u32, then, otherwise]);
                for (label, callee) in [(then, yes), (otherwise, no)] {
                    m.op(248, &[label]);
                    if let Some(callee) = callee {
                        m.op(57, &[VOID, fresh(), function(*callee)]);
                    }
                    m.op(249, &[end]);
                }
                m.op(248, &[end]);
            }
            m.op(253, &[]).op(56, &[]);
        }
        m.module(fresh() + 1)
    }
}

pub const VOID: u32 = 10;
pub const BOOL: u32 = 11;
pub const FUNCTION_TYPE: u32 = 12;
pub const POINTER_TYPE: u32 = 13;
/// The guards' constants.
pub const GUARD: u32 = 20;

pub fn function(index: usize) -> u32 {
    100 + index as u32
}

/// Instructions put together.
#[derive(Default)]
pub struct Assembler(Vec<u32>);

impl Assembler {
    pub fn op(&mut self, opcode: u32, operands: &[u32]) -> &mut Self {
        self.0.push((operands.len() as u32 + 1) << 16 | opcode);
        self.0.extend(operands);
        self
    }

    pub fn text(&mut self, opcode: u32, before: &[u32], text: &str, after: &[u32]) -> &mut Self {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(bytes.len() / 4 * 4 + 4, 0);
        let words = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let operands: Vec<u32> = before.iter().copied().chain(words).chain(after.iter().copied()).collect();
        self.op(opcode, &operands)
    }

    pub fn module(&self, bound: u32) -> Vec<u8> {
        let header = [0x0723_0203, 0x0001_0300, 0, bound, 0];
        header.iter().chain(&self.0).flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The instructions of a module, opcode first.
pub fn disassemble(module: &[u8]) -> Vec<Vec<u32>> {
    let words: Vec<u32> = module.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let (mut out, mut at) = (Vec::new(), 5);
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        let mut instruction = words[at..at + length].to_vec();
        instruction[0] &= 0xffff;
        out.push(instruction);
        at += length;
    }
    out
}

/// The functions of a module by their ids.
pub fn functions(module: &[u8]) -> BTreeSet<u32> {
    disassemble(module).iter().filter(|i| i[0] == 54).map(|i| i[2]).collect()
}

/// Evaluates a boolean constant of a module, by SpecIds.
pub fn evaluate(module: &[Vec<u32>], id: u32, value: &dyn Fn(u32) -> bool) -> bool {
    let defined = module.iter().find(|i| matches!(i[0], 41 | 42 | 48 | 49 | 52) && i[2] == id).expect("a constant");
    match defined[0] {
        41 => true,
        42 => false,
        48 | 49 => {
            let decoration = module.iter().find(|i| i[0] == 71 && i[1] == id && i[2] == 1).expect("a SpecId");
            value(decoration[3])
        }
        _ if defined[3] == 168 => !evaluate(module, defined[4], value),
        _ => {
            let (a, b) = (evaluate(module, defined[4], value), evaluate(module, defined[5], value));
            match defined[3] {
                167 => a && b,
                166 => a || b,
                other => panic!("operation {other}"),
            }
        }
    }
}

/// Conditions by function.
pub fn conditions(module: &[Vec<u32>]) -> BTreeMap<u32, u32> {
    module.iter().filter(|i| i[0] == 71 && i[2] == 6247).map(|i| (i[1], i[3])).collect()
}
