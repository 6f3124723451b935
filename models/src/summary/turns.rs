//! Which accesses of a thread are under way together: those of iterations that the finished code does in one run of a loop's body.

use super::pattern::Group;
use super::phase::Phase;
use super::{AccessKind, Bound, DeviceCode, DevicePart};
use crate::report::InstructionClass;

/// What is taken for equal, of counts where all variables are a thousand and of what unrolling leaves over.
const NEARLY: f64 = 1.01;

/// A part of finished code, as far as it has room for the accesses of the source.
struct Room<'a> {
    part: &'a DevicePart,
    runs: f64,
    /// Accesses in all runs, of which no loop is yet.
    left: f64,
}

impl Bound<'_> {
    /// How many executions of each group are under way together: below 1 where its references are not all. The source's loops take the accesses of the
    /// finished code in its order, as none says which are its own.
    pub(super) fn turns(&self, groups: &[Group], code: Option<&DeviceCode>, phase: &Phase) -> Vec<f64> {
        let parts = code.map(|code| &code.parts[..]).unwrap_or_default();
        let of_phase = parts.iter().filter(|part| part.shared == Some(phase.of) && !part.is_of_several);
        let mut rooms: Vec<Room<'_>> = of_phase
            .map(|part| {
                let runs = self.times_of_a_thousand(&part.executions, phase, part.depth);
                Room { part, runs, left: runs * part.accesses() }
            })
            .collect();
        let mut loops: Vec<Option<usize>> = Vec::new();
        for group in groups {
            if !loops.contains(&group.in_loop) {
                loops.push(group.in_loop);
            }
        }
        // What is in inner loops is found by its count; what is outside of them shares the rest.
        loops.sort_by_key(|of| std::cmp::Reverse(self.summary.chain(*of).len()));
        let mut turns = vec![1.0; groups.len()];
        for of in loops {
            let of_loop = groups.iter().filter(|group| group.in_loop == of && group.kind != AccessKind::Atomic);
            let references: usize = of_loop.map(|group| group.offsets.len()).sum();
            let executions = self.trips_of_a_thousand(&self.inner(phase, of));
            let needed = references as f64 * executions;
            let fits = |room: &Room<'_>| room.runs > 0.0 && room.runs <= executions * NEARLY;
            let mut best: Option<usize> = None;
            for (at, room) in rooms.iter().enumerate().filter(|(_, room)| fits(room)) {
                let taken = room.left.min(needed);
                if taken > 0.0 && best.is_none_or(|best: usize| taken > NEARLY * rooms[best].left.min(needed)) {
                    best = Some(at);
                }
            }
            let Some(room) = best.map(|at| &mut rooms[at]) else { continue };
            room.left = (room.left - needed).max(0.0);
            let together = (executions / room.runs).max(1.0) * room.part.share_under_way();
            // Unrolling takes whole iterations.
            let together = if together > 1.0 { together.round() } else { together };
            for (turn, _) in turns.iter_mut().zip(groups).filter(|(_, group)| group.in_loop == of) {
                *turn = together;
            }
        }
        turns
    }
}

impl DevicePart {
    /// Loads and stores of global memory.
    fn accesses(&self) -> f64 {
        let is_one =
            |class: InstructionClass| matches!(class, InstructionClass::LoadGlobal | InstructionClass::StoreGlobal);
        self.counts.iter().filter(|(class, _)| is_one(*class)).map(|(_, count)| count).sum()
    }

    /// The share of its loads that are under way together.
    fn share_under_way(&self) -> f64 {
        let of = |(class, count): &(InstructionClass, f64)| (*class == InstructionClass::LoadGlobal).then_some(*count);
        let loads: f64 = self.counts.iter().filter_map(of).sum();
        self.parallelism().loads.map_or(1.0, |together| (together.max(1.0) / loads.max(1.0)).min(1.0))
    }
}
