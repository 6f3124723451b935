//! Random kernels with an answer of their own: a C function with a target region, what it is given, and what it leaves behind,
//! worked out by walking the function's tree and not by any compiler.

mod arithmetic;
mod build;
mod captures;
mod check;
mod evaluate;
mod features;
mod order;
mod print;
mod shrink;
mod syntax;
mod visit;

pub use build::{Options, Shape};
pub use features::Features;

use crate::arguments::{Argument, ArrayDescription, Description, Fill, LaunchDescription};
use crate::random;
use arithmetic::Reject;
use captures::Capture;
use evaluate::Outcome;
use print::CParameter;
use syntax::{Array, Kind, Number, Program, VarId};

/// What a file with generated functions begins with.
pub const PRELUDE: &str = "#include <stddef.h>\n";

/// A random function with one or two target regions that has one answer, whatever the order of its threads.
#[derive(Debug, Clone)]
pub struct Generated {
    seed: u64,
    program: Program,
    outcome: Outcome,
}

/// What the memory holds when the function has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The bytes of each array, structure and reduction result, little endian, by the variable's name in C.
    pub contents: Vec<(String, Vec<u8>)>,
}

/// A parameter of the C function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionParameter {
    /// Its declaration, as in `float (*A)[8]`.
    pub declaration: String,
    /// What the function is to be given.
    pub value: ParameterValue,
}

/// What a C function is given.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterValue {
    /// A number.
    Scalar(Argument),
    /// A pointer to these bytes, or a structure made of them; the variable's name says which of [`Expected::contents`] is meant.
    Memory {
        /// The variable's name.
        name: String,
        /// What it holds before.
        bytes: Vec<u8>,
        /// How it is given.
        passing: Passing,
    },
}

/// How bytes are given to a C function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// By a pointer.
    Pointer,
    /// As the value of a structure.
    Value,
}

impl Generated {
    /// The function of a seed.
    pub fn from_seed(seed: u64) -> Generated {
        Generated::with_options(seed, &Options::default())
    }

    /// The function of a seed among functions of other shapes.
    pub fn with_options(seed: u64, options: &Options) -> Generated {
        let name = format!("k{seed}");
        let mut random = random::Random::new(!seed);
        let idle = random.chance(4);
        for count in 0.. {
            let mut program = build::program(&name, random::derive(seed, count), options);
            if let Ok(generated) = Generated::of(seed, &mut program)
                && (idle || generated.outcome.iterations == 0 || generated.changes_something())
            {
                return generated;
            }
        }
        unreachable!("one of 2^64 programs is sound")
    }

    fn of(seed: u64, program: &mut Program) -> Result<Generated, Reject> {
        if !check::is_well_formed(program) {
            return Err(Reject::Malformed);
        }
        let outcome = evaluate::settle(program)?;
        Ok(Generated { seed, program: program.clone(), outcome })
    }

    fn changes_something(&self) -> bool {
        evaluate::initial(&self.program) != self.outcome.contents
    }

    /// The seed that it came from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The name of the C function.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// The C text: the function with the structures and helpers that it needs, all of whose names begin with its own.
    /// The file must begin with [`PRELUDE`].
    pub fn c_function(&self) -> String {
        print::function(&self.program)
    }

    /// The parameters of the C function, in order.
    pub fn parameters(&self) -> Vec<FunctionParameter> {
        let initial = evaluate::initial(&self.program);
        let bytes_of = |var: VarId| {
            let found = initial.iter().find(|(other, _)| *other == var);
            found.map(|(_, bytes)| bytes.clone()).unwrap_or_default()
        };
        let parameter = |parameter: CParameter| {
            let declaration = print::declaration(&self.program, parameter);
            let (CParameter::Variable(var) | CParameter::Result(var)) = parameter;
            let variable = self.program.variable(var);
            let memory =
                |passing| ParameterValue::Memory { name: variable.name.clone(), bytes: bytes_of(var), passing };
            let value = match variable.kind {
                Kind::Parameter(number) => ParameterValue::Scalar(scalar(number)),
                Kind::Structure { .. } => memory(Passing::Value),
                _ => memory(Passing::Pointer),
            };
            FunctionParameter { declaration, value }
        };
        print::parameters(&self.program).into_iter().map(parameter).collect()
    }

    /// What each kernel is given, in the order of the regions: the arguments in the order of the kernel's parameters behind the
    /// hidden first one. Those without a name in the source, the extents of arrays of variable length, are named by position, as
    /// in `arg3`.
    pub fn kernels(&self) -> Vec<Vec<(String, Argument)>> {
        let argument = |(index, capture)| match capture {
            Capture::Variable(var) => Some((self.program.variable(var).name.clone(), self.argument(var)?)),
            Capture::Extent(var) => Some((format!("arg{}", index + 1), self.argument(var)?)),
        };
        let captures =
            |region| captures::of(&self.program, region).into_iter().enumerate().filter_map(argument).collect();
        self.program.regions.iter().map(captures).collect()
    }

    /// What the regions capture from outside, by the variable's name in C, without the extents of arrays of variable length.
    pub fn arguments(&self) -> Vec<(String, Argument)> {
        let mentions = visit::Mentions::of(&self.program);
        let vars = self.program.ids().filter(|var| mentions.vars.contains(var));
        vars.filter_map(|var| Some((self.program.variable(var).name.clone(), self.argument(var)?))).collect()
    }

    fn argument(&self, var: VarId) -> Option<Argument> {
        let variable = self.program.variable(var);
        let array = |count, fill, offset| {
            Argument::Array(ArrayDescription { element: variable.ty.element(), count, fill, offset })
        };
        match variable.kind {
            Kind::Parameter(number) => Some(scalar(number)),
            Kind::Array(Array { count, fill, offset, .. }) => Some(array(count, fill, offset)),
            Kind::Structure { fields, fill } => Some(array(u64::from(fields), fill, 0)),
            Kind::Result { start, .. } => Some(array(1, Fill::Constant(start as f64), 0)),
            Kind::Scalar | Kind::Local { .. } | Kind::Pointer | Kind::TeamResult { .. } | Kind::Private => None,
        }
    }

    /// What the memory holds afterwards.
    pub fn expected(&self) -> Expected {
        let mentions = visit::Mentions::of(&self.program);
        let contents = self.outcome.contents.iter().filter(|(var, _)| mentions.vars.contains(var));
        let named = |(var, bytes): &(VarId, Vec<u8>)| (self.program.variable(*var).name.clone(), bytes.clone());
        Expected { contents: contents.map(named).collect() }
    }

    /// What occurs in it, by name.
    pub fn features(&self) -> Features {
        features::of(&self.program, self.outcome.iterations)
    }

    /// All names that [`Generated::features`] may have.
    pub fn all_features() -> &'static [&'static str] {
        features::ALL
    }

    /// How many statements and iterations a run takes, and how many iterations of parallel loops are among them.
    pub fn work(&self) -> (u64, u64) {
        (self.outcome.steps, self.outcome.iterations)
    }

    /// A smaller function that still fails: as small as it gets by leaving out or simplifying one thing after the other. Functions
    /// that are handed to `fails` are as sound as the first one.
    pub fn shrink(&self, fails: &mut dyn FnMut(&Generated) -> bool) -> Generated {
        let seed = self.seed;
        let program = shrink::smallest(self.program.clone(), &mut |mut program| {
            let candidate = Generated::of(seed, &mut program).ok()?;
            fails(&candidate).then_some(candidate.program)
        });
        let mut program = program;
        Generated::of(seed, &mut program).unwrap_or_else(|_| self.clone())
    }

    /// A C file to be kept as a test input: `note` and the seed in a comment, and a description of the arguments and the launch in
    /// lines that begin with `// ARGS: `.
    pub fn as_test_input(&self, note: &str) -> String {
        let (teams, threads) = self.geometry();
        let mut kernels = self.kernels();
        let arguments = if kernels.len() == 1 { kernels.remove(0) } else { self.arguments() };
        let mut description = Description::of_arguments(arguments);
        description.launch = Some(LaunchDescription { teams: Some(teams.into()), threads: Some(threads.into()) });
        let mut text = commented(&format!("{note}\nMade from seed {}.", self.seed));
        text += "//\n";
        for line in description.to_yaml().lines() {
            text += &format!("// ARGS: {line}\n");
        }
        text + "\n" + PRELUDE + "\n" + &self.c_function()
    }

    /// Teams and threads to run it with. They respect the function's clauses; where a team's work is led by one thread, the warp
    /// that this takes is counted.
    pub fn geometry(&self) -> (u32, u32) {
        self.program.geometry
    }
}

/// How wide the comments of a test input may be.
const COMMENT_WIDTH: usize = 110;

fn commented(text: &str) -> String {
    let mut lines = String::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if line.len() + word.len() > COMMENT_WIDTH && !line.is_empty() {
                lines += &format!("//{line}\n");
                line.clear();
            }
            line += &format!(" {word}");
        }
        lines += &format!("//{}\n", line.trim_end());
    }
    lines
}

fn scalar(number: Number) -> Argument {
    match number {
        Number::Int(value) => Argument::Integer(value),
        Number::Float(value) => Argument::Float(value),
    }
}
