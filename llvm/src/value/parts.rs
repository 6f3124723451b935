//! What values, functions and globals consist of, and who uses them.

use super::{Block, DataLayout, Type, Value, some};
use crate::ffi;
use llvm_sys::LLVMOpcode as Opcode;
use llvm_sys::core::*;
use std::ffi::CStr;

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Value {
    /// The type that a getelementptr indexes.
    pub fn gep_source(self) -> Type {
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// Pairs of value and predecessor of a phi.
    /// A phi has the block of a switch once for each case that leads here, always with the same value: it is named once.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        let mut incoming = Vec::new();
        for index in 0..unsafe { LLVMCountIncoming(self.0) } {
            let edge =
                unsafe { (Value(LLVMGetIncomingValue(self.0, index)), Block(LLVMGetIncomingBlock(self.0, index))) };
            if !incoming.contains(&edge) {
                incoming.push(edge);
            }
        }
        incoming
    }

    /// As LLVM writes it.
    pub fn print(self) -> String {
        unsafe {
            let text = LLVMPrintValueToString(self.0);
            let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
            LLVMDisposeMessage(text);
            owned
        }
    }

    /// Where control goes on behind a terminator.
    pub fn successors(self) -> Vec<Block> {
        (0..unsafe { LLVMGetNumSuccessors(self.0) })
            .map(|index| Block(unsafe { LLVMGetSuccessor(self.0, index) }))
            .collect()
    }

    /// The condition of a conditional branch or the value of a switch.
    pub fn branch_condition(self) -> Option<Value> {
        match self.opcode() {
            Some(Opcode::LLVMBr) => {
                (unsafe { LLVMIsConditional(self.0) } != 0).then(|| Value(unsafe { LLVMGetCondition(self.0) }))
            }
            Some(Opcode::LLVMSwitch) => Some(self.operand(0)),
            _ => None,
        }
    }

    /// The cases of a switch; the default destination is successor 0.
    pub fn switch_cases(self) -> Vec<(Value, Block)> {
        let successors = self.successors();
        (1..successors.len()).map(|index| (self.operand(2 * index as u32), successors[index])).collect()
    }

    /// That of a pointer.
    pub fn address_space(self) -> u32 {
        unsafe { LLVMGetPointerAddressSpace(LLVMTypeOf(self.0)) }
    }

    /// The size of the local variable that a pointer is the start of.
    pub fn allocated_bytes(self, layout: DataLayout) -> Option<u64> {
        match self.opcode()? {
            Opcode::LLVMAlloca => {
                let count = u64::try_from(self.operand(0).as_int()?).ok()?;
                layout.alloc_size(Type(unsafe { LLVMGetAllocatedType(self.0) })).checked_mul(count)
            }
            Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => self.operand(0).allocated_bytes(layout),
            _ => None,
        }
    }

    /// Whether a value is a global variable that is never written.
    pub fn is_constant_global(self) -> bool {
        self.is_global_variable() && unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Whether the linker may not put another variable in a global variable's place.
    pub fn has_definitive_initializer(self) -> bool {
        self.initializer().is_some() && self.is_linked_as_it_is() && unsafe { LLVMIsExternallyInitialized(self.0) == 0 }
    }

    /// Whether a function has a body in whose place the linker may not put another one.
    pub fn has_definitive_body(self) -> bool {
        !self.is_declaration() && self.is_linked_as_it_is()
    }

    /// Whether what is defined here is what all see, or does what that does.
    fn is_linked_as_it_is(self) -> bool {
        use llvm_sys::LLVMLinkage::*;
        matches!(
            unsafe { LLVMGetLinkage(self.0) },
            LLVMInternalLinkage
                | LLVMPrivateLinkage
                | LLVMExternalLinkage
                | LLVMAvailableExternallyLinkage
                | LLVMLinkOnceODRLinkage
                | LLVMWeakODRLinkage
        )
    }

    /// What a global variable begins with, where it is defined.
    pub fn initializer(self) -> Option<Value> {
        if !self.is_global_variable() {
            return None;
        }
        some(unsafe { LLVMGetInitializer(self.0) })
    }

    /// The bytes of a constant string.
    pub fn string_bytes(self) -> Option<&'static [u8]> {
        unsafe {
            if LLVMIsConstantString(self.0) == 0 {
                return None;
            }
            let mut len = 0;
            let data = LLVMGetAsString(self.0, &mut len);
            Some(std::slice::from_raw_parts(data.cast(), len))
        }
    }

    /// Gives a global constant other bytes, of any number: another constant takes its place.
    pub fn replace_bytes(self, bytes: &[u8]) {
        unsafe { ffi::ipda_replace_bytes(self.0, ffi::Str::of_bytes(bytes)) };
    }

    /// An element of a constant aggregate.
    pub fn aggregate_element(self, index: u32) -> Option<Value> {
        some(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    /// Instructions that use the value.
    pub fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        let mut next = unsafe { LLVMGetFirstUse(self.0) };
        while !next.is_null() {
            users.push(Value(unsafe { LLVMGetUser(next) }));
            next = unsafe { LLVMGetNextUse(next) };
        }
        users
    }

    // Of functions.

    /// The parameters of a function.
    pub fn params(self) -> Vec<Value> {
        (0..unsafe { LLVMCountParams(self.0) }).map(|index| Value(unsafe { LLVMGetParam(self.0, index) })).collect()
    }

    /// Whether a function has the calling convention of a kernel.
    pub fn is_gpu_kernel(self) -> bool {
        const PTX_KERNEL: u32 = 71;
        const AMDGPU_KERNEL: u32 = 91;
        matches!(unsafe { LLVMGetFunctionCallConv(self.0) }, PTX_KERNEL | AMDGPU_KERNEL)
    }

    /// The team's extents in x, y and z that `!reqd_work_group_size` asks for.
    pub fn required_team_shape(self) -> [Option<u32>; 3] {
        let mut shape = [0; 3];
        if unsafe { ffi::ipda_required_team_shape(self.0, shape.as_mut_ptr()) } { shape.map(Some) } else { [None; 3] }
    }

    /// The blocks of a function, the one where it begins first.
    pub fn blocks(self) -> Vec<Block> {
        let mut blocks = vec![];
        let mut next = unsafe { LLVMGetFirstBasicBlock(self.0) };
        while !next.is_null() {
            blocks.push(Block(next));
            next = unsafe { LLVMGetNextBasicBlock(next) };
        }
        blocks
    }

    /// The instructions of a function, block by block.
    pub fn instructions(self) -> impl Iterator<Item = Value> {
        self.blocks().into_iter().flat_map(Block::instructions)
    }

    /// Where a function that has code begins.
    pub fn first_instruction(self) -> Option<Value> {
        some(unsafe { LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(self.0)) })
    }

    /// How many instructions a function has.
    pub fn instruction_count(self) -> usize {
        unsafe { ffi::ipda_instruction_count(self.0) }
    }

    /// The most instructions that a basic block of a function has.
    pub fn largest_block(self) -> usize {
        self.blocks().into_iter().map(|block| block.instructions().count()).max().unwrap_or_default()
    }
}
