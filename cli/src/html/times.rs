//! Predicted times of a region on the host and on the device: as sizes grow, and what they consist of at one size.

use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::machine::{gpu_machine, in_short};
use ipda_models::predict::{Choice, Comparison, Machines, PredictError, Prediction, Roofs, Setting, predict};
use ipda_models::quantity::Seconds;
use ipda_models::report::{Region, Report};
use ipda_models::sizes::Sizes;
use ipda_models::spread::Spread;
use ipda_models::summary::{Bindings, RegionSummary};
use maud::{Markup, html};

use super::curve;
use super::markup::{list, percent_wide, said, table, titles};
use super::roofline::{self, Point};
use super::words::percent;
use crate::predict::find_machines;
use crate::predict::growth;
use crate::predict::roofline::{UNCOUNTED, amount, name_of, sentence, types_of};
use crate::predict::sweep::{Side, Sweep, Swept};
use crate::predict::verdict;
use crate::select::values::Values;
use crate::words::counted;

/// All sizes that are not given grow together, from the first to the last by doubling.
const SIZES: (i64, i64) = (32, 32768);
/// The size for which the report says who is faster and where the time goes.
const SHOWN: i64 = Sizes::Timed.value() as i64;

/// The machines that times are predicted for, as a user names them.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct MachineNames {
    /// With --html: the host to predict times for, a name that `ipda hw list` prints or the path of a description [default: no times].
    #[arg(long, value_name = "NAME|FILE", requires = "html")]
    cpu: Option<String>,
    /// The device, likewise [default: the one that the report counted for]. Without --html: also print the roofline of each kernel on it, as in `ipda
    /// predict --roofline`.
    #[arg(long, value_name = "NAME|FILE")]
    gpu: Option<String>,
    /// With --cpu: what connects them, likewise [default: the GPU's usual link].
    #[arg(long, value_name = "NAME|FILE", requires = "cpu")]
    link: Option<String>,
}

impl MachineNames {
    /// The device, where one is named.
    ///
    /// # Errors
    /// If it is not known.
    pub fn device(&self) -> anyhow::Result<Option<Gpu>> {
        self.gpu.as_deref().map(Gpu::find).transpose().map_err(Into::into)
    }

    /// Whether all of them are known.
    ///
    /// # Errors
    /// If a name is not, or a description is no good.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.gpu.is_some() && self.cpu.is_none() {
            anyhow::bail!("pages have times on a device beside those on a host: name one with --cpu");
        }
        self.gpu.as_deref().map(Gpu::find).transpose()?;
        self.cpu.as_deref().map(Cpu::find).transpose()?;
        self.link.as_deref().map(Link::find).transpose()?;
        Ok(())
    }
}

/// The predictions of a page.
pub struct Predictions {
    /// What they are for; or why there are none.
    machines: Result<(Machines, Vec<String>), String>,
    /// One for each region, where there are machines.
    regions: Vec<Result<Times, String>>,
}

impl Predictions {
    /// For the regions of a report, with the values that the user gives.
    pub fn new(names: &MachineNames, report: &Report, values: &Values) -> Predictions {
        let MachineNames { gpu, cpu, link } = names;
        let machines = match cpu {
            Some(cpu) => find_machines(gpu.as_deref(), Some(cpu), link.as_deref(), report)
                .map_err(|error| format!("There is no prediction: {error:#}.")),
            // What all processors of a kind have in common says too little about times.
            None => Err("Start ipda report --html with --cpu to see times predicted for a host; ipda hw list names \
                         those that are known."
                .to_owned()),
        };
        let given = Bindings::new(values.all_given().map(|(name, value)| (name.to_owned(), value as f64)));
        let of_region = |region: &Region, machines: &Machines| Times::of(region, report, machines, &given);
        let regions =
            machines.iter().flat_map(|(machines, _)| report.regions.iter().map(|each| of_region(each, machines)));
        let regions = regions.collect();
        Predictions { machines, regions }
    }

    /// Who is faster in a region and how many times; none where no machines are named.
    pub fn in_short(&self, nth: usize) -> Option<String> {
        let known = |times: &Times| Some((times.prediction.comparison()?, times.prediction.without.is_empty()));
        let times = self.regions.get(nth)?.as_ref().ok();
        Some(match times.and_then(known) {
            // Without all transfers, the device takes no less than is predicted.
            Some((Comparison::Faster(Choice::Host, times), false)) => {
                format!("host, at least {} times", rounded(times))
            }
            Some((Comparison::Faster(choice, times), true)) => {
                format!("{}, {} times", Side::from(choice).name(), rounded(times))
            }
            Some((Comparison::Free(choice), true)) => format!("{}, which takes no time", Side::from(choice).name()),
            Some((Comparison::Neither, true)) => "neither takes any time".to_owned(),
            None | Some((_, false)) => "not known".to_owned(),
        })
    }

    /// What is predicted for a region, or why nothing is.
    pub fn of_region(&self, nth: usize) -> Markup {
        html! {
            h4 { "Predicted time" }
            @match (&self.machines, self.regions.get(nth)) {
                (Ok((machines, chosen)), Some(Ok(times))) => { (times.markup(machines, chosen)) }
                (Ok(_), Some(Err(reason))) => { p.sub { "There is no prediction: " (said(reason)) "." } }
                (Err(reason), _) => { p.sub { (said(reason)) } }
                (Ok(_), None) => {}
            }
        }
    }
}

/// Kernels whose names stand in the picture of roofs: with more of them, they would cover each other.
const NAMED_KERNELS: usize = 16;

impl Predictions {
    /// All kernels under the roofs of their device, with the sizes that times are shown for.
    pub fn roofs(&self) -> Markup {
        let Ok((machines, _)) = &self.machines else { return Markup::default() };
        let Ok(described) = gpu_machine(&machines.gpu) else { return Markup::default() };
        let roofs = Roofs::of(&described.machine);
        let predicted = self.regions.iter().flatten().map(|times| &times.prediction);
        let mut points: Vec<Point> = predicted.filter_map(point).collect();
        // Those that take longest.
        points.sort_by(|one, other| other.roofline.time.get().total_cmp(&one.roofline.time.get()));
        points.truncate(NAMED_KERNELS);
        if points.is_empty() {
            return Markup::default();
        }
        let product = &machines.gpu.product;
        let words = format!("{} under the roofs of {product}.", counted(points.len() as u64, "kernel"));
        let types = types_of(points.iter().map(|point| point.roofline));
        let of_types = types.iter().map(|of| of.name());
        let heads = ["kernel", "memory", "L2"].into_iter().chain(of_types).chain(["op/byte", "share of its roof"]);
        html! {
            section {
                h2 { "Roofline" }
                p.sub {
                    "What kernels compute and move, as predicted for sizes of " (SHOWN) ", and what " (product)
                    " can do. " (sentence(&roofs))
                }
                figure { (roofline::draw(&roofs, &points, &words)) }
                div.scroll tabindex="0" {
                    table {
                        thead { (titles(heads)) }
                        tbody {
                            @for Point { name, roofline } in &points {
                                tr {
                                    th scope="row" { (said(name)) }
                                    td.num { (amount(roofline.memory.get())) "B" }
                                    td.num { (amount(roofline.l2.get())) "B" }
                                    @for of in &types {
                                        td.num { @if roofline.is_counted() { (amount(roofline.of_type(*of))) } @else { "-" } }
                                    }
                                    td.num { (roofline.intensity().map_or_else(|| "-".to_owned(), crate::words::rounded)) }
                                    td { (format_args!("{:.0} % of {}", roofline.share * 100.0, roofline.roof)) }
                                }
                            }
                        }
                    }
                }
                @if points.iter().any(|point| !point.roofline.is_counted()) { p.sub { (UNCOUNTED) } }
            }
        }
    }
}

/// The version that runs.
fn point(prediction: &Prediction) -> Option<Point<'_>> {
    let roofline = prediction.device_version()?.roofline.as_ref()?;
    Some(Point { name: format!("{}, {}", name_of(prediction), roofline.time), roofline })
}

/// The times of one region.
struct Times {
    /// At the size that is shown, or with the given values if they are all.
    prediction: Prediction,
    /// As the sizes grow that are not given.
    growth: Option<(Sweep, Swept)>,
}

impl Times {
    fn of(region: &Region, report: &Report, machines: &Machines, given: &Bindings) -> Result<Times, String> {
        let mut summary = RegionSummary::from_report(region, &report.hardware);
        let setting = Setting::default();
        let names = match predict(&mut summary, given, machines, &setting) {
            Ok(prediction) => return Ok(Times { prediction, growth: None }),
            Err(PredictError::Missing(missing)) => missing.names,
            Err(error) => return Err(error.to_string()),
        };
        let sweep = Sweep { names, from: SIZES.0, to: SIZES.1 };
        let at = |summary: &mut RegionSummary, bindings: &Bindings| predict(summary, bindings, machines, &setting);
        let text = |error: PredictError| error.to_string();
        let swept = sweep.run(&mut summary, given, at).map_err(text)?;
        let prediction = at(&mut summary, &sweep.at(given, SHOWN)).map_err(text)?;
        Ok(Times { prediction, growth: Some((sweep, swept)) })
    }

    fn markup(&self, machines: &Machines, chosen: &[String]) -> Markup {
        let with = match &self.growth {
            Some((sweep, _)) => format!("{} = {SHOWN}", sweep.names.join(", ")),
            None => "the given values".to_owned(),
        };
        let mut rests_on: Vec<String> = self.prediction.assumptions().into_iter().map(|each| each.0.clone()).collect();
        for text in in_short(&self.prediction.rests).into_iter().map(|each| each.0).chain(chosen.iter().cloned()) {
            if !rests_on.contains(&text) {
                rests_on.push(text);
            }
        }
        html! {
            p.sub {
                "Device: " (machines.gpu.product) ". Host: " (machines.cpu.product) ". Between them: "
                (machines.link.product) "."
            }
            @if let Some((sweep, swept)) = &self.growth {
                (grown(&sweep.names.join(", "), swept, &self.prediction.without))
            }
            (parts(&self.prediction, &with))
            (list("What the times rest on", &rests_on))
        }
    }
}

fn grown(names: &str, swept: &Swept, without: &[String]) -> Markup {
    let mut sentences = growth::sentences(names, swept, without);
    sentences.extend(verdict::lower_bound(without));
    let sentence = sentences.join(" ");
    let words = format!("The times of host and device as {names} grows from {} to {}. {sentence}", SIZES.0, SIZES.1);
    html! {
        p { b { (said(&sentence)) } }
        figure {
            (curve::draw(swept, &words))
            figcaption {
                (said(names)) " from " (SIZES.0) " to " (SIZES.1)
                "; each step of a scale is a multiplication. Four of five measured times are expected within the bands."
            }
        }
        details {
            summary { "The times as a table, for values of " (said(names)) }
            (table(&growth::table(swept, without)))
        }
    }
}

fn rounded(times: f64) -> f64 {
    (times * 100.0).round() / 100.0
}

/// Where the time goes, as bars of one scale.
fn parts(prediction: &Prediction, with: &str) -> Markup {
    let host = &prediction.host.estimate;
    let of_host = prediction.host.doubt.as_ref().map(|doubt| doubt.spread);
    let mut rows = vec![("host".to_owned(), host.total(), of_host, host.bound_by().to_string())];
    if let Some(version) = prediction.device_version() {
        let bound = version.estimate.bound_by().to_string();
        rows.push(("device: kernel".to_owned(), version.kernel(), version.spread, bound));
        rows.push(("device: launch".to_owned(), version.launching(), None, String::new()));
        let moved = prediction.transfers.terms().iter().filter(|term| term.value > 0.0);
        let moved: Vec<&str> = moved.map(|term| term.name.as_str()).collect();
        let of_transfers = prediction.transfers_spread();
        rows.push(("device: moving data".to_owned(), prediction.transfers.total(), of_transfers, moved.join(", ")));
    }
    let device = prediction.device_total();
    let longest = device.map_or(0.0, Seconds::get).max(host.total().get());
    let within =
        |spread: Option<Spread>| spread.map_or_else(String::new, |spread| format!("\u{d7} {:.1}", spread.factor()));
    html! {
        table.parts {
            caption { "Where the time goes with " (said(with)) }
            (titles(["part", "time", "within", "what counts"]))
            @for (name, time, spread, why) in rows {
                tr {
                    th scope="row" { (name) }
                    td.num {
                        span class="bar time" style=(percent_wide(percent(time.get(), longest))) {}
                        (time)
                    }
                    td.num { (within(spread)) }
                    td { (said(why)) }
                }
            }
        }
        @match (&prediction.device, prediction.comparison()) {
            (Err(reason), _) => { p.sub { "The device's time is not known: " (said(reason)) "." } }
            (Ok(_), Some(comparison)) => { p { "With " (said(with)) " " (said(verdict_of(prediction, comparison))) } }
            (Ok(_), None) => {}
        }
        @if let Some(sentence) = verdict::lower_bound(&prediction.without) { p { (said(sentence)) } }
    }
}

/// Who is faster, behind the values that that is for.
fn verdict_of(prediction: &Prediction, comparison: Comparison) -> String {
    let mut sentence = verdict::sentence(comparison, &prediction.without);
    sentence[..1].make_ascii_lowercase();
    let choice = prediction.launch_choice().filter(|_| prediction.without.is_empty());
    let why_not = verdict::why_not(comparison, choice, prediction.stays.as_deref());
    sentence + &why_not.map(|why_not| format!(" {why_not}")).unwrap_or_default()
}
