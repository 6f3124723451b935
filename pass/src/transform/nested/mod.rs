//! The nest that a `collapse` clause was written for, given back to the host's version of a target region.
//!
//! clang makes one loop of the clause's loops, whose body divides its number by the extents. A thread of the host runs ranges of such
//! numbers, one number after the other:
//!
//! ```text
//! for x in low..=high { body(x / n, x % n) }
//! ```
//!
//! The same numbers in the same order are those of the nest
//!
//! ```text
//! for q in low / n..=high / n { for r in (q == low / n ? low % n : 0)..=(q == high / n ? high % n : n - 1) { body(q, r) } }
//! ```
//!
//! and where the body takes r apart too, of a deeper one. So it is right whatever depends on what, and under each schedule. What is gained are the
//! divisions, and an innermost loop that counts by one, which LLVM can vectorise.

mod divide;
mod find;
mod pays;
mod sign;
mod split;

use crate::common::apply::Apply;
use crate::openmp::outline::TargetRegion;
use crate::openmp::{self, Call};
use find::{Chunk, place_of, shared_loops};
use inkwell::module::Module;
use ipda_llvm::{Cfg, DeclarationGuard, FunctionCopy, Opcode, Session, Value};
use ipda_models::report::{Location, RegionKind};
use pays::Gain;

/// Functions that are followed from one region, at most.
const MAX_FUNCTIONS: usize = 64;

/// What was done with a loop that clang made of several, or why it was left alone.
#[derive(Debug)]
pub(crate) struct GivenBack {
    /// The region's name in the module.
    pub region: String,
    /// The function that the region is in.
    pub holder: Value,
    /// The loop, else the directive's line.
    pub location: Location,
    /// How many loops it is now, or can be.
    pub outcome: Result<usize, String>,
    pub apply: Apply,
}

/// Gives the host's versions of a module's target regions the nests of their collapsed loops back.
pub(crate) fn give_back_nests(
    session: Session,
    module: &Module<'_>,
    regions: &[TargetRegion],
    request: &dyn Fn(&TargetRegion) -> Option<Apply>,
) -> Vec<GivenBack> {
    let _copies = DeclarationGuard::new(module);
    let file = module.get_source_file_name().to_string_lossy().into_owned();
    let mut done = Vec::new();
    for region in regions.iter().filter(|region| region.kind == RegionKind::Target) {
        let Some(apply) = request(region) else { continue };
        for function in outlined(region) {
            let outcomes = give_back(session, function, apply).into_iter();
            done.extend(outcomes.map(|(location, outcome)| {
                let line = Location { file: file.clone(), line: region.name.line, column: 0 };
                let (region, holder) = (region.symbol.clone(), region.holder());
                GivenBack { region, holder, location: location.unwrap_or(line), outcome, apply }
            }));
        }
    }
    done
}

impl GivenBack {
    /// Whether the module was changed.
    pub(crate) fn is_done(&self) -> bool {
        self.apply == Apply::Yes && self.outcome.is_ok()
    }
}

/// Of each loop that is taken apart: where it is, and what became of it.
type Outcomes = Vec<(Option<Location>, Result<usize, String>)>;

fn give_back(session: Session, function: Value, apply: Apply) -> Outcomes {
    // Bringing it into canonical form makes no divisions.
    if !function.instructions().any(divides) {
        return Vec::new();
    }
    let mut copy = FunctionCopy::new(session, function);
    copy.canonicalise();
    if let Some(outcome) = entangled(copy.function()) {
        return vec![outcome];
    }
    let gains = if has_taken_apart(copy.function()) { pays::with_nests(session, function) } else { return Vec::new() };
    // Tried on a copy first: code in which nothing changes stays as the front end made it.
    let tried = split_all(copy.function(), &gains);
    if tried.iter().all(|(_, outcome)| outcome.is_err()) {
        return tried;
    }
    if function.is_not_optimised() {
        let reason = || Err("the function is compiled without optimisation".into());
        return tried.into_iter().map(|(location, outcome)| (location, outcome.and_then(|_| reason()))).collect();
    }
    if apply == Apply::No {
        return tried;
    }
    session.canonicalise(function);
    function.forget_counters();
    split_all(function, &gains)
}

/// The functions that clang made of a region's constructs.
fn outlined(region: &TargetRegion) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let start = |call: Value| match openmp::decode(call) {
        Ok(Call::Outlined(outlined)) => Some(outlined.body),
        Ok(Call::User(callee)) if openmp::is_made_by_compiler(&callee.name()) => Some(callee),
        _ => None,
    };
    let mut open: Vec<Value> = if region.entry.is_call() {
        start(region.entry).into_iter().collect()
    } else {
        region.entry.instructions().filter(|value| value.is_call()).filter_map(start).collect()
    };
    while let Some(function) = open.pop().filter(|_| found.len() < MAX_FUNCTIONS) {
        if !function.is_declaration() && !found.contains(&function) {
            found.push(function);
            open.extend(function.instructions().filter(|value| value.is_call()).filter_map(start));
        }
    }
    found
}

/// A function in which a jump, as a cancelled loop has it, hides a shared loop that may be taken apart.
fn entangled(function: Value) -> Option<(Option<Location>, Result<usize, String>)> {
    let shares = |call: &Value| matches!(openmp::decode(*call), Ok(Call::StaticInit(_) | Call::DispatchInit { .. }));
    let call = function.instructions().filter(|value| value.is_call()).find(shares)?;
    let is_entangled = Cfg::new(function).irreducible && function.instructions().any(divides);
    is_entangled.then(|| (call.location(), Err("a jump leads into its middle (cancel)".into())))
}

/// Whether it is a division that stays one: clang divides the length of each loop by its step, be it 1.
fn divides(value: Value) -> bool {
    (value.is(Opcode::LLVMSDiv) || value.is(Opcode::LLVMUDiv)) && value.operand(1).as_int() != Some(1)
}

fn has_taken_apart(function: Value) -> bool {
    shared_loops(&Cfg::new(function)).iter().any(|shared| divide::is_taken_apart(shared.phi))
}

/// Makes nests of those loops of a function in canonical form whose iterations are shared and whose numbers are taken apart, where it pays.
fn split_all(function: Value, gains: &[(usize, Gain)]) -> Outcomes {
    let calls: Vec<Value> = shared_loops(&Cfg::new(function)).into_iter().map(|shared| shared.call).collect();
    let mut done = Vec::new();
    for call in calls {
        // The edit of the loop before has changed the blocks.
        let cfg = Cfg::new(function);
        let Some(shared) = shared_loops(&cfg).into_iter().find(|shared| shared.call == call) else { continue };
        if !divide::is_taken_apart(shared.phi) {
            continue;
        }
        let end = cfg.loops[shared.index].latches.first().and_then(|&latch| cfg.blocks[latch].terminator());
        let location = end.and_then(Value::loop_location).or_else(|| call.location());
        let gain = gains.iter().find(|(place, _)| *place == place_of(call)).map(|(_, gain)| *gain);
        let outcome = match gain {
            Some(Gain::Nothing) => {
                Err("its accesses go by the number of the iteration alone, so that the compiler removes the divisions"
                    .into())
            }
            Some(Gain::Divisions) | None => Chunk::find(&cfg, &shared).and_then(|chunk| split(&chunk)),
        };
        done.push((location, outcome));
    }
    done
}

/// Makes a nest of a loop. The number of its loops.
fn split(chunk: &Chunk) -> Result<usize, String> {
    let first = chunk.division(chunk.phi)?.ok_or("the lengths of its loops are computed anew in each iteration")?;
    if pays::is_short(first.extent) {
        return Err("the rows are too short".into());
    }
    let mut level = chunk.split(chunk.guard(), first);
    let mut loops = 2;
    while let Ok(Some(division)) = chunk.division(level.number)
        && !pays::is_short(division.extent)
    {
        level = chunk.split(level, division);
        loops += 1;
    }
    chunk.close(&level);
    Ok(loops)
}
