//! Times as a program computes them at a launch.

use std::cell::RefCell;

use anyhow::Result;
use ipda_models::Assumption;
use ipda_models::closed::{Times, closed, machine_values};
use ipda_models::predict::{Machines, PredictError, Setting};
use ipda_models::quantity::Seconds;
use ipda_models::summary::{Bindings, sized};

use super::subjects::{Subject, Unpredicted};
use super::table::assumed;
use super::verdict;
use crate::document::{Column, Document, Table, Tone};

/// Prints the times of all regions that have a form and values; how many these are, and why others are not.
pub fn regions(
    out: &mut Document,
    subjects: &mut [Subject],
    bindings: &Bindings,
    machines: &Machines,
    setting: &Setting,
) -> Result<(usize, Unpredicted)> {
    let values = machine_values(machines)?;
    let threads = setting.threads.map_or(values["cpu.processors"], |threads| threads as f64);
    let (mut predicted, mut unpredicted) = (0, Unpredicted::default());
    for (number, Subject { summary, .. }) in subjects.iter_mut().enumerate() {
        let reported = summary.bind(bindings).map(|bound| bound.known_at_launch()).map_err(PredictError::from);
        let (reported, form) = match reported.and_then(|reported| Ok((reported, closed(summary, machines, setting)?))) {
            Ok(both) => both,
            Err(error) => {
                unpredicted.add(error)?;
                continue;
            }
        };
        predicted += 1;
        let without = RefCell::new(Vec::<String>::new());
        let given = |name: &str| {
            let value_in = |all: &Bindings| all.pairs().find(|(own, _)| *own == name).map(|(_, value)| value);
            let value = match sized(name) {
                Some(_) => value_in(&reported).or_else(|| value_in(bindings)),
                None => value_in(bindings).or_else(|| value_in(&reported)),
            };
            // A launch knows the sizes of what it maps.
            if let (Some(variable), None) = (sized(name), value)
                && !without.borrow().iter().any(|known| known == variable)
            {
                without.borrow_mut().push(variable.to_owned());
            }
            value
        };
        let times = form.times(&values, given, threads);
        let title = super::table::title_of(&summary.function, &summary.place, bindings);
        out.heading(format!("[{}] {title}", number + 1));
        region(out, &times, Seconds::new(values["gpu.launch"]), &without.into_inner(), &form.notes);
    }
    let sentence =
        "Without --as-at-launch the report says what is not sure of the machines, and what bounds the times.";
    out.labelled(2, 0, "", Tone::Faint, sentence);
    Ok((predicted, unpredicted))
}

fn region(out: &mut Document, times: &Times, launch: Seconds, without: &[String], notes: &[Assumption]) {
    let all = [
        ("host", times.host),
        ("device", times.device),
        ("  kernel", times.kernel),
        ("  launch", launch),
        ("  transfers", times.transfers),
    ];
    let rows: Vec<Vec<String>> = all.iter().map(|(name, time)| vec![(*name).to_owned(), time.to_string()]).collect();
    out.table(Table::plain(2, &[Column::word(""), Column::number("time")], rows));
    out.blank();
    verdict::verdict(out, times.comparison(), without);
    verdict::doubt(out, times.comparison(), Some(times.choice()).filter(|_| without.is_empty()), None);
    assumed(out, notes);
    out.blank();
}
