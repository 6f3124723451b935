//! One description, value by value.

use std::fmt::Write;

use comfy_table::{ContentArrangement, Table, presets};
use ipda_hwdb::{Device, LoadError, Parameter};

pub fn text(name_or_path: &str, width: usize) -> Result<String, Vec<LoadError>> {
    let device = Device::find(name_or_path)?;
    let mut text = String::new();
    let _ = writeln!(text, "{} {}: {}", device.kind(), device.name(), device.product());
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
        let _ = writeln!(text, "{what}: {words}");
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width.try_into().unwrap_or(u16::MAX));
    table.set_header(["key", "value", "kind", "where from"]);
    for parameter in device.parameters() {
        table.add_row(row(&parameter));
    }
    text.push('\n');
    table.lines().for_each(|line| text += &format!("{}\n", line.trim_end()));
    Ok(text)
}

fn row(Parameter { key, value }: &Parameter) -> [String; 4] {
    match value {
        Ok((value, evidence)) => [key.clone(), value.clone(), evidence.kind().to_string(), evidence.to_string()],
        Err(missing) => [key.clone(), "?".into(), "unknown".into(), missing.reason.clone()],
    }
}
