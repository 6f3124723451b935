//! The iterations that a launch says: OpenMP's runtime is handed those of the loop that teams share, which the host has computed. So they are known
//! where the kernel itself reads a bound from memory (`map(to: n)`), wherever that is.

use ipda_symbolic::{Atom, AtomId};

use super::bind::TRIPS_WITHOUT_A_VALUE;
use super::value::{Point, atoms_in, number};
use super::{Bindings, Bound, RegionSummary, size_name, trips_name};
use crate::form::Num;
use crate::report::LoopKind;

impl RegionSummary {
    /// The loop whose iterations a launch says: the only one that teams share, around which no other is.
    pub(super) fn loop_of_launch(&self) -> Option<usize> {
        let mut outermost: Vec<usize> =
            self.phases().into_iter().filter_map(|of| self.chain(Some(of)).first().copied()).collect();
        outermost.dedup();
        match outermost[..] {
            [of] => matches!(self.loops[of].kind, LoopKind::Distribute | LoopKind::DistributeParallelFor).then_some(of),
            _ => None,
        }
    }
}

impl<'a> Bound<'a> {
    /// Whether the number of its iterations rests on what the kernel reads from memory, or on what nobody understood.
    pub(super) fn is_in_memory(&self, of: usize) -> bool {
        let space = &self.summary.space;
        let is_unknown = |atom: AtomId| matches!(space.atom(atom), Atom::Load { .. }) && self.given(atom).is_none();
        let trips = self.summary.loops[of].trips.as_ref();
        trips.map_or(true, |trips| atoms_in(space, trips).into_iter().any(is_unknown))
    }

    /// With what the launch says of a loop, and the loaded value that follows from it.
    pub(super) fn known_from_launch(mut self, launched: Option<(usize, Num)>) -> Bound<'a> {
        let Some((of, reported)) = launched else { return self };
        // The runtime gets 0 where the compiler could not compute it, too.
        let reported = reported.more(0.0).choose(reported, TRIPS_WITHOUT_A_VALUE);
        let trips = self.summary.loops[of].trips.as_ref().ok();
        let atom = trips.and_then(|trips| Some((trips.as_atom_and_constant()?, number(&trips.constant_term()))));
        if let Some((atom, constant)) = atom
            && matches!(self.summary.space.atom(atom), Atom::Load { .. })
        {
            self.values.resize(self.values.len().max(atom.index() + 1), None);
            self.values[atom.index()] = Some(reported - constant);
        }
        self.launched = Some((of, reported));
        self
    }

    /// What a launch says with these values: how many iterations its loop runs, how many bytes it maps, where that is known, and what it finds in memory.
    pub fn known_at_launch(&self) -> Bindings {
        let summary = self.summary;
        let trips = summary.loop_of_launch().map(|of| {
            let name = trips_name(&summary.loops[of].name);
            (name, self.trips(of, &Point::new()).get())
        });
        let maps = summary.maps.iter().filter(|map| !map.by_value && self.is_size_known(map));
        let sizes = maps.filter_map(|map| Some((size_name(&map.name), self.mapped_bytes(&map.name)?.get())));
        let loaded = summary.loaded().into_iter();
        let loaded = loaded.filter_map(|loaded| Some((loaded.name, self.given(loaded.atom)?.get())));
        Bindings::new(trips.into_iter().chain(sizes).chain(loaded))
    }
}
