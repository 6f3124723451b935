//! Builds instructions of code that will run.

use crate::ffi::{
    Str, ipda_choose_copy, ipda_clone_to_run, ipda_expect_first, ipda_forget_counters, ipda_repeat,
    ipda_replace_predecessor, ipda_run_if, ipda_say_once, ipda_skip_unless,
};
use crate::{Block, MemoryEffects, Type, Value};
use ipda_symbolic::Signedness;
use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMValueRef};
use llvm_sys::{LLVMFastMathNoInfs, LLVMFastMathNoNaNs, LLVMIntPredicate, LLVMOpcode};

/// Inserts instructions at one place. What it makes promises nothing about overflow, but for [`next`](Code::next) and the
/// addresses of [`element`](Code::element).
pub struct Code(LLVMBuilderRef);

#[allow(clippy::undocumented_unsafe_blocks)] // values and blocks are alive as long as their module, which outlives the run
impl Code {
    /// Before an instruction, with its place in the source.
    pub fn before(instruction: Value) -> Code {
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(instruction.raw())));
            LLVMPositionBuilderBefore(builder, instruction.raw());
            LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction.raw()));
            Code(builder)
        }
    }

    /// Before an instruction and the debug records before it, where phis may stand.
    pub fn before_records(instruction: Value) -> Code {
        let here = Code::before(instruction);
        unsafe { LLVMPositionBuilderBeforeInstrAndDbgRecords(here.0, instruction.raw()) };
        here
    }

    /// At the end of a block, without a place in the source.
    pub fn at_end(block: Block) -> Code {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(LLVMGetBasicBlockParent(block.raw())));
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderAtEnd(builder, block.raw());
            Code(builder)
        }
    }

    /// An operation with two operands.
    pub fn binary(&self, op: LLVMOpcode, a: Value, b: Value) -> Value {
        unsafe { Value::from_raw(LLVMBuildBinOp(self.0, op, a.raw(), b.raw(), c"".as_ptr())) }
    }

    /// A value that is the same whenever it is used, of which the optimiser does not ask how it came about.
    pub fn freeze(&self, value: Value) -> Value {
        unsafe { Value::from_raw(LLVMBuildFreeze(self.0, value.raw(), c"".as_ptr())) }
    }

    /// A copy of an instruction.
    pub fn copy_of(&self, instruction: Value) -> Value {
        unsafe {
            let copy = LLVMInstructionClone(instruction.raw());
            LLVMInsertIntoBuilder(self.0, copy);
            Value::from_raw(copy)
        }
    }

    /// A comparison of integers or pointers.
    pub fn compare(&self, predicate: LLVMIntPredicate, a: Value, b: Value) -> Value {
        unsafe { Value::from_raw(LLVMBuildICmp(self.0, predicate, a.raw(), b.raw(), c"".as_ptr())) }
    }

    /// An integer in another width; `reading` says what stands in further bits.
    pub fn resize(&self, value: Value, ty: Type, reading: Signedness) -> Value {
        let is_signed = i32::from(reading == Signedness::Signed);
        unsafe { Value::from_raw(LLVMBuildIntCast2(self.0, value.raw(), ty.raw(), is_signed, c"".as_ptr())) }
    }

    /// A number without its sign, or one less.
    pub fn magnitude(&self, value: Value) -> Value {
        let last = Value::int_of(value.ty(), u64::from(value.ty().int_bits().unwrap_or(1) - 1));
        self.binary(LLVMOpcode::LLVMXor, value, self.binary(LLVMOpcode::LLVMAShr, value, last))
    }

    /// How many bits of a number are 0 from the highest on, all for 0.
    pub fn leading_zeros(&self, value: Value) -> Value {
        let is_poison = Value::int_of(integer(value, 1), 0);
        self.intrinsic("llvm.ctlz", &[value, is_poison])
    }

    /// A call of a function of LLVM's, which is overloaded, if at all, by its first argument.
    pub fn intrinsic(&self, name: &str, args: &[Value]) -> Value {
        unsafe {
            let module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(self.0)));
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let of = args.iter().take(usize::from(LLVMIntrinsicIsOverloaded(id) != 0));
            let mut types: Vec<_> = of.map(|first| LLVMTypeOf(first.raw())).collect();
            let callee = LLVMGetIntrinsicDeclaration(module, id, types.as_mut_ptr(), types.len());
            self.call(Value::from_raw(callee), args)
        }
    }

    /// The function of that name in the module, which computes something from numbers alone, and returns `stands_for`, if nobody replaces its calls.
    /// As it could be another one when programs are linked, the optimiser sees nothing but its attributes.
    pub fn deferred_function(&self, name: &str, (returned, params): (Type, &[Type]), stands_for: Returned) -> Value {
        let c_name = std::ffi::CString::new(name).expect("a name");
        unsafe {
            let module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(self.0)));
            let known = LLVMGetNamedFunction(module, c_name.as_ptr());
            if !known.is_null() {
                return Value::from_raw(known);
            }
            let mut types: Vec<_> = params.iter().map(|ty| ty.raw()).collect();
            let ty = LLVMFunctionType(returned.raw(), types.as_mut_ptr(), types.len() as u32, 0);
            let function = Value::from_raw(LLVMAddFunction(module, c_name.as_ptr(), ty));
            LLVMSetLinkage(function.raw(), llvm_sys::LLVMLinkage::LLVMWeakAnyLinkage);
            LLVMSetVisibility(function.raw(), llvm_sys::LLVMVisibility::LLVMHiddenVisibility);
            function.declare_memory(MemoryEffects::NONE, "ipda-deferred");
            for name in ["nosync", "nofree", "nocallback", "norecurse", "speculatable"] {
                function.add_attribute(name);
            }
            // To OpenMP's optimisations a call of what they do not know could start anything.
            function.add_text_attribute("llvm.assume", "omp_no_openmp,ompx_spmd_amenable");
            Code::at_end(append_block(function)).return_value(match stands_for {
                Returned::Number(number) => Value::int_of(returned, number),
                Returned::Param(at) => function.params()[at],
            });
            function
        }
    }

    /// A pointer as a number.
    pub fn address(&self, pointer: Value, ty: Type) -> Value {
        unsafe { Value::from_raw(LLVMBuildPtrToInt(self.0, pointer.raw(), ty.raw(), c"".as_ptr())) }
    }

    /// A number as a pointer.
    pub fn as_pointer(&self, number: Value, ty: Type) -> Value {
        unsafe { Value::from_raw(LLVMBuildIntToPtr(self.0, number.raw(), ty.raw(), c"".as_ptr())) }
    }

    /// What memory holds.
    pub fn load(&self, ty: Type, pointer: Value) -> Value {
        unsafe { Value::from_raw(LLVMBuildLoad2(self.0, ty.raw(), pointer.raw(), c"".as_ptr())) }
    }

    /// Writes to memory.
    pub fn store(&self, value: Value, pointer: Value) -> Value {
        unsafe { Value::from_raw(LLVMBuildStore(self.0, value.raw(), pointer.raw())) }
    }

    /// A local variable.
    pub fn alloca(&self, ty: Type) -> Value {
        unsafe { Value::from_raw(LLVMBuildAlloca(self.0, ty.raw(), c"".as_ptr())) }
    }

    /// An element of an array that a pointer leads to.
    pub fn element(&self, ty: Type, pointer: Value, index: u64) -> Value {
        unsafe {
            let mut index = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(ty.raw())), index, 0);
            Value::from_raw(LLVMBuildInBoundsGEP2(self.0, ty.raw(), pointer.raw(), &mut index, 1, c"".as_ptr()))
        }
    }

    /// The element at a number of 64 bits, which need not lie in the array.
    pub fn elements(&self, ty: Type, pointer: Value, number: Value) -> Value {
        unsafe {
            let mut number = number.raw();
            Value::from_raw(LLVMBuildGEP2(self.0, ty.raw(), pointer.raw(), &mut number, 1, c"".as_ptr()))
        }
    }

    /// A call of a function.
    pub fn call(&self, callee: Value, args: &[Value]) -> Value {
        unsafe {
            let mut args: Vec<LLVMValueRef> = args.iter().map(|arg| arg.raw()).collect();
            let ty = LLVMGlobalGetValueType(callee.raw());
            Value::from_raw(LLVMBuildCall2(
                self.0,
                ty,
                callee.raw(),
                args.as_mut_ptr(),
                args.len() as u32,
                c"".as_ptr(),
            ))
        }
    }

    /// Goes on in another block.
    pub fn branch(&self, to: Block) {
        unsafe { LLVMBuildBr(self.0, to.raw()) };
    }

    /// Goes on in one of two blocks.
    pub fn branch_if(&self, condition: Value, then: Block, otherwise: Block) {
        unsafe { LLVMBuildCondBr(self.0, condition.raw(), then.raw(), otherwise.raw()) };
    }

    /// The same, where the condition nearly always holds.
    pub fn branch_if_usual(&self, condition: Value, then: Block, otherwise: Block) {
        // SAFETY: all are alive, and of one function.
        let branch = unsafe { LLVMBuildCondBr(self.0, condition.raw(), then.raw(), otherwise.raw()) };
        // SAFETY: it has two ways.
        unsafe { ipda_expect_first(branch) };
    }

    /// One of two values.
    pub fn select(&self, condition: Value, then: Value, otherwise: Value) -> Value {
        unsafe { Value::from_raw(LLVMBuildSelect(self.0, condition.raw(), then.raw(), otherwise.raw(), c"".as_ptr())) }
    }

    /// Leaves the function with a value.
    pub fn return_value(&self, value: Value) {
        unsafe { LLVMBuildRet(self.0, value.raw()) };
    }

    /// Gives what is made from here on the place of an instruction.
    pub fn placed_like(self, instruction: Value) -> Code {
        unsafe { LLVMSetCurrentDebugLocation2(self.0, LLVMInstructionGetDebugLoc(instruction.raw())) };
        self
    }

    /// A phi with values by the blocks that they come from; more can follow.
    pub fn phi(&self, ty: Type, incoming: &[(Value, Block)]) -> Value {
        let phi = unsafe { Value::from_raw(LLVMBuildPhi(self.0, ty.raw(), c"".as_ptr())) };
        incoming.iter().for_each(|&(value, from)| add_incoming(phi, value, from));
        phi
    }

    /// The number that follows another one, where it is known that there is one without and perhaps with a sign.
    pub fn next(&self, number: Value, reading: Signedness) -> Value {
        let next = self.binary(LLVMOpcode::LLVMAdd, number, Value::int_of(number.ty(), 1));
        unsafe {
            LLVMSetNUW(next.raw(), 1);
            LLVMSetNSW(next.raw(), i32::from(reading == Signedness::Signed));
        }
        next
    }

    /// The difference of two numbers, which fits with a sign.
    pub fn difference(&self, a: Value, b: Value) -> Value {
        let difference = self.binary(LLVMOpcode::LLVMSub, a, b);
        unsafe { LLVMSetNSW(difference.raw(), 1) };
        difference
    }

    /// Puts an instruction here that stood elsewhere.
    pub fn take(&self, instruction: Value) {
        unsafe {
            LLVMInstructionRemoveFromParent(instruction.raw());
            LLVMInsertIntoBuilder(self.0, instruction.raw());
        }
    }
}

/// Takes back what an operation promises of its operands: that nothing overflows, or is no number.
pub fn forget_promises(operation: Value) {
    // SAFETY: the instruction is alive, and has the flags that it is asked for.
    unsafe {
        let raw = operation.raw();
        match operation.opcode() {
            Some(LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMMul | LLVMOpcode::LLVMShl) => {
                LLVMSetNSW(raw, 0);
                LLVMSetNUW(raw, 0);
            }
            Some(LLVMOpcode::LLVMOr) => LLVMSetIsDisjoint(raw, 0),
            _ if LLVMCanValueUseFastMathFlags(raw) != 0 => {
                let promises = LLVMFastMathNoNaNs | LLVMFastMathNoInfs;
                LLVMSetFastMathFlags(raw, LLVMGetFastMathFlags(raw) & !promises);
            }
            _ => {}
        }
    }
}

/// Lets an addition whose sum fits with a sign be one of numbers without a sign whose sum fits.
pub fn add_without_sign(sum: Value) {
    if sum.is(LLVMOpcode::LLVMAdd) && sum.has_nsw() {
        // SAFETY: the instruction is alive, and has these flags.
        unsafe {
            LLVMSetNSW(sum.raw(), 0);
            LLVMSetNUW(sum.raw(), 1);
        }
    }
}

/// Lets a comparison take its numbers without a sign.
pub fn compare_without_sign(comparison: Value) {
    use LLVMIntPredicate::*;
    let predicate = match comparison.int_predicate() {
        LLVMIntSLT => LLVMIntULT,
        LLVMIntSLE => LLVMIntULE,
        LLVMIntSGT => LLVMIntUGT,
        LLVMIntSGE => LLVMIntUGE,
        _ => return,
    };
    let new = Code::before(comparison).compare(predicate, comparison.operand(0), comparison.operand(1));
    comparison.replace_all_uses(new);
    comparison.erase();
}

/// Tells a phi what it is when control comes from a block.
pub fn add_incoming(phi: Value, value: Value, from: Block) {
    // SAFETY: all are alive, and the first is a phi.
    unsafe { LLVMAddIncoming(phi.raw(), &mut value.raw(), &mut from.raw(), 1) };
}

/// Lets a branch lead elsewhere.
pub fn lead_to(branch: Value, successor: u32, to: Block) {
    // SAFETY: the branch has that successor.
    unsafe { LLVMSetSuccessor(branch.raw(), successor, to.raw()) };
}

/// Tells a block's phis that control comes from another block than before.
pub fn comes_from(block: Block, before: Block, now: Block) {
    // SAFETY: all are alive.
    unsafe { ipda_replace_predecessor(block.raw(), before.raw(), now.raw()) };
}

impl Block {
    /// Copies the blocks of a loop, its header first, which is entered from one block: where a number is not 0, that leads to the loop, else to the
    /// copies. None, and nothing has changed, where what they compute is used elsewhere.
    pub fn choose_copy(blocks: &[Block], number: Value) -> Option<Vec<Block>> {
        let originals: Vec<_> = blocks.iter().map(|block| block.raw()).collect();
        let mut copies = vec![std::ptr::null_mut(); blocks.len()];
        // SAFETY: all are alive and of one function, and there is room for as many copies.
        let done = unsafe { ipda_choose_copy(originals.as_ptr(), originals.len(), number.raw(), copies.as_mut_ptr()) };
        done.then(|| copies.into_iter().map(Block).collect())
    }

    /// Lets nobody hear what the compiler says of the loops in some copies of blocks that it says of the original ones as well.
    pub fn keep_quiet(copies: &[Block]) {
        let copies: Vec<_> = copies.iter().map(|block| block.raw()).collect();
        // SAFETY: they are alive.
        unsafe { ipda_say_once(copies.as_ptr(), copies.len()) };
    }
}

impl Value {
    /// A copy of a function to run, internal, with `extra` more parameters of 64 bits behind its own and that suffix to its name.
    pub fn clone_to_run(self, extra: u32, suffix: &str) -> Value {
        // SAFETY: the function is alive and has a body.
        unsafe { Value::from_raw(ipda_clone_to_run(self.raw(), extra, Str::new(suffix))) }
    }

    /// Lets an instruction without users run only where a condition holds that is known before it.
    pub fn run_if(self, condition: Value) {
        // SAFETY: both are alive.
        unsafe { ipda_run_if(self.raw(), condition.raw()) };
    }

    /// Lets the rest of an iteration run only where a condition holds that is computed in it: of the loop that counts by this phi, the only one at its head,
    /// and has one latch. Whether that could be done: what follows the iteration does nothing but to find the counter's next value. If not, nothing has
    /// changed.
    pub fn skip_unless(self, condition: Value) -> bool {
        // SAFETY: both are alive, and of one function.
        unsafe { ipda_skip_unless(self.raw(), condition.raw()) }
    }

    /// Lets an iteration of a loop run several times, in loops of which these numbers are the counters, each up to its count, which its type holds with a sign
    /// wherever the code runs: from the first of them on, which
    /// stand one behind the other in front of the rest of the iteration, and are replaced. What is behind the condition, if there is one, runs only where that
    /// holds; it is computed of the numbers in their block. The loop is as that of [`skip_unless`](Value::skip_unless), and so is what follows. Whether that
    /// could be done; if not, nothing has changed.
    pub fn repeat(self, numbers: &[(Value, Value)], condition: Option<Value>) -> bool {
        let (numbers, counts): (Vec<LLVMValueRef>, Vec<LLVMValueRef>) =
            numbers.iter().map(|(number, count)| (number.raw(), count.raw())).unzip();
        let condition = condition.map_or(std::ptr::null_mut(), Value::raw);
        // SAFETY: all are alive, and of one function, and there are as many counts as numbers.
        unsafe { ipda_repeat(self.raw(), numbers.as_ptr(), counts.as_ptr(), numbers.len(), condition) }
    }

    /// Forgets which of a function's loops count what for people, as canonical loops have it noted.
    pub fn forget_counters(self) {
        // SAFETY: the function is alive.
        unsafe { ipda_forget_counters(self.raw()) };
    }

    /// Lets a call pass its arguments as another one does.
    pub fn set_convention_of(self, call: Value) {
        // SAFETY: both are calls.
        unsafe { LLVMSetInstructionCallConv(self.raw(), LLVMGetInstructionCallConv(call.raw())) };
    }

    /// An array of pointers in the place of a local variable, which is aligned as that is.
    pub fn replaced_by_pointers(self, count: usize) -> Value {
        // SAFETY: a local variable of a living function.
        unsafe {
            let pointer = LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(self.raw())), 0);
            let array = Type::from_raw(LLVMArrayType2(pointer, count as u64));
            let new = Code::before(self).alloca(array);
            LLVMSetAlignment(new.raw(), LLVMGetAlignment(self.raw()));
            self.replace_all_uses(new);
            self.erase();
            new
        }
    }
}

impl Type {
    /// That of a pointer to the generic address space, in a value's context.
    pub fn generic_pointer(like: Value) -> Type {
        // SAFETY: the value is alive.
        unsafe { Type::from_raw(LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(like.raw())), 0)) }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: made here, used by nobody else.
        unsafe { LLVMDisposeBuilder(self.0) }
    }
}

/// The integer type of a width, in a value's context.
pub fn integer(like: Value, bits: u32) -> Type {
    // SAFETY: the value is alive.
    unsafe { Type::from_raw(LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(like.raw())), bits)) }
}

/// An integer constant of any size.
pub fn constant(ty: Type, decimal: &str) -> Value {
    let text = std::ffi::CString::new(decimal).expect("digits");
    // SAFETY: the type is an integer's.
    unsafe { Value::from_raw(LLVMConstIntOfString(ty.raw(), text.as_ptr(), 10)) }
}

/// A block at the end of a function.
pub fn append_block(function: Value) -> Block {
    // SAFETY: the function is alive.
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(function.raw()));
        Block::from_raw(LLVMAppendBasicBlockInContext(context, function.raw(), c"".as_ptr()))
    }
}

/// An internal function that returns 64 bits; `like` tells its attributes' bearer and its name.
pub fn function(like: Value, params: &[Type], suffix: &str) -> Value {
    // SAFETY: the function is alive.
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(like.raw()));
        let mut types: Vec<_> = params.iter().map(|ty| ty.raw()).collect();
        let returned = LLVMInt64TypeInContext(context);
        let ty = LLVMFunctionType(returned, types.as_mut_ptr(), types.len() as u32, 0);
        let name = std::ffi::CString::new(like.name() + suffix).expect("a name");
        // One that is made while names are discarded never tells equal ones apart.
        let discards = LLVMContextShouldDiscardValueNames(context);
        LLVMContextSetDiscardValueNames(context, 0);
        let function = LLVMAddFunction(LLVMGetGlobalParent(like.raw()), name.as_ptr(), ty);
        LLVMContextSetDiscardValueNames(context, discards);
        LLVMSetLinkage(function, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
        // It is inlined, and inlines, as the others: on some targets that depends on what their attributes say of the processor.
        let count = LLVMGetAttributeCountAtIndex(like.raw(), LLVMAttributeFunctionIndex) as usize;
        let mut attributes = vec![std::ptr::null_mut(); count];
        LLVMGetAttributesAtIndex(like.raw(), LLVMAttributeFunctionIndex, attributes.as_mut_ptr());
        for attribute in attributes {
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
        }
        Value::from_raw(function)
    }
}

/// What a function returns: a number, or the parameter at a place.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // the sentence above says it
pub enum Returned {
    Number(u64),
    Param(usize),
}
