//! Calls: functions of the module, LLVM's intrinsics, and what a device's own library provides.

use super::instruction::float_width;
use super::{Body, SCOPE_DECLARATION, Translator, Unsupported, words};
use crate::interpreter::Special;
use crate::llvm;
use crate::program::*;
use ipda_llvm::{TypeKind, Value};
use ipda_models::report::AccessKind;

/// The scalars of a call's arguments: a column an argument.
struct Columns {
    columns: Vec<Vec<Operand>>,
    zero: Operand,
}

impl Columns {
    fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// An argument's scalar; of one with fewer, its first.
    fn pick(&self, column: usize, row: usize) -> Operand {
        let column = self.columns.get(column);
        column.and_then(|column| column.get(row).or(column.first())).copied().unwrap_or(self.zero)
    }
}

/// An intrinsic's name without the types that it is made for.
fn base_of(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

fn int_intrinsic(name: &str) -> Option<IntOp> {
    Some(match base_of(name) {
        "smax" => IntOp::SMax,
        "smin" => IntOp::SMin,
        "umax" => IntOp::UMax,
        "umin" => IntOp::UMin,
        _ if name.starts_with("uadd.sat") => IntOp::UAddSat,
        _ if name.starts_with("usub.sat") => IntOp::USubSat,
        _ if name.starts_with("sadd.sat") => IntOp::SAddSat,
        _ if name.starts_with("ssub.sat") => IntOp::SSubSat,
        _ => return None,
    })
}

/// What computes the result and whether it overflows.
fn checked_op(base: &str) -> Option<(IntOp, IntOp)> {
    Some(match base {
        "uadd" => (IntOp::Add, IntOp::UAddOverflows),
        "sadd" => (IntOp::Add, IntOp::SAddOverflows),
        "usub" => (IntOp::Sub, IntOp::USubOverflows),
        "ssub" => (IntOp::Sub, IntOp::SSubOverflows),
        "umul" => (IntOp::Mul, IntOp::UMulOverflows),
        "smul" => (IntOp::Mul, IntOp::SMulOverflows),
        _ => return None,
    })
}

fn bit_function(base: &str) -> Option<IntFunction> {
    Some(match base {
        "ctpop" => IntFunction::CountOnes,
        "ctlz" => IntFunction::LeadingZeros,
        "cttz" => IntFunction::TrailingZeros,
        "bswap" => IntFunction::SwapBytes,
        "bitreverse" => IntFunction::ReverseBits,
        "abs" => IntFunction::Abs,
        _ => return None,
    })
}

/// A special register of NVIDIA's, by its name in PTX.
fn nvidia_register(name: &str) -> Option<Register> {
    let (base, axis) = name.split_once('.').unwrap_or((name, ""));
    let dimension = ["x", "y", "z"].iter().position(|&known| known == axis).map(|axis| axis as u8);
    Some(match (base, dimension) {
        ("tid", Some(axis)) => Register::Thread(axis),
        ("ntid", Some(axis)) => Register::Threads(axis),
        ("ctaid", Some(axis)) => Register::Team(axis),
        ("nctaid", Some(axis)) => Register::Teams(axis),
        ("laneid", _) => Register::Lane,
        ("warpsize", _) => Register::WarpSize,
        ("warpid", _) => Register::Warp,
        ("clock" | "clock64" | "globaltimer", _) => Register::Clock,
        ("lanemask", _) => match axis {
            "lt" => Register::LanesBelow,
            "le" => Register::LanesUpTo,
            "gt" => Register::LanesAbove,
            "ge" => Register::LanesFrom,
            "eq" => Register::LaneBit,
            _ => return None,
        },
        _ => return None,
    })
}

impl Translator<'_, '_> {
    pub(super) fn call(&mut self, body: &mut Body, call: Value, to: Slot) -> Result<(), Unsupported> {
        let callee = llvm::called(call);
        if call.is_assembly() {
            return self.assembly(body, call, to);
        }
        let name = callee.name();
        // AMD's device runtime defines an allocator that has nothing to give.
        let is_allocator = matches!(name.as_str(), "malloc" | "free");
        if callee.is_function() && (callee.is_declaration() || is_allocator) {
            return self.known_function(body, call, &name, to);
        }
        let mut arguments = Vec::new();
        let mut saved = None;
        for (index, argument) in call.call_args().into_iter().enumerate() {
            let Some(ty) = llvm::by_value(call, index as u32) else {
                arguments.extend(self.operands(body, argument)?);
                continue;
            };
            // The callee owns a copy.
            if saved.is_none() {
                let slot = body.new_slots(1);
                self.emit(body, Op::StackSave { to: slot });
                saved = Some(slot);
            }
            let copy = body.new_slots(1);
            let (bytes, one) = (self.layout.alloc_size(ty), self.constant(1));
            let window = self.window_base(argument.address_space());
            self.emit(body, Op::Alloca { to: copy, count: one, bytes, align: 16, window });
            let from = self.operand(body, argument)?;
            let bytes = self.constant(bytes);
            self.copy_memory(body, Operand::slot(copy), from, bytes, 0);
            arguments.push(Operand::slot(copy));
        }
        let arguments = self.span_of_operands(&arguments);
        if callee.is_function() {
            let function = self.functions[&callee];

            self.emit(body, Op::Call { function, arguments, to });
        } else {
            let callee = self.operand(body, callee)?;
            let results = self.slots(call.ty())?;
            self.emit(body, Op::CallIndirect { callee, arguments, to, results });
        }
        self.emit(body, Op::Meet);
        if let Some(slot) = saved {
            self.emit(body, Op::StackRestore { from: Operand::slot(slot) });
        }
        Ok(())
    }

    fn copy_memory(&mut self, body: &mut Body, to: Operand, from: Operand, bytes: Operand, known: u64) {
        let site = self.site(body, AccessKind::CopyFrom, known);
        self.site(body, AccessKind::CopyTo, known);
        self.emit(body, Op::CopyMemory { to, from, bytes, site });
    }

    fn assembly(&mut self, body: &mut Body, call: Value, to: Slot) -> Result<(), Unsupported> {
        let text = llvm::assembly(call);
        let arguments: Vec<Operand> =
            call.call_args().into_iter().map(|value| self.operand(body, value)).collect::<Result<_, _>>()?;
        let word = text.split([' ', ';', '\\']).next().unwrap_or_default();
        match word {
            "activemask.b32" => self.emit(body, Op::Read { register: Register::Active, to }),
            "exit" => self.emit(body, Op::Exit),
            "membar.gl" | "membar.cta" | "membar.sys" => {
                self.emit(body, Op::Fence { order: Ordering::AcquireRelease });
            }
            "barrier.sync" | "bar.sync" => {
                let id = arguments.first().copied().unwrap_or_else(|| self.constant(0));
                self.emit(body, Op::Barrier { id, count: arguments.get(1).copied() });
                self.emit(body, Op::Meet);
            }
            "" => {}
            _ => return Err(format!("the code uses assembly (`{text}`), which cannot be run here")),
        }
        Ok(())
    }

    /// Functions without a body in the module.
    fn known_function(&mut self, body: &mut Body, call: Value, name: &str, to: Slot) -> Result<(), Unsupported> {
        let values = call.call_args();
        let zero = self.constant(0);
        // Metadata operands of debug intrinsics are no values; those calls are dropped before they are looked at.
        const IGNORED: [&str; 10] = [
            "llvm.dbg.",
            "llvm.lifetime.",
            "llvm.assume",
            SCOPE_DECLARATION,
            "llvm.invariant.",
            "llvm.prefetch",
            "llvm.donothing",
            "llvm.var.annotation",
            "llvm.sideeffect",
            "llvm.pseudoprobe",
        ];
        if IGNORED.iter().any(|prefix| name.starts_with(prefix)) {
            return Ok(());
        }
        if name.starts_with("llvm.nvvm.nanosleep") || name == "llvm.amdgcn.s.sleep" {
            self.emit(body, Op::Sleep);
            return Ok(());
        }
        if let Some(intrinsic) = name.strip_prefix("llvm.")
            && self.intrinsic(body, call, intrinsic, &values, to)?
        {
            return Ok(());
        }
        let arguments: Vec<Operand> = values
            .iter()
            .map(|&value| Ok(self.operands(body, value)?.first().copied().unwrap_or(zero)))
            .collect::<Result<_, Unsupported>>()?;
        let argument = |index: usize| arguments.get(index).copied().unwrap_or(zero);
        match name {
            "malloc" | "__kmpc_impl_malloc" => {
                let by = if body.is_runtime { Allocator::Runtime } else { Allocator::Kernel };
                self.emit(body, Op::Allocate { to, bytes: argument(0), by });
            }
            "free" | "__kmpc_impl_free" => self.emit(body, Op::Free { address: argument(0) }),
            "vprintf" => self.emit(body, Op::Print { format: argument(0), arguments: argument(1), to }),
            "__assertfail" | "__assert_fail" => {
                let message = self.message("an assertion in the kernel fails".into());
                self.emit(body, Op::Stop { message });
            }
            // Declared by LLVM 19's device runtime for NVIDIA and defined nowhere; the meaning is that of the lock routines.
            "_ZN4impl15setCriticalLockEP10omp_lock_t" => {
                let site = self.site(body, AccessKind::Atomic, 4);
                self.emit(body, Op::TakeLock { address: argument(0), site });
                self.emit(body, Op::Meet);
            }
            "_ZN4impl17unsetCriticalLockEP10omp_lock_t" => {
                let site = self.site(body, AccessKind::Atomic, 4);
                self.emit(body, Op::LeaveLock { address: argument(0), site });
            }
            _ => {
                if !self.mathematics(body, call, name, &arguments, to)? {
                    return Err(format!("the call of `{name}`, whose code is not in the module, cannot be run here"));
                }
            }
        }
        Ok(())
    }

    /// LLVM's intrinsics, by their names without `llvm.`; false for those that are not known.
    fn intrinsic(
        &mut self,
        body: &mut Body,
        call: Value,
        name: &str,
        values: &[Value],
        to: Slot,
    ) -> Result<bool, Unsupported> {
        if let Some(name) = name.strip_prefix("nvvm.") {
            return self.nvidia(body, name, values, to);
        }
        if let Some(name) = name.strip_prefix("amdgcn.") {
            return self.amd(body, name, values, to);
        }
        let columns: Vec<Vec<Operand>> =
            values.iter().map(|&value| self.operands(body, value)).collect::<Result<_, _>>()?;
        let columns = Columns { columns, zero: self.constant(0) };
        if self.elementwise(body, call, name, &columns, to)? {
            return Ok(true);
        }
        let base = base_of(name);
        if let (Some((op, overflows)), true) = (checked_op(base), name.contains(".with.overflow.")) {
            let bits = values[0].ty().int_bits().unwrap_or(128);
            if bits > 64 {
                return Ok(false);
            }
            let (bits, a, b) = (bits as u8, columns.pick(0, 0), columns.pick(1, 0));
            self.emit(body, Op::Int { op, bits, to, a, b });
            self.emit(body, Op::Int { op: overflows, bits, to: to + 1, a, b });
            return Ok(true);
        }
        let pick = |column: usize| columns.pick(column, 0);
        match base {
            "ptrmask" => {
                let (bits, pointer_bits) = (values[1].ty().int_bits().unwrap_or(64) as u8, 64);
                let mask = body.new_slots(1);
                let conversion = Conversion::SignExtend { from: bits, to: pointer_bits };
                self.emit(body, Op::Convert { conversion, to: mask, a: pick(1) });
                let (a, b) = (pick(0), Operand::slot(mask));
                self.emit(body, Op::Int { op: IntOp::And, bits: pointer_bits, to, a, b });
            }
            "is" if name.starts_with("is.constant") => self.emit(body, Op::Copy { to, from: columns.zero }),
            "is" if name.starts_with("is.fpclass") => {
                let width = float_width(values[0].ty())?;
                let classes = values[1].as_int().unwrap_or(0) as u16;
                for (row, to) in (0..columns.rows()).zip(to..) {
                    self.emit(body, Op::IsClass { width, classes, to, a: columns.pick(0, row) });
                }
            }
            "objectsize" => {
                let unknown = self.constant(u64::MAX);
                self.emit(body, Op::Copy { to, from: unknown });
            }
            "memcpy" | "memmove" => {
                let known = values[2].as_int().unwrap_or(0) as u64;
                self.copy_memory(body, pick(0), pick(1), pick(2), known);
            }
            "memset" => {
                let site = self.site(body, AccessKind::CopyTo, values[2].as_int().unwrap_or(0) as u64);
                self.emit(body, Op::FillMemory { to: pick(0), value: pick(1), bytes: pick(2), site });
            }
            "stacksave" => self.emit(body, Op::StackSave { to }),
            "stackrestore" => self.emit(body, Op::StackRestore { from: pick(0) }),
            "trap" | "ubsantrap" => {
                let message = self.message("the kernel stops itself (a trap)".into());
                self.emit(body, Op::Stop { message });
            }
            "debugtrap" => {}
            "vector" if name.starts_with("vector.reduce.") => {
                return self.reduce(body, name, &columns.columns, values, to);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Those that compute each element of their result from the same element of each argument; false for others.
    fn elementwise(
        &mut self,
        body: &mut Body,
        call: Value,
        name: &str,
        columns: &Columns,
        to: Slot,
    ) -> Result<bool, Unsupported> {
        let (base, ty) = (base_of(name), call.ty());
        let scalar = if ty.kind() == TypeKind::LLVMVectorTypeKind { ty.element() } else { ty };
        let bits = scalar.int_bits().unwrap_or(64);
        let int = int_intrinsic(name);
        if bits > 128 {
            let Some(op) = int.and_then(words::operation) else { return Ok(false) };
            self.words(body, op, to, [&columns.columns[0], &columns.columns[1]]);
            return Ok(true);
        }
        let bits = bits as u8;
        if let (Some(op), 65..=128) = (int, bits)
            && ty.kind() == TypeKind::LLVMIntegerTypeKind
        {
            let [a, b] = [0, 1].map(|column| [columns.pick(column, 0), columns.pick(column, 1)]);
            self.emit(body, Op::WideInt { op, bits, to, a, b });
            return Ok(true);
        }
        let math = match intrinsic_math(name) {
            Some(function) => Some((function, float_width(ty)?)),
            None => None,
        };
        let bit_function = bit_function(base);
        for (row, to) in (0..columns.rows()).zip(to..) {
            let arguments = [0, 1, 2].map(|column| columns.pick(column, row));
            let [a, b, _] = arguments;
            let op = if let Some((function, width)) = math {
                Op::Math { function, width, to, arguments }
            } else if let (Some(op), ..=64) = (int, bits) {
                Op::Int { op, bits, to, a, b }
            } else if let (Some(function), ..=64) = (bit_function, bits) {
                Op::IntFunction { function, bits, to, a }
            } else {
                match base {
                    "fshl" | "fshr" if bits <= 64 => Op::Funnel {
                        shift: if base == "fshl" { Funnel::Left } else { Funnel::Right },
                        bits,
                        to,
                        arguments,
                    },
                    "expect" | "ssa" | "launder" | "strip" => Op::Copy { to, from: a },
                    _ => return Ok(false),
                }
            };
            self.emit(body, op);
        }
        Ok(columns.rows() > 0)
    }

    /// Sums and the like over the elements of a vector.
    fn reduce(
        &mut self,
        body: &mut Body,
        name: &str,
        columns: &[Vec<Operand>],
        values: &[Value],
        to: Slot,
    ) -> Result<bool, Unsupported> {
        let operation = name.trim_start_matches("vector.reduce.").split('.').next().unwrap_or_default();
        let int = match operation {
            "add" => IntOp::Add,
            "mul" => IntOp::Mul,
            "and" => IntOp::And,
            "or" => IntOp::Or,
            "xor" => IntOp::Xor,
            "smax" => IntOp::SMax,
            "smin" => IntOp::SMin,
            "umax" => IntOp::UMax,
            "umin" => IntOp::UMin,
            "fadd" | "fmul" => {
                let function = if operation == "fadd" { Math::Add } else { Math::Mul };
                let (width, zero) = (float_width(values[1].ty())?, self.constant(0));
                self.emit(body, Op::Copy { to, from: columns[0][0] });
                for &element in &columns[1] {
                    let arguments = [Operand::slot(to), element, zero];
                    self.emit(body, Op::Math { function, width, to, arguments });
                }
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let bits = values[0].ty().element().int_bits().unwrap_or(128);
        if bits > 64 {
            return Ok(false);
        }
        self.emit(body, Op::Copy { to, from: columns[0][0] });
        for &element in &columns[0][1..] {
            self.emit(body, Op::Int { op: int, bits: bits as u8, to, a: Operand::slot(to), b: element });
        }
        Ok(true)
    }

    fn nvidia(&mut self, body: &mut Body, name: &str, values: &[Value], to: Slot) -> Result<bool, Unsupported> {
        let arguments: Vec<Operand> =
            values.iter().map(|&value| self.operand(body, value)).collect::<Result<_, _>>()?;
        let zero = self.constant(0);
        let argument = |index: usize| arguments.get(index).copied().unwrap_or(zero);
        if let Some(register) = name.strip_prefix("read.ptx.sreg.") {
            let Some(register) = nvidia_register(register) else { return Ok(false) };
            self.emit(body, Op::Read { register, to });
            return Ok(true);
        }
        if let Some(shuffle) = name.strip_prefix("shfl.sync.") {
            let op = match shuffle.split('.').next().unwrap_or_default() {
                "idx" => WarpOp::ShuffleIndex,
                "down" => WarpOp::ShuffleDown,
                "up" => WarpOp::ShuffleUp,
                "bfly" => WarpOp::ShuffleXor,
                _ => return Ok(false),
            };
            if shuffle.ends_with('p') {
                return Ok(false);
            }
            let exchanged = [argument(1), argument(2), argument(3)];
            self.emit(body, Op::Warp { op, to, mask: argument(0), arguments: exchanged });
            self.emit(body, Op::Meet);
            return Ok(true);
        }
        let everyone = self.constant(u64::from(u32::MAX));
        let warp = |op, mask, value| Op::Warp { op, to, mask, arguments: [value, zero, zero] };
        let op = match name {
            "barrier0" | "barrier.cta.sync.aligned.all" => Op::Barrier { id: zero, count: None },
            "barrier.sync" | "barrier.n" | "barrier.cta.sync.all" => Op::Barrier { id: argument(0), count: None },
            "barrier.sync.cnt" | "barrier" | "barrier.cta.sync" => {
                Op::Barrier { id: argument(0), count: Some(argument(1)) }
            }
            "bar.warp.sync" => {
                let to = body.new_slots(1);
                Op::Warp { op: WarpOp::Sync, to, mask: argument(0), arguments: [zero; 3] }
            }
            "vote.ballot.sync" => warp(WarpOp::Ballot, argument(0), argument(1)),
            "vote.all.sync" => warp(WarpOp::All, argument(0), argument(1)),
            "vote.any.sync" => warp(WarpOp::Any, argument(0), argument(1)),
            "vote.uni.sync" => warp(WarpOp::AllEqual, argument(0), argument(1)),
            "vote.ballot" => warp(WarpOp::Ballot, everyone, argument(0)),
            "match.any.sync.i32" | "match.any.sync.i64" => warp(WarpOp::Match, argument(0), argument(1)),
            "activemask" => Op::Read { register: Register::Active, to },
            "membar.cta" | "membar.gl" | "membar.sys" => Op::Fence { order: Ordering::AcquireRelease },
            "exit" => Op::Exit,
            "prmt" => Op::BytePermute { to, arguments: [argument(0), argument(1), argument(2)] },
            "mulhi.i" => Op::Int { op: IntOp::MulHighS, bits: 32, to, a: argument(0), b: argument(1) },
            "mulhi.ui" => Op::Int { op: IntOp::MulHighU, bits: 32, to, a: argument(0), b: argument(1) },
            "mulhi.ll" => Op::Int { op: IntOp::MulHighS, bits: 64, to, a: argument(0), b: argument(1) },
            "mulhi.ull" => Op::Int { op: IntOp::MulHighU, bits: 64, to, a: argument(0), b: argument(1) },
            _ if name.starts_with("isspacep.") => {
                let (address, constant_zero) = (argument(0), zero);
                match name.split('.').nth(1) {
                    Some("shared") => Op::IsInWindow { to, address, window: Window::Shared },
                    Some("local") => Op::IsInWindow { to, address, window: Window::Local },
                    _ => Op::Copy { to, from: constant_zero },
                }
            }
            _ if name.starts_with("atomic.load.inc.32") || name.starts_with("atomic.load.dec.32") => {
                let site = self.site(body, AccessKind::Atomic, 4);
                let update = if name.contains(".inc.") { Update::IncrementWrap } else { Update::DecrementWrap };
                let (address, value) = (argument(0), argument(1));
                Op::Update { update, to, address, value, bytes: 4, order: Ordering::Relaxed, site, window: 0 }
            }
            _ => {
                let Some((function, width)) = nvidia_math(name) else { return Ok(false) };
                Op::Math { function, width, to, arguments: [argument(0), argument(1), argument(2)] }
            }
        };
        if matches!(op, Op::Barrier { .. }) && body.code.name.starts_with("__kmpc_dispatch_") {
            self.region_barrier(body, op);
            return Ok(true);
        }
        let synchronises = matches!(op, Op::Barrier { .. } | Op::Warp { .. });
        self.emit(body, op);
        if synchronises {
            self.emit(body, Op::Meet);
        }
        Ok(true)
    }

    /// A barrier of the threads of a parallel region. LLVM 19's device runtime takes the team's barrier in its functions for dynamic schedules,
    /// at which in generic mode also the thread waits that runs the serial part; meant is the region's barrier.
    pub(super) fn region_barrier(&mut self, body: &mut Body, otherwise: Op) {
        let barrier =
            self.module.get_function("__kmpc_barrier").map(|function| self.functions[&llvm::value(&function)]);
        match barrier {
            Some(function) => {
                let zero = self.constant(0);
                let arguments = self.span_of_operands(&[zero, zero]);
                self.emit(body, Op::Call { function, arguments, to: 0 });
            }
            None => self.emit(body, otherwise),
        }
        self.emit(body, Op::Meet);
    }

    fn amd(&mut self, body: &mut Body, name: &str, values: &[Value], to: Slot) -> Result<bool, Unsupported> {
        let arguments: Vec<Operand> =
            values.iter().map(|&value| self.operand(body, value)).collect::<Result<_, _>>()?;
        let zero = self.constant(0);
        let argument = |index: usize| arguments.get(index).copied().unwrap_or(zero);
        let warp = |op, value| Op::Warp { op, to, mask: zero, arguments: [value, zero, zero] };
        let axis = |name: &str| match name.rsplit('.').next() {
            Some("x") => 0,
            Some("y") => 1,
            _ => 2,
        };
        let op = match name {
            "workitem.id.x" | "workitem.id.y" | "workitem.id.z" => {
                Op::Read { register: Register::Thread(axis(name)), to }
            }
            "workgroup.id.x" | "workgroup.id.y" | "workgroup.id.z" => {
                Op::Read { register: Register::Team(axis(name)), to }
            }
            "dispatch.ptr" => Op::Read { register: Register::DispatchPacket, to },
            "implicitarg.ptr" => Op::Read { register: Register::ImplicitArguments, to },
            "wavefrontsize" => Op::Read { register: Register::WarpSize, to },
            "s.memtime" | "s.memrealtime" => Op::Read { register: Register::Clock, to },
            "s.barrier" => Op::Barrier { id: zero, count: None },
            "wave.barrier" => {
                let to = body.new_slots(1);
                Op::Warp { op: WarpOp::Sync, to, mask: zero, arguments: [zero; 3] }
            }
            "ds.bpermute" => {
                Op::Warp { op: WarpOp::Permute, to, mask: zero, arguments: [argument(1), argument(0), zero] }
            }
            "is.shared" => Op::IsInWindow { to, address: argument(0), window: Window::Shared },
            "is.private" => Op::IsInWindow { to, address: argument(0), window: Window::Local },
            "endpgm" => Op::Exit,
            "fence" => Op::Fence { order: Ordering::AcquireRelease },
            // Bits of the mask below the lane are counted and added: in two halves.
            "mbcnt.lo" | "mbcnt.hi" => {
                let (lanes, half, bits) = (body.new_slots(1), body.new_slots(1), 64);
                self.emit(body, Op::Read { register: Register::LanesBelow, to: lanes });
                let shift = self.constant(if name.ends_with("hi") { 32 } else { 0 });
                let (a, b) = (Operand::slot(lanes), shift);
                self.emit(body, Op::Int { op: IntOp::LShr, bits, to: half, a, b });
                let (a, b) = (Operand::slot(half), argument(0));
                self.emit(body, Op::Int { op: IntOp::And, bits: 32, to: half, a, b });
                let (function, a) = (IntFunction::CountOnes, Operand::slot(half));
                self.emit(body, Op::IntFunction { function, bits: 32, to: half, a });
                Op::Int { op: IntOp::Add, bits: 32, to, a: Operand::slot(half), b: argument(1) }
            }
            _ if name.starts_with("readfirstlane") => warp(WarpOp::First, argument(0)),
            _ if name.starts_with("ballot.") => warp(WarpOp::Ballot, argument(0)),
            _ => return Ok(false),
        };
        let synchronises = matches!(op, Op::Barrier { .. } | Op::Warp { .. });
        self.emit(body, op);
        if synchronises {
            self.emit(body, Op::Meet);
        }
        Ok(true)
    }

    /// Functions of mathematics; false for those that are not known.
    fn mathematics(
        &mut self,
        body: &mut Body,
        call: Value,
        name: &str,
        arguments: &[Operand],
        to: Slot,
    ) -> Result<bool, Unsupported> {
        let Some((name, width, library)) = library_name(name) else { return Ok(false) };
        let zero = self.constant(0);
        let argument = |index: usize| arguments.get(index).copied().unwrap_or(zero);
        let (x, bits) = (argument(0), call.ty().int_bits().unwrap_or(64) as u8);
        if let Some(classes) = class_of(name) {
            self.emit(body, Op::IsClass { width, classes, to, a: x });
            return Ok(true);
        }
        if let Some(function) = math(name) {
            // The order comes first in C, and the number here.
            let is_of_order = matches!(name, "jn" | "yn");
            let (a, b) = if is_of_order { (argument(1), x) } else { (x, argument(1)) };
            self.emit(body, Op::Math { function, width, to, arguments: [a, b, argument(2)] });
            return Ok(true);
        }
        let double = [x, argument(1), zero];
        match name {
            "abs" | "labs" | "llabs" => self.emit(body, Op::IntFunction { function: IntFunction::Abs, bits, to, a: x }),
            "lround" | "llround" => self.rounded(body, Math::Round, double, width, bits, to),
            "lrint" | "llrint" => self.rounded(body, Math::RoundEven, double, width, bits, to),
            "ilogb" => self.rounded(body, Math::Special(Special::Logb), double, width, bits, to),
            "sincos" => {
                let at_cosine = match library {
                    Library::Short => {
                        let sine = self.computed(body, Math::Sin, double, width);
                        self.leave(body, call, 1, sine, width_bytes(width))?;
                        2
                    }
                    Library::Amd => {
                        self.emit(body, Op::Math { function: Math::Sin, width, to, arguments: double });
                        1
                    }
                };
                let cosine = self.computed(body, Math::Cos, double, width);
                self.leave(body, call, at_cosine, cosine, width_bytes(width))?;
            }
            "modf" => {
                let whole = self.computed(body, Math::Trunc, double, width);
                self.leave(body, call, 1, whole, width_bytes(width))?;
                let function = Math::Special(Special::Fraction);
                self.emit(body, Op::Math { function, width, to, arguments: double });
            }
            "frexp" | "remquo" => {
                let (number, integer) = match name {
                    "frexp" => (Special::Mantissa, Special::Exponent),
                    _ => (Special::Remainder, Special::Quotient),
                };
                let whole = body.new_slots(1);
                self.rounded(body, Math::Special(integer), double, width, 32, whole);
                let pointer = call.call_args().len() - 1;
                self.leave(body, call, pointer, Operand::slot(whole), 4)?;
                self.emit(body, Op::Math { function: Math::Special(number), width, to, arguments: double });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn computed(&mut self, body: &mut Body, function: Math, arguments: [Operand; 3], width: FloatWidth) -> Operand {
        let to = body.new_slots(1);
        self.emit(body, Op::Math { function, width, to, arguments });
        Operand::slot(to)
    }

    /// The integer that a function computes as a number.
    fn rounded(
        &mut self,
        body: &mut Body,
        function: Math,
        arguments: [Operand; 3],
        width: FloatWidth,
        bits: u8,
        to: Slot,
    ) {
        let a = self.computed(body, function, arguments, width);
        let conversion = Conversion::FloatToSigned { from: width, bits };
        self.emit(body, Op::Convert { conversion, to, a });
    }

    /// Stores a result where an argument of a call leads to.
    fn leave(
        &mut self,
        body: &mut Body,
        call: Value,
        argument: usize,
        value: Operand,
        bytes: u8,
    ) -> Result<(), Unsupported> {
        let pointer = call.call_args()[argument];
        let address = self.operand(body, pointer)?;
        let site = self.site(body, AccessKind::Store, bytes.into());
        let window = self.window_base(pointer.address_space());
        let parts = self.span_of_parts(&[Part { offset: 0, bytes, bits: 8 * bytes }])?;
        let (values, order) = (self.span_of_operands(&[value]), Ordering::NotAtomic);
        self.emit(body, Op::Store { values, address, parts, bytes: bytes.into(), order, site, window });
        Ok(())
    }
}

/// LLVM's own mathematical functions, by their names with types.
fn intrinsic_math(name: &str) -> Option<Math> {
    let base = name.split(".f").next().unwrap_or_default().split(".v").next().unwrap_or_default();
    Some(match base {
        "fmuladd" => Math::MulAdd,
        "fma" => Math::Fma,
        "fabs" => Math::Abs,
        "sqrt" => Math::Sqrt,
        "floor" => Math::Floor,
        "ceil" => Math::Ceil,
        "trunc" => Math::Trunc,
        "rint" | "nearbyint" | "roundeven" => Math::RoundEven,
        "round" => Math::Round,
        "minnum" => Math::Min,
        "maxnum" => Math::Max,
        "minimum" => Math::Minimum,
        "maximum" => Math::Maximum,
        "copysign" => Math::CopySign,
        "exp" => Math::Exp,
        "exp2" => Math::Exp2,
        "exp10" => Math::Exp10,
        "log" => Math::Log,
        "log2" => Math::Log2,
        "log10" => Math::Log10,
        "sin" => Math::Sin,
        "cos" => Math::Cos,
        "tan" => Math::Tan,
        "pow" => Math::Pow,
        "powi" => Math::PowI,
        "ldexp" => Math::Ldexp,
        "asin" => Math::Asin,
        "acos" => Math::Acos,
        "atan" => Math::Atan,
        "sinh" => Math::Sinh,
        "cosh" => Math::Cosh,
        "tanh" => Math::Tanh,
        _ => return None,
    })
}

/// NVIDIA's variants of a few operations; rounding modes other than to the nearest are not known.
fn nvidia_math(name: &str) -> Option<(Math, FloatWidth)> {
    let (base, rest) = name.split_once('.')?;
    let width = if name.ends_with(".d") { FloatWidth::Double } else { FloatWidth::Single };
    let rounding = rest.split('.').next().unwrap_or_default();
    Some((
        match (base, rounding) {
            ("fmax", _) => Math::Max,
            ("fmin", _) => Math::Min,
            ("fabs", _) => Math::Abs,
            ("sqrt", "rn" | "approx" | "f") => Math::Sqrt,
            ("rsqrt", "approx") => Math::ReciprocalSqrt,
            ("floor", _) => Math::Floor,
            ("ceil", _) => Math::Ceil,
            ("trunc", _) => Math::Trunc,
            ("round", _) => Math::RoundEven,
            ("fma", "rn") => Math::Fma,
            ("add", "rn") => Math::Add,
            ("mul", "rn") => Math::Mul,
            ("div", "rn" | "approx") => Math::Div,
            ("ex2", "approx") => Math::Exp2,
            ("lg2", "approx") => Math::Log2,
            ("sin", "approx") => Math::Sin,
            ("cos", "approx") => Math::Cos,
            _ => return None,
        },
        width,
    ))
}

/// How a function of mathematics is distinguished from those of the other width.
#[derive(Debug, Clone, Copy)]
enum Library {
    /// C's and NVIDIA's: the short ones end with an `f`.
    Short,
    /// AMD's, whose `sincos` returns one of its results.
    Amd,
}

/// A mathematical function of NVIDIA's and AMD's device libraries and of C's own: its name for `double`, and its width.
fn library_name(name: &str) -> Option<(&str, FloatWidth, Library)> {
    if let Some(base) = name.strip_prefix("__ocml_") {
        let short = base.strip_suffix("_f32").map(|base| (base, FloatWidth::Single, Library::Amd));
        return short.or_else(|| Some((base.strip_suffix("_f64")?, FloatWidth::Double, Library::Amd)));
    }
    let plain = name.strip_prefix("__nv_").or_else(|| name.strip_prefix("__")).unwrap_or(name);
    // Tests have the letter of the type at their end on the device.
    if let Some(test) = plain.strip_suffix('d').filter(|test| class_of(test).is_some()) {
        return Some((test, FloatWidth::Double, Library::Short));
    }
    let is_known = |name: &&str| math(name).is_some() || is_composed(name) || class_of(name).is_some();
    let double = Some(plain).filter(is_known).map(|name| (name, FloatWidth::Double, Library::Short));
    double.or_else(|| {
        let short = plain.strip_suffix('f').filter(is_known)?;
        Some((short, FloatWidth::Single, Library::Short))
    })
}

/// Whether a function is made of several operations here.
fn is_composed(name: &str) -> bool {
    const NAMES: [&str; 12] =
        ["abs", "frexp", "ilogb", "labs", "llabs", "llrint", "llround", "lrint", "lround", "modf", "remquo", "sincos"];
    NAMES.contains(&name)
}

/// The classes of numbers of which a function tests that its argument is one, as LLVM numbers them.
fn class_of(name: &str) -> Option<u16> {
    Some(match name {
        "isnan" => 0b00_0000_0011,
        "isinf" => 0b10_0000_0100,
        "finite" | "isfinite" => 0b01_1111_1000,
        "signbit" => 0b00_0011_1100,
        _ => return None,
    })
}

fn width_bytes(width: FloatWidth) -> u8 {
    match width {
        FloatWidth::Single => 4,
        FloatWidth::Double => 8,
    }
}

fn math(name: &str) -> Option<Math> {
    Some(match name {
        "sqrt" => Math::Sqrt,
        "rsqrt" => Math::ReciprocalSqrt,
        "cbrt" => Math::Cbrt,
        "exp" => Math::Exp,
        "exp2" => Math::Exp2,
        "exp10" => Math::Exp10,
        "expm1" => Math::ExpM1,
        "log" => Math::Log,
        "log2" => Math::Log2,
        "log10" => Math::Log10,
        "log1p" => Math::Log1p,
        "pow" => Math::Pow,
        "powi" => Math::PowI,
        "sin" => Math::Sin,
        "cos" => Math::Cos,
        "tan" => Math::Tan,
        "asin" => Math::Asin,
        "acos" => Math::Acos,
        "atan" => Math::Atan,
        "atan2" => Math::Atan2,
        "sinh" => Math::Sinh,
        "cosh" => Math::Cosh,
        "tanh" => Math::Tanh,
        "floor" => Math::Floor,
        "ceil" => Math::Ceil,
        "trunc" => Math::Trunc,
        "round" => Math::Round,
        "rint" | "nearbyint" => Math::RoundEven,
        "fabs" => Math::Abs,
        "fmin" => Math::Min,
        "fmax" => Math::Max,
        "fmod" => Math::Rem,
        "fma" => Math::Fma,
        "hypot" => Math::Hypot,
        "copysign" => Math::CopySign,
        "ldexp" | "scalbn" | "scalbln" => Math::Ldexp,
        "acosh" => Math::Special(Special::Acosh),
        "asinh" => Math::Special(Special::Asinh),
        "atanh" => Math::Special(Special::Atanh),
        "erf" => Math::Special(Special::Erf),
        "erfc" => Math::Special(Special::Erfc),
        "fdim" => Math::Special(Special::PositiveDifference),
        "j0" => Math::Special(Special::J0),
        "j1" => Math::Special(Special::J1),
        "jn" => Math::Special(Special::Jn),
        "y0" => Math::Special(Special::Y0),
        "y1" => Math::Special(Special::Y1),
        "yn" => Math::Special(Special::Yn),
        "lgamma" => Math::Special(Special::LogGamma),
        "tgamma" => Math::Special(Special::Gamma),
        "logb" => Math::Special(Special::Logb),
        "nextafter" => Math::Special(Special::NextAfter),
        "remainder" => Math::Special(Special::Remainder),
        _ => return None,
    })
}
