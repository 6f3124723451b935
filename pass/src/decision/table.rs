//! What the object carries of each region: its decision table, in which launches find its prediction.
//!
//! Before optimisation it is known which regions there are, and which may run on the host; a launch finds no prediction then. Behind
//! the optimiser the finished code is known, and the tables are put where launches look for them.

use super::launch::{granted, region_name, string};
use super::{Eligible, Ineligible};
use crate::analysis::finished::SourceRegion;
use crate::analysis::maps::Maps;
use crate::openmp::map_type;
use crate::openmp::outline::TargetRegion;
use inkwell::module::Module;
use ipda_llvm::{DataLayout, Type, Value, demangle};
use ipda_models::closed::{Closed, closed, machine_values};
use ipda_models::form::Leaf;
use ipda_models::predict::{Machines, PredictError, Setting};
use ipda_models::report::{Region, Report, Transformation};
use ipda_models::summary::{Loaded, RegionSummary, is_trips, sized};
use ipda_models::table::{
    self, Allowed, Bytes, Carried, Forbidden, MachineNames, Prediction, Reading, SECTION, Table, Version,
};
use ipda_models::versions::{DeviceVersion, Recipe, VersionId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A region whose table is not finished.
#[derive(Clone)]
pub(crate) struct Waiting {
    table: Table,
    /// Why there can be no prediction, where that is known already.
    unpredictable: Option<String>,
    carriers: Vec<Carrier>,
}

/// An entry of the launch's arrays that is an argument of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Carrier {
    pub entry: u32,
    /// Whether the entry is the variable's value, not its address.
    pub is_value: bool,
}

/// The entries that carry a kernel's captured variables, in their order.
pub(crate) fn carriers(maps: &Maps) -> Vec<Carrier> {
    let carrier = |(entry, flags): (u32, u64)| Carrier { entry, is_value: flags & map_type::LITERAL != 0 };
    let captured = |(_, flags): &(u32, u64)| flags & map_type::TARGET_PARAMETER != 0;
    (0..).zip(maps.entries().iter().map(|entry| entry.flags())).filter(captured).map(carrier).collect()
}

/// What a region is called when the program runs.
pub(crate) fn title(region: &TargetRegion, file: &str) -> String {
    table::title(&demangle(&region.name.function), file, region.name.line)
}

/// What predictions are made of: the report of the finished code with what was known of its regions before optimisation, and the
/// machines or why there are none.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub report: &'a Report,
    pub sources: &'a [SourceRegion],
    pub machines: &'a Result<Machines, String>,
}

/// What a launch needs of a prediction beside the table.
#[derive(Default)]
struct Beside {
    /// The numbers that machines with the table's names prepare.
    prepared: Vec<f64>,
    /// What the prediction rests on that no value tells, for the log of launches.
    guesses: Vec<String>,
}

impl Waiting {
    pub(crate) fn new(
        region: &TargetRegion,
        file: &str,
        eligibility: &Result<Eligible, Ineligible>,
        unpredictable: Option<String>,
        carriers: Vec<Carrier>,
    ) -> Waiting {
        let on_host = match eligibility {
            Ok(eligibility) => Ok(Allowed { entries: eligibility.entries.clone() }),
            Err(stay) => Err(Forbidden { name: stay.name().into(), reason: stay.to_string() }),
        };
        let unknown = || String::from("unknown");
        let table = Table {
            function: demangle(&region.name.function),
            file: file.into(),
            line: region.name.line,
            kernel: region.symbol.clone(),
            on_host,
            versions: Vec::new(),
            machines: MachineNames { gpu: unknown(), cpu: unknown(), link: unknown() },
            prediction: Err("the compiler did not come to its end".into()),
        };
        Waiting { table, unpredictable, carriers }
    }

    /// Whether what a report says is needed.
    pub(crate) fn is_predictable(&self) -> bool {
        self.unpredictable.is_none()
    }

    /// The finished table, and what a launch needs beside it.
    fn finish(mut self, known: Known<'_>, prepared: &Prepared) -> (Table, Beside) {
        let Known { report, sources, machines } = known;
        if let Ok(Machines { gpu, cpu, link }) = machines {
            let [gpu, cpu, link] = [&gpu.name, &cpu.name, &link.name].map(Clone::clone);
            self.table.machines = MachineNames { gpu, cpu, link };
        }
        let number = prepared.places.get(&self.table.kernel).copied();
        let region = number.and_then(|number| report.regions.get(number));
        // What launches do not decide is not looked for, unless a report is asked for, which must not show here.
        let decided = region.filter(|_| self.is_predictable());
        self.table.versions = versions(decided.and_then(|region| region.transformation.as_ref()));
        let prediction = match (&self.unpredictable, region, machines) {
            (Some(reason), ..) => Err(reason.clone()),
            (None, None, _) => Err("what its code does was not found".into()),
            (None, _, Err(reason)) => Err(reason.clone()),
            (None, Some(region), Ok(machines)) => {
                let source = number.and_then(|number| sources.get(number));
                let predict = || self.predict(region, report, source, machines, prepared);
                // Other regions' launches must still find theirs.
                let fault = "internal error; please report this with the source file";
                catch_unwind(AssertUnwindSafe(predict)).unwrap_or_else(|_| Err(fault.into()))
            }
        };
        let (prediction, beside) = match prediction {
            Ok((prediction, beside)) => (Ok(prediction), beside),
            Err(reason) => (Err(reason), Beside::default()),
        };
        self.table.prediction = prediction;
        (self.table, beside)
    }

    fn predict(
        &self,
        region: &Region,
        report: &Report,
        source: Option<&SourceRegion>,
        machines: &Machines,
        prepared: &Prepared,
    ) -> Result<(Prediction, Beside), String> {
        let expressions = source.and_then(|source| source.expressions.take());
        let mut expressions = expressions.ok_or("what its code does was not found")?;
        expressions.read_device_code(region);
        let mut summary = RegionSummary::new(region, &report.hardware, expressions);
        // For a report more processors are asked than for a decision, and to ask for one changes no object.
        summary.keep_processor(&machines.cpu.processor);
        let Closed { form, versions, notes, guesses } =
            closed(&summary, machines, &Setting::default()).map_err(reason)?;
        // A launch says by its place which one it takes.
        let place = |id: &VersionId| {
            let place = self.table.versions.iter().position(|version| version.id == *id);
            place.and_then(|place| u8::try_from(place).ok()).map(VersionId::new)
        };
        let places: Option<Vec<VersionId>> = versions.iter().map(place).collect();
        let versions = places.ok_or("its versions are not those that were made")?;
        // People may also ask for the times of kernels alone.
        let form = form.with_results(table::DEVICE + versions.len());
        let named = form.leaves().iter().filter_map(|leaf| match leaf {
            Leaf::Captured(name) => Some(name),
            Leaf::Machine(_) | Leaf::HostThreads => None,
        });
        let captured = named.map(|name| self.carried(&summary, source, name)).collect::<Result<_, _>>()?;
        let notes = notes.into_iter().map(|note| note.0).collect();
        let prediction = Prediction { form, versions, captured, notes };
        prediction.program()?;
        let values = prepared.values.as_ref().map_err(Clone::clone)?;
        let prepared = prediction.prepared(|key| values.get(key).copied());
        let prepared = prepared.ok_or("a parameter of the machines has no value")?;
        Ok((prediction, Beside { prepared, guesses }))
    }

    /// Where the launch carries a variable, the size of what it maps, or what leads to a value in memory.
    fn carried(&self, summary: &RegionSummary, source: Option<&SourceRegion>, name: &str) -> Result<Carried, String> {
        if is_trips(name) {
            return Ok(Carried { name: name.into(), entry: 0, reading: Reading::Trips });
        }
        let is_whole = self.carriers.len() == summary.inputs.len();
        if let Some(Loaded { input, reading, .. }) = summary.loaded().into_iter().find(|loaded| loaded.name == name) {
            let carrier = self.carriers.get(input).filter(|carrier| is_whole && !carrier.is_value);
            let entry = carrier.ok_or("its launch does not show what it maps")?.entry;
            return Ok(Carried { name: name.into(), entry, reading });
        }
        let size_of = sized(name);
        let variable = size_of.unwrap_or(name);
        let place = summary.inputs.iter().position(|input| input.name == variable);
        let place = place.ok_or_else(|| format!("it captures no {variable}"))?;
        let reading = source.and_then(|source| source.readings.get(place).copied().flatten());
        match (self.carriers.get(place), reading) {
            _ if !is_whole => Err("its launch does not show what it maps".into()),
            (Some(Carrier { entry, .. }), _) if size_of.is_some() => {
                Ok(Carried { name: name.into(), entry: *entry, reading: Reading::Size })
            }
            (Some(Carrier { entry, is_value: true }), Some(reading)) => {
                Ok(Carried { name: name.into(), entry: *entry, reading })
            }
            (Some(Carrier { is_value: true, .. }), None) => Err(format!("{name} is of a type that is not followed")),
            _ => Err(format!("{name} is in memory where it is launched, and the device may have changed it")),
        }
    }
}

/// What is looked up for all regions of a module once.
struct Prepared {
    /// The places of kernels in the report.
    places: FxHashMap<String, usize>,
    /// The values of the machines' keys.
    values: Result<BTreeMap<String, f64>, String>,
}

impl Prepared {
    fn of(known: Known<'_>) -> Prepared {
        let mut places = FxHashMap::default();
        for (number, source) in known.sources.iter().enumerate() {
            places.entry(source.symbol.clone()).or_insert(number);
        }
        // A fault here must leave the tables, which then say that there is no prediction.
        let fault = || Err("internal error; please report this with the source file".into());
        let values = known.machines.as_ref().map_err(Clone::clone);
        let values = values.and_then(|machines| {
            let values = || machine_values(machines).map_err(reason);
            catch_unwind(AssertUnwindSafe(values)).unwrap_or_else(|_| fault())
        });
        Prepared { places, values }
    }
}

/// Why there is no prediction.
fn reason(error: PredictError) -> String {
    match error {
        PredictError::Nothing { reason, .. } => reason,
        other => other.to_string(),
    }
}

/// What runs: the region as it was written, and what was made of it.
fn versions(transformation: Option<&Transformation>) -> Vec<Version> {
    let as_written = Version { id: VersionId::AS_WRITTEN, name: Recipe::default().to_string(), guard: Vec::new() };
    let made: Vec<&DeviceVersion> = transformation.iter().flat_map(|reported| reported.made()).collect();
    // Those of several loops run together, each where its own guard holds.
    let mut guard: Vec<String> = Vec::new();
    for condition in made.iter().flat_map(|version| &version.guard) {
        if !guard.contains(&condition.text) {
            guard.push(condition.text.clone());
        }
    }
    let name = Recipe::together(made.iter().map(|version| &version.recipe)).to_string();
    let changed = made.first().map(|first| Version { id: first.id, name, guard });
    std::iter::once(as_written).chain(changed).collect()
}

/// The tables of a module whose optimisation has ended.
pub(crate) fn tables(waiting: Vec<Waiting>, known: Known<'_>) -> Vec<Table> {
    let prepared = Prepared::of(known);
    waiting.into_iter().map(|region| region.finish(known, &prepared).0).collect()
}

/// Puts tables and predictions into a module whose optimisation has ended.
pub(crate) fn put(module: &Module<'_>, waiting: Vec<Waiting>, known: Known<'_>) {
    let mut kept = Vec::new();
    let prepared = Prepared::of(known);
    for region in waiting {
        let (table, beside) = region.finish(known, &prepared);
        kept.push(put_table(module, &table, &beside));
    }
    ipda_llvm::retain(module, &kept);
}

/// The table's constant.
fn put_table(module: &Module<'_>, table: &Table, beside: &Beside) -> Value {
    let Bytes { bytes, program } = table.to_bytes();
    let kernel = &table.kernel;
    let value = module.get_context().const_string(&bytes, false);
    let constant = Value::private_constant(module, &format!("__ipda_table_{kernel}"), Value::of(&value));
    constant.set_section(SECTION);
    constant.set_alignment(1);
    if let Some(region) = ipda_llvm::global(module, &region_name(kernel)) {
        let mut fields = Fields::of(module, region);
        fields.set(offset_of!(table::Region, table), constant);
        fields.set_number(offset_of!(table::Region, table_length), bytes.len());
        if let (Ok(prediction), Some(program)) = (&table.prediction, program) {
            fields.set_prediction(table, prediction, beside, program.spread);
            fields.set(offset_of!(table::Region, program), constant.byte_at(program.at));
        }
        fields.put();
    }
    constant
}

/// The fields of a region, which get their values when its table is known.
struct Fields<'a, 'ctx> {
    module: &'a Module<'ctx>,
    region: Value,
    ty: Type,
    values: Vec<Value>,
}

impl<'a, 'ctx> Fields<'a, 'ctx> {
    fn of(module: &'a Module<'ctx>, region: Value) -> Fields<'a, 'ctx> {
        let (ty, before) = (region.content_type(), region.initializer());
        let values = (0..ty.field_count()).filter_map(|number| before?.aggregate_element(number));
        Fields { module, region, ty, values: values.collect() }
    }

    fn set(&mut self, offset: usize, value: Value) {
        self.values[DataLayout::of(self.module).field_at(self.ty, offset)] = value;
    }

    fn set_number(&mut self, offset: usize, number: usize) {
        let at = DataLayout::of(self.module).field_at(self.ty, offset);
        self.values[at] = Value::int_of(self.ty.field(at as u32), number as u64);
    }

    fn set_prediction(&mut self, table: &Table, prediction: &Prediction, beside: &Beside, spread: usize) {
        let (module, kernel) = (self.module, &table.kernel);
        let names: Vec<String> = prediction.captured.iter().map(Carried::words).collect();
        let double = Type::double(module);
        let numbers: Vec<Value> = beside.prepared.iter().map(|number| Value::real_of(double, *number)).collect();
        let memory = Value::null_of(Type::int(module, 64).array(table::MEMORY + names.len()));
        let steps = Value::null_of(Type::int(module, 16).array(spread));
        // The library puts in numbers of the machines that it finds, and launches what they have computed.
        let changing = [("prepared", Value::array_of(double, &numbers)), ("memory", memory), ("steps", steps)];
        let changing = changing.map(|(name, value)| {
            let variable = Value::private_constant(module, &format!("__ipda_{name}_{kernel}"), value);
            variable.may_change();
            variable
        });
        self.set(offset_of!(table::Region, prepared), changing[0]);
        self.set_number(offset_of!(table::Region, prepared_count), beside.prepared.len());
        self.set(offset_of!(table::Region, memory), changing[1]);
        self.set(offset_of!(table::Region, steps), changing[2]);
        let names = string(module, &format!("__ipda_values_{kernel}"), &names.join("\0"));
        self.set(offset_of!(table::Region, value_names), names);
        let names: Vec<&str> = table.versions.iter().map(|version| &version.name[..]).collect();
        let names = string(module, &format!("__ipda_versions_{kernel}"), &names.join("\0"));
        self.set(offset_of!(table::Region, version_names), names);
        if let Some(granted) = granted(&beside.guesses) {
            let granted = string(module, &format!("__ipda_granted_{kernel}"), &granted);
            self.set(offset_of!(table::Region, granted), granted);
        }
    }

    fn put(self) {
        self.region.set_initializer(Value::structure(self.ty, &self.values));
    }
}

/// The tables that a module carries.
pub(crate) fn read(module: &Module<'_>) -> Vec<Table> {
    let is_table = |name: &[u8]| name.starts_with(b"__ipda_table_");
    let tables = module.get_globals().filter(|global| is_table(global.get_name().to_bytes()));
    let bytes = |global| Value::of(&global).initializer().and_then(Value::string_bytes);
    tables.filter_map(bytes).filter_map(|bytes| Table::from_bytes(bytes).ok()).collect()
}
