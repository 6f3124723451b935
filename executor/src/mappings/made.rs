//! What the plugin makes of the plain loops where it is asked for a mapping.

use super::kernels::Kernel;
use super::source::{Axes, plain};
use crate::arguments::Description;
use crate::transform::{Aliases, Code, Effort, Findings, Pair, Results, judge, of_parameters};
use anyhow::{anyhow, bail};
use ipda::LoopRequest;
use ipda_symbolic::{Given, Mapping};
use std::path::Path;

/// The plain loops once for each mapping, in functions of which each is asked to run by its own.
pub(super) struct Made {
    pair: Pair,
}

/// What became of one of them.
pub(super) enum Outcome {
    /// Nothing; why.
    Left(String),
    /// Launches of it compared with the loops as written.
    Made(Box<Findings>),
}

/// The function that is asked for the mapping of a number.
pub(super) fn function(number: usize) -> String {
    format!("m{number}")
}

/// A mapping as the plugin takes it: LLVM 19 launches one dimension, so that two axes are numbers, of which the digits are folded into a thread's one number.
pub(super) fn asked_for(mapping: &Mapping, axes: Axes) -> Option<Mapping> {
    let given: Vec<Given> = mapping.given().collect();
    let has_second_axis = given.iter().any(|given| matches!(given, Given::Gang(1) | Given::Worker(1)));
    if has_second_axis {
        mapping.with_numbers(|given| axes.value(given).try_into().ok())
    } else {
        Some(mapping.clone())
    }
}

impl Made {
    /// Compiles a kernel's loops for mappings as texts.
    pub(super) fn compile(kernel: &Kernel, texts: &[String], folder: &Path) -> anyhow::Result<Made> {
        let path = folder.join("made.c");
        // As many threads as the launches of the table have.
        let functions = (0..texts.len()).map(|number| plain(kernel, &function(number), "thread_limit(256) "));
        std::fs::write(&path, functions.collect::<String>())?;
        let wanted = texts.iter().enumerate().map(|(number, text)| format!("{}={text}", function(number)));
        let mapping = LoopRequest::parse(&wanted.collect::<Vec<_>>().join(","));
        let mapping = mapping.map_err(|problem| anyhow!(problem))?;
        let code = Code { optimised: true, mapping: Some(mapping), ..Code::default() };
        Ok(Made { pair: Pair::compile(&code, &path, folder)? })
    }

    /// The module that has the functions of all numbers.
    pub(super) fn pair(&self) -> &Pair {
        &self.pair
    }

    /// What became of the loops, whose names are given, for a mapping as text, as launches with each so manieth setup show.
    pub(super) fn outcome(
        &self,
        number: usize,
        names: &[&str],
        text: &str,
        (given, every): (&Description, usize),
    ) -> anyhow::Result<Outcome> {
        let pair = self.pair();
        let [kernel] = pair.original.kernels(Some(&function(number)))[..] else { bail!("there is not one kernel") };
        if let Err(reason) = pair.outcome(kernel) {
            return Ok(Outcome::Left(reason.to_owned()));
        }
        let made: Vec<_> = pair.mappings(kernel).iter().map(|text| Mapping::parse(text, names)).collect();
        if made != [Mapping::parse(text, names)] {
            bail!("{:?} is made", pair.mappings(kernel));
        }
        let parameters = &pair.original.parameters[kernel];
        let setups = of_parameters(&given.only_for(parameters), parameters, Aliases::Possible)?;
        let setups: Vec<_> = setups.into_iter().step_by(every).collect();
        let findings = judge(pair, kernel, &setups, Effort::Usual, Results::Compared);
        if findings.wrong.is_empty() && findings.ran[0] == 0 {
            bail!("its code never ran: {}", findings.failure.as_deref().unwrap_or("its guard never holds"));
        }
        Ok(Outcome::Made(Box::new(findings)))
    }
}
