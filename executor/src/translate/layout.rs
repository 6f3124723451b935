//! Types and constants: which scalars a value has, and where they lie in memory.

use super::{Translator, Unsupported};
use crate::llvm;
use crate::program::{FUNCTION_WINDOW, LOCAL_WINDOW, Part, SHARED_WINDOW, Window};
use ipda_llvm::{Opcode, Type, TypeKind, Value};

/// Bytes between the made-up addresses of two functions.
pub(super) const FUNCTION_STEP: u64 = 16;

/// The most bits of an integer.
const MAX_BITS: u32 = 512;

impl Translator<'_, '_> {
    /// The scalars of a type, in slot order. An integer of more than 64 bits has two.
    pub(super) fn parts(&self, ty: Type) -> Result<Vec<Part>, Unsupported> {
        let mut parts = Vec::new();
        self.add_parts(ty, 0, &mut parts)?;
        Ok(parts)
    }

    fn add_parts(&self, ty: Type, offset: u64, parts: &mut Vec<Part>) -> Result<(), Unsupported> {
        /// More scalars in one value than any real code has.
        const MAX_PARTS: usize = 4096;
        if parts.len() > MAX_PARTS {
            return Err(format!("a value of type {} is too large", ty.describe()));
        }
        let scalar = |bytes: u64, bits: u32| Part { offset: offset as u32, bytes: bytes as u8, bits: bits as u8 };
        match ty.kind() {
            TypeKind::LLVMVoidTypeKind => {}
            TypeKind::LLVMIntegerTypeKind => {
                let bits = ty.int_bits().unwrap_or(64);
                if bits > 128 {
                    if bits > MAX_BITS || !bits.is_multiple_of(64) {
                        return Err(format!("integers of {bits} bits"));
                    }
                    for word in 0..bits / 64 {
                        parts.push(Part { offset: offset as u32 + 8 * word, bytes: 8, bits: 64 });
                    }
                    return Ok(());
                }
                let bytes = u64::from(bits.div_ceil(8));
                if bits > 64 {
                    parts.push(scalar(8, 64));
                    parts.push(Part { offset: offset as u32 + 8, bytes: (bytes - 8) as u8, bits: (bits - 64) as u8 });
                } else {
                    parts.push(scalar(bytes, bits));
                }
            }
            TypeKind::LLVMFloatTypeKind => parts.push(scalar(4, 32)),
            TypeKind::LLVMDoubleTypeKind => parts.push(scalar(8, 64)),
            TypeKind::LLVMPointerTypeKind => {
                let bytes = self.layout.store_size(ty);
                parts.push(scalar(bytes, bytes as u32 * 8));
            }
            TypeKind::LLVMStructTypeKind => {
                for field in 0..llvm::struct_fields(ty) {
                    self.add_parts(ty.field(field), offset + self.layout.field_offset(ty, field), parts)?;
                }
            }
            TypeKind::LLVMArrayTypeKind => {
                let size = self.layout.alloc_size(ty.element());
                for index in 0..llvm::array_length(ty) {
                    self.add_parts(ty.element(), offset + index * size, parts)?;
                }
            }
            TypeKind::LLVMVectorTypeKind => {
                if ty.element().int_bits().is_some_and(|bits| bits % 8 != 0) && llvm::vector_length(ty) > 1 {
                    // In memory they are packed bits; as values they are fine.
                    let element = self.parts(ty.element())?;
                    for _ in 0..llvm::vector_length(ty) {
                        parts.extend(element.iter().map(|part| Part { offset: u32::MAX, ..*part }));
                    }
                    return Ok(());
                }
                let size = self.layout.store_size(ty.element());
                for index in 0..u64::from(llvm::vector_length(ty)) {
                    self.add_parts(ty.element(), offset + index * size, parts)?;
                }
            }
            _ => return Err(format!("values of type {}", ty.describe())),
        }
        Ok(())
    }

    /// How many slots a value of the type takes.
    pub(super) fn slots(&self, ty: Type) -> Result<u32, Unsupported> {
        Ok(self.parts(ty)?.len() as u32)
    }

    /// The window of an address space, if its pointers are offsets into one; for 64-bit pointers the window is part of the address.
    pub(super) fn window_base(&self, space: u32) -> u64 {
        let is_narrow = llvm::pointer_bytes(self.module, space) < 8;
        match (is_narrow, space) {
            (true, 3) => SHARED_WINDOW,
            (true, 5) => LOCAL_WINDOW,
            _ => 0,
        }
    }

    /// The address of a global variable or function as the IR's pointer type holds it.
    pub(super) fn address(&self, global: Value) -> Option<u64> {
        if global.is_function() {
            return self.functions.get(&global).map(|&index| FUNCTION_WINDOW + u64::from(index) * FUNCTION_STEP);
        }
        let &index = self.globals.get(&global)?;
        let address = self.program.globals[index].address;
        Some(address - self.window_base(global.address_space()))
    }

    /// The scalars of a constant, in slot order.
    pub(super) fn constant_parts(&self, value: Value) -> Result<Vec<u64>, Unsupported> {
        let ty = value.ty();
        let zero = |this: &Self| Ok(vec![0; this.slots(ty)? as usize]);
        if let Some(address) = self.address(value) {
            return Ok(vec![address]);
        }
        if value.is_null() {
            return zero(self);
        }
        if let Some(opcode) = value.opcode() {
            return self.constant_expression(value, opcode).map(|word| vec![word]);
        }
        match (llvm::constant_kind(value), ty.kind()) {
            // Any value does; the same one in every run.
            (llvm::ConstantKind::Undefined, _) => zero(self),
            (llvm::ConstantKind::Int, _) => {
                if ty.int_bits() > Some(128) {
                    return llvm::words(value).ok_or_else(|| format!("the constant {}", llvm::print(value)));
                }
                let number = llvm::wide_int(value);
                Ok(if ty.int_bits() > Some(64) {
                    vec![number as u64, (number >> 64) as u64]
                } else {
                    vec![number as u64]
                })
            }
            (llvm::ConstantKind::Float, TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind) => {
                Ok(vec![llvm::float_bits(value)])
            }
            (llvm::ConstantKind::Aggregate, _) => {
                let mut words = Vec::new();
                let mut index = 0;
                while let Some(element) = value.aggregate_element(index) {
                    words.extend(self.constant_parts(element)?);
                    index += 1;
                }
                Ok(words)
            }
            _ => Err(format!("the constant {}", llvm::print(value))),
        }
    }

    fn constant_expression(&self, value: Value, opcode: Opcode) -> Result<u64, Unsupported> {
        let unsupported = || format!("the constant {}", llvm::print(value));
        let operand = |index: u32| -> Result<u64, Unsupported> {
            self.constant_parts(value.operand(index))?.first().copied().ok_or_else(unsupported)
        };
        let bits = value.ty().int_bits().unwrap_or(64).min(64);
        let mask = |word: u64| if bits < 64 { word & ((1 << bits) - 1) } else { word };
        Ok(match opcode {
            Opcode::LLVMGetElementPtr => {
                let (constant, terms) = self.offsets(value)?;
                if !terms.is_empty() {
                    return Err(unsupported());
                }
                operand(0)?.wrapping_add(constant as u64)
            }
            Opcode::LLVMPtrToInt | Opcode::LLVMTrunc => mask(operand(0)?),
            Opcode::LLVMIntToPtr | Opcode::LLVMBitCast => operand(0)?,
            Opcode::LLVMAddrSpaceCast => {
                let word = operand(0)?;
                let from = self.window_base(llvm::pointer_space(value.operand(0).ty()));
                let to = self.window_base(llvm::pointer_space(value.ty()));
                word.wrapping_add(from).wrapping_sub(to)
            }
            Opcode::LLVMAdd => mask(operand(0)?.wrapping_add(operand(1)?)),
            Opcode::LLVMSub => mask(operand(0)?.wrapping_sub(operand(1)?)),
            Opcode::LLVMMul => mask(operand(0)?.wrapping_mul(operand(1)?)),
            Opcode::LLVMXor => operand(0)? ^ operand(1)?,
            _ => return Err(unsupported()),
        })
    }

    /// The steps of a `getelementptr`: a constant, and indices with the bytes that each one moves.
    pub(super) fn offsets(&self, gep: Value) -> Result<(i64, Vec<(Value, i64)>), Unsupported> {
        let mut constant = 0_i64;
        let mut terms = Vec::new();
        let mut ty = gep.gep_source();
        for (number, index) in gep.operands().skip(1).enumerate() {
            if number > 0 && ty.kind() == TypeKind::LLVMStructTypeKind {
                let field = index.as_int().ok_or("a structure member that is chosen at run time")? as u32;
                constant = constant.wrapping_add(self.layout.field_offset(ty, field) as i64);
                ty = ty.field(field);
                continue;
            }
            if number > 0 {
                ty = ty.element();
            }
            let size = self.layout.alloc_size(ty) as i64;
            match index.as_int() {
                Some(index) => constant = constant.wrapping_add(index.wrapping_mul(size)),
                None => terms.push((index, size)),
            }
        }
        Ok((constant, terms))
    }

    /// The bytes of a global variable's initial value.
    pub(super) fn initial_bytes(&self, value: Value) -> Result<Vec<u8>, Unsupported> {
        let mut bytes = vec![0; self.layout.alloc_size(value.ty()) as usize];
        self.write_constant(value, &mut bytes)?;
        Ok(bytes)
    }

    fn write_constant(&self, value: Value, bytes: &mut [u8]) -> Result<(), Unsupported> {
        if value.is_null() && self.address(value).is_none() {
            return Ok(());
        }
        if let Some(text) = value.string_bytes() {
            bytes[..text.len()].copy_from_slice(text);
            return Ok(());
        }
        let ty = value.ty();
        let element_count = match ty.kind() {
            TypeKind::LLVMArrayTypeKind => llvm::array_length(ty),
            TypeKind::LLVMStructTypeKind => llvm::struct_fields(ty).into(),
            _ => 0,
        };
        if llvm::constant_kind(value) == llvm::ConstantKind::Aggregate && element_count > 0 {
            for index in 0..element_count as u32 {
                let Some(element) = value.aggregate_element(index) else { continue };
                let offset = match ty.kind() {
                    TypeKind::LLVMStructTypeKind => self.layout.field_offset(ty, index),
                    _ => u64::from(index) * self.layout.alloc_size(ty.element()),
                };
                self.write_constant(element, &mut bytes[offset as usize..])?;
            }
            return Ok(());
        }
        for (part, word) in self.parts(ty)?.iter().zip(self.constant_parts(value)?) {
            if part.offset == u32::MAX {
                return Err(format!("the constant {}", llvm::print(value)));
            }
            let (at, len) = (part.offset as usize, usize::from(part.bytes));
            bytes[at..at + len].copy_from_slice(&word.to_le_bytes()[..len]);
        }
        Ok(())
    }

    /// The window that a variable's address space stands for.
    pub(super) fn window(space: u32) -> Option<Window> {
        match space {
            3 => Some(Window::Shared),
            5 => Some(Window::Local),
            _ => None,
        }
    }
}
