//! Branches, switches and selections on Aspen's constants, decided in a function that stays.
//!
//! A function is folded in rounds: which blocks can be reached with what is known, then what more is known in them; joins of which only one
//! edge is left make values known that decide further branches. What is decided is rewritten, blocks that nothing reaches go, and so do
//! the values that only led to decisions. Everything else keeps its words and its order.

use std::ops::Range;

use rspirv::spirv::Op;

use crate::constants::{Constants, Known};
use crate::error::Error;
use crate::grammar::{Enumerants, IdMap, Item, grammar};
use crate::module::{Module, instructions};

/// Joins of joins of joins: more rounds than people nest conditions. What is undecided then stays a branch on a plain constant.
const ROUNDS: usize = 64;

/// From a label to the instruction before the next one.
struct Block {
    /// Its instructions, of all the function's.
    code: Range<usize>,
    /// The last of them that is no line.
    last: usize,
    reached: bool,
    /// Blocks it may continue with, as far as is known, of all the function's edges.
    edges: Range<usize>,
}

/// What folding a function needs; kept from one to the next, so that small functions cost no memory of their own.
#[derive(Default)]
pub(crate) struct Folder {
    /// Where the instructions behind the first label lie in the body, and their opcodes.
    code: Vec<(Range<usize>, u16)>,
    blocks: Vec<Block>,
    edges: Vec<usize>,
    list: Vec<usize>,
    labels: IdMap<usize>,
    known: IdMap<Known>,
    /// Where the instructions begin in what is written.
    written: Vec<usize>,
    uses: IdMap<usize>,
}

/// A function, cut into blocks.
struct Folding<'m, 'w> {
    module: &'m Module<'m>,
    constants: &'m Constants,
    body: &'w [u32],
    /// Where the function begins in the module, for messages.
    at: usize,
    folder: &'m mut Folder,
}

impl Folder {
    /// Appends the function's words to `out`, with everything decided that Aspen's constants decide.
    pub(crate) fn fold(
        &mut self,
        module: &Module<'_>,
        constants: &Constants,
        (body, at): (&[u32], usize),
        enumerants: &mut Enumerants,
        out: &mut Vec<u32>,
    ) -> Result<(), Error> {
        self.cut(body, at, out)?;
        let mut folding = Folding { module, constants, body, at, folder: self };
        for _ in 0..ROUNDS {
            folding.reach()?;
            if !folding.learn() {
                break;
            }
        }
        folding.rewrite(out)?;
        self.drop_decided(out, enumerants);
        out.push(1 << 16 | Op::FunctionEnd as u32);
        Ok(())
    }

    /// Cuts the body into blocks; what stands before the first is written already.
    fn cut(&mut self, body: &[u32], at: usize, out: &mut Vec<u32>) -> Result<(), Error> {
        let Folder { code, blocks, edges, labels, known, written, .. } = self;
        code.clear();
        blocks.clear();
        edges.clear();
        labels.clear();
        known.clear();
        written.clear();
        let mut from = 0;
        for (opcode, words) in instructions(body) {
            let begin = from;
            from += words.len();
            if u32::from(opcode) == Op::Label as u32 {
                let [_, label] = words else { return Err(Error::damaged(at, "a function has an OpLabel of the wrong length")) };
                if labels.insert(*label, blocks.len()).is_some() {
                    return Err(Error::damaged(at, "a function has the same label twice"));
                }
                blocks.push(Block { code: code.len()..code.len(), last: code.len(), reached: false, edges: 0..0 });
            }
            match blocks.last_mut() {
                _ if u32::from(opcode) == Op::FunctionEnd as u32 => {}
                Some(block) => {
                    if !is_line(opcode) {
                        block.last = code.len();
                    }
                    code.push((begin..from, opcode));
                    block.code.end = code.len();
                }
                None => out.extend_from_slice(words),
            }
        }
        Ok(())
    }

    /// Drops the values that were only there to decide.
    fn drop_decided(&mut self, out: &mut Vec<u32>, enumerants: &mut Enumerants) {
        let Folder { known, written, uses, .. } = self;
        let Some(&begin) = written.first().filter(|_| !known.is_empty()) else { return };
        uses.clear();
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
        for (_, words) in instructions(&out[begin..]) {
            count(words, enumerants, 1, uses);
        }
        // Uses stand behind definitions, except in loops' joins, which then stay.
        let mut end = out.len();
        for begin in written.iter_mut().rev() {
            let words = &out[*begin..end];
            end = *begin;
            let opcode = (words[0] & 0xffff) as u16;
            let removable = is_decidable(opcode) || u32::from(opcode) == Op::Phi as u32;
            if removable && words.len() > 2 && known.contains_key(&words[2]) && uses.get(&words[2]).is_none_or(|uses| *uses == 0) {
                count(words, enumerants, -1, uses);
                *begin = usize::MAX;
            }
        }
        let mut to = begin;
        let mut from = begin;
        for begin in written.iter() {
            let length = (out[from] >> 16) as usize;
            if *begin != usize::MAX {
                out.copy_within(from..from + length, to);
                to += length;
            }
            from += length;
        }
        out.truncate(to);
    }
}

impl<'w> Folding<'_, 'w> {
    fn known(&self, id: u32) -> Option<Known> {
        self.folder.known.get(&id).copied().or_else(|| self.constants.ours(id))
    }

    fn boolean(&self, id: u32) -> Option<bool> {
        match self.known(id) {
            Some(Known::Bool(value)) => Some(value),
            Some(Known::Constant(constant)) => self.constants.boolean(constant),
            None => None,
        }
    }

    /// The words of an instruction of the function.
    fn words(&self, index: usize) -> (u16, &'w [u32]) {
        let (range, opcode) = &self.folder.code[index];
        (*opcode, &self.body[range.clone()])
    }

    fn block(&self, label: u32) -> Result<usize, Error> {
        self.folder
            .labels
            .get(&label)
            .copied()
            .ok_or_else(|| Error::damaged(self.at, "a function branches to a label that it does not have"))
    }

    /// Finds the blocks that can be reached with what is known.
    fn reach(&mut self) -> Result<(), Error> {
        let mut edges = std::mem::take(&mut self.folder.edges);
        edges.clear();
        for index in 0..self.folder.blocks.len() {
            let begin = edges.len();
            self.targets(index, &mut edges)?;
            // Switches may have thousands, and every join asks for them.
            edges[begin..].sort_unstable();
            let block = &mut self.folder.blocks[index];
            block.edges = begin..edges.len();
            block.reached = false;
        }
        self.folder.edges = edges;
        let Folder { blocks, edges, list, .. } = &mut *self.folder;
        list.clear();
        list.extend((!blocks.is_empty()).then_some(0));
        while let Some(index) = list.pop() {
            let block = &mut blocks[index];
            if !std::mem::replace(&mut block.reached, true) {
                list.extend(&edges[block.edges.clone()]);
            }
        }
        Ok(())
    }

    /// Appends the blocks that the block's last instruction can continue with.
    fn targets(&self, block: usize, edges: &mut Vec<usize>) -> Result<(), Error> {
        let (opcode, words) = self.words(self.folder.blocks[block].last);
        let mut edge = |label: &u32| self.block(*label).map(|target| edges.push(target));
        if let Some(target) = self.decided(opcode, words) {
            return edge(&target);
        }
        match (u32::from(opcode), &words[1..]) {
            (op, [target]) if op == Op::Branch as u32 => edge(target),
            (op, [_, yes, no, ..]) if op == Op::BranchConditional as u32 => edge(yes).and_then(|()| edge(no)),
            // Of which width the literals are does not matter to which words are labels, but to where they stand.
            (op, [_, default, cases @ ..]) if op == Op::Switch as u32 => {
                let width = self.case_width(cases);
                edge(default)?;
                cases.chunks(width + 1).filter_map(|case| case.get(width)).try_for_each(edge)
            }
            _ if grammar().shape(opcode).is_none() => {
                words[1..].iter().filter(|word| self.folder.labels.contains_key(word)).try_for_each(edge)
            }
            _ => Ok(()),
        }
    }

    /// Words of a case's literal: one, or two for selectors of 64 bits. Every label has to be one.
    fn case_width(&self, cases: &[u32]) -> usize {
        let fits = |width: usize| {
            cases.len().is_multiple_of(width + 1) && cases.chunks(width + 1).all(|case| self.folder.labels.contains_key(&case[width]))
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
        let before = self.folder.known.len();
        for index in 0..self.folder.blocks.len() {
            if !self.folder.blocks[index].reached {
                continue;
            }
            for at in self.folder.blocks[index].code.clone() {
                let opcode = self.folder.code[at].1;
                let is_phi = u32::from(opcode) == Op::Phi as u32;
                if !is_phi && !is_decidable(opcode) {
                    continue;
                }
                let (_, [_, _, result, operands @ ..]) = self.words(at) else { continue };
                if self.folder.known.contains_key(result) {
                    continue;
                }
                let known = if is_phi {
                    self.joined(index, operands)
                } else {
                    self.constants.operation_with(u32::from(opcode), operands, &|id| self.known(id))
                };
                if let Some(known) = known {
                    self.folder.known.insert(*result, known);
                }
            }
        }
        self.folder.known.len() > before
    }

    /// Whether control can come from that block to this one.
    fn is_edge(&self, from: u32, to: usize) -> bool {
        let from = self.folder.labels.get(&from).map(|from| &self.folder.blocks[*from]);
        from.is_some_and(|from| from.reached && self.folder.edges[from.edges.clone()].binary_search(&to).is_ok())
    }

    /// The value of a join: known if all edges that are left bring the same, and either it or the edges are Aspen's doing.
    fn joined(&self, block: usize, pairs: &[u32]) -> Option<Known> {
        let left = || pairs.chunks_exact(2).filter(|pair| self.is_edge(pair[1], block)).map(|pair| pair[0]);
        let fewer = left().count() < pairs.len() / 2;
        let value = |id: u32| match self.known(id) {
            None if fewer => Some(self.constants.boolean(id).map_or(Known::Constant(id), Known::Bool)),
            known => known,
        };
        let mut values = left().map(value);
        let joined = values.next()??;
        values.all(|value| value == Some(joined)).then_some(joined)
    }

    /// Writes the blocks that are left, instruction by instruction.
    fn rewrite(&mut self, out: &mut Vec<u32>) -> Result<(), Error> {
        let mut written = std::mem::take(&mut self.folder.written);
        for (index, block) in self.folder.blocks.iter().enumerate().filter(|(_, block)| block.reached) {
            for at in block.code.clone() {
                let (opcode, words) = self.words(at);
                let begin = out.len();
                match (u32::from(opcode), &words[1..]) {
                    (op, [of, result, pairs @ ..]) if op == Op::Phi as u32 => {
                        out.extend([op, *of, *result]);
                        out.extend(pairs.chunks_exact(2).filter(|pair| self.is_edge(pair[1], index)).flatten());
                        out[begin] |= u32::try_from(out.len() - begin).unwrap_or(u32::MAX) << 16;
                    }
                    (op, [of, result, condition, yes, no]) if op == Op::Select as u32 => match self.boolean(*condition) {
                        Some(value) => out.extend([4 << 16 | Op::CopyObject as u32, *of, *result, if value { *yes } else { *no }]),
                        None => out.extend_from_slice(words),
                    },
                    // Only hints where control flow need not be structured, as in kernels.
                    (op, [merge, ..]) if op == Op::SelectionMerge as u32 => {
                        let (opcode, last) = self.words(block.last);
                        if self.decided(opcode, last).is_some() || !self.folder.blocks[self.block(*merge)?].reached {
                            continue;
                        }
                        out.extend_from_slice(words);
                    }
                    (op, [merge, next, ..]) if op == Op::LoopMerge as u32 => {
                        if !self.folder.blocks[self.block(*merge)?].reached || !self.folder.blocks[self.block(*next)?].reached {
                            continue;
                        }
                        out.extend_from_slice(words);
                    }
                    _ => match self.decided(opcode, words) {
                        Some(target) => out.extend([2 << 16 | Op::Branch as u32, target]),
                        None => out.extend_from_slice(words),
                    },
                }
                written.push(begin);
            }
        }
        self.folder.written = written;
        Ok(())
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
