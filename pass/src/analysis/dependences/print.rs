//! The text of `print<ipda-ddg>`: stable, a line a fact, for FileCheck.

use super::result::{
    AccessNode, DependenceKind, Edge, Guard, LoopDependences, Obstacle, RegionDependences, Scalar, ScalarKind, Step,
    UnitKind, Verdict,
};
use ipda_llvm::{Operation, OrderOfUpdates};
use ipda_models::report::{AccessKind, Location};
use std::fmt::Write;

pub(crate) fn text(regions: &[RegionDependences]) -> String {
    let mut out = String::new();
    for entry in regions {
        region(&mut out, entry).expect("writing to a string succeeds");
    }
    out
}

fn region(out: &mut String, region: &RegionDependences) -> std::fmt::Result {
    let kind = match region.kind {
        UnitKind::Region => "region",
        UnitKind::Kernel => "kernel",
        UnitKind::Function => "function",
    };
    write!(out, "dependences of {kind} '{}'", region.function)?;
    if let Some(location) = &region.location {
        write!(out, " at {location}")?;
    }
    writeln!(out, "{}", if region.kind == UnitKind::Kernel { " (within one thread)" } else { "" })?;
    for number in 0..region.loops.len() {
        loop_lines(out, region, number)?;
    }
    for (number, access) in region.accesses.iter().enumerate() {
        writeln!(out, "  {}", access_line(region, number, access))?;
    }
    for opaque in &region.opaque {
        writeln!(out, "  opaque {}{}{}", opaque.what, inside(&opaque.loops), place(" at ", &opaque.location))?;
    }
    for (number, edge) in region.edges.iter().enumerate() {
        // What two objects that may be one make possible is one line for two accesses.
        let is_reported = |other: &Edge| is_of_alias(other) && pair(other) == pair(edge);
        if !is_of_alias(edge) {
            writeln!(out, "  {}", edge_line(region, edge))?;
        } else if !region.edges[..number].iter().rev().take_while(|other| pair(other) == pair(edge)).any(is_reported) {
            writeln!(out, "  {}", alias_line(region, edge))?;
        }
    }
    for object in &region.objects {
        match &object.footprint {
            Ok((low, high)) => writeln!(out, "  footprint {} from {low} to before {high}", object.name)?,
            Err(reason) => writeln!(out, "  footprint {} unknown '{reason}'", object.name)?,
        }
    }
    for sentence in &region.assumptions {
        writeln!(out, "  assumes '{sentence}'")?;
    }
    for limit in &region.limits {
        writeln!(out, "  limit {} met {} times", limit.name, limit.count)?;
    }
    for reject in &region.rejects {
        writeln!(out, "  reject {} '{}'{}", reject.name, reject.reason, place(" at ", &reject.location))?;
    }
    Ok(())
}

fn loop_lines(out: &mut String, region: &RegionDependences, number: usize) -> std::fmt::Result {
    let entry: &LoopDependences = &region.loops[number];
    write!(out, "  loop{number}")?;
    if let Some(parent) = entry.parent {
        write!(out, " in loop{parent}")?;
    }
    if entry.shared {
        write!(out, " shared")?;
    }
    if let Some(variable) = &entry.variable {
        write!(out, " {variable}")?;
    }
    write!(out, "{} trips {}: ", place(" at ", &entry.location), entry.trips)?;
    match &entry.verdict {
        Verdict::Parallel if entry.missing_clauses.is_empty() => write!(out, "parallel")?,
        Verdict::Parallel => write!(out, "parallel if {}", reduction_words(&entry.missing_clauses))?,
        Verdict::Guarded(guard) => {
            let parts = [guard_text(region, guard), reduction_words(&entry.missing_clauses)];
            let parts: Vec<&str> = parts.iter().map(|part| &part[..]).filter(|part| !part.is_empty()).collect();
            write!(out, "parallel if {}", parts.join(", and if "))?;
        }
        Verdict::Serial(obstacle) => write!(out, "serial: {}", obstacle_text(obstacle))?,
        Verdict::Unknown(obstacle) => write!(out, "unknown: {}", obstacle_text(obstacle))?,
    }
    writeln!(out)?;
    for scalar in entry.scalars.iter().filter(|scalar| scalar.kind != ScalarKind::Induction) {
        writeln!(out, "    {}", scalar_text(scalar))?;
    }
    for update in &entry.updates {
        let object = update.object.map_or("memory", |object| &region.objects[object].name);
        let order = order_words(update.operation);
        let accesses: Vec<String> = update.accesses.iter().map(|at| format!("acc{at}")).collect();
        writeln!(out, "    reduction of {object} by {}{order}: {}", update.operation.name, accesses.join(" "))?;
    }
    for &object in &entry.private {
        let last =
            if entry.last_private.contains(&object) { ", whose last value is read outside of the loop" } else { "" };
        writeln!(out, "    private {}{last}", region.objects[object].name)?;
    }
    Ok(())
}

fn scalar_text(scalar: &Scalar) -> String {
    format!("{}{}", scalar_words(scalar), place(" at ", &scalar.location))
}

/// What a scalar is to its loop.
pub(super) fn scalar_words(scalar: &Scalar) -> String {
    let name = scalar.name.as_deref().unwrap_or("a value");
    match &scalar.kind {
        ScalarKind::Induction => format!("induction {name}"),
        ScalarKind::Reduction(operation) => {
            format!("reduction of {name} by {}{}", operation.name, order_words(*operation))
        }
        ScalarKind::Scan { operation } => format!("scan of {name} by {operation}"),
        ScalarKind::Recurrence => format!("recurrence of {name}"),
        ScalarKind::LastValue => format!("last value of {name}"),
    }
}

/// What has to be written so that what iterations update becomes a reduction; nothing where nothing has to.
fn reduction_words(clauses: &[String]) -> String {
    match clauses {
        [] => String::new(),
        [only] => format!("the reduction is made one: {only}"),
        several => format!("the reductions are made ones: {}", several.join(" ")),
    }
}

/// How the outcome of updates depends on their order.
fn order_words(operation: Operation) -> &'static str {
    match operation.order {
        OrderOfUpdates::Exact => "",
        OrderOfUpdates::Rounds => ", whose rounding depends on the order",
        OrderOfUpdates::Chooses => ", where the order decides of zeros' signs and of what is no number",
    }
}

fn obstacle_text(obstacle: &Obstacle) -> String {
    format!("{}{}{}", obstacle.sentence, place(" from ", &obstacle.from), place(" to ", &obstacle.to))
}

/// The parts of a guard, all of which must hold.
pub(super) fn guard_text(region: &RegionDependences, guard: &Guard) -> String {
    let conditions = guard.words.iter().cloned();
    let name = |object: usize| &region.objects[object].name;
    let apart = guard.disjoint.iter().map(|&(a, b)| format!("{} and {} do not overlap", name(a), name(b)));
    conditions.chain(apart).collect::<Vec<_>>().join(", ")
}

fn access_line(region: &RegionDependences, number: usize, access: &AccessNode) -> String {
    let object = access.object.map_or("?", |object| &region.objects[object].name);
    let update = access.update.as_ref().map(|update| format!(" by {update}")).unwrap_or_default();
    format!(
        "acc{number} {}{update} {object} {} bytes{}{} address {}",
        kind(access.kind),
        access.bytes,
        inside(&access.loops),
        place(" at ", &access.location),
        access.address
    )
}

fn kind(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
        AccessKind::CopyFrom => "copy-from",
        AccessKind::CopyTo => "copy-to",
    }
}

/// The accesses of a dependence in program order.
fn pair(edge: &Edge) -> (usize, usize) {
    (edge.source.min(edge.sink), edge.source.max(edge.sink))
}

/// Whether nothing but that objects may overlap makes a dependence possible.
fn is_of_alias(edge: &Edge) -> bool {
    edge.guard.as_ref().is_some_and(|guard| !guard.disjoint.is_empty())
}

fn alias_line(region: &RegionDependences, edge: &Edge) -> String {
    let (first, second) = pair(edge);
    let guard = edge.guard.as_ref().map(|guard| guard_text(region, guard)).unwrap_or_default();
    format!("any acc{first} with acc{second}, unless {guard}")
}

fn edge_line(region: &RegionDependences, edge: &Edge) -> String {
    let kind = dependence(edge.kind);
    let (source, sink) = (&region.accesses[edge.source], &region.accesses[edge.sink]);
    let mut line = format!("{kind} acc{} -> acc{} {}", edge.source, edge.sink, vector(&edge.steps));
    match edge.carried_by {
        Some(number) => line.push_str(&format!(" carried by loop{number}")),
        None => line.push_str(" in one iteration"),
    }
    line.push_str(if edge.certain { ", certain" } else { "" });
    line.push_str(if edge.is_update { ", of a reduction" } else { "" });
    line.push_str(if edge.is_private { ", private" } else { "" });
    if let (Some(from), Some(to)) = (&source.location, &sink.location) {
        line.push_str(&format!(", from {}:{} to {}:{}", from.line, from.column, to.line, to.column));
    }
    match &edge.guard {
        Some(guard) => line.push_str(&format!(", unless {}", guard_text(region, guard))),
        None if !edge.certain && !edge.missing.is_empty() => line.push_str(&format!(" '{}'", edge.missing)),
        None => {}
    }
    line
}

pub(super) fn dependence(kind: DependenceKind) -> &'static str {
    match kind {
        DependenceKind::Flow => "flow",
        DependenceKind::Anti => "anti",
        DependenceKind::Output => "output",
    }
}

/// Directions by loop, and the distance where it is one value.
pub(super) fn vector(steps: &[Step]) -> String {
    let direction = |step: &Step| match (step.less, step.equal, step.greater) {
        (true, true, true) => "*",
        (true, true, false) => "<=",
        (true, false, true) => "<>",
        (true, false, false) => "<",
        (false, true, true) => ">=",
        (false, true, false) => "=",
        (false, false, true) => ">",
        (false, false, false) => "none",
    };
    let entry = |step: &Step| match &step.distance {
        Some(distance) if distance != "0" => format!("{} {distance}", direction(step)),
        _ => direction(step).into(),
    };
    format!("({})", steps.iter().map(entry).collect::<Vec<_>>().join(", "))
}

fn inside(loops: &[usize]) -> String {
    loops.last().map(|number| format!(" in loop{number}")).unwrap_or_default()
}

fn place(before: &str, location: &Option<Location>) -> String {
    location.as_ref().map(|location| format!("{before}{location}")).unwrap_or_default()
}
