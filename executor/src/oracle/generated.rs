//! Generated kernels put to the test: results against those of the sequential evaluation, strides against predictions, in several orders
//! and geometries, before and after optimisation.

use super::{MAX_STEPS, OracleError, Stage, Verdict, compile};
use crate::arguments::Description;
use crate::generate::{Generated, PRELUDE};
use crate::interpreter::{Launch, Order, Races};
use crate::judge;
use crate::load::LoadOptions;
use crate::subject::{Run, RunError, Subject};
use crate::trace;
use std::collections::BTreeMap;
use std::io::Sink;
use std::path::Path;

/// What came of one generated function.
#[derive(Debug)]
pub struct Sample {
    /// The function.
    pub generated: Generated,
    /// The verdict over all its regions.
    pub verdict: Verdict,
}

/// Compiles functions together and puts each to the test.
pub fn sample(functions: Vec<Generated>, folder: &Path) -> Result<Vec<Sample>, OracleError> {
    let source = folder.join("generated.c");
    let mut text = PRELUDE.to_owned();
    for function in &functions {
        text.push_str(&function.c_function());
        text.push('\n');
    }
    std::fs::write(&source, text)?;
    let load = |stage: Stage| -> Result<Subject, OracleError> {
        let module = folder.join("generated.bc");
        compile(&source, stage, &module)?;
        Ok(match stage {
            Stage::FrontEnd => Subject::load(&module, &LoadOptions::default(), None)?,
            Stage::Optimised | Stage::Fused => Subject::without_predictions(&module, &LoadOptions::default(), None)?,
        })
    };
    let (plain, optimised, fused) = (load(Stage::FrontEnd)?, load(Stage::Optimised)?, load(Stage::Fused)?);
    let samples = functions.into_iter().map(|generated| {
        let mut verdict = Verdict { kernel: generated.name().to_owned(), ..Verdict::default() };
        examine(&generated, &plain, Stage::FrontEnd, &mut verdict);
        examine(&generated, &optimised, Stage::Optimised, &mut verdict);
        examine(&generated, &fused, Stage::Fused, &mut verdict);
        Sample { generated, verdict }
    });
    Ok(samples.collect())
}

/// Whether one function alone, compiled anew, has something wrong of the same kind as `like`; for making it smaller.
pub fn fails(generated: &Generated, like: &str, folder: &Path) -> bool {
    match sample(vec![generated.clone()], folder) {
        Ok(samples) => samples.iter().any(|sample| sample.verdict.wrong.iter().any(|wrong| kind(wrong) == kind(like))),
        Err(_) => false,
    }
}

/// The words of a sentence up to the first number, place or name in it.
fn kind(sentence: &str) -> &str {
    sentence.split([':', '[', '(', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '\'']).next().unwrap_or(sentence)
}

fn examine(generated: &Generated, subject: &Subject, stage: Stage, verdict: &mut Verdict) {
    let mut kernels = subject.kernels(Some(generated.name()));
    kernels.sort_by_key(|&kernel| subject.program.kernels()[kernel].line);
    let descriptions = generated.kernels();
    if kernels.len() != descriptions.len() {
        verdict.wrong.push(format!("{} kernels for {} regions", kernels.len(), descriptions.len()));
        return;
    }
    let regions: Vec<(usize, Description)> = kernels
        .into_iter()
        .zip(descriptions)
        .map(|(kernel, arguments)| (kernel, Description::of_arguments(arguments)))
        .collect();
    let (teams, threads) = generated.geometry();
    // LLVM makes whole teams run what one thread was to run, with loads that race with that thread's stores and whose values nobody uses:
    // after optimisation only results count.
    let races = if stage != Stage::Optimised { Races::Detect } else { Races::Ignore };
    let launch = |(teams, threads): (u32, u32), order| Launch {
        teams: teams.into(),
        threads: threads.into(),
        order,
        races,
        max_steps: MAX_STEPS,
    };
    let mut launches = vec![launch((teams, threads), Order::Warps)];
    if stage != Stage::Optimised {
        launches.push(launch((teams, threads), Order::Forward));
        launches.push(launch((teams, threads), Order::Reversed));
        launches.push(launch((teams, threads), Order::Shuffled { seed: generated.seed() }));
        // Regions without a teams construct are for one team.
        launches.push(launch((teams.min(2), 64), Order::Warps));
    }
    for launch in launches {
        verdict.launches += 1;
        if let Err(error) = run(generated, subject, stage, &regions, &launch, verdict) {
            verdict.wrong.push(format!("failed: {error} [{launch:?}]"));
            return;
        }
    }
}

/// Runs all regions one after the other, and compares what they leave behind.
fn run(
    generated: &Generated,
    subject: &Subject,
    stage: Stage,
    regions: &[(usize, Description)],
    launch: &Launch,
    verdict: &mut Verdict,
) -> Result<(), RunError> {
    let mut contents: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (kernel, description) in regions {
        let code = &subject.program.kernels()[*kernel];
        let (teams, threads) = code.at_most(launch.teams, launch.threads);
        let launch = Launch { teams, threads, ..*launch };
        let (mut memory, prepared) = subject.memory(*kernel, description)?;
        for array in &prepared.arrays {
            if let Some(bytes) = contents.get(&array.name) {
                memory.contents_mut(array.buffer).copy_from_slice(bytes);
            }
        }
        let run: Run = if launch.order == Order::Warps && stage == Stage::FrontEnd {
            let traced = trace::trace_on(subject, *kernel, description, (memory, prepared), &launch, None::<Sink>)?;
            verdict.wrong.extend(traced.summary.sentences().map(|sentence| format!("prediction: {sentence}")));
            verdict.lane_accesses += traced.counts.lane_accesses();
            verdict.summary.merge(traced.summary);
            traced.run
        } else {
            subject.run_on(*kernel, memory, prepared, &launch, None)?
        };
        verdict.wrong.extend(judge::races(subject, &launch, &run).iter().map(ToString::to_string));
        for array in &run.arrays {
            contents.insert(array.name.clone(), run.memory.contents(array.buffer).to_vec());
        }
    }
    for (name, expected) in generated.expected().contents {
        match contents.get(&name) {
            Some(bytes) if *bytes == expected => {}
            Some(bytes) => {
                let at = bytes.iter().zip(&expected).position(|(left, right)| left != right).unwrap_or(0);
                verdict.wrong.push(format!(
                    "result: '{name}' differs from the sequential evaluation, first at byte {at} of {} [{launch:?}, {stage:?}]",
                    expected.len()
                ));
            }
            None => verdict.wrong.push(format!("result: there is no '{name}'")),
        }
    }
    Ok(())
}
