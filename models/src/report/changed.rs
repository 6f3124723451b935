//! Accesses in the loops that the plugin made.

use super::{Access, AccessKind, Loop, LoopKind, NamedLoop, Region};
use crate::sizes::Sizes;
use crate::versions::{DeviceVersion, LanesAlong, Step};
use ipda_symbolic::{Atom, AtomId, Coeff, Interval, LoopId, Name, Space, Symbol, Varies, declare_unknown, parse};

/// A nest that the plugin changed. Neighbouring threads of a row take neighbouring iterations of its fastest loop.
#[derive(Debug, Clone)]
pub struct ChangedNest<'a> {
    /// The version that runs.
    pub version: &'a DeviceVersion,
    /// The loop: the last of those that make a thread's number together.
    pub fastest: &'a Loop,
    /// How many iterations of it neighbouring threads are apart, as an expression, where the loop is several that a clause collapsed; none where
    /// it is one.
    pub apart: Option<&'a str>,
    /// The parts of a warp's tile, the slowest first, where its lanes are one.
    pub tile: Vec<PartOfTile<'a>>,
}

/// Lanes of a warp along one loop.
#[derive(Debug, Clone, Copy)]
pub struct PartOfTile<'a> {
    /// The loop.
    pub of: &'a Loop,
    /// How many of them take neighbouring iterations.
    pub lanes: u32,
    /// How many iterations of the loop these are apart, as an expression, where that is not one.
    pub apart: Option<&'a str>,
}

impl Region {
    /// The changed nest that an access is in.
    pub fn changed_nest(&self, access: &Access) -> Option<ChangedNest<'_>> {
        let around = self.loops_around(access.in_loop.as_deref());
        // Where the loops stay, neighbouring threads do what they did.
        let mut moved =
            self.transformation.as_ref()?.made().filter(|version| version.recipe.promoted_arrays().is_none());
        moved.find_map(|version| {
            let neighbours = version.recipe.steps().iter().find_map(Step::neighbours);
            let is_of_digits = version.recipe.digits_in_words().is_some();
            let named = match neighbours {
                Some(neighbours) => &neighbours.of,
                // Else nothing is known of their distance.
                None if is_of_digits => &version.recipe.steps().iter().flat_map(Step::warp).next_back()?.of,
                None => version.recipe.threads().last().filter(|_| !version.recipe.is_order_of_collapsed())?,
            };
            let fastest = self.loops.iter().find(|entry| named.is(entry))?;
            // The loop that threads share is around all of its nest.
            let shared = self.loops_around(Some(&fastest.id)).into_iter().find(|at| at.kind != LoopKind::Sequential)?;
            let apart =
                neighbours.map(|neighbours| &neighbours.apart[..]).filter(|apart| !is_of_digits || *apart != "1");
            let tile = self.tile(version);
            around.iter().any(|entry| entry.id == shared.id).then_some(ChangedNest { version, fastest, apart, tile })
        })
    }

    /// Whether an access is in loops of which threads run digits by themselves, as the plugin made them.
    pub fn is_mapped(&self, access: &Access) -> bool {
        let around = self.loops_around(access.in_loop.as_deref());
        let mut made = self.transformation.iter().flat_map(|change| change.made());
        made.any(|version| {
            let is_around = |named: &NamedLoop| around.iter().any(|entry| named.is(entry));
            version.recipe.digits_in_words().is_some() && version.recipe.threads().iter().any(is_around)
        })
    }

    fn tile<'a>(&'a self, version: &'a DeviceVersion) -> Vec<PartOfTile<'a>> {
        if version.recipe.digits_in_words().is_some() {
            let along = version.recipe.steps().iter().flat_map(Step::warp);
            let part = |along: &'a LanesAlong| {
                let of = self.loops.iter().find(|entry| along.of.is(entry))?;
                Some(PartOfTile { of, lanes: along.lanes, apart: Some(&along.apart[..]) })
            };
            return along.map(part).collect::<Option<_>>().unwrap_or_default();
        }
        let part = |(at, &lanes): (usize, &u32)| {
            let neighbours = version.recipe.steps().iter().find_map(Step::neighbours);
            let named =
                neighbours.map_or_else(|| version.recipe.threads().get(at), |neighbours| Some(&neighbours.of))?;
            let of = self.loops.iter().find(|entry| named.is(entry))?;
            let apart = neighbours.and_then(|neighbours| neighbours.along_each.get(at)).map(|apart| &apart[..]);
            Some(PartOfTile { of, lanes, apart })
        };
        version.recipe.lanes().iter().enumerate().map(part).collect::<Option<_>>().unwrap_or_default()
    }

    /// Bytes from one thread's access to the next one's in the nest that the plugin made around it, within a row, where that is a number: 0 where
    /// one thread of a row makes it. None where nothing was changed around it, or the distance is no number.
    pub fn changed_stride(&self, access: &Access) -> Option<i64> {
        let nest = self.changed_nest(access)?;
        if self.loops_around(access.in_loop.as_deref()).iter().all(|entry| entry.id != nest.fastest.id) {
            return Some(0);
        }
        let mut space = Space::new();
        let mut next = 0;
        for text in nest.apart.into_iter().chain([&access.address[..]]) {
            declare_unknown(&mut space, text, &mut |space, name| match name {
                Name::Symbol(name) => {
                    space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies: Varies::No });
                }
                Name::Bare(name) => {
                    space.name_loop(LoopId(next), name);
                    next += 1;
                }
            });
        }
        let address = parse(&mut space, &access.address).ok()?;
        let Some(number) = space.find(nest.fastest.index.as_deref()?) else { return Some(0) };
        let Some(apart) = nest.apart else {
            let (stride, _) = space.split_affine(&address, number)?;
            return stride.as_constant()?.to_i64();
        };
        let apart = parse(&mut space, apart).ok()?;
        let at = |lane: i64, size: Sizes| {
            let size = Coeff::from(i64::from(size.value()));
            let of_place = |atom: AtomId| match space.atom(atom) {
                Atom::Symbol(_) => Some(size.clone()),
                Atom::Iteration(_) => Some(Coeff::from(0)),
                _ => None,
            };
            let first = &space.eval(&apart, &mut |atom| of_place(atom))? * &Coeff::from(lane);
            space
                .eval(&address, &mut |atom| if atom == number { Some(first.clone()) } else { of_place(atom) })?
                .to_i64()
        };
        let stride = |size| at(1, size)?.checked_sub(at(0, size)?);
        // What holds for two sizes is taken to hold for all, as in tables.
        let counted = stride(Sizes::Counted)?;
        (stride(Sizes::Compared)? == counted).then_some(counted)
    }

    /// The innermost loop around an access in which the plugin keeps its place in a register: the access is made before or behind it, once for all of
    /// its iterations. None of one that the loop's iterations make.
    pub fn register_loop(&self, access: &Access) -> Option<&Loop> {
        let around = self.loops_around(access.in_loop.as_deref());
        let [innermost, outer @ ..] = &around[..] else { return None };
        let is_promoted = |version: &DeviceVersion| {
            let is_of_nest = || version.recipe.threads().iter().any(|named| outer.iter().any(|at| named.is(at)));
            version.recipe.promoted_arrays().is_some_and(|arrays| arrays.contains(&access.object)) && is_of_nest()
        };
        let is_plain = matches!(access.kind, AccessKind::Load | AccessKind::Store);
        let is_parent = self.loops.iter().any(|other| other.parent.as_ref() == Some(&innermost.id));
        if !is_plain || is_parent || !self.transformation.as_ref()?.made().any(is_promoted) {
            return None;
        }
        // All accesses of the array in this loop stay at their places.
        let of_array = |other: &&Access| other.object == access.object && other.in_loop == access.in_loop;
        let stays = |other: &Access| {
            let mut is_named = other.address.contains("load");
            let index = innermost.index.as_deref();
            declare_unknown(&mut Space::new(), &other.address, &mut |_, name| match name {
                Name::Symbol(name) | Name::Bare(name) => is_named |= index.is_none_or(|index| index == name),
            });
            !is_named
        };
        self.accesses.iter().filter(of_array).all(stays).then_some(*innermost)
    }

    /// A loop and those around it, the innermost first.
    fn loops_around(&self, innermost: Option<&str>) -> Vec<&Loop> {
        let of = |id: &str| self.loops.iter().find(|entry| entry.id == id);
        let first = innermost.and_then(of);
        std::iter::successors(first, |entry| of(entry.parent.as_deref()?)).take(self.loops.len()).collect()
    }
}
