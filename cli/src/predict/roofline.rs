//! Kernels under the roofs of their device, as a table.

use ipda_models::machine;
use ipda_models::predict::{DevicePrediction, Machines, Prediction, Roofline, Roofs};
use ipda_models::report::InstructionClass;

use super::table::version_name;
use crate::document::{Column, Document, Table};
use crate::words::rounded;

/// One row of each version of each region that does something.
pub fn table(out: &mut Document, predictions: &[Prediction], machines: &Machines) -> anyhow::Result<()> {
    let roofs = Roofs::of(&machine::gpu_machine(&machines.gpu)?.machine);
    out.heading(format!("Roofline of {}", machines.gpu.name));
    out.wrapped(2, &sentence(&roofs));
    let columns = [
        Column::path("region"),
        Column::word("loops"),
        Column::number("memory"),
        Column::number("L2"),
        Column::number("operations"),
        Column::number("op/byte"),
        Column::number("op/s"),
        Column::number("of roof"),
        Column::word(""),
    ];
    let rows: Vec<Vec<String>> = predictions.iter().flat_map(of_region).collect();
    if rows.is_empty() {
        out.wrapped(2, "No kernel does anything with these values.");
        out.blank();
        return Ok(());
    }
    out.blank();
    out.table(Table::plain(2, &columns, rows));
    out.blank();
    Ok(())
}

/// The roofs in words.
pub fn sentence(roofs: &Roofs) -> String {
    let rate = |class: InstructionClass| roofs.operations.get(&class).map(|rate| amount(*rate));
    let floats = [("32", InstructionClass::Float32), ("64", InstructionClass::Float64)]
        .into_iter()
        .filter_map(|(bits, class)| Some(format!("{} operations on floats of {bits} bits", rate(class)?)));
    let bytes = format!("{}B from memory, {}B from L2", amount(roofs.memory.get()), amount(roofs.l2.get()));
    let all: Vec<String> = std::iter::once(bytes).chain(floats).collect();
    format!("In a second at most: {}; a fused multiplication and addition is one operation.", all.join(", "))
}

fn of_region(prediction: &Prediction) -> Vec<Vec<String>> {
    let line = |version: &DevicePrediction| Some(row(prediction, version, version.roofline.as_ref()?));
    prediction.device.iter().flatten().filter_map(line).collect()
}

fn row(prediction: &Prediction, version: &DevicePrediction, roofline: &Roofline) -> Vec<String> {
    let name = version_name(version);
    let name = name.strip_prefix("device, ").unwrap_or(&name);
    vec![
        name_of(prediction),
        name.strip_prefix("loops ").unwrap_or(name).to_owned(),
        format!("{}B", amount(roofline.memory.get())),
        format!("{}B", amount(roofline.l2.get())),
        amount(roofline.floats()).trim_end().to_owned(),
        roofline.intensity().map_or_else(|| "-".to_owned(), rounded),
        amount(roofline.rate()).trim_end().to_owned(),
        format!("{:.0} %", roofline.share * 100.0),
        roofline.roof.to_string(),
    ]
}

/// The region by function and line.
pub fn name_of(prediction: &Prediction) -> String {
    let line = prediction.place.rsplit(':').next().unwrap_or_default();
    format!("{}:{line}", prediction.function)
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
