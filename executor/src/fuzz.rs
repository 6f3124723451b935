//! Kernels with changed index arithmetic: the analysis must neither fail nor hang, and what it says must be right when the kernel still
//! runs.
//!
//! Only the values that index arrays are changed, to others that are defined for every input: what clang makes of OpenMP's constructs stays
//! what the analysis knows. A change may lead out of an array: then the run ends with a fault, and nothing is judged.

use crate::generate::{Generated, PRELUDE};
use crate::interpreter::{Launch, Order, Races};
use crate::judge::Plan;
use crate::load::{self, LoadOptions};
use crate::oracle::{OracleError, Stage, compile};
use crate::random::Random;
use crate::subject::{RunError, Subject};
use crate::{arguments::Description, llvm, trace};
use inkwell::IntPredicate;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue, IntValue, Operand};
use std::path::Path;

/// Operations of a launch that are enough for a generated kernel; a changed one may run for ever.
const MAX_STEPS: u64 = 5_000_000;
/// Passes that keep a program's meaning, of which some are run behind the changes.
const PASSES: [&str; 16] = [
    "function(mem2reg)",
    "function(sroa<modify-cfg>)",
    "function(instcombine<no-verify-fixpoint>)",
    "function(simplifycfg)",
    "function(early-cse<memssa>)",
    "function(gvn)",
    "function(reassociate)",
    "function(jump-threading)",
    "function(correlated-propagation)",
    "function(loop-simplify,lcssa)",
    "function(loop(loop-rotate))",
    "function(loop-mssa(licm))",
    "function(loop(indvars))",
    "function(loop-unroll<O2>)",
    "function(sink)",
    "function(dce)",
];

/// What came of one changed kernel.
#[derive(Debug)]
pub enum Outcome {
    /// It ran, and so many accesses of warps were compared.
    Right(u64),
    /// It does not run, and why.
    Skipped(String),
    /// Predictions that are wrong, a sentence each.
    Wrong(Vec<String>),
}

/// Makes a module of a generated kernel, as the front end leaves it.
pub fn module(generated: &Generated, output: &Path) -> Result<(), OracleError> {
    let source = output.with_extension("c");
    std::fs::write(&source, format!("{PRELUDE}{}\n", generated.c_function()))?;
    compile(&source, Stage::FrontEnd, output)
}

/// Changes a module by a seed, analyses it, runs it, and compares.
pub fn one(generated: &Generated, module: &Path, seed: u64, changed: &Path) -> Result<Outcome, OracleError> {
    {
        let context = Context::create();
        let module = load::read(&context, module)?;
        let mut random = Random::new(seed);
        if change(&context, &module, &mut random).is_err() || module.verify().is_err() {
            return Ok(Outcome::Skipped("the change makes no valid module".into()));
        }
        for _ in 0..random.below(5) {
            llvm::run_passes(&module, random.pick(&PASSES)).map_err(load::LoadError::Llvm)?;
        }
        module.write_bitcode_to_path(changed);
    }
    let subject = Subject::load(changed, &LoadOptions::default(), None)?;
    Ok(judge(generated, &subject).unwrap_or_else(|error| Outcome::Skipped(error.to_string())))
}

fn judge(generated: &Generated, subject: &Subject) -> Result<Outcome, RunError> {
    let mut kernels = subject.kernels(Some(generated.name()));
    kernels.sort_by_key(|&kernel| subject.program.kernels()[kernel].line);
    let (teams, threads) = generated.geometry();
    let plan = Plan { geometries: vec![(teams.into(), threads.into())], ..Plan::around(1.into(), 1.into()) };
    let (mut right, mut wrong) = (0, Vec::new());
    for (kernel, arguments) in kernels.into_iter().zip(generated.kernels()) {
        let description = Description::of_arguments(arguments);
        for (teams, threads) in plan.for_kernel(&subject.program.kernels()[kernel]).geometries {
            let launch = Launch { teams, threads, order: Order::Warps, races: Races::Ignore, max_steps: MAX_STEPS };
            let traced = trace::trace(subject, kernel, &description, &launch, None::<std::io::Sink>)?;
            right += traced.summary.tally().right;
            wrong.extend(traced.summary.sentences());
        }
    }
    Ok(if wrong.is_empty() { Outcome::Right(right) } else { Outcome::Wrong(wrong) })
}

/// A value that indexes an array, where it is used.
struct Index<'a> {
    user: InstructionValue<'a>,
    operand: u32,
    value: IntValue<'a>,
}

fn indices<'a>(module: &Module<'a>) -> Vec<Index<'a>> {
    let mut found = Vec::new();
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            for user in block.get_instructions() {
                if user.get_opcode() != InstructionOpcode::GetElementPtr {
                    continue;
                }
                for operand in 1..user.get_num_operands() {
                    if let Some(Operand::Value(BasicValueEnum::IntValue(value))) = user.get_operand(operand)
                        && value.as_instruction().is_some()
                    {
                        found.push(Index { user, operand, value });
                    }
                }
            }
        }
    }
    found
}

fn change<'a>(context: &'a Context, module: &Module<'a>, random: &mut Random) -> Result<(), BuilderError> {
    let builder = context.create_builder();
    for _ in 0..=random.below(3) {
        let all = indices(module);
        if all.is_empty() {
            break;
        }
        let index = &all[random.below(all.len() as u64) as usize];
        builder.position_before(&index.user);
        let changed = other_value(context, &builder, index.value, random)?;
        index.user.set_operand(index.operand, changed);
    }
    Ok(())
}

/// A value that is defined wherever the given one is.
fn other_value<'a>(
    context: &'a Context,
    builder: &Builder<'a>,
    value: IntValue<'a>,
    random: &mut Random,
) -> Result<IntValue<'a>, BuilderError> {
    let ty = value.get_type();
    let number = |number: u64| ty.const_int(number, false);
    let below = |random: &mut Random, most: u64| number(1 + random.below(most));
    let choice = random.below(12);
    Ok(match choice {
        0 => builder.build_and(value, number((1 << (1 + random.below(7))) - 1), "")?,
        1 => builder.build_int_unsigned_rem(value, below(random, 70), "")?,
        2 => builder.build_int_signed_rem(value, below(random, 70), "")?,
        3 => builder.build_int_unsigned_div(value, below(random, 40), "")?,
        4 => builder.build_int_signed_div(value, below(random, 40), "")?,
        5 => builder.build_right_shift(value, number(random.below(6)), random.chance(50), "")?,
        6 => builder.build_xor(value, number(random.below(32)), "")?,
        7 => {
            let product = builder.build_int_mul(value, number(random.below(8)), "")?;
            builder.build_int_unsigned_rem(product, below(random, 90), "")?
        }
        8 => {
            let opposite = builder.build_int_sub(number(random.below(64)), value, "")?;
            builder.build_and(opposite, number(63), "")?
        }
        9 => {
            let (limit, other) = (number(random.below(100)), number(random.below(40)));
            let predicate = random.pick(&[IntPredicate::ULT, IntPredicate::SLT, IntPredicate::SGT, IntPredicate::EQ]);
            let condition = builder.build_int_compare(predicate, value, limit, "")?;
            builder.build_select(condition, value, other, "")?.into_int_value()
        }
        10 => {
            let narrow = random.pick(&[context.i8_type(), context.i16_type()]);
            let narrow = builder.build_int_truncate(value, narrow, "")?;
            builder.build_int_z_extend(narrow, ty, "")?
        }
        _ => {
            let narrow = builder.build_int_truncate(value, context.i8_type(), "")?;
            let wide = builder.build_int_s_extend(narrow, ty, "")?;
            builder.build_int_add(wide, number(128), "")?
        }
    })
}
