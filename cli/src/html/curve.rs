//! Times over sizes, and below them how many times the faster side is faster, all on scales on which each step is a multiplication.

use std::fmt::Display;

use ipda_models::quantity::Seconds;
use maud::{Markup, html};

use super::drawing::{Axis, Path, label, line, picture, short};
use crate::predict::sweep::Swept;

const WIDTH: f64 = 420.0;
/// The left and right ends of the lines, and the top and bottom of the field.
const FIELD: (f64, f64, f64, f64) = (54.0, 366.0, 12.0, 178.0);
/// The top and bottom of the field of ratios.
const RATIOS: (f64, f64) = (202.0, 262.0);
/// Below the last field, for the sizes.
const FOOT: f64 = 32.0;
/// Labels of times are so far apart at least.
const LABEL_HEIGHT: f64 = 14.0;

/// Where a size, a time and a ratio are.
struct Scales {
    sizes: Axis,
    times: Axis,
    /// Up, the device is faster, down, the host; none where nothing is known of them.
    ratios: Option<Axis>,
}

impl Scales {
    fn of(swept: &Swept) -> Option<Scales> {
        let sizes = Axis::of(swept.rows.iter().map(|(size, ..)| *size as f64), (FIELD.0, FIELD.1))?;
        let times = swept.rows.iter().flat_map(|(_, host, device)| [Some(*host), *device]).flatten();
        let times = Axis::of(times, (FIELD.3, FIELD.2))?.in_tens();
        let ratios = swept.rows.iter().filter_map(|(_, host, device)| ratio(*host, *device));
        // As far to either side.
        let ratios = Axis::of(ratios.flat_map(|ratio| [ratio, 1.0 / ratio]), (RATIOS.1, RATIOS.0)).map(|axis| {
            let most = axis.powers.1.ceil().max(1.0);
            Axis { powers: (-most, most), ..axis }
        });
        (sizes.powers.0 < sizes.powers.1).then_some(Scales { sizes, times, ratios })
    }

    /// The bottom of the last field.
    fn bottom(&self) -> f64 {
        if self.ratios.is_some() { RATIOS.1 } else { FIELD.3 }
    }
}

/// How many times as long the host takes as the device.
fn ratio(host: f64, device: Option<f64>) -> Option<f64> {
    let ratio = host / device?;
    (ratio > 0.0 && ratio.is_finite()).then_some(ratio)
}

/// Both lines with the points at which the faster side changes; `words` say what it shows.
pub fn draw(swept: &Swept, words: &str) -> Markup {
    let Some(scales) = Scales::of(swept) else { return Markup::default() };
    let at = |size: i64, time: f64| (scales.sizes.at(size as f64), scales.times.at(time));
    let host: Vec<(f64, f64)> = swept.rows.iter().map(|(size, host, _)| at(*size, *host)).collect();
    let device = swept.rows.iter().filter_map(|(size, _, device)| device.map(|device| at(*size, device)));
    let device: Vec<(f64, f64)> = device.collect();
    let end = |points: &[(f64, f64)]| points.last().map_or(FIELD.3, |(_, y)| *y);
    // The two names keep out of each other's way.
    let (mut host_y, mut device_y) = (end(&host), end(&device));
    if (host_y - device_y).abs() < LABEL_HEIGHT {
        let middle = (host_y + device_y) / 2.0;
        let sign = if host_y <= device_y { 1.0 } else { -1.0 };
        (host_y, device_y) = (middle - sign * LABEL_HEIGHT / 2.0, middle + sign * LABEL_HEIGHT / 2.0);
    }
    let drawing = html! {
        (grid(&scales, swept))
        @for (value, side) in &swept.crossings {
            @let x = short(scales.sizes.at(*value as f64));
            @let (anchor, dx) = if x > WIDTH / 2.0 { ("end", -4.0) } else { ("start", 4.0) };
            path.cross d={ "M" (x) " " (FIELD.2) "V" (scales.bottom()) } {}
            (label(x + dx, FIELD.2 + 9.0, anchor, format_args!("{} from {value}", side.name())))
        }
        (band(&scales, swept, "hostband", |((size, host, _), (within, _))| Some((*size, *host, (*within)?))))
        (band(&scales, swept, "devband", |((size, _, device), (_, within))| Some((*size, (*device)?, (*within)?))))
        (line("hostline", host.iter().copied()))
        (line("devline", device.iter().copied()))
        text.hostname x=(FIELD.1 + 6.0) y=(short(host_y + 4.0)) { "host" }
        @if !device.is_empty() { text.devname x=(FIELD.1 + 6.0) y=(short(device_y + 4.0)) { "device" } }
        @if let Some(axis) = &scales.ratios { (ratios(&scales, axis, swept)) }
    };
    picture(WIDTH, scales.bottom() + FOOT, words, drawing)
}

/// A line over the field, and what it stands for.
fn level(y: f64, name: impl Display) -> Markup {
    html! {
        path.gridline d={ "M" (FIELD.0) " " (y) "H" (FIELD.1) } {}
        (label(FIELD.0 - 5.0, y + 3.5, "end", name))
    }
}

fn ratios(scales: &Scales, axis: &Axis, swept: &Swept) -> Markup {
    let times = format!("{}\u{d7}", 10_f64.powf(axis.powers.1));
    let point = |(size, host, device): &(i64, f64, Option<f64>)| {
        Some((scales.sizes.at(*size as f64), axis.at(ratio(*host, *device)?)))
    };
    let x = FIELD.1 + 6.0;
    html! {
        @for (power, name) in [(axis.powers.1, &times[..]), (0.0, "equal"), (axis.powers.0, &times)] {
            (level(short(axis.at(10_f64.powf(power))), name))
        }
        (line("ratio", swept.rows.iter().filter_map(point)))
        text.devname x=(x) y=(RATIOS.0 + 9.0) { "device" }
        text x=(x) y=((RATIOS.0 + RATIOS.1) / 2.0 + 3.5) { "is faster" }
        text.hostname x=(x) y=(RATIOS.1 - 2.0) { "host" }
    }
}

/// The powers of ten of times, as many as have room, and every other size.
fn grid(scales: &Scales, swept: &Swept) -> Markup {
    let room = (FIELD.3 - FIELD.2) / (scales.times.powers.1 - scales.times.powers.0);
    html! {
        @for power in scales.times.tens((LABEL_HEIGHT / room).ceil().max(1.0)) {
            @let time = 10_f64.powf(power);
            (level(short(scales.times.at(time)), power_of_ten(power, time)))
        }
        @for (size, ..) in swept.rows.iter().step_by(2) {
            @let x = short(scales.sizes.at(*size as f64));
            path.gridline d={ "M" (x) " " (scales.bottom()) "v4" } {}
            (label(x, scales.bottom() + 16.0, "middle", size))
        }
    }
}

/// `10 us`, without digits that say nothing.
fn power_of_ten(power: f64, time: f64) -> String {
    let units = [(-9.0, "ns"), (-6.0, "us"), (-3.0, "ms"), (0.0, "s")];
    let unit = units.iter().rev().find(|(least, _)| power >= *least);
    match unit {
        Some((least, unit)) if power < 4.0 => format!("{:.0} {unit}", 10_f64.powf(power - least)),
        _ => Seconds::new(time).to_string(),
    }
}

/// A row with the factors within which its times are expected.
type Row<'a> = (&'a (i64, f64, Option<f64>), &'a (Option<f64>, Option<f64>));

/// Where times are expected: between the line over their spread and the line times it.
fn band(scales: &Scales, swept: &Swept, class: &str, of: impl Fn(Row<'_>) -> Option<(i64, f64, f64)>) -> Markup {
    let rows: Vec<(i64, f64, f64)> =
        swept.rows.iter().zip(&swept.within).filter_map(of).filter(|(_, time, _)| *time > 0.0).collect();
    let at = |size: i64, time: f64| (scales.sizes.at(size as f64), scales.times.at(time));
    let above = rows.iter().map(|(size, time, factor)| at(*size, time * factor));
    let below = rows.iter().rev().map(|(size, time, factor)| at(*size, time * (1.0 / factor)));
    let mut path = Path::default();
    path.line(above.chain(below));
    path.close();
    path.draw(class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::sweep::Side;

    fn swept(rows: Vec<(i64, f64, Option<f64>)>, crossings: Vec<(i64, Side)>) -> Swept {
        let within = vec![(Some(2.0), None); rows.len()];
        Swept { rows, within, crossings }
    }

    #[test]
    fn both_lines_and_the_crossing_are_drawn_inside_of_the_field() {
        let rows = vec![(32, 1e-6, Some(1e-4)), (1024, 1e-3, Some(2e-4)), (32768, 10.0, Some(0.1))];
        let picture = draw(&swept(rows, vec![(400, Side::Device)]), "it shows <times>");
        let text = picture.into_string();
        assert!(text.contains("aria-label=\"it shows &lt;times&gt;\""));
        assert!(text.contains("hostline\" d=\"M54 178L210") && text.contains("devline\" d=\"M54 "), "{text}");
        assert!(text.contains("device from 400"), "{text}");
        // From 2 us over 2 ms to 20 s, which is beyond the field, and back over half of each: 10 s is at the top.
        assert!(text.contains("hostband\" d=\"M54 170.9L") && text.matches("hostband").count() == 1, "{text}");
        assert!(!text.contains("devband"), "nothing is known of the device's");
        assert!(text.contains(">1 us<") && text.contains(">10 s<"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }

    #[test]
    fn who_is_faster_stands_below() {
        let rows = vec![(32, 1e-6, Some(1e-4)), (1024, 1e-3, Some(2e-4)), (32768, 10.0, Some(0.1))];
        let picture = draw(&swept(rows, Vec::new()), "");
        let text = picture.into_string();
        // At first the host is 100 times faster, at last the device.
        assert!(text.contains("ratio\" d=\"M54 262L210 ") && text.contains("L366 202\""), "{text}");
        assert!(text.contains(">100\u{d7}<") && text.contains(">equal<"), "{text}");
    }

    #[test]
    fn what_has_no_scale_has_no_picture() {
        assert!(draw(&swept(Vec::new(), Vec::new()), "").0.is_empty());
        assert!(draw(&swept(vec![(32, 0.0, None), (64, 0.0, None)], Vec::new()), "").0.is_empty());
        let same = draw(&swept(vec![(32, 1e-6, None), (64, 1e-6, None)], Vec::new()), "");
        assert!(!same.0.contains("NaN") && !same.0.contains("devline"));
        assert!(!same.0.contains("equal"), "nothing is compared");
    }
}
