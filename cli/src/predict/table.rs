//! Predictions for people.

use ipda_models::gpu::{Access, AccessKind};
use ipda_models::predict::{DevicePrediction, Machines, Model, Prediction, Residence, Setting};
use ipda_models::quantity::{Bytes, Seconds};
use ipda_models::spread::{Cause, Spread};
use ipda_models::summary::{Bindings, HostCost};
use ipda_models::transfer::Pages;
use ipda_models::versions::VersionId;
use ipda_models::{Assumption, Estimate, Term, Unit, machine};

use super::sweep::{Sweep, Swept};
use super::{growth, verdict};
use crate::document::{Column, Detail, Document, Table, Tone};
use crate::words::{counted, rounded};

/// The machines and what was chosen without being asked.
pub fn heading(out: &mut Document, machines: &Machines, chosen: &[String], setting: &Setting) {
    let models = match setting.model {
        Model::Extended => "ipda's models",
        Model::Published => "the models of Hong and Kim, and of Liao and Chapman, as published",
        Model::Thesis => "the models of Hong and Kim, and of Liao and Chapman, in the thesis's set-up",
    };
    out.heading(format!("Predicted by {models}"));
    let width = "device  ".len();
    let named = |name: &str, product: &str| format!("{name}: {product}");
    out.labelled(2, width, "device", Tone::Plain, &named(&machines.gpu.name, &machines.gpu.product));
    out.labelled(2, width, "host", Tone::Plain, &named(&machines.cpu.name, &machines.cpu.product));
    let held = match (setting.resident, setting.pages) {
        (Residence::OnTheDevice, _) => "all data is on the device already",
        (Residence::OnTheHost, Pages::Pinned) => "data in pinned memory",
        (Residence::OnTheHost, Pages::Pageable) => "data in memory that is not pinned",
    };
    let link = format!("{}; {held}", named(&machines.link.name, &machines.link.product));
    out.labelled(2, width, "link", Tone::Plain, &link);
    for sentence in chosen {
        out.labelled(2, width, "", Tone::Faint, sentence);
    }
    out.blank();
}

/// One region: the answer, what limits either side, from which size on another side is faster; then the table, and with all details what it
/// rests on.
pub fn region(
    out: &mut Document,
    number: usize,
    prediction: &Prediction,
    bindings: &Bindings,
    growth: Option<(&Sweep, &Swept)>,
) {
    title(out, number, prediction, bindings);
    if prediction.is_idle() {
        out.wrapped(2, NOTHING_TO_DO);
    }
    if let Some(comparison) = prediction.comparison().filter(|_| !prediction.is_idle()) {
        verdict::verdict(out, comparison, &prediction.without);
        // A launch knows the bytes that nobody gave here.
        let choice = prediction.launch_choice().filter(|_| prediction.without.is_empty());
        verdict::doubt(out, comparison, choice, prediction.stays.as_deref());
        out.wrapped(2, &limits(prediction));
    }
    if let Some((sweep, swept)) = growth.filter(|_| !prediction.is_idle()) {
        let names = sweep.names.join(", ");
        for (value, side) in &swept.crossings {
            out.wrapped(2, &format!("From {names} = {value} on, {}.", verdict::clause(*side, &prediction.without)));
        }
    }
    out.blank();
    let mut columns = vec![
        Column::word(""),
        Column::number("time"),
        Column::number("within"),
        Column::name("bound by"),
        Column::name("how"),
    ];
    let mut rows = vec![host_row(prediction)];
    match &prediction.device {
        Ok(versions) => versions.iter().for_each(|version| rows.extend(device_rows(prediction, version))),
        Err(reason) => rows.push(["device".into(), "?".into(), String::new(), String::new(), reason.clone()].into()),
    }
    // Of others' models nobody says how far they may be off.
    if prediction.host.doubt.is_none() {
        columns.remove(WITHIN);
        rows.iter_mut().for_each(|row| drop(row.remove(WITHIN)));
    }
    out.table(Table::plain(2, &columns, rows));
    if out.extent.detail == Detail::Full {
        out.blank();
        for (name, cost) in &prediction.host.costs {
            out.wrapped(2, &cost_sentence(name, cost));
        }
        if let Some(sentence) = prediction.device_version().and_then(|version| kernel_sentence(&version.estimate)) {
            out.wrapped(2, &sentence);
        }
        if let Some(doubt) = &prediction.host.doubt {
            out.wrapped(2, &doubts("host", &doubt.causes));
        }
        if let Some(version) = prediction.device_version().filter(|version| version.spread.is_some()) {
            out.wrapped(2, &doubts("kernel", &version.causes));
        }
        details(out, prediction);
    }
    assumptions(out, prediction);
    out.blank();
}

/// What each side waits for.
fn limits(prediction: &Prediction) -> String {
    let host = prediction.host.estimate.bound_by();
    let device =
        prediction.device_version().map(|version| match prediction.transfers.total() > version.estimate.total() {
            true => "moving data".to_owned(),
            false => version.estimate.bound_by().to_string(),
        });
    match device {
        Some(device) => format!("The host is limited by {host}, the device by {device}."),
        None => format!("The host is limited by {host}."),
    }
}

/// One region as a variable grows.
pub fn sweep(out: &mut Document, number: usize, prediction: &Prediction, swept: &Swept, sweep: Option<&Sweep>) {
    title(out, number, prediction, &Bindings::default());
    let names = sweep.map(|sweep| sweep.names.join(", ")).unwrap_or_default();
    out.table(Table { indent: 2, ..growth::table(swept, &prediction.without) });
    out.blank();
    for sentence in growth::sentences(&names, swept, &prediction.without) {
        out.indented(2, Tone::Bold, sentence);
    }
    if let Some(sentence) = verdict::lower_bound(&prediction.without) {
        out.wrapped(2, &sentence);
    }
    assumptions(out, prediction);
    out.blank();
}

fn title(out: &mut Document, number: usize, prediction: &Prediction, bindings: &Bindings) {
    let title = title_of(&prediction.function, &prediction.place, bindings);
    out.heading(format!("[{number}] {title}"));
}

/// A region with its values.
pub fn title_of(function: &str, place: &str, bindings: &Bindings) -> String {
    let given: Vec<String> = bindings.pairs().map(|(name, value)| format!("{name} = {value}")).collect();
    let with = if given.is_empty() { String::new() } else { format!(", with {}", given.join(", ")) };
    format!("{function}, {place}{with}")
}

/// Why both times are those of an empty region.
const NOTHING_TO_DO: &str = "Nothing to run: with these values no loop that threads share has an iteration.";

fn host_row(prediction: &Prediction) -> Vec<String> {
    let host = &prediction.host;
    let teams = match host.threads.teams {
        1 => String::new(),
        teams => format!("{teams} teams of "),
    };
    let how = format!("{teams}{} threads", host.threads.threads);
    let within = within(host.doubt.as_ref().map(|doubt| doubt.spread));
    vec!["host".into(), host.estimate.total().to_string(), within, host.estimate.bound_by().to_string(), how]
}

fn device_rows(prediction: &Prediction, version: &DevicePrediction) -> Vec<Vec<String>> {
    let name = match (version.version, version.is_run) {
        (VersionId::AS_WRITTEN, true) => "device".into(),
        (_, false) if version.version != VersionId::AS_WRITTEN => match version.recipe.promoted_arrays() {
            Some(_) => "device, if promoted".into(),
            None => format!("device, if loops were {}", version.recipe.participle()),
        },
        _ => version_name(version),
    };
    let total = version.estimate.total() + prediction.transfers.total();
    let transfers = prediction.transfers.total() > version.estimate.total();
    let bound = if transfers { prediction.transfers.bound_by() } else { version.estimate.bound_by() };
    let how = format!("{} teams of {} threads", version.launch.teams, version.launch.threads);
    let of_all = within(prediction.device_spread(version));
    let mut rows = vec![vec![name, total.to_string(), of_all, bound.to_string(), how]];
    let part = |name: &str, time: Seconds, spread: Option<Spread>, bound: String| {
        vec![format!("  {name}"), time.to_string(), within(spread), bound, String::new()]
    };
    rows.push(part("kernel", version.kernel(), version.spread, version.estimate.bound_by().to_string()));
    if version.launching() > Seconds::ZERO {
        rows.push(part("launch", version.launching(), None, String::new()));
    }
    if prediction.transfers.total() > Seconds::ZERO {
        let maps: Vec<&str> = prediction
            .transfers
            .terms()
            .iter()
            .filter(|term| term.value > 0.0)
            .map(|term| term.name.as_str())
            .collect();
        let time = prediction.transfers.total().to_string();
        let of_transfers = within(prediction.transfers_spread());
        rows.push(vec!["  transfers".into(), time, of_transfers, String::new(), maps.join(", ")]);
    }
    rows
}

/// The column of spreads.
const WITHIN: usize = 2;

/// A spread in a column; none of no time.
fn within(spread: Option<Spread>) -> String {
    spread
        .filter(|spread| *spread > Spread::NONE)
        .map_or_else(String::new, |spread| format!("x {:.1}", spread.factor()))
}

/// Why times may be off, the side's name in front.
fn doubts(name: &str, causes: &[Cause]) -> String {
    let each: Vec<String> = causes.iter().map(|cause| format!("{} (x {:.1})", cause.name(), cause.factor())).collect();
    format!("The {name}'s time may be off by: {}.", each.join(", "))
}

/// A version, for people.
pub fn version_name(version: &DevicePrediction) -> String {
    match version.version {
        VersionId::AS_WRITTEN => "device, loops as written".into(),
        _ if version.recipe.promoted_arrays().is_some() => "device, promoted".into(),
        _ => format!("device, loops {}", version.recipe.participle()),
    }
}

fn cost_sentence(name: &str, cost: &HostCost) -> String {
    let bound = rounded(cost.three_terms);
    match &cost.analysed {
        Some((processor, cycles, model)) => format!(
            "An iteration of {name} on the host: {} cycles by LLVM's {} for {processor}, with everything in the first cache; no less than \
             {bound} by the processor's width and its ports for loads and stores.",
            rounded(*cycles),
            model.name()
        ),
        None => format!(
            "An iteration of {name} on the host: {bound} cycles by the processor's width and its ports for loads and stores; no model \
             has seen the code."
        ),
    }
}

/// The slowest parts of the longest kernel loop, and what its latency is made of where that is one of them; none for models without such parts.
fn kernel_sentence(estimate: &Estimate) -> Option<String> {
    const PARTS: [&str; 4] = ["memory waits", "arithmetic waits", "barriers", "requests"];
    let loops = estimate.terms().iter().filter_map(|term| Some((term, term.find("kernel")?)));
    let (of, kernel) = loops.max_by(|(one, _), (other, _)| one.value.total_cmp(&other.value))?;
    let is_part = |part: &&Term| part.unit == Unit::Seconds && part.name != "queues";
    let mut parts: Vec<&Term> = kernel.children.iter().filter(is_part).collect();
    parts.sort_by(|one, other| other.value.total_cmp(&one.value));
    let [first, second, ..] = parts[..] else { return None };
    if first.value <= 0.0 {
        return None;
    }
    let whose = if of.name == "kernel" { "The kernel's parts".to_owned() } else { format!("The parts of {}", of.name) };
    let shown = |part: &Term| format!("{} with {}", part.name, Seconds::new(part.value));
    let queues = kernel.find("queues").filter(|queues| queues.value >= 0.01 * kernel.value);
    let queues = queues.map_or(String::new(), |queues| format!(" Queues add {}.", Seconds::new(queues.value)));
    let slowest = format!("{whose} overlap; the slowest are {} and {}.{queues}", shown(first), shown(second));
    let waits = PARTS.iter().filter_map(|name| kernel.find(name)).filter(|wait| wait.value > 0.0);
    let all: f64 = waits.clone().map(|wait| wait.value).sum();
    if first.name != "latency" || all <= 0.0 {
        return Some(slowest);
    }
    if kernel.find("issue of a warp").is_some_and(|issue| issue.value > all) {
        return Some(format!("{slowest} A warp's latency is that of its own instructions."));
    }
    let share = |wait: &Term| 100.0 * wait.value / all;
    let shares = waits.filter(|wait| share(wait) >= 1.0).map(|wait| format!("{} {:.0} %", wait.name, share(wait)));
    Some(format!("{slowest} A warp's latency: {}.", shares.collect::<Vec<_>>().join(", ")))
}

/// What the device's accesses touch.
fn accesses(out: &mut Document, version: &DevicePrediction) {
    let columns = [
        Column::name("access"),
        Column::word(""),
        Column::number("sectors of a warp"),
        Column::number("runs in an iteration"),
        Column::number("bytes of all"),
    ];
    let row = |access: &Access| {
        let loops: f64 = access.loops.iter().map(|l| l.trips).product();
        let kind = match access.kind {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        };
        vec![
            access.name.clone(),
            kind.to_owned(),
            rounded(access.sectors),
            rounded(access.references * access.probability * loops),
            Bytes::new(access.total).to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = version.works.iter().flat_map(|work| &work.work.accesses).map(row).collect();
    if rows.is_empty() {
        return;
    }
    out.table(Table::plain(4, &columns, rows));
}

fn details(out: &mut Document, prediction: &Prediction) {
    estimate(out, "host", &prediction.host.estimate);
    for version in prediction.device.iter().flatten() {
        estimate(out, &version_name(version), &version.estimate);
        accesses(out, version);
    }
    if prediction.transfers.total() > Seconds::ZERO {
        estimate(out, "transfers", &prediction.transfers);
    }
    out.blank();
}

fn estimate(out: &mut Document, heading: &str, estimate: &Estimate) {
    out.blank();
    let text = estimate.to_string();
    // Lines of the table are never broken: they are as long as their equations.
    let mut lines = text.lines().filter(|line| !line.starts_with("assumed: "));
    out.indented(2, Tone::Bold, format!("{heading}: {}", lines.next().unwrap_or_default()));
    out.code(2, lines.map(|line| (Tone::Plain, line.to_owned())).collect());
}

/// What was assumed of the region.
fn assumptions(out: &mut Document, prediction: &Prediction) {
    let all = prediction.assumptions();
    if out.extent.detail == Detail::Full || all.is_empty() {
        return assumed(out, all);
    }
    out.blank();
    let count = counted(all.len() as u64, "assumption");
    out.labelled(2, 0, "", Tone::Faint, &format!("It rests on {count}, which --details lists."));
}

/// A list of assumptions.
pub fn assumed<'a>(out: &mut Document, all: impl IntoIterator<Item = &'a Assumption>) {
    let width = "assumed  ".len();
    for (nth, Assumption(text)) in all.into_iter().enumerate() {
        out.labelled(2, width, if nth == 0 { "assumed" } else { "" }, Tone::Faint, text);
    }
}

/// What the machines' descriptions leave open, of all regions together: in short, or one by one.
pub fn machines_rest_on(out: &mut Document, rests: &[machine::Rest]) {
    if rests.is_empty() {
        return;
    }
    if out.extent.detail == Detail::Brief {
        let mut devices: Vec<&str> = Vec::new();
        for rest in rests {
            if !devices.contains(&&rest.device[..]) {
                devices.push(&rest.device);
            }
        }
        let text = format!(
            "Some values of {} are estimates: --details says which, docs/hardware.md how to give better ones.",
            devices.join(", ")
        );
        return out.labelled(0, 0, "", Tone::Faint, &text);
    }
    out.heading("What is not sure of the machines");
    for rest in rests {
        out.labelled(2, 0, "", Tone::Faint, &format!("{}: {}", rest.device, rest.text));
    }
}
