//! The expressions of a region: read from a report's texts, or taken from the analysis that made them.

use ipda_symbolic::{AtomId, Interval, LoopId, Polynomial, Space, Symbol, Varies};

use super::{Clauses, Condition, Expression};
use crate::expressions;
use crate::report::{self, Capture, CodePlace, Quantity, Region, Schedule};

/// The expressions of a region, over one space that has the names of its captured variables and of its loops' numbers.
#[derive(Debug)]
pub struct Expressions {
    pub(super) names: Names,
    /// Of each loop.
    pub loops: Vec<LoopExpressions>,
    /// Of each access, also of those to shared memory.
    pub accesses: Vec<AccessExpressions>,
    /// How many bytes each captured variable maps.
    pub maps: Vec<Expression>,
    /// What the clauses on teams and threads ask for.
    pub clauses: Clauses,
    /// Of each part of the finished device code, for each processor.
    pub device_code: Vec<Vec<CodeExpressions>>,
    /// How often each part of the finished host code runs.
    pub host_code: Vec<Expression>,
}

/// Of finished device code.
#[derive(Debug)]
pub struct CodeExpressions {
    /// How often it runs.
    pub executions: Expression,
    /// Of iterations that it takes in lockstep: how far they are apart, and of how many they are.
    pub lockstep: Option<[Expression; 2]>,
}

/// Of a loop.
#[derive(Debug)]
pub struct LoopExpressions {
    /// How many iterations.
    pub trips: Expression,
    /// How many at most, where the loop can be left before.
    pub at_most: Option<Polynomial>,
    /// How many places the range has at first that each iteration halves.
    pub halved: Option<Polynomial>,
    /// What the number of iterations follows from where it is not known.
    pub likely: Option<Polynomial>,
    /// The chunk of its schedule, where it has one.
    pub chunk: Option<Expression>,
}

/// Of an access.
#[derive(Debug)]
pub struct AccessExpressions {
    /// The address.
    pub address: Expression,
    /// What must hold.
    pub conditions: Vec<Condition>,
    /// Values in the address that rise or fall with others: both.
    pub rising: Vec<(Polynomial, Polynomial)>,
}

/// A space with the names of a region.
#[derive(Debug)]
pub struct Names {
    pub(super) space: Space,
    /// What expressions call the captured variables.
    pub(super) inputs: Vec<AtomId>,
    /// The loops' numbers.
    pub(super) indices: Vec<AtomId>,
    /// What finished code calls captured variables, and their names.
    numbered: Vec<(String, String)>,
    /// Loops by id, with what expressions call their numbers.
    loops: Vec<(String, String)>,
    /// What some names stand for.
    given: Vec<(AtomId, Polynomial)>,
}

impl Names {
    /// Those of a region.
    pub fn of(region: &Region) -> Names {
        let mut space = Space::new();
        let input = |capture: &Capture| {
            let symbol = Symbol { name: capture.name.clone(), range: Interval::ALL, varies: Varies::No };
            space.symbol(symbol).as_atom().expect("a symbol is one atom")
        };
        let inputs = region.captures.iter().map(input).collect();
        // Numbers whose names no loop has, which would be in its way: the first loop need not be `loop0`.
        let first = u32::MAX / 2;
        let indices = (first..).zip(&region.loops).map(|(number, l)| index(&mut space, number, l)).collect();
        let names = region
            .captures
            .iter()
            .enumerate()
            .map(|(number, capture)| (format!("[arg{number}]"), format!("[{}]", capture.name)));
        let is_other = |(numbered, named): &(String, String)| numbered != named && space.find(numbered).is_none();
        let numbered = names.filter(is_other).collect();
        let loops = region.loops.iter().map(|l| (l.id.clone(), index_name(l).to_owned())).collect();
        Names { space, inputs, indices, numbered, loops, given: Vec::new() }
    }

    /// The space.
    pub fn space(&mut self) -> &mut Space {
        &mut self.space
    }

    /// What a captured variable is called.
    pub fn input(&self, capture: usize) -> Option<Polynomial> {
        self.inputs.get(capture).map(|&atom| Polynomial::from(atom))
    }

    /// Reads an expression.
    ///
    /// # Errors
    /// Where the text is none.
    pub fn read(&mut self, text: &str) -> Expression {
        let named = self.numbered.iter().filter(|(numbered, _)| text.contains(numbered.as_str()));
        let text = named.fold(text.to_owned(), |text, (numbered, name)| text.replace(numbered.as_str(), name));
        let read = expressions::read(&mut self.space, &text)?;
        let given = &self.given;
        let value_of = |atom: AtomId| given.iter().find(|(name, _)| *name == atom).map(|(_, value)| value.clone());
        Ok(if given.is_empty() { read } else { self.space.substitute(&read, &mut { value_of }) })
    }

    /// Says what a name stands for, in all that is read from now on.
    pub(super) fn give(&mut self, name: &str, value: Polynomial) {
        if let Some(atom) = expressions::read(&mut self.space, name).ok().and_then(|name| name.as_atom()) {
            self.given.push((atom, value));
        }
    }

    /// Takes an expression over another space, whose atoms have these names or are made of such.
    ///
    /// # Errors
    /// Where it is too large.
    pub fn take(&mut self, from: &Space, p: &Polynomial) -> Expression {
        let Names { space, numbered, loops, .. } = self;
        let mut named = |space: &mut Space, label: &str| {
            let name = numbered.iter().find(|(numbered, _)| numbered == label).map(|(_, name)| &name[..]);
            let label = name.or_else(|| number_of_loop(space, loops, label)).unwrap_or(label);
            expressions::named(space, label)
        };
        space.import(from, p, &mut named).ok_or_else(|| "it is too large an expression".into())
    }

    fn quantity(&mut self, quantity: &Quantity) -> Expression {
        match (&quantity.value, &quantity.unknown) {
            (Some(text), _) => self.read(text),
            (None, Some(reason)) => Err(reason.clone()),
            (None, None) => Err("the report does not say".into()),
        }
    }

    fn clause(&mut self, clause: Option<&Quantity>) -> Option<Polynomial> {
        self.quantity(clause?).ok()
    }

    fn condition(&mut self, condition: &report::Condition) -> Condition {
        match condition {
            report::Condition::Holds { value } => self.read(value).map_or(Condition::Unclear, Condition::Holds),
            report::Condition::HoldsNot { value } => self.read(value).map_or(Condition::Unclear, Condition::HoldsNot),
            report::Condition::Long | report::Condition::NotFollowed | report::Condition::OneThread => {
                Condition::Unclear
            }
        }
    }

    /// How often finished code runs.
    fn executions(&mut self, place: &CodePlace) -> Expression {
        let mut quantity = place.executions.clone();
        if let Some(text) = &mut quantity.value {
            self.use_names_of_loops(text);
        }
        self.quantity(&quantity)
    }

    /// Finished code calls a loop's number by the loop's id and a number of its own, such as `loop0.2`, where nothing gave it the name.
    fn use_names_of_loops(&self, text: &mut String) {
        for (id, name) in &self.loops {
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
    }
}

/// The name of the loop of which finished code says `loop0.2`.
fn number_of_loop<'a>(space: &Space, loops: &'a [(String, String)], label: &str) -> Option<&'a str> {
    let (id, digits) = label.split_once('.')?;
    let (_, name) = loops.iter().find(|(own, _)| own == id)?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    let is_own = name.starts_with(id) && name[id.len()..].starts_with('.') || space.find(label).is_some();
    (is_number && !is_own).then_some(name)
}

fn index_name(l: &report::Loop) -> &str {
    l.index.as_ref().or(l.variable.as_ref()).unwrap_or(&l.id)
}

fn index(space: &mut Space, number: u32, l: &report::Loop) -> AtomId {
    let atom = space.iteration(LoopId(number)).as_atom().expect("an iteration number is one atom");
    space.name_loop(LoopId(number), index_name(l));
    atom
}

impl Expressions {
    /// None yet but the names.
    pub fn of(region: &Region) -> Expressions {
        Expressions {
            names: Names::of(region),
            loops: Vec::new(),
            accesses: Vec::new(),
            maps: Vec::new(),
            clauses: Clauses::default(),
            device_code: Vec::new(),
            host_code: Vec::new(),
        }
    }

    /// Those that a region's texts are.
    pub fn parsed(region: &Region) -> Expressions {
        Expressions::of(region).filled(region)
    }

    /// The region's texts, in the names that are there.
    pub(super) fn filled(self, region: &Region) -> Expressions {
        let mut all = self;
        let names = &mut all.names;
        let of_loop = |l: &report::Loop| LoopExpressions {
            trips: names.quantity(&l.trips),
            at_most: l.at_most.as_ref().and_then(|most| names.read(most).ok()),
            halved: l.halved.as_ref().and_then(|halved| names.read(halved).ok()),
            likely: l.likely.as_ref().and_then(|likely| names.read(&likely.of).ok()),
            chunk: l.schedule.as_ref().and_then(Schedule::chunk).map(|chunk| names.read(chunk)),
        };
        all.loops = region.loops.iter().map(of_loop).collect();
        // In the order in which the program has them, of what predictions rest on.
        let of_access = |access: &report::Access| AccessExpressions {
            conditions: access.conditions.iter().map(|condition| names.condition(condition)).collect(),
            address: names.read(&access.address),
            rising: (access.rising.iter())
                .filter_map(|rising| Some((names.read(&rising.name).ok()?, names.read(&rising.with).ok()?)))
                .collect(),
        };
        all.accesses = region.accesses.iter().map(of_access).collect();
        let bytes = |capture: &Capture| match capture.map.as_ref().and_then(|map| map.bytes.as_ref()) {
            Some(text) => names.read(text),
            None => Err(NO_SIZE.into()),
        };
        all.maps = region.captures.iter().map(bytes).collect();
        all.read_device_code(region);
        let host = region.host_code.iter().flat_map(|code| &code.loops);
        all.host_code = host.map(|l| all.names.executions(&l.place)).collect();
        all.clauses = Clauses {
            num_teams: all.names.clause(region.launch.num_teams.as_ref()),
            thread_limit: all.names.clause(region.launch.thread_limit.as_ref()),
            num_threads: all.names.clause(region.launch.num_threads.as_ref()),
        };
        all
    }

    /// The names that the expressions are in.
    pub fn names(&mut self) -> &mut Names {
        &mut self.names
    }

    /// Reads how often finished device code runs: that comes from other compilations, as text.
    pub fn read_device_code(&mut self, region: &Region) {
        let of_loop = |l: &report::LoopInstructions| CodeExpressions {
            executions: self.names.executions(&l.place),
            lockstep: l.place.lockstep.as_ref().map(|of| [&of.apart, &of.trips].map(|text| self.names.read(text))),
        };
        let mut of_loop = of_loop;
        let of = |code: &report::Resources| code.loops.iter().map(&mut of_loop).collect();
        self.device_code = region.resources.iter().map(of).collect();
    }
}

/// Why the bytes of a map are not known.
pub const NO_SIZE: &str = "the report does not show its size";
