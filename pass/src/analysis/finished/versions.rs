//! Which of several loops that the optimiser made of one runs, and what the tests before them decide.

use super::chance::{self, Tests};
use super::lanes::{self, Lanes};
use super::places::{Places, Trips};
use crate::analysis::region::Role;
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_symbolic::{Atom, AtomId, Polynomial};

impl Places<'_, '_> {
    /// The part of a shared loop's iterations that a run of this loop's body is, on average.
    ///
    /// Loops that control comes to one after another share the iterations of one version: the one that takes the longest steps does nearly all,
    /// and if others take as long ones, the first. Versions exclude each other. Which one runs is not known, unless one lacks inner loops that
    /// have nothing to do then: how often these run says it of the others.
    pub(super) fn share_of(&mut self, index: usize) -> f64 {
        let versions = self.versions(index);
        let Some(own) = versions.iter().find(|version| version.contains(&index)).cloned() else { return 0.0 };
        let mut alive = Vec::new();
        for version in &versions {
            let is_left_out = versions.iter().any(|other| {
                other != version
                    && self
                        .separated(other[0], version[0])
                        .is_some_and(|block| self.only_leaves_out(block, &[other[0]], &[version[0]]))
            });
            if !is_left_out {
                alive.push(version.clone());
            }
        }
        let most = own.iter().map(|&other| self.factors[other]).max().unwrap_or(1);
        let first = own.iter().find(|&&other| self.factors[other] == most);
        if first != Some(&index) || !alive.contains(&own) {
            return 0.0;
        }
        1.0 / (most as f64 * alive.len() as f64)
    }

    /// The loops that the same loop of the source became, those together that control comes to from the first of them, in its order.
    fn versions(&self, index: usize) -> Vec<Vec<usize>> {
        let cfg = self.analysis.cfg;
        let around = cfg.loops[index].parent;
        let is_inside = |block: BlockId| around.is_none_or(|around| cfg.loops[around].contains(block));
        let outermost = around.map_or(BlockId::MAX, |around| cfg.loops[around].header);
        let mut versions: Vec<(Vec<BlockId>, Vec<usize>)> = Vec::new();
        for sibling in self.siblings(index) {
            let header = cfg.loops[sibling].header;
            match versions.iter_mut().find(|(comes_to, _)| comes_to.binary_search(&header).is_ok()) {
                Some((_, version)) => version.push(sibling),
                None => versions.push((chance::reachable(cfg, header, outermost, &is_inside), vec![sibling])),
            }
        }
        versions.into_iter().map(|(_, version)| version).collect()
    }

    /// The block at whose end control goes to one loop or to the other.
    fn separated(&self, one: usize, other: usize) -> Option<BlockId> {
        let cfg = self.analysis.cfg;
        let mut above = cfg.immediate_dominator(cfg.loops[one].header);
        while let Some(block) = above.filter(|&block| !cfg.dominates(block, cfg.loops[other].header)) {
            above = cfg.immediate_dominator(block);
        }
        above
    }

    /// Whether the test at the end of a block asks for nothing but what says how often one of the loops runs.
    fn asks_for_trips(&mut self, block: BlockId, loops: &[usize]) -> bool {
        let tells_nothing =
            |index: &usize| matches!(self.trips[*index], Trips::Unknown(_)) && self.counts[*index].is_none();
        let Some(&to) = self.analysis.cfg.successors[block].first() else { return false };
        if loops.iter().all(tells_nothing) {
            return false;
        }
        let Some(condition) = self.analysis.lowering.branch_condition(block, to) else { return false };
        let space = &self.analysis.lowering.space;
        let mut asked = Vec::new();
        space.depends_on(&condition, |atom| {
            if matches!(space.atom(atom), Atom::Symbol(_) | Atom::Iteration(_) | Atom::Load { .. }) {
                asked.push(atom);
            }
            false
        });
        let tells = |index: &usize| {
            let tells_of = |&atom: &AtomId| {
                // What the finished code counts need not be in the names of the report.
                let is_counted = self.counts[*index].as_ref().is_some_and(|count| space.mentions(count, atom));
                is_counted
                    || match &self.trips[*index] {
                        Trips::Known(trips) => space.mentions(trips, atom),
                        Trips::Source(text, _) => {
                            let name = self.analysis.text(&Polynomial::from_atom(atom));
                            text.split(|c: char| c.is_whitespace() || "()*+-/^,".contains(c)).any(|word| word == name)
                        }
                        Trips::Unknown(_) => false,
                    }
            };
            asked.iter().all(tells_of)
        };
        !asked.is_empty() && loops.iter().any(tells)
    }

    /// Whether a test skips nothing but a loop of the source whose iterations the finished code does not tell. The optimiser has it tested at its end: this is
    /// its first test.
    fn is_first_test(&self, block: BlockId, skipped: &[BlockId], loops: &[usize]) -> bool {
        let (cfg, [only]) = (self.analysis.cfg, loops) else { return false };
        let condition = cfg.blocks[block].terminator().and_then(|end| end.branch_condition());
        let is_one =
            condition.is_some_and(|condition| condition.is(Opcode::LLVMICmp) || condition.is(Opcode::LLVMFCmp));
        let acts = |value: Value| {
            let is_access = value.is(Opcode::LLVMLoad) || value.is(Opcode::LLVMStore);
            is_access || value.is_call() && !value.calls(|name| name.starts_with("llvm."))
        };
        let leads_on = |block: BlockId| cfg.successors[block].len() == 1 && !cfg.blocks[block].instructions().any(acts);
        is_one
            && self.marks[*only].is_some()
            && self.counts[*only].is_none()
            && skipped.iter().filter(|block| !cfg.loops[*only].contains(**block)).all(|block| leads_on(*block))
    }

    /// Loops and those inside of them.
    fn with_inner(&self, loops: &[usize]) -> Vec<usize> {
        let cfg = self.analysis.cfg;
        let is_in = |index: &usize| cfg.loop_chain(Some(*index)).any(|at| loops.contains(&at));
        (0..cfg.loops.len()).filter(is_in).collect()
    }
}

impl Tests for Places<'_, '_> {
    /// Threads share one of the loops, another loop does the rest of one, one is over a digit, which nothing of the program stands in front of, or the test asks
    /// for nothing but what says how often they run: this has it of each time that the source's loop is come to, also of those when there is nothing to do.
    fn only_skips(&mut self, block: BlockId, skipped: &[BlockId], loops: &[usize]) -> bool {
        let is_digit = |&index: &usize| self.is_over_digit(index);
        let is_part = |&index: &usize| self.siblings(index).any(|other| !loops.contains(&other));
        let is_shared = |&index: &usize| self.roles[index] != Role::Sequential;
        loops.iter().any(is_part)
            || loops.iter().any(is_shared)
            || loops.iter().any(is_digit)
            || self.is_first_test(block, skipped, loops)
            || self.asks_for_trips(block, loops)
    }

    fn only_leaves_out(&mut self, block: BlockId, with: &[usize], without: &[usize]) -> bool {
        let is_other_version = |&index: &usize| {
            let mark = self.marks[index];
            mark.is_some() && with.iter().any(|&other| self.marks[other] == mark)
        };
        if without.is_empty() || !without.iter().all(is_other_version) {
            return false;
        }
        let (with, without) = (self.with_inner(with), self.with_inner(without));
        let is_left_out = |index: &usize| {
            let mark = self.marks[*index];
            mark.is_some() && without.iter().all(|&other| self.marks[other] != mark)
        };
        let left_out: Vec<usize> = with.into_iter().filter(is_left_out).collect();
        self.asks_for_trips(block, &left_out)
    }

    fn lanes(&mut self, block: BlockId) -> Lanes {
        let (cfg, setting) = (self.analysis.cfg, self.analysis.setting);
        let end = cfg.blocks[block].terminator().filter(|_| !setting.is_host);
        end.map_or(Lanes::Together, |end| lanes::at_branch(cfg, end, setting.geometry.lanes))
    }

    fn is_in_names(&mut self, block: BlockId) -> bool {
        let end = self.analysis.cfg.blocks[block].terminator();
        let Some(condition) = end.filter(|end| end.is(Opcode::LLVMBr)).and_then(Value::branch_condition) else {
            return false;
        };
        let condition = self.analysis.lowering.value_at(condition, block).value;
        let condition = self.in_numbers(condition);
        condition.as_constant().is_none() && self.says(&condition)
    }
}
