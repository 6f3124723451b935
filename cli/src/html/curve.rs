//! Times over sizes, and below them how many times the faster side is faster, all on scales on which each step is a multiplication.

use std::fmt::Write;

use ipda_models::quantity::Seconds;
use maud::{Markup, html};

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
    sizes: (f64, f64),
    times: (f64, f64),
    /// The power of ten to which ratios reach, either way; none where nothing is known of them.
    ratios: Option<f64>,
}

impl Scales {
    fn of(swept: &Swept) -> Option<Scales> {
        let sizes = swept.rows.iter().map(|(size, ..)| (*size as f64).log2());
        let times = swept.rows.iter().flat_map(|(_, host, device)| [Some(*host), *device]);
        let times = times.flatten().filter(|time| *time > 0.0 && time.is_finite()).map(f64::log10);
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            let all: Vec<f64> = values.collect();
            let low = all.iter().copied().reduce(f64::min)?;
            let high = all.iter().copied().reduce(f64::max)?;
            Some((low, high))
        };
        let (low, high) = ends(&mut times.into_iter())?;
        // Whole powers of ten, and at least one of them.
        let times = (low.floor(), high.ceil().max(low.floor() + 1.0));
        let sizes = ends(&mut sizes.into_iter()).filter(|(low, high)| low < high)?;
        let ratios = swept.rows.iter().filter_map(|(_, host, device)| ratio(*host, *device));
        let ratios = ratios.map(|ratio| ratio.log10().abs()).reduce(f64::max).map(|most| most.ceil().max(1.0));
        Some(Scales { sizes, times, ratios })
    }

    /// The bottom of the last field.
    fn bottom(&self) -> f64 {
        if self.ratios.is_some() { RATIOS.1 } else { FIELD.3 }
    }

    /// Up, the device is faster, down, the host.
    fn y_of_ratio(&self, ratio: f64, most: f64) -> f64 {
        let part = (ratio.log10() / most + 1.0) / 2.0;
        RATIOS.1 - part.clamp(0.0, 1.0) * (RATIOS.1 - RATIOS.0)
    }

    fn x(&self, size: f64) -> f64 {
        let part = (size.log2() - self.sizes.0) / (self.sizes.1 - self.sizes.0);
        FIELD.0 + part.clamp(0.0, 1.0) * (FIELD.1 - FIELD.0)
    }

    fn y(&self, time: f64) -> f64 {
        let part = (time.log10() - self.times.0) / (self.times.1 - self.times.0);
        FIELD.3 - part.clamp(0.0, 1.0) * (FIELD.3 - FIELD.2)
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
    let at = |size: i64, time: f64| (scales.x(size as f64), scales.y(time));
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
    html! {
        svg.pic viewBox={ "0 0 " (WIDTH) " " (scales.bottom() + FOOT) } role="img" aria-label=(words) {
            (grid(&scales, swept))
            @for (value, side) in &swept.crossings {
                @let x = short(scales.x(*value as f64));
                @let (anchor, dx) = if x > WIDTH / 2.0 { ("end", -4.0) } else { ("start", 4.0) };
                path.cross d={ "M" (x) " " (FIELD.2) "V" (scales.bottom()) } {}
                text x=(x + dx) y=(FIELD.2 + 9.0) text-anchor=(anchor) { (side.name()) " from " (value) }
            }
            (band(&scales, swept, "hostband", |((size, host, _), (within, _))| Some((*size, *host, (*within)?))))
            (band(&scales, swept, "devband", |((size, _, device), (_, within))| Some((*size, (*device)?, (*within)?))))
            (line(&host, "hostline", ""))
            (line(&device, "devline", ""))
            text.hostname x=(FIELD.1 + 6.0) y=(short(host_y + 4.0)) { "host" }
            @if !device.is_empty() { text.devname x=(FIELD.1 + 6.0) y=(short(device_y + 4.0)) { "device" } }
            @if let Some(most) = scales.ratios { (ratios(&scales, most, swept)) }
        }
    }
}

/// A line over the field, and what it stands for.
fn level(y: f64, label: &str) -> Markup {
    html! {
        path.gridline d={ "M" (FIELD.0) " " (y) "H" (FIELD.1) } {}
        text x=(FIELD.0 - 5.0) y=(y + 3.5) text-anchor="end" { (label) }
    }
}

fn ratios(scales: &Scales, most: f64, swept: &Swept) -> Markup {
    let times = format!("{}\u{d7}", 10_f64.powf(most));
    let points = swept.rows.iter().filter_map(|(size, host, device)| {
        Some((scales.x(*size as f64), scales.y_of_ratio(ratio(*host, *device)?, most)))
    });
    let points: Vec<(f64, f64)> = points.collect();
    let x = FIELD.1 + 6.0;
    html! {
        @for (power, label) in [(most, &times[..]), (0.0, "equal"), (-most, &times)] {
            (level(short(scales.y_of_ratio(10_f64.powf(power), most)), label))
        }
        (line(&points, "ratio", ""))
        text.devname x=(x) y=(RATIOS.0 + 9.0) { "device" }
        text x=(x) y=((RATIOS.0 + RATIOS.1) / 2.0 + 3.5) { "is faster" }
        text.hostname x=(x) y=(RATIOS.1 - 2.0) { "host" }
    }
}

fn short(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The powers of ten of times, as many as have room, and every other size.
fn grid(scales: &Scales, swept: &Swept) -> Markup {
    let powers = scales.times.1 - scales.times.0;
    let room = (FIELD.3 - FIELD.2) / powers;
    let step = (LABEL_HEIGHT / room).ceil().max(1.0);
    let powers = std::iter::successors(Some(scales.times.0), |power| Some(power + step));
    html! {
        @for power in powers.take_while(|power| *power <= scales.times.1) {
            @let time = 10_f64.powf(power);
            (level(short(scales.y(time)), &power_of_ten(power, time)))
        }
        @for (size, ..) in swept.rows.iter().step_by(2) {
            @let x = short(scales.x(*size as f64));
            path.gridline d={ "M" (x) " " (scales.bottom()) "v4" } {}
            text x=(x) y=(scales.bottom() + 16.0) text-anchor="middle" { (size) }
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
    let at = |size: i64, time: f64| (scales.x(size as f64), scales.y(time));
    let above = rows.iter().map(|(size, time, factor)| at(*size, time * factor));
    let below = rows.iter().rev().map(|(size, time, factor)| at(*size, time * (1.0 / factor)));
    line(&above.chain(below).collect::<Vec<_>>(), class, "Z")
}

/// A line through points, and what ends it.
fn line(points: &[(f64, f64)], class: &str, end: &str) -> Markup {
    let mut path = String::new();
    for (nth, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{} {}", if nth == 0 { "M" } else { "L" }, short(*x), short(*y));
    }
    html! { @if !path.is_empty() { path class=(class) d={ (path) (end) } {} } }
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
