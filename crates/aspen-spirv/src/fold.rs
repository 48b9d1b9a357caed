//! Branches, switches and selections on Aspen's constants, decided in a function that stays.
//!
//! A function is folded in rounds: which blocks can be reached with what is known, then what more is known in them; joins of which only one
//! edge is left make values known that decide further branches. What is decided is rewritten, blocks that nothing reaches go, and so do
//! the values that only led to decisions. Everything else keeps its words and its order.

use std::borrow::Cow;

use rspirv::spirv::Op;

use crate::constants::{Constants, Known};
use crate::error::Error;
use crate::grammar::{Enumerants, IdMap, Item, grammar};
use crate::module::{Module, instruction, instructions};

/// Joins of joins of joins: more rounds than people nest conditions. What is undecided then stays a branch on a plain constant.
const ROUNDS: usize = 64;

/// From a label to the instruction before the next one.
struct Block<'w> {
    label: u32,
    instructions: Vec<(u16, &'w [u32])>,
    reached: bool,
    /// Blocks it may continue with, as far as is known.
    successors: Vec<usize>,
}

/// A function, cut into blocks.
struct Folding<'m, 'w> {
    module: &'m Module<'m>,
    constants: &'m Constants,
    /// Where the function begins in the module, for messages.
    at: usize,
    blocks: Vec<Block<'w>>,
    labels: IdMap<usize>,
    known: IdMap<Known>,
}

/// The function's words with everything decided that Aspen's constants decide.
pub(crate) fn fold(
    module: &Module<'_>,
    constants: &Constants,
    body: &[u32],
    at: usize,
    enumerants: &mut Enumerants,
) -> Result<Vec<u32>, Error> {
    let mut head = Vec::new();
    let mut folding = Folding { module, constants, at, blocks: Vec::new(), labels: IdMap::default(), known: IdMap::default() };
    for (opcode, words) in instructions(body) {
        if u32::from(opcode) == Op::Label as u32 {
            let [_, label] = words else { return Err(Error::damaged(at, "a function has an OpLabel of the wrong length")) };
            if folding.labels.insert(*label, folding.blocks.len()).is_some() {
                return Err(Error::damaged(at, "a function has the same label twice"));
            }
            folding.blocks.push(Block { label: *label, instructions: Vec::new(), reached: false, successors: Vec::new() });
        }
        match folding.blocks.last_mut() {
            _ if u32::from(opcode) == Op::FunctionEnd as u32 => {}
            Some(block) => block.instructions.push((opcode, words)),
            None => head.extend_from_slice(words),
        }
    }
    for _ in 0..ROUNDS {
        folding.reach()?;
        if !folding.learn() {
            break;
        }
    }
    let mut out = folding.rewrite()?;
    drop_decided(&mut out, &folding.known, enumerants);
    out.iter().for_each(|words| head.extend_from_slice(words));
    head.extend(instruction(Op::FunctionEnd, &[]));
    Ok(head)
}

impl<'w> Folding<'_, 'w> {
    fn known(&self, id: u32) -> Option<Known> {
        self.known.get(&id).copied().or_else(|| self.constants.ours(id))
    }

    fn boolean(&self, id: u32) -> Option<bool> {
        match self.known(id) {
            Some(Known::Bool(value)) => Some(value),
            Some(Known::Constant(constant)) => self.constants.boolean(constant),
            None => None,
        }
    }

    fn block(&self, label: u32) -> Result<usize, Error> {
        self.labels.get(&label).copied().ok_or_else(|| Error::damaged(self.at, "a function branches to a label that it does not have"))
    }

    /// Finds the blocks that can be reached with what is known.
    fn reach(&mut self) -> Result<(), Error> {
        for index in 0..self.blocks.len() {
            let labels = self.targets(&self.blocks[index]);
            self.blocks[index].successors = labels.into_iter().map(|label| self.block(label)).collect::<Result<_, _>>()?;
            self.blocks[index].reached = false;
        }
        let mut list: Vec<usize> = (!self.blocks.is_empty()).then_some(0).into_iter().collect();
        while let Some(index) = list.pop() {
            if !std::mem::replace(&mut self.blocks[index].reached, true) {
                list.extend(&self.blocks[index].successors);
            }
        }
        Ok(())
    }

    /// The labels that the block's last instruction can continue with.
    fn targets(&self, block: &Block<'_>) -> Vec<u32> {
        let terminator = block.instructions.iter().rev().find(|(opcode, _)| !is_line(*opcode));
        let Some((opcode, words)) = terminator else { return Vec::new() };
        if let Some(target) = self.decided(*opcode, words) {
            return vec![target];
        }
        match (u32::from(*opcode), &words[1..]) {
            (op, [target]) if op == Op::Branch as u32 => vec![*target],
            (op, [_, yes, no, ..]) if op == Op::BranchConditional as u32 => vec![*yes, *no],
            // Of which width the literals are does not matter to which words are labels, but to where they stand.
            (op, [_, default, cases @ ..]) if op == Op::Switch as u32 => {
                let width = self.case_width(cases);
                std::iter::once(*default).chain(cases.chunks(width + 1).filter_map(|case| case.get(width)).copied()).collect()
            }
            _ if grammar().shape(*opcode).is_none() => words[1..].iter().filter(|word| self.labels.contains_key(word)).copied().collect(),
            _ => Vec::new(),
        }
    }

    /// Words of a case's literal: one, or two for selectors of 64 bits. Every label has to be one.
    fn case_width(&self, cases: &[u32]) -> usize {
        let fits = |width: usize| {
            cases.len().is_multiple_of(width + 1) && cases.chunks(width + 1).all(|case| self.labels.contains_key(&case[width]))
        };
        if !fits(1) && fits(2) { 2 } else { 1 }
    }

    /// Where a branch goes that Aspen's constants decide.
    fn decided(&self, opcode: u16, words: &[u32]) -> Option<u32> {
        match (u32::from(opcode), &words[1..]) {
            (op, [condition, yes, no, ..]) if op == Op::BranchConditional as u32 => {
                self.boolean(*condition).map(|value| if value { *yes } else { *no })
            }
            (op, [selector, default, cases @ ..]) if op == Op::Switch as u32 => {
                let Some(Known::Constant(constant)) = self.known(*selector) else { return None };
                let (defined, words) = self.module.global(constant)?;
                let value = match words {
                    [_, _, _, value @ ..] if defined.is(Op::Constant) => value.to_vec(),
                    _ if defined.is(Op::ConstantNull) => vec![0; self.case_width(cases)],
                    _ => return None,
                };
                let mut cases = cases.chunks(value.len() + 1);
                let case = cases.find(|case| case.len() == value.len() + 1 && case[..value.len()] == value[..]);
                Some(case.map_or(*default, |case| case[value.len()]))
            }
            _ => None,
        }
    }

    /// Evaluates what can be reached; whether anything new came out.
    fn learn(&mut self) -> bool {
        let before = self.known.len();
        for index in 0..self.blocks.len() {
            if !self.blocks[index].reached {
                continue;
            }
            for at in 0..self.blocks[index].instructions.len() {
                let (opcode, words) = self.blocks[index].instructions[at];
                let [_, _, result, operands @ ..] = words else { continue };
                if self.known.contains_key(result) {
                    continue;
                }
                let known = if u32::from(opcode) == Op::Phi as u32 {
                    self.joined(index, operands)
                } else if is_decidable(opcode) {
                    self.constants.operation_with(u32::from(opcode), operands, &|id| self.known(id))
                } else {
                    None
                };
                if let Some(known) = known {
                    self.known.insert(*result, known);
                }
            }
        }
        self.known.len() > before
    }

    /// Whether control can come from that block to this one.
    fn is_edge(&self, from: u32, to: usize) -> bool {
        let from = self.labels.get(&from).map(|from| &self.blocks[*from]);
        from.is_some_and(|from| from.reached && from.successors.contains(&to))
    }

    /// The value of a join: known if all edges that are left bring the same, and either it or the edges are Aspen's doing.
    fn joined(&self, block: usize, pairs: &[u32]) -> Option<Known> {
        let left: Vec<u32> = pairs.chunks_exact(2).filter(|pair| self.is_edge(pair[1], block)).map(|pair| pair[0]).collect();
        let (first, rest) = left.split_first()?;
        let fewer = left.len() < pairs.len() / 2;
        let value = |id: u32| match self.known(id) {
            None if fewer => Some(self.constants.boolean(id).map_or(Known::Constant(id), Known::Bool)),
            known => known,
        };
        let joined = value(*first)?;
        rest.iter().all(|id| value(*id) == Some(joined)).then_some(joined)
    }

    /// The blocks that are left, instruction by instruction.
    fn rewrite(&self) -> Result<Vec<Cow<'w, [u32]>>, Error> {
        let mut out = Vec::new();
        for (index, block) in self.blocks.iter().enumerate().filter(|(_, block)| block.reached) {
            debug_assert!(self.labels.get(&block.label) == Some(&index));
            for (opcode, words) in &block.instructions {
                let rewritten = match (u32::from(*opcode), &words[1..]) {
                    (op, [of, result, pairs @ ..]) if op == Op::Phi as u32 => {
                        let left = pairs.chunks_exact(2).filter(|pair| self.is_edge(pair[1], index)).flatten().copied();
                        Cow::Owned(instruction(Op::Phi, &[*of, *result].into_iter().chain(left).collect::<Vec<_>>()))
                    }
                    (op, [of, result, condition, yes, no]) if op == Op::Select as u32 => match self.boolean(*condition) {
                        Some(value) => Cow::Owned(instruction(Op::CopyObject, &[*of, *result, if value { *yes } else { *no }])),
                        None => Cow::Borrowed(*words),
                    },
                    // Only hints where control flow need not be structured, as in kernels.
                    (op, [merge, ..]) if op == Op::SelectionMerge as u32 => {
                        let last = block.instructions.iter().rev().find(|(opcode, _)| !is_line(*opcode));
                        let decided = last.is_some_and(|(opcode, words)| self.decided(*opcode, words).is_some());
                        if decided || !self.blocks[self.block(*merge)?].reached {
                            continue;
                        }
                        Cow::Borrowed(*words)
                    }
                    (op, [merge, next, ..]) if op == Op::LoopMerge as u32 => {
                        if !self.blocks[self.block(*merge)?].reached || !self.blocks[self.block(*next)?].reached {
                            continue;
                        }
                        Cow::Borrowed(*words)
                    }
                    _ => match self.decided(*opcode, words) {
                        Some(target) => Cow::Owned(instruction(Op::Branch, &[target])),
                        None => Cow::Borrowed(*words),
                    },
                };
                out.push(rewritten);
            }
        }
        Ok(out)
    }
}

fn is_line(opcode: u16) -> bool {
    u32::from(opcode) == Op::Line as u32 || u32::from(opcode) == Op::NoLine as u32
}

/// Operations that [`Constants::operation`] evaluates and that do nothing else.
fn is_decidable(opcode: u16) -> bool {
    const OPS: [Op; 7] = [Op::LogicalNot, Op::LogicalAnd, Op::LogicalOr, Op::LogicalEqual, Op::LogicalNotEqual, Op::Select, Op::CopyObject];
    OPS.iter().any(|op| *op as u32 == u32::from(opcode))
}

/// Drops the values that were only there to decide.
fn drop_decided(out: &mut Vec<Cow<'_, [u32]>>, known: &IdMap<Known>, enumerants: &mut Enumerants) {
    if known.is_empty() {
        return;
    }
    let mut uses: IdMap<usize> = IdMap::default();
    let count = |words: &[u32], enumerants: &mut Enumerants, step: isize, uses: &mut IdMap<usize>| {
        grammar().visit(words, &[], enumerants, &mut |item| {
            if let Item::Id(id) | Item::Perhaps(id) = item
                && known.contains_key(&id)
            {
                let slot = uses.entry(id).or_default();
                *slot = slot.saturating_add_signed(step);
            }
        });
    };
    for words in out.iter() {
        count(words, enumerants, 1, &mut uses);
    }
    // Uses stand behind definitions, except in loops' joins, which then stay.
    for words in out.iter_mut().rev() {
        let opcode = (words[0] & 0xffff) as u16;
        let removable = is_decidable(opcode) || u32::from(opcode) == Op::Phi as u32;
        if removable && words.len() > 2 && known.contains_key(&words[2]) && uses.get(&words[2]).is_none_or(|uses| *uses == 0) {
            count(words, enumerants, -1, &mut uses);
            *words = Cow::Borrowed(&[]);
        }
    }
    out.retain(|words| !words.is_empty());
}
