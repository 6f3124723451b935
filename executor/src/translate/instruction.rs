//! One instruction at a time.

use super::words::{self, Extension};
use super::{Body, Translator, Unsupported};
use crate::llvm::{self, FloatPredicate, RmwOp};
use crate::program::*;
use ipda_llvm::{IntPredicate, Opcode, Type, TypeKind, Value};
use ipda_models::report::AccessKind;

/// Integers of a type's scalars: `Err` for those that take two slots.
fn scalar_bits(ty: Type) -> Result<u8, u8> {
    let scalar = if ty.kind() == TypeKind::LLVMVectorTypeKind { ty.element() } else { ty };
    match scalar.int_bits() {
        Some(bits) if bits > 64 => Err(bits as u8),
        Some(bits) => Ok(bits as u8),
        None => Ok(64),
    }
}

pub(super) fn float_width(ty: Type) -> Result<FloatWidth, Unsupported> {
    let scalar = if ty.kind() == TypeKind::LLVMVectorTypeKind { ty.element() } else { ty };
    match scalar.kind() {
        TypeKind::LLVMFloatTypeKind => Ok(FloatWidth::Single),
        TypeKind::LLVMDoubleTypeKind => Ok(FloatWidth::Double),
        _ => Err(format!("arithmetic on values of type {}", ty.describe())),
    }
}

fn int_op(opcode: Opcode) -> Option<IntOp> {
    Some(match opcode {
        Opcode::LLVMAdd => IntOp::Add,
        Opcode::LLVMSub => IntOp::Sub,
        Opcode::LLVMMul => IntOp::Mul,
        Opcode::LLVMUDiv => IntOp::UDiv,
        Opcode::LLVMSDiv => IntOp::SDiv,
        Opcode::LLVMURem => IntOp::URem,
        Opcode::LLVMSRem => IntOp::SRem,
        Opcode::LLVMShl => IntOp::Shl,
        Opcode::LLVMLShr => IntOp::LShr,
        Opcode::LLVMAShr => IntOp::AShr,
        Opcode::LLVMAnd => IntOp::And,
        Opcode::LLVMOr => IntOp::Or,
        Opcode::LLVMXor => IntOp::Xor,
        _ => return None,
    })
}

fn float_op(opcode: Opcode) -> Option<Math> {
    Some(match opcode {
        Opcode::LLVMFAdd => Math::Add,
        Opcode::LLVMFSub => Math::Sub,
        Opcode::LLVMFMul => Math::Mul,
        Opcode::LLVMFDiv => Math::Div,
        Opcode::LLVMFRem => Math::Rem,
        Opcode::LLVMFNeg => Math::Neg,
        _ => return None,
    })
}

fn comparison(predicate: IntPredicate) -> Comparison {
    match predicate {
        IntPredicate::LLVMIntEQ => Comparison::Eq,
        IntPredicate::LLVMIntNE => Comparison::Ne,
        IntPredicate::LLVMIntUGT => Comparison::Ugt,
        IntPredicate::LLVMIntUGE => Comparison::Uge,
        IntPredicate::LLVMIntULT => Comparison::Ult,
        IntPredicate::LLVMIntULE => Comparison::Ule,
        IntPredicate::LLVMIntSGT => Comparison::Sgt,
        IntPredicate::LLVMIntSGE => Comparison::Sge,
        IntPredicate::LLVMIntSLT => Comparison::Slt,
        IntPredicate::LLVMIntSLE => Comparison::Sle,
    }
}

fn float_comparison(predicate: FloatPredicate) -> FloatComparison {
    use FloatPredicate::*;
    // LLVM numbers the predicates as the set of: 1 equal, 2 greater, 4 less, 8 unordered.
    let set = match predicate {
        LLVMRealPredicateFalse => 0,
        LLVMRealOEQ => 1,
        LLVMRealOGT => 2,
        LLVMRealOGE => 3,
        LLVMRealOLT => 4,
        LLVMRealOLE => 5,
        LLVMRealONE => 6,
        LLVMRealORD => 7,
        LLVMRealUNO => 8,
        LLVMRealUEQ => 9,
        LLVMRealUGT => 10,
        LLVMRealUGE => 11,
        LLVMRealULT => 12,
        LLVMRealULE => 13,
        LLVMRealUNE => 14,
        LLVMRealPredicateTrue => 15,
    };
    FloatComparison { equal: set & 1 != 0, greater: set & 2 != 0, less: set & 4 != 0, unordered: set & 8 != 0 }
}

/// A barrier number that no code uses: devices have 16.
const DISPATCH_BARRIER: u64 = 99;

/// LLVM 19's device runtime keeps a table for a team's dynamically scheduled loops. Each thread tests whether the table, and later
/// whether its own entry, exists; then one of them makes or frees the table, with no barrier between the two. On a device, warps that
/// move together have all tested by then. Here the barrier is added behind the test's load.
fn is_test_of_dispatch_state(load: Value) -> bool {
    let is_table = |pointer: Value| pointer.name() == "_ZL9ThreadDST";
    let from = load.operand(0);
    let is_entry = || {
        from.is_instruction() && from.is(Opcode::LLVMGetElementPtr) && {
            let base = from.operand(0);
            base.is_instruction() && base.is(Opcode::LLVMLoad) && is_table(base.operand(0))
        }
    };
    (is_table(from) || is_entry())
        && load.users().iter().any(|user| user.is(Opcode::LLVMICmp) && user.operands().any(Value::is_null))
}

impl Translator<'_, '_> {
    /// The slots of an instruction's result.
    fn result(body: &Body, value: Value) -> Slot {
        body.values.get(&value).copied().unwrap_or(0)
    }

    pub(super) fn copy_all(&mut self, body: &mut Body, to: Slot, from: &[Operand]) {
        for (to, &from) in (to..).zip(from) {
            self.emit(body, Op::Copy { to, from });
        }
    }

    pub(super) fn instruction(&mut self, body: &mut Body, value: Value) -> Result<(), Unsupported> {
        let opcode = value.opcode().ok_or("an instruction without a name")?;
        let to = Self::result(body, value);
        if let Some(op) = int_op(opcode) {
            return self.integer(body, value, to, op);
        }
        if let Some(function) = float_op(opcode) {
            return self.float(body, value, to, function);
        }
        match opcode {
            Opcode::LLVMICmp => self.compare(body, value, to),
            Opcode::LLVMFCmp => self.float_compare(body, value, to),
            Opcode::LLVMSelect => self.select(body, value, to),
            Opcode::LLVMFreeze | Opcode::LLVMBitCast if self.same_parts(value)? => {
                let from = self.operands(body, value.operand(0))?;
                self.copy_all(body, to, &from);
                Ok(())
            }
            Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMFPToSI
            | Opcode::LLVMFPToUI
            | Opcode::LLVMSIToFP
            | Opcode::LLVMUIToFP
            | Opcode::LLVMFPTrunc
            | Opcode::LLVMFPExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMAddrSpaceCast => self.convert(body, value, to, opcode),
            Opcode::LLVMGetElementPtr => self.index(body, value, to),
            Opcode::LLVMLoad => self.load(body, value, to),
            Opcode::LLVMStore => self.store(body, value),
            Opcode::LLVMAtomicRMW => self.read_modify_write(body, value, to),
            Opcode::LLVMAtomicCmpXchg => self.compare_exchange(body, value, to),
            Opcode::LLVMFence => {
                let order = llvm::ordering(value);
                self.emit(body, Op::Fence { order });
                Ok(())
            }
            Opcode::LLVMAlloca => self.alloca(body, value, to),
            Opcode::LLVMExtractValue => self.extract_value(body, value, to),
            Opcode::LLVMInsertValue => self.insert_value(body, value, to),
            Opcode::LLVMExtractElement => self.extract_element(body, value, to),
            Opcode::LLVMInsertElement => self.insert_element(body, value, to),
            Opcode::LLVMShuffleVector => self.shuffle_vector(body, value, to),
            Opcode::LLVMBr | Opcode::LLVMSwitch => self.branches(body, value),
            Opcode::LLVMRet => {
                let values =
                    if value.operand_count() == 0 { Vec::new() } else { self.operands(body, value.operand(0))? };
                let values = self.span_of_operands(&values);
                self.emit(body, Op::Return { values });
                Ok(())
            }
            Opcode::LLVMUnreachable => {
                let message = self.message("the program runs into code that it declared unreachable".into());
                self.emit(body, Op::Stop { message });
                Ok(())
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => self.call(body, value, to),
            _ => Err(format!("the instruction `{}` is not supported", llvm::print(value).trim())),
        }
    }

    fn float(&mut self, body: &mut Body, value: Value, to: Slot, function: Math) -> Result<(), Unsupported> {
        let width = float_width(value.ty())?;
        let zero = self.constant(0);
        let columns: Vec<Vec<Operand>> =
            value.operands().map(|operand| self.operands(body, operand)).collect::<Result<_, _>>()?;
        for (index, to) in (to..).take(columns[0].len()).enumerate() {
            let pick = |column: usize| columns.get(column).map_or(zero, |column| column[index]);
            self.emit(body, Op::Math { function, width, to, arguments: [pick(0), pick(1), zero] });
        }
        Ok(())
    }

    fn float_compare(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let width = float_width(value.operand(0).ty())?;
        let comparison = float_comparison(llvm::float_predicate(value));
        let (a, b) = (self.operands(body, value.operand(0))?, self.operands(body, value.operand(1))?);
        for (to, (a, b)) in (to..).zip(a.into_iter().zip(b)) {
            self.emit(body, Op::FloatCompare { comparison, width, to, a, b });
        }
        Ok(())
    }

    fn select(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let condition = self.operands(body, value.operand(0))?;
        let (a, b) = (self.operands(body, value.operand(1))?, self.operands(body, value.operand(2))?);
        for (index, (a, b)) in a.into_iter().zip(b).enumerate() {
            let condition = if condition.len() == 1 { condition[0] } else { condition[index] };
            self.emit(body, Op::Select { to: to + index as u32, condition, a, b });
        }
        Ok(())
    }

    fn load(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let parts = self.parts(value.ty())?;
        let bytes = self.layout.store_size(value.ty());
        let address = self.operand(body, value.operand(0))?;
        let order = llvm::ordering(value);
        let site = self.site_with(body, AccessKind::Load, bytes, value.claims());
        let window = self.window_base(value.operand(0).address_space());
        let parts = self.span_of_parts(&parts)?;
        self.emit(body, Op::Load { to, address, parts, bytes: bytes as u32, order, site, window });
        if is_test_of_dispatch_state(value) {
            let id = self.constant(DISPATCH_BARRIER);
            self.region_barrier(body, Op::Barrier { id, count: None });
        }
        Ok(())
    }

    fn store(&mut self, body: &mut Body, value: Value) -> Result<(), Unsupported> {
        let stored = value.operand(0);
        let parts = self.parts(stored.ty())?;
        let bytes = self.layout.store_size(stored.ty());
        let values = self.operands(body, stored)?;
        let address = self.operand(body, value.operand(1))?;
        let order = llvm::ordering(value);
        let site = self.site_with(body, AccessKind::Store, bytes, value.claims());
        let window = self.window_base(value.operand(1).address_space());
        let (values, parts) = (self.span_of_operands(&values), self.span_of_parts(&parts)?);
        self.emit(body, Op::Store { values, address, parts, bytes: bytes as u32, order, site, window });
        Ok(())
    }

    fn compare_exchange(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let address = self.operand(body, value.operand(0))?;
        let values = [self.operand(body, value.operand(1))?, self.operand(body, value.operand(2))?];
        let bytes = self.layout.store_size(value.operand(1).ty()) as u8;
        let site = self.site(body, AccessKind::Atomic, u64::from(bytes));
        let (order, failure) = llvm::exchange_orderings(value);
        let window = self.window_base(value.operand(0).address_space());
        self.emit(body, Op::CompareExchange { to, address, values, bytes, order, failure, site, window });
        Ok(())
    }

    fn alloca(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let bytes = self.layout.alloc_size(llvm::allocated_type(value));
        let count = self.operand(body, value.operand(0))?;
        let align = llvm::alignment(value).max(1);
        let window = self.window_base(value.address_space());
        self.emit(body, Op::Alloca { to, count, bytes, align, window });
        Ok(())
    }

    fn extract_value(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let start = self.part_index(value.operand(0).ty(), &llvm::indices(value))?;
        let from = self.operands(body, value.operand(0))?;
        let count = self.slots(value.ty())? as usize;
        self.copy_all(body, to, &from[start..start + count]);
        Ok(())
    }

    fn insert_value(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let start = self.part_index(value.ty(), &llvm::indices(value))?;
        let mut from = self.operands(body, value.operand(0))?;
        let inserted = self.operands(body, value.operand(1))?;
        from[start..start + inserted.len()].copy_from_slice(&inserted);
        self.copy_all(body, to, &from);
        Ok(())
    }

    fn extract_element(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let from = self.operands(body, value.operand(0))?;
        if let Some(index) = value.operand(1).as_int() {
            let size = from.len() / llvm::vector_length(value.operand(0).ty()) as usize;
            let start = index as usize * size;
            let part = from.get(start..start + size).ok_or("an element outside of its vector")?.to_vec();
            self.copy_all(body, to, &part);
            return Ok(());
        }
        let count = from.len() as u32;
        let first = body.new_slots(count);
        self.copy_all(body, first, &from);
        let index = self.operand(body, value.operand(1))?;
        self.emit(body, Op::Extract { to, from: first, count, index });
        Ok(())
    }

    fn insert_element(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let mut from = self.operands(body, value.operand(0))?;
        let inserted = self.operands(body, value.operand(1))?;
        if let Some(index) = value.operand(2).as_int() {
            let start = index as usize * inserted.len();
            let place = from.get_mut(start..start + inserted.len()).ok_or("an element outside of its vector")?;
            place.copy_from_slice(&inserted);
            self.copy_all(body, to, &from);
            return Ok(());
        }
        self.copy_all(body, to, &from);
        let (index, value) = (self.operand(body, value.operand(2))?, inserted[0]);
        self.emit(body, Op::Insert { to, count: from.len() as u32, index, value });
        Ok(())
    }

    fn shuffle_vector(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let (a, b) = (self.operands(body, value.operand(0))?, self.operands(body, value.operand(1))?);
        let size = a.len() / llvm::vector_length(value.operand(0).ty()) as usize;
        let all: Vec<Operand> = a.into_iter().chain(b).collect();
        let zero = self.constant(0);
        let mut from = Vec::new();
        for element in llvm::shuffle_mask(value) {
            match usize::try_from(element) {
                Ok(element) => from.extend_from_slice(&all[element * size..(element + 1) * size]),
                Err(_) => from.extend(std::iter::repeat_n(zero, size)),
            }
        }
        self.copy_all(body, to, &from);
        Ok(())
    }

    /// Whether a value and its operand have the same scalars.
    fn same_parts(&self, value: Value) -> Result<bool, Unsupported> {
        let sizes =
            |ty| -> Result<Vec<u8>, Unsupported> { Ok(self.parts(ty)?.into_iter().map(|part| part.bits).collect()) };
        if sizes(value.ty())? == sizes(value.operand(0).ty())? {
            return Ok(true);
        }
        Err(format!("the instruction `{}` is not supported", llvm::print(value).trim()))
    }

    /// The slot, counted from the first, of a member of an aggregate.
    fn part_index(&self, ty: Type, indices: &[u32]) -> Result<usize, Unsupported> {
        let (mut ty, mut start) = (ty, 0);
        for &index in indices {
            if ty.kind() == TypeKind::LLVMStructTypeKind {
                for field in 0..index {
                    start += self.slots(ty.field(field))? as usize;
                }
                ty = ty.field(index);
            } else {
                start += index as usize * self.slots(ty.element())? as usize;
                ty = ty.element();
            }
        }
        Ok(start)
    }

    fn integer(&mut self, body: &mut Body, value: Value, to: Slot, op: IntOp) -> Result<(), Unsupported> {
        let (a, b) = (self.operands(body, value.operand(0))?, self.operands(body, value.operand(1))?);
        if value.ty().int_bits() > Some(128) {
            let op = words::operation(op)
                .ok_or_else(|| format!("the instruction `{}` is not supported", llvm::print(value).trim()))?;
            self.words(body, op, to, [&a, &b]);
            return Ok(());
        }
        match scalar_bits(value.ty()) {
            Ok(bits) => {
                for (to, (a, b)) in (to..).zip(a.into_iter().zip(b)) {
                    self.emit(body, Op::Int { op, bits, to, a, b });
                }
            }
            Err(bits) => {
                for (index, (a, b)) in a.chunks(2).zip(b.chunks(2)).enumerate() {
                    let to = to + 2 * index as u32;
                    self.emit(body, Op::WideInt { op, bits, to, a: [a[0], a[1]], b: [b[0], b[1]] });
                }
            }
        }
        Ok(())
    }

    fn compare(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let comparison = comparison(value.int_predicate());
        let (a, b) = (self.operands(body, value.operand(0))?, self.operands(body, value.operand(1))?);
        if value.operand(0).ty().int_bits() > Some(128) {
            self.words(body, WordsOp::Compare(comparison), to, [&a, &b]);
            return Ok(());
        }
        match scalar_bits(value.operand(0).ty()) {
            Ok(bits) => {
                for (to, (a, b)) in (to..).zip(a.into_iter().zip(b)) {
                    self.emit(body, Op::Compare { comparison, bits, to, a, b });
                }
            }
            Err(bits) => {
                for (index, (a, b)) in a.chunks(2).zip(b.chunks(2)).enumerate() {
                    let (a, b) = ([a[0], a[1]], [b[0], b[1]]);
                    self.emit(body, Op::WideCompare { comparison, bits, to: to + index as u32, a, b });
                }
            }
        }
        Ok(())
    }

    fn convert(&mut self, body: &mut Body, value: Value, to: Slot, opcode: Opcode) -> Result<(), Unsupported> {
        let source = value.operand(0);
        let from = self.operands(body, source)?;
        let (from_bits, to_bits) = (scalar_bits(source.ty()), scalar_bits(value.ty()));
        if from_bits.is_err() || to_bits.is_err() {
            return self.convert_wide(body, value, to, opcode, &from);
        }
        let (from_bits, bits) = (from_bits.unwrap_or(64), to_bits.unwrap_or(64));
        let conversion = match opcode {
            Opcode::LLVMTrunc => Conversion::Truncate { bits },
            Opcode::LLVMPtrToInt => Conversion::Truncate { bits },
            Opcode::LLVMZExt | Opcode::LLVMIntToPtr => Conversion::Truncate { bits: 64 },
            Opcode::LLVMSExt => Conversion::SignExtend { from: from_bits, to: bits },
            Opcode::LLVMFPToSI => Conversion::FloatToSigned { from: float_width(source.ty())?, bits },
            Opcode::LLVMFPToUI => Conversion::FloatToUnsigned { from: float_width(source.ty())?, bits },
            Opcode::LLVMSIToFP => Conversion::SignedToFloat { bits: from_bits, to: float_width(value.ty())? },
            Opcode::LLVMUIToFP => Conversion::UnsignedToFloat { to: float_width(value.ty())? },
            Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => match (float_width(source.ty())?, float_width(value.ty())?) {
                (FloatWidth::Double, FloatWidth::Single) => Conversion::DoubleToSingle,
                (FloatWidth::Single, FloatWidth::Double) => Conversion::SingleToDouble,
                _ => Conversion::Truncate { bits: 64 },
            },
            _ => {
                let from = self.window_base(llvm::pointer_space(source.ty()));
                let to = self.window_base(llvm::pointer_space(value.ty()));
                match (from, to) {
                    (0, 0) => Conversion::Truncate { bits: 64 },
                    (window, 0) => Conversion::WindowToGeneric { window },
                    (_, window) => Conversion::GenericToWindow { window },
                }
            }
        };
        for (to, a) in (to..).zip(from) {
            self.emit(body, Op::Convert { conversion, to, a });
        }
        Ok(())
    }

    /// Conversions from or to integers of two slots.
    fn convert_wide(
        &mut self,
        body: &mut Body,
        value: Value,
        to: Slot,
        opcode: Opcode,
        from: &[Operand],
    ) -> Result<(), Unsupported> {
        let source = value.operand(0);
        if let (Some(from_bits), Some(129..)) = (source.ty().int_bits(), value.ty().int_bits()) {
            let count = self.slots(value.ty())? as usize;
            let extension = if opcode == Opcode::LLVMSExt { Extension::Sign } else { Extension::Zero };
            self.extend_words(body, extension, to, count, from, from_bits);
            return Ok(());
        }
        let zero = self.constant(0);
        match (opcode, scalar_bits(source.ty()), scalar_bits(value.ty())) {
            _ if source.ty().kind() == TypeKind::LLVMVectorTypeKind => {
                Err(format!("the instruction `{}` is not supported", llvm::print(value).trim()))
            }
            (Opcode::LLVMTrunc, Err(_), Ok(bits)) => {
                self.emit(body, Op::Convert { conversion: Conversion::Truncate { bits }, to, a: from[0] });
                Ok(())
            }
            (Opcode::LLVMTrunc, Err(_), Err(bits)) => {
                let high = Conversion::Truncate { bits: bits - 64 };
                self.emit(body, Op::Copy { to, from: from[0] });
                self.emit(body, Op::Convert { conversion: high, to: to + 1, a: from[1] });
                Ok(())
            }
            (Opcode::LLVMZExt, _, Err(_)) => {
                self.copy_all(body, to, &[from[0], from.get(1).copied().unwrap_or(zero)]);
                Ok(())
            }
            (Opcode::LLVMSExt, Ok(from_bits), Err(bits)) => {
                self.emit(body, Op::WideSignExtend { from: from_bits, to, a: from[0], bits });
                Ok(())
            }
            _ => Err(format!("the instruction `{}` is not supported", llvm::print(value).trim())),
        }
    }

    fn index(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        if value.ty().kind() == TypeKind::LLVMVectorTypeKind {
            return Err(format!("the instruction `{}` is not supported", llvm::print(value).trim()));
        }
        let (constant, terms) = self.offsets(value)?;
        let pointer_bits = (self.layout.store_size(value.ty()) * 8) as u8;
        let mut base = self.operand(body, value.operand(0))?;
        for (index, scale) in terms {
            let bits = index.ty().int_bits().unwrap_or(64).min(64) as u8;
            let index = self.operand(body, index)?;
            self.emit(body, Op::Index { to, base, index, bits, scale, pointer_bits });
            base = Operand::slot(to);
        }
        let index = self.constant(constant as u64);
        if constant != 0 {
            self.emit(body, Op::Index { to, base, index, bits: 64, scale: 1, pointer_bits });
        } else if base != Operand::slot(to) {
            self.emit(body, Op::Copy { to, from: base });
        }
        Ok(())
    }

    fn read_modify_write(&mut self, body: &mut Body, value: Value, to: Slot) -> Result<(), Unsupported> {
        let ty = value.operand(1).ty();
        let update = match llvm::rmw_op(value) {
            RmwOp::LLVMAtomicRMWBinOpXchg => Update::Exchange,
            RmwOp::LLVMAtomicRMWBinOpAdd => Update::Int(IntOp::Add),
            RmwOp::LLVMAtomicRMWBinOpSub => Update::Int(IntOp::Sub),
            RmwOp::LLVMAtomicRMWBinOpAnd => Update::Int(IntOp::And),
            RmwOp::LLVMAtomicRMWBinOpNand => Update::Nand,
            RmwOp::LLVMAtomicRMWBinOpOr => Update::Int(IntOp::Or),
            RmwOp::LLVMAtomicRMWBinOpXor => Update::Int(IntOp::Xor),
            RmwOp::LLVMAtomicRMWBinOpMax => Update::Int(IntOp::SMax),
            RmwOp::LLVMAtomicRMWBinOpMin => Update::Int(IntOp::SMin),
            RmwOp::LLVMAtomicRMWBinOpUMax => Update::Int(IntOp::UMax),
            RmwOp::LLVMAtomicRMWBinOpUMin => Update::Int(IntOp::UMin),
            RmwOp::LLVMAtomicRMWBinOpFAdd => Update::Float(Math::Add, float_width(ty)?),
            RmwOp::LLVMAtomicRMWBinOpFSub => Update::Float(Math::Sub, float_width(ty)?),
            RmwOp::LLVMAtomicRMWBinOpFMax => Update::Float(Math::Max, float_width(ty)?),
            RmwOp::LLVMAtomicRMWBinOpFMin => Update::Float(Math::Min, float_width(ty)?),
            RmwOp::LLVMAtomicRMWBinOpUIncWrap => Update::IncrementWrap,
            RmwOp::LLVMAtomicRMWBinOpUDecWrap => Update::DecrementWrap,
        };
        let address = self.operand(body, value.operand(0))?;
        let operand = self.operand(body, value.operand(1))?;
        let bytes = self.layout.store_size(ty) as u8;
        let site = self.site(body, AccessKind::Atomic, u64::from(bytes));
        let (order, window) = (llvm::ordering(value), self.window_base(value.operand(0).address_space()));
        self.emit(body, Op::Update { update, to, address, value: operand, bytes, order, site, window });
        Ok(())
    }

    fn branches(&mut self, body: &mut Body, value: Value) -> Result<(), Unsupported> {
        let successors = value.successors();
        let Some(condition) = value.branch_condition() else {
            self.go(body, successors[0])?;
            return Ok(());
        };
        let condition = self.operand(body, condition)?;
        let ways = if value.is(Opcode::LLVMSwitch) { Ways::Many } else { Ways::Two };
        let branch = self.branch(body, ways);
        let at = body.code.code.len();
        if value.is(Opcode::LLVMBr) {
            self.emit(body, Op::Branch { condition, then: 0, otherwise: 0, branch });
            let (then, otherwise) = (self.go(body, successors[0])?, self.go(body, successors[1])?);
            body.code.code[at] = Op::Branch { condition, then, otherwise, branch };
            return Ok(());
        }
        let placeholder = Span { start: 0, len: 0 };
        self.emit(body, Op::Switch { value: condition, cases: placeholder, default: 0, branch });
        let default = self.go(body, successors[0])?;
        let mut cases = Vec::new();
        for (case, target) in value.switch_cases() {
            let number = llvm::wide_int(case) as u64;
            cases.push((number, self.go(body, target)?));
        }
        let start = self.program.cases.len() as u32;
        let cases_span = Span { start, len: cases.len() as u32 };
        self.program.cases.extend(cases);
        body.code.code[at] = Op::Switch { value: condition, cases: cases_span, default, branch };
        Ok(())
    }
}
