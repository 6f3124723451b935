//! What a kernel computes and moves, against what its device can do at most: the roofline of Williams, Waterman and Patterson (*Roofline: an
//! insightful visual performance model for multicore architectures*, Communications of the ACM 52(4), 2009), with the L2 as a second slope.
//!
//! Operations are those of threads. A fused multiplication and addition is one of them, in kernels as in roofs. Lanes that a branch leaves out are
//! counted where their warp goes through it: the roofs are those of units, which are busy for whole warps.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::ModelError;
use crate::gpu::extended::moved;
use crate::gpu::{GpuMachine, Pipe};
use crate::quantity::{Bytes, BytesPerSecond, Seconds};
use crate::report::InstructionClass;
use crate::summary::DeviceWork;

/// Whether operations of a class are counted.
fn is_arithmetic(class: InstructionClass) -> bool {
    OperationType::of(class).is_some()
}

/// What operations are on, or which units do them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperationType {
    /// Floats of 16 bits.
    Half,
    /// Floats of 32 bits.
    Single,
    /// Floats of 64 bits.
    Double,
    /// Square roots, exponentials and the like, and conversions.
    Special,
    /// Integers, addresses among them.
    Integer,
}

impl OperationType {
    /// All of them, in their order.
    pub const ALL: [OperationType; 5] = [
        OperationType::Half,
        OperationType::Single,
        OperationType::Double,
        OperationType::Special,
        OperationType::Integer,
    ];

    /// The type of a class of instructions; none of those that compute nothing.
    pub fn of(class: InstructionClass) -> Option<OperationType> {
        use InstructionClass as Class;
        match class {
            Class::Float16 => Some(OperationType::Half),
            Class::Float32 | Class::Divide32 => Some(OperationType::Single),
            Class::Float64 | Class::Divide64 => Some(OperationType::Double),
            Class::Special32 | Class::Special64 | Class::Convert => Some(OperationType::Special),
            _ => class.is_integer().then_some(OperationType::Integer),
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            OperationType::Half => "half",
            OperationType::Single => "single",
            OperationType::Double => "double",
            OperationType::Special => "special",
            OperationType::Integer => "integer",
        }
    }

    /// The class whose rate is this type's roof: its fastest.
    fn fastest(self) -> InstructionClass {
        match self {
            OperationType::Half => InstructionClass::Float16,
            OperationType::Single => InstructionClass::Float32,
            OperationType::Double => InstructionClass::Float64,
            OperationType::Special => InstructionClass::Convert,
            OperationType::Integer => InstructionClass::Integer32,
        }
    }
}

/// What a device can do at most.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofs {
    /// Of its memory.
    pub memory: BytesPerSecond,
    /// Of its L2.
    pub l2: BytesPerSecond,
    /// Operations a second by class, where the description has one.
    pub operations: BTreeMap<InstructionClass, f64>,
    /// The units that do them.
    pipes: BTreeMap<InstructionClass, Pipe>,
}

/// A kernel under the roofs of its device.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// What goes between L1 and L2.
    pub l2: Bytes,
    /// What goes between L2 and memory.
    pub memory: Bytes,
    /// Operations of all threads by class, without those that do not occur.
    pub operations: BTreeMap<InstructionClass, f64>,
    /// The predicted time of the kernel, without launch and transfers.
    pub time: Seconds,
    /// The roof that is lowest over it.
    pub roof: Roof,
    /// The time that this roof alone allows, over the predicted one: 1 for a kernel that reaches it.
    pub share: f64,
}

/// What no kernel can pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roof {
    /// The memory's bandwidth.
    Memory,
    /// The bandwidth of the L2.
    L2,
    /// The rate of some units.
    Units(Pipe),
}

impl fmt::Display for Roof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Roof::Memory => f.write_str("memory"),
            Roof::L2 => f.write_str("L2"),
            Roof::Units(pipe) => write!(f, "{pipe}"),
        }
    }
}

impl Roofs {
    /// Those of a device.
    pub fn of(machine: &GpuMachine) -> Roofs {
        let costs = || machine.costs.iter().filter(|(class, _)| is_arithmetic(**class));
        let a_second = machine.sms as f64 * machine.clock.get();
        Roofs {
            memory: machine.memory.bandwidth,
            l2: machine.l2.bandwidth,
            operations: costs().map(|(class, cost)| (*class, cost.per_cycle * a_second)).collect(),
            pipes: costs().map(|(class, cost)| (*class, cost.pipe)).collect(),
        }
    }

    /// The most operations of a type in a second, where the description has it.
    pub fn of_type(&self, of: OperationType) -> Option<f64> {
        self.operations.get(&of.fastest()).copied()
    }

    /// The shortest time under each roof.
    fn times(&self, l2: Bytes, memory: Bytes, operations: &BTreeMap<InstructionClass, f64>) -> Vec<(Roof, f64)> {
        let mut of_pipes: BTreeMap<Pipe, f64> = BTreeMap::new();
        for (class, count) in operations {
            if let (Some(rate), Some(pipe)) = (self.operations.get(class), self.pipes.get(class)) {
                *of_pipes.entry(*pipe).or_default() += count / rate;
            }
        }
        let of_units = of_pipes.into_iter().map(|(pipe, time)| (Roof::Units(pipe), time));
        let of_bytes = [(Roof::Memory, (memory / self.memory).get()), (Roof::L2, (l2 / self.l2).get())];
        of_bytes.into_iter().chain(of_units).collect()
    }
}

impl Roofline {
    /// Of a kernel's shared loops, which take `time` together. None of one that does nothing.
    pub(super) fn of(
        machine: &GpuMachine,
        works: &[DeviceWork],
        time: Seconds,
    ) -> Result<Option<Roofline>, ModelError> {
        let (mut l2, mut memory) = (0.0, 0.0);
        let mut operations: BTreeMap<InstructionClass, f64> = BTreeMap::new();
        for work in works {
            let moved = moved(machine, &work.work)?;
            l2 += moved.l2.get() * work.repeats;
            memory += moved.memory.get() * work.repeats;
            let of_all = work.work.iterations as f64 * work.repeats;
            for (class, count) in work.work.instructions.iter().filter(|(class, _)| is_arithmetic(**class)) {
                *operations.entry(*class).or_default() += count * of_all;
            }
        }
        operations.retain(|_, count| *count > 0.0);
        let (l2, memory) = (Bytes::new(l2), Bytes::new(memory));
        let times = Roofs::of(machine).times(l2, memory, &operations);
        let lowest = times.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((roof, least)) = lowest.filter(|(_, least)| *least > 0.0 && time.get() > 0.0) else { return Ok(None) };
        Ok(Some(Roofline { l2, memory, operations, time, roof, share: least / time.get() }))
    }

    /// Operations on floats.
    pub fn floats(&self) -> f64 {
        self.sum(InstructionClass::is_float)
    }

    /// Operations of a type.
    pub fn of_type(&self, of: OperationType) -> f64 {
        self.sum(|class| OperationType::of(class) == Some(of))
    }

    fn sum(&self, is_counted: impl Fn(InstructionClass) -> bool) -> f64 {
        // An empty sum is -0, which people need not see.
        self.operations.iter().filter(|(class, _)| is_counted(**class)).map(|(_, count)| count).sum::<f64>() + 0.0
    }

    /// Whether operations are known: the finished code of a kernel steps addresses at least.
    pub fn is_counted(&self) -> bool {
        !self.operations.is_empty()
    }

    /// Operations on floats for each byte between L2 and memory; none where nothing is moved, or operations are not known.
    pub fn intensity(&self) -> Option<f64> {
        (self.is_counted() && self.memory.get() > 0.0).then(|| self.floats() / self.memory.get())
    }

    /// Operations on floats in a second.
    pub fn rate(&self) -> f64 {
        self.floats() / self.time.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::gpu_machine;
    use ipda_hwdb::Gpu;

    fn roofs() -> Roofs {
        Roofs::of(&gpu_machine(&Gpu::find("v100").unwrap()).unwrap().machine)
    }

    #[test]
    fn roofs_are_those_of_the_data_sheet() {
        // 80 multiprocessors with 64 and 32 units; twice as many operations are advertised, where one that is fused counts as two.
        let roofs = roofs();
        let rate = |class| roofs.operations[&class] / 1e12;
        assert!((rate(InstructionClass::Float32) - 7.8).abs() < 0.1, "{}", rate(InstructionClass::Float32));
        assert!((rate(InstructionClass::Float64) - 3.9).abs() < 0.1);
        assert!(roofs.memory < roofs.l2);
    }

    /// A class is of one type, and a type has the roof of its plain operations.
    #[test]
    fn operations_have_types() {
        let of = |class| OperationType::of(class).map(OperationType::name);
        assert_eq!(of(InstructionClass::Divide64), Some("double"));
        assert_eq!(of(InstructionClass::Convert), Some("special"));
        assert_eq!(of(InstructionClass::IntegerDivide), Some("integer"));
        assert_eq!([InstructionClass::LoadGlobal, InstructionClass::Branch].map(of), [None; 2]);
        let floats = InstructionClass::ALL.into_iter().filter(|class| class.is_float());
        assert!(floats.into_iter().all(|class| OperationType::of(class).is_some()));
        let rates = OperationType::ALL.map(|of| roofs().of_type(of).map(|rate| (rate / 1e11).round()));
        // 80 multiprocessors at 1.53 GHz with 64, 64, 32, 16 and 64 in a cycle.
        assert_eq!(rates, [78.0, 78.0, 39.0, 20.0, 78.0].map(Some));
    }

    #[test]
    fn the_lowest_roof_is_the_one_that_takes_longest() {
        let roofs = roofs();
        let lowest = |l2: f64, memory: f64, floats: f64| {
            let operations = BTreeMap::from([(InstructionClass::Float64, floats)]);
            let times = roofs.times(Bytes::new(l2), Bytes::new(memory), &operations);
            times.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap().0
        };
        assert_eq!(lowest(1e9, 1e9, 1e6), Roof::Memory);
        assert_eq!(lowest(1e9, 1e6, 1e6), Roof::L2);
        assert_eq!(lowest(1e9, 1e9, 1e12), Roof::Units(Pipe::Float64));
    }
}
