//! Accesses in the loops that the plugin made.

use super::{Access, Loop, LoopKind, Region};
use ipda_symbolic::{Interval, LoopId, Name, Space, Symbol, Varies, declare_unknown, parse};

impl Region {
    /// Bytes from one thread's access to the next one's in the nest that the plugin made around it, within a row, where that is a number: 0 where
    /// one thread of a row makes it. None where nothing was changed around it, or the distance is no number.
    pub fn changed_stride(&self, access: &Access) -> Option<i64> {
        let around: Vec<&Loop> = self.loops_around(access.in_loop.as_deref());
        let fastest = self.transformation.as_ref()?.made().find_map(|version| {
            // Orders of what a clause collapsed are counted as written.
            let named = version.recipe.threads().last().filter(|_| !version.recipe.is_order_of_collapsed())?;
            let fastest = self.loops.iter().find(|entry| named.is(entry))?;
            // The loop that threads share is around all of its nest.
            let shared = self.loops_around(Some(&fastest.id)).into_iter().find(|at| at.kind != LoopKind::Sequential)?;
            around.iter().any(|entry| entry.id == shared.id).then_some(fastest)
        })?;
        if around.iter().all(|entry| entry.id != fastest.id) {
            return Some(0);
        }
        let mut space = Space::new();
        let mut next = 0;
        declare_unknown(&mut space, &access.address, &mut |space, name| match name {
            Name::Symbol(name) => {
                space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies: Varies::No });
            }
            Name::Bare(name) => {
                space.name_loop(LoopId(next), name);
                next += 1;
            }
        });
        let address = parse(&mut space, &access.address).ok()?;
        let Some(number) = space.find(fastest.index.as_deref()?) else { return Some(0) };
        let (stride, _) = space.split_affine(&address, number)?;
        stride.as_constant()?.to_i64()
    }

    /// A loop and those around it, the innermost first.
    fn loops_around(&self, innermost: Option<&str>) -> Vec<&Loop> {
        let of = |id: &str| self.loops.iter().find(|entry| entry.id == id);
        let first = innermost.and_then(of);
        std::iter::successors(first, |entry| of(entry.parent.as_deref()?)).take(self.loops.len()).collect()
    }
}
