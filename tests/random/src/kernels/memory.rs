//! Memory that items share, with a watch over who touches what: a kernel whose items race is no test, and is refused.

use super::arithmetic::{binary, fill};
use super::ast::{Kind, Op, Region};

/// What an item does to a number in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    Read,
    Write,
    Atomic(Op),
}

/// Who does it and when: barriers count up the epochs of what they order.
#[derive(Clone, Copy)]
pub struct Access {
    pub how: How,
    /// In the whole launch.
    pub item: usize,
    pub group: usize,
    pub sub_group: usize,
    pub epoch: u32,
    pub sub_epoch: u32,
}

impl Access {
    fn races(&self, other: &Access) -> bool {
        if self.item == other.item || self.how == other.how && self.how != How::Write {
            return false;
        }
        if self.group != other.group {
            return true;
        }
        let ordered = self.epoch != other.epoch || self.sub_group == other.sub_group && self.sub_epoch != other.sub_epoch;
        !ordered
    }
}

#[derive(Clone, Default)]
struct Cell {
    value: Option<u64>,
    accesses: Vec<Access>,
}

/// All regions of a launch; local ones begin anew with each group.
pub struct Memory<'k> {
    regions: &'k [Region],
    cells: Vec<Vec<Cell>>,
}

impl<'k> Memory<'k> {
    /// Before the launch.
    pub fn new(regions: &'k [Region], seed: u64) -> Self {
        let mut memory = Memory { regions, cells: Vec::new() };
        for (index, region) in regions.iter().enumerate() {
            let held = match region.kind {
                Kind::Local => vec![None; region.length],
                _ => fill(region.scalar, region.length, seed.wrapping_add(index as u64)).into_iter().map(Some).collect(),
            };
            memory.cells.push(held.into_iter().map(|value| Cell { value, accesses: Vec::new() }).collect());
        }
        memory
    }

    pub fn next_group(&mut self) {
        for (region, cells) in self.regions.iter().zip(&mut self.cells) {
            if region.kind == Kind::Local {
                cells.fill(Cell::default());
            }
        }
    }

    /// Reads, writes or changes a number; gives its new value, or why the kernel is none.
    pub fn touch(&mut self, region: usize, at: usize, access: Access, value: u64) -> Result<u64, &'static str> {
        let held = &self.regions[region];
        if held.kind == Kind::Input {
            return self.cells[region][at].value.filter(|_| access.how == How::Read).ok_or("an input is written");
        }
        let cell = &mut self.cells[region][at];
        if cell.accesses.iter().any(|other| other.races(&access)) {
            return Err("a data race");
        }
        let same = |other: &Access| other.item == access.item && other.how == access.how;
        if let Some(known) = cell.accesses.iter_mut().find(|other| same(other)) {
            *known = access;
        } else {
            cell.accesses.push(access);
        }
        match access.how {
            How::Read => {}
            How::Write => cell.value = Some(value),
            How::Atomic(op) => {
                let old = cell.value.ok_or("memory is read that nobody wrote")?;
                cell.value = Some(binary(op, held.scalar, old, value).ok_or("arithmetic is not exact")?);
            }
        }
        cell.value.ok_or("memory is read that nobody wrote")
    }

    /// What a region holds after the launch.
    pub fn content(&self, region: usize) -> Vec<u64> {
        self.cells[region].iter().map(|cell| cell.value.unwrap_or_default()).collect()
    }
}
