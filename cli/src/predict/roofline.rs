//! Kernels under the roofs of their device, as a table.

use ipda_models::machine;
use ipda_models::predict::{DevicePrediction, Machines, OperationType, Prediction, Roofline, Roofs};

use super::table::version_name;
use crate::document::{Column, Document, Table};
use crate::words::rounded;

/// One row of each version of each region that does something.
pub fn table(out: &mut Document, predictions: &[Prediction], machines: &Machines) -> anyhow::Result<()> {
    let roofs = Roofs::of(&machine::gpu_machine(&machines.gpu)?.machine);
    out.heading(format!("Roofline of {}", machines.gpu.name));
    out.wrapped(2, &sentence(&roofs));
    let lines: Vec<Line> = predictions.iter().flat_map(of_region).collect();
    if lines.is_empty() {
        out.wrapped(2, "No kernel does anything with these values.");
        out.blank();
        return Ok(());
    }
    let types = types_of(lines.iter().map(|line| line.roofline));
    let mut columns =
        vec![Column::path("region"), Column::word("loops"), Column::number("memory"), Column::number("L2")];
    columns.extend(types.iter().map(|of| Column::number(of.name())));
    columns.extend(["op/byte", "op/s", "of roof"].map(Column::number));
    columns.push(Column::word(""));
    let rows: Vec<Vec<String>> = lines.iter().map(|line| line.cells(&types)).collect();
    out.blank();
    out.table(Table::plain(2, &columns, rows));
    if lines.iter().any(|line| !line.roofline.is_counted()) {
        out.wrapped(2, UNCOUNTED);
    }
    out.blank();
    Ok(())
}

/// What is said where a report has no finished code.
pub const UNCOUNTED: &str = "Without the device's finished code in the report, operations are not known.";

/// The types of operations that any of these kernels does.
pub fn types_of<'a>(rooflines: impl Iterator<Item = &'a Roofline> + Clone) -> Vec<OperationType> {
    let does = |of: &OperationType| rooflines.clone().any(|roofline| roofline.of_type(*of) > 0.0);
    OperationType::ALL.into_iter().filter(does).collect()
}

/// The roofs in words.
pub fn sentence(roofs: &Roofs) -> String {
    let rate = |of: OperationType| Some(of_type(roofs.of_type(of)?, of));
    let operations: Vec<String> = OperationType::ALL.into_iter().filter_map(rate).collect();
    format!(
        "In a second at most: {}B from memory, {}B from L2; operations: {}. A fused multiplication and addition is one operation.",
        amount(roofs.memory.get()),
        amount(roofs.l2.get()),
        operations.join(", ")
    )
}

/// A version of a region.
struct Line<'a> {
    name: String,
    loops: String,
    roofline: &'a Roofline,
}

fn of_region(prediction: &Prediction) -> Vec<Line<'_>> {
    let line = |version| line(prediction, version);
    prediction.device.iter().flatten().filter_map(line).collect()
}

fn line<'a>(prediction: &Prediction, version: &'a DevicePrediction) -> Option<Line<'a>> {
    let name = version_name(version);
    let name = name.strip_prefix("device, ").unwrap_or(&name);
    let loops = name.strip_prefix("loops ").unwrap_or(name).to_owned();
    Some(Line { name: name_of(prediction), loops, roofline: version.roofline.as_ref()? })
}

impl Line<'_> {
    fn cells(&self, types: &[OperationType]) -> Vec<String> {
        let Line { name, loops, roofline } = self;
        let known = |text: String| if roofline.is_counted() { text.trim_end().to_owned() } else { "-".to_owned() };
        let mut cells = vec![
            name.clone(),
            loops.clone(),
            format!("{}B", amount(roofline.memory.get())),
            format!("{}B", amount(roofline.l2.get())),
        ];
        cells.extend(types.iter().map(|of| known(amount(roofline.of_type(*of)))));
        cells.extend([
            roofline.intensity().map_or_else(|| "-".to_owned(), rounded),
            known(amount(roofline.rate())),
            format!("{:.0} %", roofline.share * 100.0),
            roofline.roof.to_string(),
        ]);
        cells
    }
}

/// The region by function and line.
pub fn name_of(prediction: &Prediction) -> String {
    let line = prediction.place.rsplit(':').next().unwrap_or_default();
    format!("{}:{line}", prediction.function)
}

/// Operations, such as `1.21 G single`.
pub fn of_type(count: f64, of: OperationType) -> String {
    format!("{} {}", amount(count).trim_end(), of.name())
}

/// Three digits and the unit's prefix, such as `1.21 G`.
pub fn amount(number: f64) -> String {
    const PREFIXES: [(f64, &str); 5] = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let found = PREFIXES.into_iter().find(|(least, _)| number >= least * 0.9995);
    let (scale, prefix) = found.unwrap_or((1.0, ""));
    format!("{} {prefix}", rounded(number / scale))
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn numbers_have_prefixes() {
        let texts = [0.0, 999.4, 999.6, 1e3, 1.214e9, 3.35e12, 2e16].map(amount);
        assert_eq!(texts, ["0 ", "999 ", "1 k", "1 k", "1.21 G", "3.35 T", "20 P"]);
    }
}
