//! The kernels of a compilation under the roofs of their device: operations a second over operations for each byte of memory, both on scales on
//! which each step is a multiplication.

use ipda_models::predict::{OperationType, Roofline, Roofs};
use maud::{Markup, html};

use super::drawing::{Axis, label, line, picture, short};
use super::markup::said;
use crate::predict::roofline::amount;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
/// The left and right ends of the field, its top and bottom.
const FIELD: (f64, f64, f64, f64) = (62.0, 430.0, 14.0, 262.0);
/// Names are so far apart at least.
const LABEL_HEIGHT: f64 = 13.0;

/// A kernel: its name, with its time, and what it does.
pub struct Point<'a> {
    /// As people call it.
    pub name: String,
    /// What it is under the roofs.
    pub roofline: &'a Roofline,
}

/// Where an intensity and a rate are.
struct Scales {
    intensity: Axis,
    rate: Axis,
}

impl Scales {
    fn of(roofs: &Roofs, points: &[(&Point, f64)]) -> Option<Scales> {
        let peak = highest(roofs);
        let ridge = peak / roofs.memory.get();
        let intensities = points.iter().map(|(_, intensity)| *intensity).chain([ridge / 10.0, ridge * 10.0]);
        let rates = points.iter().map(|(point, _)| point.roofline.rate()).chain([peak, peak / 1e3]);
        Some(Scales {
            intensity: Axis::of(intensities, (FIELD.0, FIELD.1))?.in_tens(),
            rate: Axis::of(rates, (FIELD.3, FIELD.2))?.in_tens(),
        })
    }
}

fn highest(roofs: &Roofs) -> f64 {
    flat(roofs).map(|(_, rate)| rate).fold(1.0, f64::max)
}

/// The roofs of the units, by name.
fn flat(roofs: &Roofs) -> impl Iterator<Item = (&'static str, f64)> {
    let of = |of: OperationType| roofs.of_type(of).map(|rate| (of.name(), rate));
    [of(OperationType::Single), of(OperationType::Double)].into_iter().flatten()
}

/// Draws them; `words` say what it shows. Kernels without an operation on floats have no place in it.
pub fn draw(roofs: &Roofs, points: &[Point], words: &str) -> Markup {
    let placed: Vec<(&Point, f64)> = points
        .iter()
        .filter_map(|point| Some((point, point.roofline.intensity().filter(|intensity| *intensity > 0.0)?)))
        .collect();
    let Some(scales) = Scales::of(roofs, &placed).filter(|_| !placed.is_empty()) else { return Markup::default() };
    let steepest = roofs.l2.get().max(roofs.memory.get());
    let drawing = html! {
        (grid(&scales))
        (slope(&scales, roofs, "memory", roofs.memory.get()))
        (slope(&scales, roofs, "L2", roofs.l2.get()))
        @for (name, rate) in flat(roofs) {
            @let (from, y) = (short(scales.intensity.at(rate / steepest)), short(scales.rate.at(rate)));
            path.roof d={ "M" (from) " " (y) "H" (FIELD.1) } {}
            (label(FIELD.1 + 5.0, y + 4.0, "start", name))
        }
        (kernels(&scales, placed))
    };
    picture(WIDTH, HEIGHT, words, drawing)
}

fn grid(scales: &Scales) -> Markup {
    html! {
        @for rate in scales.rate.tens(1.0).map(ten_to) {
            @let y = short(scales.rate.at(rate));
            path.gridline d={ "M" (FIELD.0) " " (y) "H" (FIELD.1) } {}
            (label(FIELD.0 - 5.0, y + 3.5, "end", format_args!("{}op/s", amount(rate))))
        }
        @for intensity in scales.intensity.tens(1.0).map(ten_to) {
            @let x = short(scales.intensity.at(intensity));
            path.gridline d={ "M" (x) " " (FIELD.2) "V" (FIELD.3 + 4.0) } {}
            (label(x, FIELD.3 + 16.0, "middle", intensity))
        }
        (label((FIELD.0 + FIELD.1) / 2.0, HEIGHT - 6.0, "middle", "operations for each byte of memory"))
    }
}

/// An exact power of ten.
fn ten_to(power: f64) -> f64 {
    10_f64.powi(power as i32)
}

/// A bandwidth, from the field's edge to the highest of the flat roofs.
fn slope(scales: &Scales, roofs: &Roofs, name: &str, bandwidth: f64) -> Markup {
    let (left, bottom) = (10_f64.powf(scales.intensity.powers.0), 10_f64.powf(scales.rate.powers.0));
    let from = left.max(bottom / bandwidth);
    let to = (highest(roofs) / bandwidth).min(10_f64.powf(scales.intensity.powers.1));
    if from >= to {
        return Markup::default();
    }
    let at = |intensity: f64| (scales.intensity.at(intensity), scales.rate.at(intensity * bandwidth));
    // The higher slope has its name to the left, the lower one to the right.
    let middle = at(10_f64.powf(from.log10() + (to.log10() - from.log10()) * 0.7));
    let (anchor, dx) = if bandwidth >= roofs.l2.get() { ("end", -5.0) } else { ("start", 5.0) };
    html! {
        (line("roof", [at(from), at(to)]))
        (label(middle.0 + dx, middle.1 + dx, anchor, name))
    }
}

fn kernels(scales: &Scales, mut placed: Vec<(&Point, f64)>) -> Markup {
    placed.sort_by(|(one, _), (other, _)| other.roofline.rate().total_cmp(&one.roofline.rate()));
    let heights: Vec<f64> = placed.iter().map(|(point, _)| scales.rate.at(point.roofline.rate()) + 4.0).collect();
    html! {
        @for ((point, intensity), at) in placed.into_iter().zip(apart(heights)) {
            @let (x, y) = (short(scales.intensity.at(intensity)), short(scales.rate.at(point.roofline.rate())));
            @let (anchor, name_x) = if x > (FIELD.0 + FIELD.1) / 2.0 { ("end", x - 7.0) } else { ("start", x + 7.0) };
            circle.kernel cx=(x) cy=(y) r="4" {}
            // Where a name had to give way, a line leads to its kernel.
            @if (at - y - 4.0).abs() > 1.0 {
                (line("leader", [(x, y), (name_x, at - 4.0)]))
            }
            text.kernelname x=(name_x) y=(short(at)) text-anchor=(anchor) { (said(&point.name)) }
        }
    }
}

/// The heights of names, from the top down, so far apart that they can be read; the lowest above the field's edge.
fn apart(mut heights: Vec<f64>) -> Vec<f64> {
    for nth in 1..heights.len() {
        heights[nth] = heights[nth].max(heights[nth - 1] + LABEL_HEIGHT);
    }
    let mut lowest = FIELD.3 - 3.0;
    for height in heights.iter_mut().rev() {
        *height = height.min(lowest);
        lowest = *height - LABEL_HEIGHT;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;
    use ipda_hwdb::Gpu;
    use ipda_models::machine::gpu_machine;
    use ipda_models::predict::Roof;
    use ipda_models::quantity::{Bytes, Seconds};
    use ipda_models::report::InstructionClass;
    use std::collections::BTreeMap;

    fn kernel(memory: f64, floats: f64, seconds: f64) -> Roofline {
        let operations = BTreeMap::from([(InstructionClass::Float32, floats)]);
        let (memory, time) = (Bytes::new(memory), Seconds::new(seconds));
        Roofline { l2: memory, memory, operations, time, roof: Roof::Memory, share: 0.5 }
    }

    #[test]
    fn kernels_stand_in_the_field_with_their_names() {
        let roofs = Roofs::of(&gpu_machine(&Gpu::find("v100").unwrap()).unwrap().machine);
        let (one, other, none) = (kernel(1e9, 1e9, 1e-3), kernel(1e9, 1e9, 1e-3), kernel(1e9, 0.0, 1e-3));
        let named = |name: &str, roofline| Point { name: name.into(), roofline };
        let points = [named("a<b", &one), named("same", &other), named("copy", &none)];
        let text = draw(&roofs, &points, "words").into_string();
        assert!(text.contains(">a&lt;b<") && text.contains(">same<") && !text.contains("copy"), "{text}");
        assert!(text.contains("aria-label=\"words\"") && text.contains(">memory<") && text.contains(">L2<"), "{text}");
        assert_eq!(text.matches("<circle").count(), 2);
        // Both are at one place, so that one name gives way.
        assert_eq!(text.matches("leader").count(), 1, "{text}");
        assert!(draw(&roofs, &points[2..], "words").0.is_empty());
    }

    #[test]
    fn names_keep_apart_and_above_the_edge() {
        assert_eq!(apart(vec![20.0, 21.0, 60.0]), [20.0, 33.0, 60.0]);
        let low = apart(vec![255.0, 256.0, 257.0]);
        assert_eq!(low, [FIELD.3 - 3.0 - 2.0 * LABEL_HEIGHT, FIELD.3 - 3.0 - LABEL_HEIGHT, FIELD.3 - 3.0]);
    }
}
