//! Which mappings of a region's nest could pay: all that there are of whole loops, screened by what they cost.

use super::lanes;
use super::own_digits;
use super::profit::{Candidate, Cost, FEW, MANY, Sizes, cost, disagreeing, time_as_before};
use super::registers::in_registers;
use super::subject::{MIN_GAIN, Subject};
use crate::analysis::dependences::{NestAccess, Promotable, SharedNest};
use crate::analysis::region::Analysis;
use crate::openmp::Sharing;
use crate::openmp::nest::SharedLoop;
use crate::openmp::outline::MappingRequest;
use ipda_llvm::Value;
use ipda_models::report::{Gain, Mode, NamedLoop, ObstacleKind, Reason};
use ipda_models::versions::{FusedOrder, LanesAlong, Neighbours, Recipe, Step};
use ipda_symbolic::{Atom, AtomId, Given, LoopId, Mapping, Part, TripCount, Varies};

/// Of mappings whose times differ by less, the one with fewer fused loops is taken.
const MUCH_THE_SAME: f64 = 0.99;
/// Mappings of whole loops of which tiles of lanes are looked for, and that are compared with all sizes.
const MAX_TILED: usize = 4;
/// The same where none of these pays by itself.
const MAX_TILED_IN_VAIN: usize = 2;

/// Mappings that are named where somebody asks for another one.
const MAX_NAMED: usize = 12;

/// A mapping that could pay.
pub(super) struct Proposal {
    pub candidate: Candidate,
    pub costs: Costs,
    /// What it costs where all that may stays in registers, as the optimiser lets it: mappings are compared by that.
    in_registers: Cost,
    /// With sizes of each class, where what is unknown is small, as in examples, and large.
    pub times: Times,
    /// Whether it is made if it is right, whether or not it pays.
    pub is_wished: bool,
}

/// For each class of sizes, in one unit.
pub(super) type Times = [f64; 3];

/// What the loops cost as they are written and by a mapping, for the same sizes.
pub(super) struct Costs {
    pub before: Cost,
    pub after: Cost,
}

/// A mapping for people.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub recipe: Recipe,
    /// None where it is not counted.
    pub gain: Option<Gain>,
    /// Whether a clause may do the same, as far as the code shows.
    pub has_clause: bool,
}

/// The loops that threads share, in the order in which they run.
pub(super) fn shared_of(analysis: &Analysis<'_>) -> Vec<usize> {
    let is_of_threads = |shared: &&SharedLoop| shared.sharing == Sharing::Threads;
    analysis.nest.shared.iter().filter(is_of_threads).map(|shared| shared.index).collect()
}

impl Subject<'_> {
    /// The mappings that pay, the best first.
    pub(super) fn propose(&self, analysis: &mut Analysis<'_>) -> Vec<Proposal> {
        let nest = &self.nest;
        let promotable = nest.promotable(analysis);
        let before = cost(analysis, &self.sizes, &nest.accesses, &self.as_written);
        let mut proposals: Vec<Proposal> = Vec::new();
        for mapping in self.orders() {
            proposals.push(self.proposal_by(analysis, mapping, before, &promotable));
        }
        // What is tiled are the best ones.
        proposals.sort_by_key(Proposal::place);
        let [few, many] = [FEW, MANY].map(|size| Sizes::of_class(analysis, nest, size));
        let classes = [&few, &self.sizes, &many];
        let tiles = self.tiles(analysis, before, classes, &proposals, &promotable);
        proposals.retain(|proposal| proposal.costs.pay());
        proposals.extend(tiles);
        if proposals.is_empty() {
            return proposals;
        }
        let as_written = classes.map(|sizes| self.cost_in_registers(analysis, sizes, &self.as_written, &promotable));
        for (place, Proposal { candidate, costs, in_registers, times, .. }) in proposals.iter_mut().enumerate() {
            let is_compared = place < MAX_TILED || !candidate.mapping.keeps_loops_whole();
            let is_for_threads = costs.are_only_for_threads();
            for ((time, sizes), before) in times.iter_mut().zip(classes).zip(&as_written) {
                *time = if is_for_threads && before.has_enough_threads() {
                    // Such a version is not taken then.
                    before.time()
                } else if *sizes == self.sizes {
                    in_registers.time()
                } else if is_compared {
                    self.cost_in_registers(analysis, sizes, candidate, &promotable).time()
                } else {
                    // Others are taken to save the same of the work with all sizes; threads are as many as there are.
                    let share = in_registers.work() / as_written[1].work().max(f64::MIN_POSITIVE);
                    time_as_before(analysis, sizes, candidate, before, share)
                };
                // Where the example runs nothing, it says nothing.
                if *time <= 0.0 || !sizes.let_run(analysis, nest) {
                    *time = before.time();
                }
            }
        }
        let loses = |(after, before): (&f64, &Cost)| *after > before.time() / MUCH_THE_SAME;
        proposals.retain(|proposal| !proposal.times.iter().zip(&as_written).any(loses));
        proposals
    }

    /// What runs by a mapping: with idle numbers first, where that takes less time.
    fn proposal_by(
        &self,
        analysis: &mut Analysis<'_>,
        mapping: Mapping,
        before: Cost,
        promotable: &[Promotable],
    ) -> Proposal {
        let candidate = Candidate::new(analysis, &self.nest, mapping);
        let other = candidate.with_idle_first(&self.nest.accesses);
        let proposal = self.proposal(analysis, candidate, before, promotable);
        let other = other.map(|other| self.proposal(analysis, other, before, promotable));
        let is_faster = |other: &Proposal| other.in_registers.time() < MUCH_THE_SAME * proposal.in_registers.time();
        other.filter(is_faster).unwrap_or(proposal)
    }

    /// The mappings of whole loops but the one as written.
    fn orders(&self) -> impl Iterator<Item = Mapping> {
        let mappings = self.nest.nest.mappings().into_iter().chain(orders_of_digits(&self.nest));
        let mappings = mappings.filter(|mapping| mapping.threads().len() > 1 && *mapping != self.as_written.mapping);
        // With loops inside fused, those that a clause collapsed stay one.
        mappings.filter(|mapping| self.is_order_of_collapsed(mapping) || self.keeps_collapsed(mapping))
    }

    /// All mappings for which code is made, whether or not they are right or pay.
    fn all_mappings(&self, analysis: &Analysis<'_>) -> Vec<Mapping> {
        let mut mappings: Vec<Mapping> = self.orders().collect();
        let whole = mappings.iter().chain([&self.as_written.mapping]);
        let tiles: Vec<Mapping> = whole.flat_map(|order| lanes::all_of(analysis, self, order)).collect();
        mappings.extend(tiles);
        mappings
    }

    /// All of them, those with the shortest predicted times first.
    pub(super) fn by_time(&self, analysis: &mut Analysis<'_>) -> Vec<Proposal> {
        let promotable = self.nest.promotable(analysis);
        let mappings = self.all_mappings(analysis).into_iter();
        let wished = |mapping| self.wished_proposal(analysis, mapping, &promotable);
        let mut proposals: Vec<Proposal> = mappings.map(wished).collect();
        proposals.sort_by_key(Proposal::place);
        proposals
    }

    /// The mapping that the program's author asks for by a text, whether or not it pays.
    pub(super) fn requested(&self, analysis: &Analysis<'_>, requested: &str) -> Result<Mapping, Reason> {
        let mappings = self.all_mappings(analysis);
        let named = |mapping: &Mapping| self.recipe(analysis, mapping).0.threads_in_words();
        if let Some(meant) = mappings.iter().find(|mapping| named(mapping) == requested) {
            return Ok(meant.clone());
        }
        // Or digit by digit.
        let names = self.names(analysis);
        let names: Vec<&str> = names.iter().map(|named| &named.name[..]).collect();
        let is_of_digits = MappingRequest::Named(requested).is_of_digits();
        match Mapping::parse(requested, &names) {
            Ok(meant) if mappings.contains(&meant) => return Ok(meant),
            Ok(meant) if is_of_digits => {
                return match self.not_made(analysis, &meant, &names) {
                    Some(why) => Err(format!("\"{requested}\" is a mapping for which no code is made: {why}").into()),
                    None => Ok(meant),
                };
            }
            Err(problem) if is_of_digits => {
                // A loop that is named may be there and not be one of the nest's.
                let end = self.nest.end.as_ref().map(|end| format!("; its nest is {}: {}", names.join(", "), end.text));
                let end = end.unwrap_or_default();
                return Err(format!("\"{requested}\" is no mapping of its loops: {problem}{end}").into());
            }
            _ => {}
        }
        let names: Vec<String> = mappings.iter().take(MAX_NAMED).map(|of| format!("\"{}\"", named(of))).collect();
        Err(match names.is_empty() {
            true => format!("there is no mapping \"{requested}\" of its loops, nor any other"),
            false => format!("there is no mapping \"{requested}\" of its loops; there are {}", names.join(", ")),
        }
        .into())
    }

    /// The nest's loops, by the names that the report has for them.
    fn names(&self, analysis: &Analysis<'_>) -> Vec<NamedLoop> {
        let digits = self.nest.digits;
        let of_cfg = |at: usize| self.named(analysis, self.nest.in_cfg(at));
        let first = if digits == 1 { vec![of_cfg(0)] } else { self.collapsed(&of_cfg(0), &Vec::from_iter(0..digits)) };
        first.into_iter().chain((digits..self.nest.nest.loops.len()).map(of_cfg)).collect()
    }

    /// Why no code is made for a mapping by digits; none where it is.
    fn not_made(&self, analysis: &Analysis<'_>, mapping: &Mapping, names: &[&str]) -> Option<String> {
        if mapping.threads().is_empty() {
            return Some("nothing makes the number of a thread".into());
        }
        let given: Vec<Given> = mapping.given().collect();
        let is_not_there = |given: &&Given| !matches!(given, Given::Gang(0) | Given::Worker(0) | Given::Thread);
        if let Some(given) = given.iter().find(is_not_there) {
            let why = match given {
                Given::Length(_) => format!("no launch brings {}", given.name()),
                _ => format!("LLVM 19 launches teams and threads along one axis, and there is no {}", given.name()),
            };
            let numbered = mapping.with_numbers(example_of).map(|mapping| mapping.text(names));
            let remedy = numbered.map(|text| format!("; write numbers for them, as in \"{text}\""));
            return Some(why + &remedy.unwrap_or_default());
        }
        let triple = analysis.cfg.blocks[0].function().target_triple();
        if let Some(given) = given.first() {
            if !triple.starts_with("nvptx") {
                return Some(format!("{} is read on NVIDIA's GPUs alone", given.name()));
            }
            // One of a team's warps runs what stands outside of parallel regions.
            if self.report.mode != Mode::Spmd {
                return Some(format!("{} is read where all threads start a region together", given.name()));
            }
        }
        None
    }

    /// A proposal that is made if it is right.
    pub(super) fn wished_proposal(
        &self,
        analysis: &mut Analysis<'_>,
        mapping: Mapping,
        promotable: &[Promotable],
    ) -> Proposal {
        let before = cost(analysis, &self.sizes, &self.nest.accesses, &self.as_written);
        Proposal { is_wished: true, ..self.proposal_by(analysis, mapping, before, promotable) }
    }

    fn proposal(
        &self,
        analysis: &Analysis<'_>,
        candidate: Candidate,
        before: Cost,
        promotable: &[Promotable],
    ) -> Proposal {
        let after = cost(analysis, &self.sizes, &self.nest.accesses, &candidate);
        let kept = in_registers(analysis, self, &candidate, promotable);
        let in_registers = kept.map_or(after, |accesses| cost(analysis, &self.sizes, &accesses, &candidate));
        let costs = Costs { before, after };
        Proposal { candidate, costs, in_registers, times: Times::default(), is_wished: false }
    }

    fn cost_in_registers(
        &self,
        analysis: &Analysis<'_>,
        sizes: &Sizes,
        candidate: &Candidate,
        promotable: &[Promotable],
    ) -> Cost {
        let kept = in_registers(analysis, self, candidate, promotable);
        cost(analysis, sizes, kept.as_ref().unwrap_or(&self.nest.accesses), candidate)
    }

    /// Tiles of lanes that pay: of the best mappings of whole loops that do, or of the best ones where none does, as the first may not be right, and of the
    /// loops as written.
    fn tiles(
        &self,
        analysis: &mut Analysis<'_>,
        before: Cost,
        classes: [&Sizes; 3],
        orders: &[Proposal],
        promotable: &[Promotable],
    ) -> Vec<Proposal> {
        let pay = orders.iter().filter(|proposal| proposal.costs.pay()).take(MAX_TILED).count();
        let tiled = orders.iter().filter(|proposal| pay == 0 || proposal.costs.pay());
        let orders = tiled.map(|proposal| &proposal.candidate).take(if pay == 0 { MAX_TILED_IN_VAIN } else { pay });
        // An order that is wrong at first sight is worth no look at its tiles.
        let is_worth_it = |order: &&Candidate| !self.meets_itself(analysis, &order.mapping);
        let whole: Vec<&Candidate> = std::iter::once(&self.as_written).chain(orders).filter(is_worth_it).collect();
        let whole = whole.into_iter();
        let tiled = |order: &Candidate| {
            let kept = in_registers(analysis, self, order, promotable);
            lanes::tiled(analysis, self, classes, order, kept.as_ref().unwrap_or(&self.nest.accesses))
        };
        let tiles: Vec<Candidate> = whole.filter_map(tiled).collect();
        let proposals = tiles.into_iter().map(|candidate| self.proposal(analysis, candidate, before, promotable));
        proposals.filter(|proposal| proposal.costs.pay()).collect()
    }

    /// Whether threads would store at one place: in a loop that is fused, and that leaves the place as it is.
    fn meets_itself(&self, analysis: &Analysis<'_>, mapping: &Mapping) -> bool {
        let space = &analysis.lowering.space;
        let stays_in = |access: &NestAccess, id: LoopId| {
            let moves = |atom: AtomId| match space.atom(atom) {
                Atom::Iteration(of) => *of == id,
                Atom::Symbol(symbol) => symbol.varies != Varies::No,
                Atom::Load { .. } => true,
                _ => false,
            };
            access.loops.contains(&id) && !space.depends_on(&access.address, moves)
        };
        let mut stores =
            self.nest.accesses.iter().filter(|access| access.writes && !access.is_atomic && access.in_every_iteration);
        let fused: Vec<LoopId> = mapping.fused().map(|at| self.nest.nest.loops[at].id).collect();
        stores.any(|store| fused.iter().any(|&id| stays_in(store, id)))
    }

    /// By how much a mapping is taken for faster or slower than it is. Another order of collapsed loops is right whatever they hold: it comes before what
    /// may be a little better, and has to be proven. Tiles have to gain what idle threads and their digits cost.
    pub(super) fn handicap(&self, mapping: &Mapping) -> f64 {
        let for_order = if self.is_order_of_collapsed(mapping) { MIN_GAIN } else { 1.0 };
        let for_tile = if mapping.keeps_loops_whole() { 1.0 } else { 1.0 / MIN_GAIN };
        for_order * for_tile
    }

    /// What both cost for some sizes.
    pub(super) fn costs(&self, analysis: &Analysis<'_>, sizes: &Sizes, candidate: &Candidate) -> Costs {
        let [before, after] =
            [&self.as_written, candidate].map(|which| cost(analysis, sizes, &self.nest.accesses, which));
        Costs { before, after }
    }

    /// Whether the digits of the shared loop's number stand in their order, one after the other.
    fn keeps_collapsed(&self, mapping: &Mapping) -> bool {
        let fused: Vec<usize> = mapping.fused().collect();
        let first = fused.iter().position(|&at| at == 0);
        first.is_some_and(|first| fused[first..].iter().copied().take(self.nest.digits).eq(0..self.nest.digits))
    }

    /// The loops that a clause collapsed, in an order, by the names that the report has for their counters.
    fn collapsed(&self, shared: &NamedLoop, order: &[usize]) -> Vec<NamedLoop> {
        let names: Vec<&str> = shared.name.split(", ").collect();
        let name = |&at: &usize| match names.len() == self.nest.digits {
            true => names[at].to_owned(),
            false => format!("part {at} of {}", shared.name),
        };
        order.iter().map(|at| NamedLoop { name: name(at), location: None }).collect()
    }

    /// A mapping in words, with what it gains.
    pub(super) fn choice(&self, analysis: &Analysis<'_>, mapping: &Mapping, costs: &Costs) -> Choice {
        let (recipe, has_clause) = self.recipe(analysis, mapping);
        let has_clause = has_clause && self.is_in_source(&recipe);
        // With numbers that a launch brings there is no example.
        let has_example = mapping.given().next().is_none();
        Choice { recipe, gain: has_example.then(|| self.gain(analysis, costs)), has_clause }
    }

    /// Whether a fused loop's number of iterations is anybody's guess, so that nothing can be said of how many threads there would be.
    pub(super) fn has_unknown_count(&self, candidate: &Candidate) -> bool {
        candidate.mapping.fused().any(|at| matches!(candidate.nest.loops[at].trips, TripCount::Unknown(_)))
    }

    /// Whether a tile might be better that is not looked at: of the outer ones of loops that a clause collapsed, with one inside.
    pub(super) fn lacks_tiles(&self, analysis: &mut Analysis<'_>) -> bool {
        let goes_on_inside = |order: &Mapping| self.nest.digits > 1 && order.fused().any(|at| at >= self.nest.digits);
        self.orders().filter(goes_on_inside).any(|order| {
            let candidate = Candidate::new(analysis, &self.nest, order);
            let is_looked_at = |&pair: &(usize, usize)| lanes::may_be_tiled(self, &candidate.mapping, pair);
            !self.meets_itself(analysis, &candidate.mapping)
                && !disagreeing(analysis, &self.sizes, &self.nest.accesses, &candidate).iter().all(is_looked_at)
        })
    }

    /// Whether it is known how far apart neighbouring threads touch memory, as the loops are written: by numbers, not by sizes or data.
    pub(super) fn has_known_strides(&self, analysis: &mut Analysis<'_>) -> bool {
        let Some(fastest) = self.as_written.mapping.threads().last() else { return false };
        let number = analysis.lowering.space.iteration(self.nest.nest.loops[fastest.of].id);
        let Some(number) = number.as_atom() else { return false };
        let space = &analysis.lowering.space;
        let is_of_data = |atom: AtomId| match space.atom(atom) {
            // Where variables of a thread's own lie, no order changes.
            Atom::Symbol(_) if analysis.lowering.object(atom).is_some() => false,
            Atom::Symbol(symbol) => !matches!(symbol.varies, Varies::No | Varies::Thread),
            Atom::Load { address, .. } => !space.is_invariant(address),
            _ => false,
        };
        self.nest.accesses.iter().all(|access| {
            let stride = space.split_affine(&access.address, number).map(|(stride, _)| stride);
            stride.is_some_and(|stride| stride.as_constant().is_some())
                && !space.depends_on(&access.address, is_of_data)
        })
    }

    /// Why a mapping is never right that fuses a loop of which something is used behind it, as the place at which it was left.
    pub(super) fn result_used_behind(&self, analysis: &Analysis<'_>, mapping: &Mapping) -> Option<Reason> {
        let cfg = analysis.cfg;
        mapping.fused().filter(|&at| at >= self.nest.digits).find_map(|at| {
            let natural = &cfg.loops[self.nest.in_cfg(at)];
            let is_outside = |user: Value| cfg.id(user.block()).is_some_and(|at| !natural.contains(at));
            let mut values = natural.blocks.iter().flat_map(|&block| cfg.blocks[block].instructions());
            values.any(|value| value.users().into_iter().any(is_outside)).then(|| {
                let reason = ObstacleKind::ValueUsedBehind.reason("what it computes is used after it");
                reason.at(analysis.loop_location(self.nest.in_cfg(at)))
            })
        })
    }

    /// Whether a person can write a recipe's loops: where some have counters in the source, those without were made by a directive such as `tile`.
    fn is_in_source(&self, recipe: &Recipe) -> bool {
        let has_no_counter =
            |named: &&NamedLoop| self.report.loops.iter().any(|of| of.variable.is_none() && of.id == named.name);
        let made = recipe.threads().iter().filter(has_no_counter).count();
        made == 0 || made == recipe.threads().len()
    }

    /// A mapping in words, and whether a clause may do the same.
    fn recipe(&self, analysis: &Analysis<'_>, mapping: &Mapping) -> (Recipe, bool) {
        if !self.is_of_lanes(analysis, mapping) {
            let recipe = self.recipe_of_digits(analysis, mapping);
            let has_tile = !recipe.sequential_tile().is_empty();
            return (recipe, has_tile);
        }
        let named = |index: usize| self.named(analysis, index);
        let fused: Vec<usize> = mapping.fused().collect();
        let depth = fused.iter().copied().max().unwrap_or(0);
        let is_interchange = depth + 1 != fused.len() || fused.windows(2).any(|pair| pair[0] > pair[1]);
        let order = if is_interchange { FusedOrder::Interchanged } else { FusedOrder::AsWritten };
        let recipe = match self.is_order_of_collapsed(mapping) {
            true => {
                let shared = named(self.nest.in_cfg(0));
                let weights: Vec<String> = fused.iter().map(|&at| analysis.text(&self.nest.weights[at])).collect();
                let apart = weights[weights.len() - 1].clone();
                // In a tile there are several ways to a neighbour.
                let along_each = if mapping.keeps_loops_whole() { Vec::new() } else { weights };
                Recipe::reordered(self.collapsed(&shared, &fused), Some(Neighbours { of: shared, apart, along_each }))
            }
            // Digits in their order are the loop that they are of.
            false => {
                let loops = fused.iter().filter(|&&at| at == 0 || at >= self.nest.digits);
                Recipe::fused(loops.map(|&at| named(self.nest.in_cfg(at))).collect(), order)
            }
        };
        if mapping.keeps_loops_whole() {
            return (recipe, true);
        }
        // The shared loop's neighbouring iterations are those of the last loop that a clause collapsed.
        let is_named = |&&at: &&usize| self.is_order_of_collapsed(mapping) || at + 1 >= self.nest.digits;
        let recipe = recipe.with_lanes(fused.iter().filter(is_named).map(|&at| mapping.tile(at)).collect());
        (recipe, false)
    }

    /// Whether a mapping keeps loops whole but for tiles of as many lanes as a warp has.
    fn is_of_lanes(&self, analysis: &Analysis<'_>, mapping: &Mapping) -> bool {
        let lanes = mapping.lanes().map(|lanes| lanes.iter().map(|(_, count)| u64::from(*count)).product::<u64>());
        let is_order = !own_digits::is_of_digits(mapping, self.nest.digits);
        is_order && lanes.is_some_and(|lanes| lanes == 1 || lanes == u64::from(analysis.setting.geometry.lanes))
    }

    fn recipe_of_digits(&self, analysis: &Analysis<'_>, mapping: &Mapping) -> Recipe {
        let names = self.names(analysis);
        let replaced = own_digits::replaced(mapping, self.nest.digits);
        let others = replaced.into_iter().filter(|at| !mapping.fused().any(|of| of == *at));
        let threads: Vec<NamedLoop> = mapping.fused().chain(others).map(|at| names[at].clone()).collect();
        let names: Vec<&str> = names.iter().map(|named| &named.name[..]).collect();
        let as_text = |parts: &[Part]| parts.iter().map(|part| mapping.text_of(part, &names)).collect();
        let along = |(part, lanes): (&Part, u32)| {
            let of = self.named(analysis, self.nest.in_cfg(part.of));
            Some(LanesAlong { of, lanes, apart: part.size.as_known()?.to_string() })
        };
        // Loops that a clause collapsed are digits of one number.
        let of_warp = own_digits::of_warp(mapping, analysis.setting.geometry.lanes).filter(|_| self.nest.digits == 1);
        let of_warp: Option<Vec<LanesAlong>> = of_warp.and_then(|warp| warp.into_iter().map(along).collect());
        let (neighbours, warp) = match of_warp {
            None => (None, Vec::new()),
            Some(mut warp) => match (warp.pop(), warp.is_empty()) {
                (Some(LanesAlong { of, apart, .. }), true) => {
                    (Some(Neighbours { of, apart, along_each: Vec::new() }), Vec::new())
                }
                (last, _) => (None, warp.into_iter().chain(last).collect()),
            },
        };
        Recipe::mapped(Step::Mapped {
            threads,
            digits: as_text(mapping.threads()),
            inside: as_text(own_digits::own_digits(mapping, self.nest.digits)),
            tile: own_digits::tile(mapping, self.nest.digits),
            neighbours,
            warp,
        })
    }

    /// A loop of the CFG, by the name that the report has for it.
    pub(super) fn named(&self, analysis: &Analysis<'_>, index: usize) -> NamedLoop {
        let number = analysis.visible.get(&index).copied();
        let entry = number.and_then(|number| self.report.loops.get(number));
        let name = entry.map(|entry| entry.variable.clone().unwrap_or_else(|| entry.id.clone()));
        NamedLoop {
            name: name.unwrap_or_else(|| "a loop".into()),
            location: entry.and_then(|entry| entry.location.clone()),
        }
    }

    pub(super) fn gain(&self, analysis: &Analysis<'_>, Costs { before, after }: &Costs) -> Gain {
        let innermost =
            (0..analysis.cfg.loops.len()).find(|&at| Some(analysis.lowering.loop_id(at)) == after.innermost);
        Gain {
            sectors_before: rounded(before.per_warp),
            sectors_after: rounded(after.per_warp),
            per_iteration_of: innermost.map(|index| self.named(analysis, index).name),
            threads_before: rounded(before.threads),
            threads_after: rounded(after.threads),
        }
    }
}

/// A number that somebody may write for one that no launch has: teams and threads as the authors of TileK launch them along two axes.
fn example_of(given: Given) -> Option<u32> {
    match given {
        Given::Gang(_) => Some(4),
        Given::Worker(_) => Some(16),
        Given::Length(_) => Some(8),
        Given::Thread => None,
    }
}

/// The orders of the loops that a clause collapsed, the others inside as they are.
fn orders_of_digits(nest: &SharedNest) -> Vec<Mapping> {
    let inside: Vec<usize> = (nest.digits..nest.nest.loops.len()).collect();
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for at in 0..nest.digits {
        let with = |order: &Vec<usize>| {
            (0..=order.len()).map(|place| [&order[..place], &[at], &order[place..]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(with).collect();
    }
    if nest.digits == 1 { Vec::new() } else { orders.iter().map(|order| Mapping::of_loops(order, &inside)).collect() }
}

impl Proposal {
    /// The best first: the shortest time, and of much the same, the fewest fused loops.
    fn place(&self) -> (i64, usize) {
        (step(self.in_registers.time()), self.threads())
    }

    /// The parts that make the number of a thread.
    pub(super) fn threads(&self) -> usize {
        self.candidate.mapping.threads().len()
    }
}

impl Costs {
    pub(super) fn pay(&self) -> bool {
        self.after.time() <= MIN_GAIN * self.before.time()
    }

    /// Whether it is the number of threads alone that gains.
    pub(super) fn are_only_for_threads(&self) -> bool {
        self.after.work() > MIN_GAIN * self.before.work()
    }
}

/// The same number for times that are much the same, a higher one for longer times.
pub(super) fn step(time: f64) -> i64 {
    (time.max(f64::MIN_POSITIVE).ln() / -MUCH_THE_SAME.ln()).round() as i64
}

/// To two places behind the point.
fn rounded(count: f64) -> f64 {
    (count * 100.0).round() / 100.0
}
