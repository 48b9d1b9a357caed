//! What items of a group do together: barriers and group algorithms, as SYCL 2020 §4.17 defines them.

use super::arithmetic::cut;
use super::ast::{Collective, Scope, Shuffle, Vote};
use super::interpret::{Flow, Machine, Step};
use super::memory::How;

impl<'k> Machine<'k> {
    /// The groups that came to a collective: the work-group, or each sub-group of which an item is here. All items that have not returned
    /// must be there.
    fn groups(&self, scope: Scope, items: &[usize]) -> Step<Vec<Vec<usize>>> {
        let alive: Vec<usize> = (0..self.items.len()).filter(|&item| self.items[item].flow != Flow::Ended).collect();
        let groups = match scope {
            Scope::Group => vec![alive],
            Scope::SubGroup if self.kernel.sub_group == 0 => return Err("no size of sub-groups is required"),
            Scope::SubGroup => {
                let mut here: Vec<usize> = items.iter().map(|&item| self.sub_group(item)).collect();
                here.dedup();
                let of = |sub_group: usize| alive.iter().copied().filter(|&item| self.sub_group(item) == sub_group).collect();
                here.into_iter().map(of).collect()
            }
        };
        if groups.iter().map(Vec::len).sum::<usize>() == items.len() { Ok(groups) } else { Err("not all items of the group are there") }
    }

    /// Items of the group by their numbers in it, with those that have returned.
    fn lanes(&self, scope: Scope, group: &[usize]) -> Vec<usize> {
        match scope {
            Scope::Group => (0..self.items.len()).collect(),
            Scope::SubGroup => (0..self.items.len()).filter(|&item| self.sub_group(item) == self.sub_group(group[0])).collect(),
        }
    }

    pub(super) fn together(&mut self, collective: &Collective, items: &[usize]) -> Step<()> {
        match collective {
            Collective::Barrier(Scope::Group, spelling) => {
                self.groups(Scope::Group, items)?;
                self.barrier(*spelling != 3, *spelling != 2);
            }
            Collective::Barrier(Scope::SubGroup, _) => {
                for group in self.groups(Scope::SubGroup, items)? {
                    let sub_group = self.sub_group(group[0]);
                    self.sub_barrier(sub_group);
                }
            }
            Collective::Broadcast { scope, variable, from } => {
                for group in self.groups(*scope, items)? {
                    let lanes = self.lanes(*scope, &group);
                    let from: Vec<u64> = group.iter().map(|&item| self.eval(item, from)).collect::<Step<_>>()?;
                    let source = lanes[from[0] as usize % lanes.len()];
                    if from.iter().any(|other| *other != from[0]) || !group.contains(&source) {
                        return Err("a broadcast from different items, or from one that has returned");
                    }
                    let value = self.frame(source)[*variable].clone();
                    for item in group {
                        self.frame(item)[*variable].clone_from(&value);
                    }
                }
            }
            Collective::Reduce { scope, to, scalar, op, value, init } => {
                for group in self.groups(*scope, items)? {
                    let mut result = None;
                    for &item in &group {
                        let value = self.eval(item, value)?;
                        result = Some(match result {
                            Some(sum) => Self::fold(*op, *scalar, sum, value)?,
                            None => value,
                        });
                    }
                    let mut result = result.ok_or("no item")?;
                    if let Some(init) = init {
                        let init = self.same(init, &group)?;
                        result = Self::fold(*op, *scalar, init, result)?;
                    }
                    for item in group {
                        self.set(item, to, result)?;
                    }
                }
            }
            Collective::Scan { scope, inclusive, to, scalar, op, value, init } => {
                for group in self.groups(*scope, items)? {
                    let values: Vec<u64> = group.iter().map(|&item| self.eval(item, value)).collect::<Step<_>>()?;
                    let mut sum = match init {
                        Some(init) => Some(self.same(init, &group)?),
                        None => None,
                    };
                    for (&item, value) in group.iter().zip(values) {
                        let before = sum;
                        sum = Some(sum.map_or(Ok(value), |sum| Self::fold(*op, *scalar, sum, value))?);
                        let result = if *inclusive { sum } else { before };
                        self.set(item, to, result.ok_or("an exclusive scan needs its first value")?)?;
                    }
                }
            }
            Collective::Vote { scope, vote, to, value } => {
                for group in self.groups(*scope, items)? {
                    let votes: Vec<bool> = group.iter().map(|&item| Ok(self.eval(item, value)? != 0)).collect::<Step<_>>()?;
                    let result = match vote {
                        Vote::Any => votes.contains(&true),
                        Vote::All => !votes.contains(&false),
                        Vote::None => !votes.contains(&true),
                    };
                    for item in group {
                        self.set(item, to, result.into())?;
                    }
                }
            }
            Collective::Shuffle { shuffle, variable, by } => {
                for group in self.groups(Scope::SubGroup, items)? {
                    self.shuffle(*shuffle, *variable, by, &group)?;
                }
            }
            Collective::JointReduce { to, region, count, op, init } => {
                let group = self.groups(Scope::Group, items)?.concat();
                let scalar = self.kernel.regions[*region].scalar;
                let mut result = self.same(init, &group)?;
                for at in 0..*count {
                    let value = self.touch(group[0], *region, at, How::Read, 0)?;
                    result = Self::fold(*op, scalar, result, value)?;
                }
                for item in group {
                    self.set(item, to, result)?;
                }
            }
            Collective::Copy { to, from, offset, count, stride } => {
                let group = self.groups(Scope::Group, items)?.concat();
                let offset = self.same(offset, &group)? as usize;
                let length = self.kernel.regions[*from].length;
                let span = count * stride;
                if span > length || *count > self.kernel.regions[*to].length {
                    return Err("a copy beyond its memory");
                }
                let first = offset % (length - span + 1);
                for at in 0..*count {
                    let value = self.touch(group[0], *from, first + at * stride, How::Read, 0)?;
                    self.touch_as_group(*to, at, value)?;
                }
                // Whoever waits for a copy sees all of it.
                self.barrier(true, true);
            }
        }
        Ok(())
    }

    /// A value that all items must agree on.
    fn same(&mut self, value: &super::ast::Expr, group: &[usize]) -> Step<u64> {
        let values: Vec<u64> = group.iter().map(|&item| self.eval(item, value)).collect::<Step<_>>()?;
        if values.iter().all(|value| *value == values[0]) { Ok(values[0]) } else { Err("items disagree about what must be the same") }
    }

    fn shuffle(&mut self, shuffle: Shuffle, variable: usize, by: &super::ast::Expr, group: &[usize]) -> Step<()> {
        let lanes = self.lanes(Scope::SubGroup, group);
        let by: Vec<u64> = group.iter().map(|&item| Ok(cut(super::ast::U32, self.eval(item, by)?.into()))).collect::<Step<_>>()?;
        if shuffle != Shuffle::Select && by.iter().any(|other| *other != by[0]) {
            return Err("lanes disagree about a shuffle's distance");
        }
        let mut values = Vec::new();
        for (&item, by) in group.iter().zip(by) {
            let lane = lanes.iter().position(|&other| other == item).unwrap_or_default();
            let distance = by as usize % self.kernel.sub_group.max(1);
            let source = match shuffle {
                Shuffle::Left => lanes.get(lane + distance),
                Shuffle::Right => lane.checked_sub(distance).and_then(|lane| lanes.get(lane)),
                Shuffle::Xor => lanes.get(lane ^ distance),
                Shuffle::Select => lanes.get(by as usize % lanes.len()),
            };
            let source = source.copied().unwrap_or(item);
            if !group.contains(&source) {
                return Err("a shuffle from an item that has returned");
            }
            values.push(self.frame(source)[variable].clone());
        }
        for (&item, value) in group.iter().zip(values) {
            self.frame(item)[variable] = value;
        }
        Ok(())
    }
}
