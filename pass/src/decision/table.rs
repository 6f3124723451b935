//! What the object carries of each region: its decision table, and the code of its prediction.
//!
//! In front of the optimiser it is known which regions there are, and which may run on the host; a launch finds no prediction then. Behind
//! the optimiser the finished code is known, and the predictions are put where launches look for them.

use super::launch::{field, granted, private_constant, region_name, string};
use super::{Permit, Stay, code};
use crate::finished;
use crate::ir::{Value, demangle};
use crate::maps::Maps;
use crate::omp::map_type;
use crate::outline::TargetRegion;
use inkwell::module::Module;
use inkwell::values::AsValueRef;
use ipda_models::closed::{Closed, closed, machine_values};
use ipda_models::form::Leaf;
use ipda_models::predict::{Machines, PredictError, Setting};
use ipda_models::report::{Region, Report, Transformation, TransformationState};
use ipda_models::summary::{RegionSummary, sized};
use ipda_models::table::{Allowed, Carried, Forbidden, MachineNames, Prediction, Reading, SECTION, Table, Version};
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Steps of a form beyond which no code is made of it.
const MAX_STEPS: usize = 20_000;

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
    format!("{} at {file}:{}", demangle(&region.name.function), region.name.line)
}

thread_local! {
    /// The regions of the module in work and the machines that they are predicted for, until its optimisation has ended.
    static WAITING: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// Regions, and machines or why there are none.
type Kept = (Vec<Waiting>, Result<Machines, String>);

/// Keeps regions until the module is optimised.
pub(crate) fn remember(regions: Vec<Waiting>, machines: Result<Machines, String>) {
    WAITING.set(Some((regions, machines)));
}

/// What was kept.
pub(crate) fn remembered() -> Kept {
    WAITING.take().unwrap_or_else(|| (Vec::new(), Err("no region was launched".into())))
}

impl Waiting {
    pub(crate) fn new(
        region: &TargetRegion,
        file: &str,
        permit: &Result<Permit, Stay>,
        unpredictable: Option<String>,
        carriers: Vec<Carrier>,
    ) -> Waiting {
        let on_host = match permit {
            Ok(permit) => Ok(Allowed { entries: permit.entries.clone() }),
            Err(stay) => Err(Forbidden { name: stay.name().into(), reason: stay.to_string() }),
        };
        let unknown = || String::from("unknown");
        let table = Table {
            region: title(region, file),
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

    pub(crate) fn kernel(&self) -> &str {
        &self.table.kernel
    }

    /// The finished table, and the numbers that machines with the table's names prepare.
    fn finish(mut self, report: &Report, machines: &Result<Machines, String>) -> (Table, Vec<f64>) {
        if let Ok(Machines { gpu, cpu, link }) = machines {
            let [gpu, cpu, link] = [&gpu.name, &cpu.name, &link.name].map(Clone::clone);
            self.table.machines = MachineNames { gpu, cpu, link };
        }
        let known = finished::symbols().iter().position(|symbol| *symbol == self.table.kernel);
        let region = known.and_then(|number| report.regions.get(number));
        self.table.versions = versions(region.and_then(|region| region.transformation.as_ref()));
        let prediction = match (&self.unpredictable, region, machines) {
            (Some(reason), ..) => Err(reason.clone()),
            (None, None, _) => Err("what its code does was not found".into()),
            (None, _, Err(reason)) => Err(reason.clone()),
            (None, Some(region), Ok(machines)) => {
                let predict = || self.predict(region, report, machines);
                // Other regions' launches must still find theirs.
                let fault = "internal error; please report this with the source file";
                catch_unwind(AssertUnwindSafe(predict)).unwrap_or_else(|_| Err(fault.into()))
            }
        };
        let (prediction, prepared) = match prediction {
            Ok((prediction, prepared)) => (Ok(prediction), prepared),
            Err(reason) => (Err(reason), Vec::new()),
        };
        self.table.prediction = prediction;
        (self.table, prepared)
    }

    fn predict(&self, region: &Region, report: &Report, machines: &Machines) -> Result<(Prediction, Vec<f64>), String> {
        let expressions = finished::source(&self.table.kernel).and_then(|source| source.expressions.take());
        let mut expressions = expressions.ok_or("what its code does was not found")?;
        expressions.read_device_code(region);
        let summary = RegionSummary::new(region, &report.hardware, expressions);
        let reason = |error| match error {
            PredictError::Nothing { reason, .. } => reason,
            other => other.to_string(),
        };
        let Closed { form, notes } = closed(&summary, machines, &Setting::default()).map_err(reason)?;
        if form.steps().len() > MAX_STEPS {
            return Err("its prediction takes too many steps".into());
        }
        let named = form.leaves().iter().filter_map(|leaf| match leaf {
            Leaf::Captured(name) => Some(name),
            Leaf::Machine(_) | Leaf::HostThreads => None,
        });
        let captured = named.map(|name| self.carried(&summary, name)).collect::<Result<_, _>>()?;
        let prediction = Prediction { form, captured, notes: notes.into_iter().map(|note| note.0).collect() };
        let values = machine_values(machines).map_err(reason)?;
        let prepared = prediction.prepared(|key| values.get(key).copied());
        let prepared = prepared.ok_or("a parameter of the machines has no value")?;
        Ok((prediction, prepared))
    }

    /// Where the launch carries a variable, or the size of what it maps.
    fn carried(&self, summary: &RegionSummary, name: &str) -> Result<Carried, String> {
        let size_of = sized(name);
        let variable = size_of.unwrap_or(name);
        let place = summary.inputs.iter().position(|input| input.name == variable);
        let place = place.ok_or_else(|| format!("it captures no {variable}"))?;
        let source = finished::source(&self.table.kernel);
        let reading = source.and_then(|source| source.readings.get(place).copied().flatten());
        match (self.carriers.get(place), reading) {
            _ if self.carriers.len() != summary.inputs.len() => Err("its launch does not show what it maps".into()),
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

fn versions(transformation: Option<&Transformation>) -> Vec<Version> {
    let mut versions = vec![Version { name: "as written".into(), guard: Vec::new() }];
    if let Some(done) = transformation.filter(|done| done.state == TransformationState::Done) {
        let names: Vec<&str> = done.threads.iter().map(|named| &named.name[..]).collect();
        versions.push(Version { name: format!("loops {} fused", names.join(", ")), guard: done.conditions.clone() });
    }
    versions
}

/// The tables of a module whose optimisation has ended.
pub(crate) fn tables(waiting: Vec<Waiting>, report: &Report, machines: &Result<Machines, String>) -> Vec<Table> {
    waiting.into_iter().map(|region| region.finish(report, machines).0).collect()
}

/// Puts tables and predictions into a module whose optimisation has ended.
pub(crate) fn put(module: &Module<'_>, waiting: Vec<Waiting>, report: &Report, machines: &Result<Machines, String>) {
    let mut kept = Vec::new();
    for region in waiting {
        let (table, prepared) = region.finish(report, machines);
        kept.push(put_table(module, &table, &prepared));
    }
    retain(module, &kept);
}

/// The table's constant.
fn put_table(module: &Module<'_>, table: &Table, prepared: &[f64]) -> LLVMValueRef {
    let bytes = table.to_bytes();
    let kernel = &table.kernel;
    let value = module.get_context().const_string(&bytes, false);
    let constant = private_constant(module, &format!("__ipda_table_{kernel}"), value.as_value_ref());
    let section = std::ffi::CString::new(SECTION).unwrap_or_default();
    // SAFETY: a constant of the module.
    unsafe {
        LLVMSetSection(constant, section.as_ptr());
        LLVMSetAlignment(constant, 1);
    }
    if let Some(region) = module.get_global(&region_name(kernel)) {
        fill(module, Value::of(&region), table, constant, bytes.len(), prepared);
    }
    constant
}

/// Lets launches find a table and its prediction.
fn fill(module: &Module<'_>, region: Value, table: &Table, constant: LLVMValueRef, length: usize, prepared: &[f64]) {
    let Some(before) = region.initializer() else { return };
    let kernel = &table.kernel;
    // SAFETY: the module and all that is made here are alive; the fields have the types that they had.
    unsafe {
        let ty = LLVMTypeOf(before.raw());
        let mut fields: Vec<LLVMValueRef> =
            (0..LLVMCountStructElementTypes(ty)).map(|number| LLVMGetAggregateElement(before.raw(), number)).collect();
        let number =
            |field: usize, number: usize| LLVMConstInt(LLVMStructGetTypeAtIndex(ty, field as u32), number as u64, 0);
        fields[field::TABLE] = constant;
        fields[field::TABLE_LENGTH] = number(field::TABLE_LENGTH, length);
        if let (Ok(prediction), Some(like)) = (&table.prediction, launcher(module, kernel)) {
            let function = code::function(module, &format!("__ipda_predict_{kernel}"), prediction, like);
            let double = LLVMDoubleTypeInContext(LLVMGetModuleContext(module.as_mut_ptr()));
            let mut numbers: Vec<_> = prepared.iter().map(|number| LLVMConstReal(double, *number)).collect();
            let numbers = LLVMConstArray2(double, numbers.as_mut_ptr(), numbers.len() as u64);
            let numbers = private_constant(module, &format!("__ipda_prepared_{kernel}"), numbers);
            // The library puts in those of the machines that it finds.
            LLVMSetGlobalConstant(numbers, 0);
            let names: Vec<&str> = prediction.captured.iter().map(|carried| &carried.name[..]).collect();
            fields[field::PREPARED] = numbers;
            fields[field::PREPARED_COUNT] = number(field::PREPARED_COUNT, prepared.len());
            fields[field::PREDICT] = function.raw();
            fields[field::VALUE_NAMES] = string(module, &format!("__ipda_values_{kernel}"), &names.join("\0"));
            fields[field::VALUE_COUNT] = number(field::VALUE_COUNT, names.len());
            if let Some(granted) = granted(&prediction.notes) {
                fields[field::GRANTED] = string(module, &format!("__ipda_granted_{kernel}"), &granted);
            }
        }
        LLVMSetInitializer(region.raw(), LLVMConstNamedStruct(ty, fields.as_mut_ptr(), fields.len() as u32));
    }
}

/// A function that decides for a kernel's launches: it is compiled as the code around them is.
fn launcher(module: &Module<'_>, kernel: &str) -> Option<Value> {
    let region = Value::of(&module.get_global(&region_name(kernel))?);
    region.users().into_iter().find(|user| user.is_instruction()).map(|user| user.block().function())
}

/// Keeps constants that nothing in the module may use.
fn retain(module: &Module<'_>, constants: &[LLVMValueRef]) {
    const USED: &str = "llvm.used";
    if constants.is_empty() {
        return;
    }
    let before = module.get_global(USED).map(|global| Value::of(&global));
    let listed = before.and_then(Value::initializer).map(|list| list.operands().map(Value::raw).collect::<Vec<_>>());
    let mut all: Vec<LLVMValueRef> = listed.unwrap_or_default();
    all.extend(constants);
    // SAFETY: the module and its constants are alive; nothing refers to the old list.
    unsafe {
        let pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(module.as_mut_ptr()), 0);
        let list = LLVMConstArray2(pointer, all.as_mut_ptr(), all.len() as u64);
        let section = c"llvm.metadata";
        if let Some(before) = before {
            LLVMDeleteGlobal(before.raw());
        }
        let global = LLVMAddGlobal(module.as_mut_ptr(), LLVMTypeOf(list), c"llvm.used".as_ptr());
        LLVMSetInitializer(global, list);
        LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMAppendingLinkage);
        LLVMSetSection(global, section.as_ptr());
    }
}

/// The tables that a module carries.
pub(crate) fn read(module: &Module<'_>) -> Vec<Table> {
    let is_table = |name: &[u8]| name.starts_with(b"__ipda_table_");
    let tables = module.get_globals().filter(|global| is_table(global.get_name().to_bytes()));
    let bytes = |global| Value::of(&global).initializer().and_then(Value::string_bytes);
    tables.filter_map(bytes).filter_map(|bytes| Table::from_bytes(bytes).ok()).collect()
}
