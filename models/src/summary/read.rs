//! A summary from a report's texts.

use std::collections::HashMap;

use ipda_symbolic::{AtomId, Interval, LoopId, Polynomial, Space, Symbol, Varies, parse};

use super::names::{declare, declare_all};
use super::{
    AccessKind, AccessSummary, Clauses, Condition, DeviceCode, DevicePart, Expression, Handout, HostCode, HostPart,
    Input, LoopSummary, MapSummary, RegionSummary, Transformed,
};
use crate::gpu::geometry::ExecutionMode;
use crate::report::{
    self, CodePlace, Hardware, LanesKind, MemoryKind, ModeKind, Quantity, Region, RegionKind, TransformationState,
};
use crate::transfer::Direction;

impl RegionSummary {
    /// What a report says of a region.
    pub fn from_report(region: &Region, hardware: &Hardware) -> RegionSummary {
        let mut space = Space::new();
        let inputs = region.captures.iter().map(|capture| input(&mut space, capture)).collect();
        let indices: Vec<AtomId> =
            (0_u32..).zip(&region.loops).map(|(number, l)| index(&mut space, number, l)).collect();
        let numbered = region
            .captures
            .iter()
            .enumerate()
            .map(|(number, capture)| (format!("[arg{number}]"), format!("[{}]", capture.name)));
        let is_other = |(numbered, named): &(String, String)| numbered != named && space.find(numbered).is_none();
        let numbered = numbered.filter(is_other).collect();
        let mut reader =
            Texts { space, loops: HashMap::new(), numbered, indices: region.loops.iter().map(index_name).collect() };
        reader.loops = region.loops.iter().enumerate().map(|(number, l)| (l.id.clone(), number)).collect();
        let loops: Vec<LoopSummary> =
            region.loops.iter().zip(indices).map(|(l, index)| reader.loop_summary(l, index)).collect();
        let is_global = |access: &&report::Access| access.memory == MemoryKind::Global;
        let accesses = region.accesses.iter().filter(is_global).map(|access| reader.access(access)).collect();
        let maps = region.captures.iter().filter_map(|capture| reader.map(capture)).collect();
        let device_code = region.resources.iter().map(|resources| reader.device_code(resources)).collect();
        let host_code = region.host_code.as_ref().filter(|code| !code.loops.is_empty()).map(|code| HostCode {
            processor: code.processor.clone(),
            parts: code.loops.iter().map(|l| reader.host_part(l)).collect(),
        });
        let clauses = Clauses {
            num_teams: reader.clause(region.launch.num_teams.as_ref()),
            thread_limit: reader.clause(region.launch.thread_limit.as_ref()),
            num_threads: reader.clause(region.launch.num_threads.as_ref()),
        };
        let mut notes = Vec::new();
        let mode = match region.mode.kind {
            ModeKind::Spmd => ExecutionMode::Spmd,
            ModeKind::Generic => ExecutionMode::Generic,
            ModeKind::MadeSpmd => ExecutionMode::GenericSpmd,
            ModeKind::Unknown => {
                notes.push("how the device runs the region is not in the report: as if all threads started it".into());
                ExecutionMode::Spmd
            }
        };
        if region.captures.iter().any(|capture| capture.map.is_none()) {
            notes.push("what is mapped is not in the report: no transfers are in the prediction".into());
        }
        let is_kernel = region.kind == RegionKind::Kernel;
        let unpredictable = is_kernel.then(|| {
            "how many threads a kernel of CUDA or HIP gets is said where it is launched, which the report does not show"
                .to_owned()
        });
        let transformed = region.transformation.as_ref().and_then(|transformation| transformed(transformation, region));
        RegionSummary {
            function: region.function.clone(),
            place: region.location.to_string(),
            space: reader.space,
            inputs,
            loops,
            accesses,
            maps,
            mode,
            clauses,
            lanes: hardware.warp_lanes,
            device_code,
            host_code,
            transformed,
            unpredictable,
            notes,
        }
    }
}

fn input(space: &mut Space, capture: &report::Capture) -> Input {
    let symbol = Symbol { name: capture.name.clone(), range: Interval::ALL, varies: Varies::No };
    let atom = space.symbol(symbol).as_atom().expect("a symbol is one atom");
    Input { name: capture.name.clone(), atom, is_pointer: capture.ty == "pointer" }
}

/// What a launch, and a person, calls the bytes that a variable's map has.
pub fn size_name(variable: &str) -> String {
    format!("bytes({variable})")
}

/// The variable whose map has its bytes called so.
pub fn sized(name: &str) -> Option<&str> {
    name.strip_prefix("bytes(")?.strip_suffix(')')
}

fn index_name(l: &report::Loop) -> (String, String) {
    (l.id.clone(), l.index.as_ref().or(l.variable.as_ref()).unwrap_or(&l.id).clone())
}

fn index(space: &mut Space, number: u32, l: &report::Loop) -> AtomId {
    let name = l.index.as_ref().or(l.variable.as_ref()).unwrap_or(&l.id);
    let atom = space.iteration(LoopId(number)).as_atom().expect("an iteration number is one atom");
    space.name_loop(LoopId(number), name);
    atom
}

/// The loops that a transformation names, which it does by variable or by id.
fn transformed(transformation: &report::Transformation, region: &Region) -> Option<Transformed> {
    let is_done = match transformation.state {
        TransformationState::Done => true,
        TransformationState::Possible => false,
        TransformationState::Best | TransformationState::Left => return None,
    };
    let of_name = |named: &report::NamedLoop| {
        let is_it = |l: &&report::Loop| {
            let same_name = l.variable.as_ref() == Some(&named.name) || l.id == named.name;
            same_name && (named.location.is_none() || l.location.is_none() || named.location == l.location)
        };
        let found = region.loops.iter().find(is_it)?;
        region.loops.iter().position(|l| l.id == found.id)
    };
    let threads = transformation.threads.iter().map(of_name).collect::<Option<Vec<usize>>>()?;
    (threads.len() > 1).then_some(Transformed { threads, is_done })
}

/// Reads expressions over one space.
struct Texts {
    space: Space,
    loops: HashMap<String, usize>,
    /// What finished code calls captured variables, and their names.
    numbered: Vec<(String, String)>,
    /// Loops by id, with what expressions call their numbers.
    indices: Vec<(String, String)>,
}

impl Texts {
    fn expression(&mut self, text: &str) -> Expression {
        let named = self.numbered.iter().filter(|(numbered, _)| text.contains(numbered.as_str()));
        let text = named.fold(text.to_owned(), |text, (numbered, name)| text.replace(numbered.as_str(), name));
        declare_all(&mut self.space, &text);
        parse(&mut self.space, &text).map_err(|error| format!("{text} is no expression: {error}"))
    }

    fn quantity(&mut self, quantity: &Quantity) -> Expression {
        match (&quantity.value, &quantity.unknown) {
            (Some(text), _) => self.expression(text),
            (None, Some(reason)) => Err(reason.clone()),
            (None, None) => Err("the report does not say".into()),
        }
    }

    fn clause(&mut self, clause: Option<&Quantity>) -> Option<Polynomial> {
        self.quantity(clause?).ok()
    }

    fn loop_summary(&mut self, l: &report::Loop, index: AtomId) -> LoopSummary {
        LoopSummary {
            id: l.id.clone(),
            name: l.variable.clone().unwrap_or_else(|| l.id.clone()),
            kind: l.kind,
            parent: l.parent.as_ref().and_then(|parent| self.loops.get(parent).copied()),
            index,
            trips: self.quantity(&l.trips),
            schedule: self.handout(l.schedule.as_deref().unwrap_or_default()),
        }
    }

    /// From the words that the plugin has for schedules.
    fn handout(&mut self, text: &str) -> Handout {
        let chunk = |rest: &str| rest.split([':', ',']).next().unwrap_or_default().trim().to_owned();
        if let Some(rest) = text.strip_prefix("static, chunk ") {
            return match self.expression(&chunk(rest)) {
                Ok(length) if length.is_one() => Handout::Default,
                Ok(length) => Handout::InTurn(length),
                Err(_) => Handout::Other(text.into()),
            };
        }
        if let Some(rest) = text.strip_prefix("dynamic, chunk ") {
            let length = self.expression(&chunk(rest));
            return length.map_or_else(|_| Handout::Other(text.into()), Handout::Dynamic);
        }
        match text {
            _ if text.starts_with("static, one block for each team") => Handout::Block,
            _ if text.starts_with("static, one block of consecutive") => Handout::Block,
            _ if text.starts_with("guided") => Handout::Guided,
            _ if text.starts_with("runtime") || text.starts_with("auto") => Handout::Other(text.into()),
            _ => Handout::Default,
        }
    }

    fn access(&mut self, access: &report::Access) -> AccessSummary {
        let conditions = access.condition.as_deref().map(|text| self.conditions(text)).unwrap_or_default();
        let active = access.active_lanes.as_ref().filter(|lanes| lanes.kind == LanesKind::Fixed);
        AccessSummary {
            object: access.object.clone(),
            place: access
                .location
                .as_ref()
                .map_or_else(|| access.id.clone(), |location| format!("line {}", location.line)),
            kind: match access.kind {
                report::AccessKind::Load | report::AccessKind::CopyFrom => AccessKind::Load,
                report::AccessKind::Store | report::AccessKind::CopyTo => AccessKind::Store,
                report::AccessKind::Atomic => AccessKind::Atomic,
            },
            bytes: access.bytes,
            in_loop: access.in_loop.as_ref().and_then(|id| self.loops.get(id).copied()),
            address: self.expression(&access.address),
            conditions,
            active: active.and_then(|lanes| lanes_of(lanes.text.as_deref()?)),
        }
    }

    fn conditions(&mut self, text: &str) -> Vec<Condition> {
        text.split(" and ")
            .map(|part| {
                let (negated, part) = part.strip_prefix("not ").map_or((false, part), |rest| (true, rest));
                match (self.expression(part), negated) {
                    (Ok(condition), false) => Condition::Holds(condition),
                    (Ok(condition), true) => Condition::HoldsNot(condition),
                    (Err(_), _) => Condition::Unclear,
                }
            })
            .collect()
    }

    fn map(&mut self, capture: &report::Capture) -> Option<MapSummary> {
        let map = capture.map.as_ref()?;
        let direction = match map.kind.as_str() {
            "to" => Some(Direction::To),
            "from" => Some(Direction::From),
            "tofrom" => Some(Direction::ToFrom),
            "alloc" => Some(Direction::Alloc),
            _ => None,
        };
        let symbol = Symbol { name: size_name(&capture.name), range: Interval::ALL, varies: Varies::No };
        Some(MapSummary {
            name: capture.name.clone(),
            direction,
            size: self.space.symbol(symbol).as_atom().expect("a symbol is one atom"),
            bytes: match &map.bytes {
                Some(text) => self.expression(text),
                None => Err("the report does not show its size".into()),
            },
            by_value: map.kind == "by-value",
        })
    }

    fn place(&mut self, place: &CodePlace) -> (Option<usize>, Expression) {
        let shared = place.shared.as_ref().and_then(|id| self.loops.get(id).copied());
        (shared, self.quantity(&self.in_names_of_loops(&place.executions)))
    }

    /// Finished code calls a loop's number by the loop's id and a number of its own, such as `loop0.2`, where nothing told it the name.
    fn in_names_of_loops(&self, quantity: &Quantity) -> Quantity {
        let mut quantity = quantity.clone();
        let Some(text) = &mut quantity.value else { return quantity };
        for (id, name) in &self.indices {
            let start = format!("{id}.");
            while let Some(at) = text.find(&start) {
                let digits = text[at + start.len()..].find(|c: char| !c.is_ascii_digit());
                let end = digits.map_or(text.len(), |digits| at + start.len() + digits);
                if name.starts_with(&start) || self.space.find(&text[at..end]).is_some() {
                    break;
                }
                text.replace_range(at..end, name);
            }
        }
        quantity
    }

    fn device_code(&mut self, resources: &report::Resources) -> DeviceCode {
        let parts = resources.loops.iter().map(|entry| {
            let (shared, executions) = self.place(&entry.place);
            DevicePart {
                shared,
                depth: entry.place.depth,
                executions,
                chance: entry.place.chance,
                counts: entry.counts.iter().map(|(class, count)| (*class, *count)).collect(),
            }
        });
        DeviceCode {
            processor: resources.processor.clone(),
            registers: resources.registers.map(u64::from),
            shared: resources.shared_bytes,
            parts: parts.collect(),
        }
    }

    fn host_part(&mut self, entry: &report::HostLoop) -> HostPart {
        let (shared, executions) = self.place(&entry.place);
        HostPart {
            shared,
            depth: entry.place.depth,
            executions,
            chance: entry.place.chance,
            instructions: entry.instructions,
            loads: entry.loads,
            stores: entry.stores,
            cycles: entry.cycles.iter().map(|(processor, cycles)| (processor.clone(), *cycles)).collect(),
        }
    }
}

/// The lanes of a text such as `0-15 20`.
fn lanes_of(text: &str) -> Option<Vec<u32>> {
    let run = |run: &str| match run.split_once('-') {
        Some((first, last)) => Some(first.parse().ok()?..=last.parse().ok()?),
        None => run.parse().ok().map(|lane: u32| lane..=lane),
    };
    let runs = text.split_whitespace().map(run).collect::<Option<Vec<_>>>()?;
    Some(runs.into_iter().flatten().collect())
}

impl RegionSummary {
    /// Makes a name known that a person gave a value, such as a loaded one, and says which atom it is.
    pub fn atom_named(&mut self, name: &str) -> Option<AtomId> {
        if let Some(atom) = self.space.find(&format!("[{name}]")).or_else(|| self.space.find(name)) {
            return Some(atom);
        }
        let read = parse(&mut self.space, name).ok()?;
        read.as_atom()
    }

    /// A value that is not known, for those who fill a summary by hand.
    pub fn declare(&mut self, name: &str) -> Option<AtomId> {
        declare(&mut self.space, name);
        self.space.find(&format!("[{name}]"))
    }
}
