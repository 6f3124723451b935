//! Tables for people.

use std::fmt;

use ipda_symbolic::Signedness;

use super::{Bytes, Reading, Table};
use crate::form::{Stage, Step};
use crate::versions::VersionId;

/// A few lines; in the alternate form (`{:#}`) also each step of the prediction.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "region {}", self.title())?;
        writeln!(f, "  kernel {}", self.kernel)?;
        match &self.on_host {
            Ok(allowed) if allowed.entries.is_empty() => writeln!(f, "  may run on the host")?,
            Ok(allowed) => {
                let entries = allowed.entries.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
                writeln!(f, "  may run on the host unless the device holds data of map entry {entries}")?;
            }
            Err(stays) => writeln!(f, "  stays on the device: {}: {}", stays.name, stays.reason)?,
        }
        for version in &self.versions {
            write!(f, "  on the device, version {}: {}", version.id.number(), version.name)?;
            match &version.guard[..] {
                [] => writeln!(f)?,
                guard => writeln!(f, ", where {}", guard.join(", and "))?,
            }
        }
        let machines = &self.machines;
        writeln!(f, "  machines: {}, {}, {}", machines.gpu, machines.cpu, machines.link)?;
        let prediction = match &self.prediction {
            Ok(prediction) => prediction,
            Err(reason) => return writeln!(f, "  no prediction: {reason}"),
        };
        for carried in &prediction.captured {
            match carried.reading {
                Reading::Trips => writeln!(f, "  needs {} ({})", carried.name, carried.reading)?,
                reading => writeln!(f, "  needs {} ({reading}, map entry {})", carried.words(), carried.entry)?,
            }
        }
        let form = &prediction.form;
        let counts = |wanted: Stage| {
            let stages = form.stages().into_iter().zip(form.steps());
            let of_stage = stages.filter(|(stage, step)| *stage == wanted && step.operands().next().is_some());
            let is_division = |step: &&Step| matches!(step, Step::Divide(..));
            let steps: Vec<&Step> = of_stage.map(|(_, step)| step).collect();
            (steps.len(), steps.iter().copied().filter(is_division).count())
        };
        let ((once, _), (each, divisions)) = (counts(Stage::Machine), counts(Stage::Launch));
        // The prediction knows them by their places.
        let number = |place: &VersionId| {
            self.versions.get(usize::from(place.number())).map_or(*place, |version| version.id).number()
        };
        let versions: String = prediction.versions.iter().map(|place| format!(", version {}", number(place))).collect();
        write!(f, "  prediction: host{versions}; {once} steps for the machines, ")?;
        writeln!(f, "{each} at each launch, of which {divisions} divide")?;
        let Bytes { bytes, program } = self.to_bytes();
        if let Some(program) = program {
            let steps = bytes.len() - program.at - program.constants;
            write!(f, "  {} bytes in the object: {} of names, ", bytes.len(), program.at)?;
            writeln!(f, "{} of constants, {steps} of steps", program.constants)?;
        }
        for note in &prediction.notes {
            writeln!(f, "  assumed: {note}")?;
        }
        if f.alternate() {
            for line in form.to_string().lines() {
                writeln!(f, "    {line}")?;
            }
            let of_version = |place: &VersionId| format!("version {} seconds", number(place));
            let spread = |side: &str| format!("square of the logarithm of the {side}'s spread");
            let seconds = ["host seconds", "transfers seconds", "weighed seconds"].into_iter().map(str::to_owned);
            let names = seconds.chain(["host", "device"].map(spread));
            for (name, place) in names.chain(prediction.versions.iter().map(of_version)).zip(form.results()) {
                writeln!(f, "    {name} = t{place}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reading::Signed(bits) => write!(f, "i{bits}"),
            Reading::Natural(bits) => write!(f, "u{bits}"),
            Reading::Float => f.write_str("float"),
            Reading::Double => f.write_str("double"),
            Reading::Size => f.write_str("size"),
            Reading::Trips => f.write_str("the launch's iterations"),
            Reading::Memory { offset, bytes, signedness } => {
                let sign = if *signedness == Signedness::Signed { 'i' } else { 'u' };
                write!(f, "{sign}{} in memory at byte {offset}", 8 * u32::from(*bytes))
            }
        }
    }
}
