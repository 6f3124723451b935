//! One description, value by value.

use ipda_hwdb::{Device, LoadError, Parameter};

use crate::document::{Column, Document, Table, Tone};

pub fn document(name_or_path: &str) -> Result<Document, Vec<LoadError>> {
    let device = Device::find(name_or_path)?;
    let mut out = Document::default();
    out.line(Tone::Plain, format!("{} {}: {}", device.kind(), device.name(), device.product()));
    let mut facts = vec![("also called", device.aliases().join(", "))];
    match &device {
        Device::Gpu(gpu) => {
            facts.push(("processor", gpu.processor.clone()));
            facts.push(("links", gpu.links.join(", ")));
        }
        Device::Cpu(cpu) => facts.push(("processor", format!("{} ({})", cpu.processor, cpu.architecture))),
        Device::Link(_) => {}
    }
    for (what, words) in facts.into_iter().filter(|(_, words)| !words.is_empty()) {
        out.line(Tone::Plain, format!("{what}: {words}"));
    }
    out.blank();
    let columns = ["key", "value", "kind", "where from"].map(Column::text);
    out.table(Table::plain(1, &columns, device.parameters().iter().map(row).collect()));
    Ok(out)
}

fn row(Parameter { key, value }: &Parameter) -> Vec<String> {
    let [value, kind, from] = match value {
        Ok((value, evidence)) => [value.clone(), evidence.kind().to_string(), evidence.to_string()],
        Err(missing) => ["?".into(), "unknown".into(), missing.reason.clone()],
    };
    vec![key.clone(), value, kind, from]
}
