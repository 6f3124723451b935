//! The C++ shim's interface; the counterpart of the headers in `shim`.

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};
use std::ffi::c_void;

/// Characters that somebody else owns.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Str {
    data: *const u8,
    len: usize,
}

impl Str {
    pub(crate) fn new(text: &str) -> Str {
        Str { data: text.as_ptr(), len: text.len() }
    }

    /// Bytes that are no text.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Str {
        Str { data: bytes.as_ptr(), len: bytes.len() }
    }

    /// Whether the text begins so.
    ///
    /// # Safety
    /// The owner still holds the characters.
    pub(crate) unsafe fn starts_with(self, start: &[u8]) -> bool {
        // SAFETY: by the caller's promise.
        self.len >= start.len() && unsafe { std::slice::from_raw_parts(self.data, start.len()) } == start
    }

    /// The text, with what is not UTF-8 replaced.
    ///
    /// # Safety
    /// The owner still holds the characters.
    pub(crate) unsafe fn to_string(self) -> String {
        if self.len == 0 {
            return String::new();
        }
        // SAFETY: by the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(self.data, self.len) };
        str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), str::to_owned)
    }
}

/// A place in the source; line 0 means none.
#[repr(C)]
pub(crate) struct RawLocation {
    pub directory: Str,
    pub file: Str,
    pub line: u32,
    pub column: u32,
}

impl RawLocation {
    pub(crate) fn none() -> RawLocation {
        RawLocation { directory: Str::new(""), file: Str::new(""), line: 0, column: 0 }
    }
}

/// A place that an instruction comes from.
#[repr(C)]
pub(crate) struct RawPlace {
    pub at: RawLocation,
    pub function: Str,
    pub system: bool,
}

/// A source variable that a value holds.
#[repr(C)]
pub(crate) struct RawVariable {
    pub name: Str,
    pub depth: u32,
    pub artificial: bool,
    pub scope: *const c_void,
    pub ty: *const c_void,
}

/// How memory got its content; `kind` is none (0), `instruction` (1) or a merge in `block` (2).
#[repr(C)]
pub(crate) struct RawWrite {
    pub kind: u32,
    pub instruction: LLVMValueRef,
    pub block: LLVMBasicBlockRef,
}

/// The machine code of one loop of a function; `mark` is 0 outside of loops.
#[repr(C)]
pub(crate) struct RawMachineLoop {
    /// By its place among those that were asked for.
    pub function: usize,
    pub mark: u32,
    pub instructions: f64,
    pub loads: f64,
    pub stores: f64,
    pub calls: f64,
    /// For each processor that was asked for.
    pub cycles: *const f64,
}

/// The analysis managers of the running pipeline.
#[repr(C)]
pub(crate) struct Session {
    _opaque: [u8; 0],
}

/// A pointer to the [`Session`] of this run.
pub(crate) type SessionRef = *mut Session;

/// What the shim calls.
#[repr(C)]
pub(crate) struct Callbacks {
    pub run: extern "C" fn(session: SessionRef, module: LLVMModuleRef, kind: u32, parameters: Str) -> bool,
    pub check_parameters: extern "C" fn(parameters: Str) -> bool,
}

/// How an integer's bits are read.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Signed = 0,
    Unsigned = 1,
}

/// A remark by the flag that shows it.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkKind {
    /// `-Rpass-missed=ipda`
    Missed = 0,
    /// `-Rpass-analysis=ipda`
    Analysis = 1,
    /// `-Rpass=ipda`
    Passed = 2,
}

unsafe extern "C" {
    pub(crate) fn ipda_register_callbacks(pass_builder: *mut c_void, callbacks: Callbacks);
    pub(crate) fn ipda_with_session(
        module: LLVMModuleRef,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, session: SessionRef),
    );
    pub(crate) fn ipda_clone_function(function: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn ipda_clone_to_run(function: LLVMValueRef, extra: u32, suffix: Str) -> LLVMValueRef;
    pub(crate) fn ipda_note_choice(function: LLVMValueRef, parameter: u32);
    pub(crate) fn ipda_forget_choice(function: LLVMValueRef);
    pub(crate) fn ipda_part_choices(module: LLVMModuleRef) -> bool;
    pub(crate) fn ipda_keep_cases(switch: LLVMValueRef, numbers: *const i64, count: usize);
    pub(crate) fn ipda_erase_function(function: LLVMValueRef);
    pub(crate) fn ipda_run_if(instruction: LLVMValueRef, condition: LLVMValueRef);
    pub(crate) fn ipda_skip_unless(counter: LLVMValueRef, condition: LLVMValueRef) -> bool;
    pub(crate) fn ipda_repeat(
        counter: LLVMValueRef,
        numbers: *const LLVMValueRef,
        counts: *const LLVMValueRef,
        count: usize,
        condition: LLVMValueRef,
    ) -> bool;
    pub(crate) fn ipda_choose_copy(
        blocks: *const LLVMBasicBlockRef,
        count: usize,
        number: LLVMValueRef,
        copies: *mut LLVMBasicBlockRef,
    ) -> bool;
    pub(crate) fn ipda_replace_predecessor(block: LLVMBasicBlockRef, before: LLVMBasicBlockRef, now: LLVMBasicBlockRef);
    pub(crate) fn ipda_function_around(call: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn ipda_discard_function(session: SessionRef, function: LLVMValueRef);
    pub(crate) fn ipda_instruction_count(function: LLVMValueRef) -> usize;
    pub(crate) fn ipda_inline_call(
        call: LLVMValueRef,
        believe_noalias: bool,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, call: LLVMValueRef),
    ) -> bool;
    pub(crate) fn ipda_inline_to_run(
        call: LLVMValueRef,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, call: LLVMValueRef),
    ) -> bool;
    pub(crate) fn ipda_take_pointers(
        call: LLVMValueRef,
        array: LLVMValueRef,
        pointers: *mut LLVMValueRef,
        count: usize,
    ) -> bool;
    pub(crate) fn ipda_promote_all(module: LLVMModuleRef);
    pub(crate) fn ipda_constant_step(address: LLVMValueRef, bytes: *mut i64) -> bool;
    pub(crate) fn ipda_promote(session: SessionRef, function: LLVMValueRef);
    pub(crate) fn ipda_canonicalise(session: SessionRef, function: LLVMValueRef) -> bool;
    pub(crate) fn ipda_forget_counters(function: LLVMValueRef);
    pub(crate) fn ipda_simplify(session: SessionRef, function: LLVMValueRef);
    pub(crate) fn ipda_needs_division(session: SessionRef, value: LLVMValueRef, header: LLVMBasicBlockRef) -> bool;
    pub(crate) fn ipda_may_be_written(
        session: SessionRef,
        reader: LLVMValueRef,
        blocks: *const LLVMBasicBlockRef,
        count: usize,
        except: *const LLVMValueRef,
        except_count: usize,
    ) -> bool;
    pub(crate) fn ipda_library_effects(call: LLVMValueRef, effects: *mut u64) -> bool;
    pub(crate) fn ipda_types_differ(first: LLVMValueRef, second: LLVMValueRef) -> bool;
    pub(crate) fn ipda_last_write(
        session: SessionRef,
        reader: LLVMValueRef,
        past: LLVMValueRef,
        merge: LLVMBasicBlockRef,
        from: LLVMBasicBlockRef,
        out: *mut RawWrite,
    ) -> bool;
    pub(crate) fn ipda_variables(
        function: LLVMValueRef,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, value: LLVMValueRef, variable: *const RawVariable),
    );
    pub(crate) fn ipda_is_reference(ty: *const c_void) -> bool;
    pub(crate) fn ipda_member(
        ty: *const c_void,
        offset: u64,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, name: Str, ty: *const c_void),
    ) -> bool;
    pub(crate) fn ipda_counter_name(phi: LLVMValueRef, out: *mut Str) -> bool;
    pub(crate) fn ipda_counters(
        phi: LLVMValueRef,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, name: Str),
    );
    pub(crate) fn ipda_location(instruction: LLVMValueRef, out: *mut RawLocation) -> bool;
    pub(crate) fn ipda_places(
        instruction: LLVMValueRef,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, place: *const RawPlace),
    );
    pub(crate) fn ipda_loop_location(terminator: LLVMValueRef, out: *mut RawLocation) -> bool;
    pub(crate) fn ipda_function_location(function: LLVMValueRef, out: *mut RawLocation) -> bool;
    pub(crate) fn ipda_range(value: LLVMValueRef, reading: Reading, min: *mut u64, max: *mut u64) -> bool;
    pub(crate) fn ipda_required_team_shape(function: LLVMValueRef, out: *mut u32) -> bool;
    pub(crate) fn ipda_demangle(
        mangled: Str,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, name: Str),
    );
    pub(crate) fn ipda_remarks_enabled(module: LLVMModuleRef, kind: RemarkKind) -> bool;
    pub(crate) fn ipda_emit_remark(
        function: LLVMValueRef,
        kind: RemarkKind,
        name: Str,
        text: Str,
        at: *const RawLocation,
        only_recorded: bool,
    );
    pub(crate) fn ipda_replace_bytes(global: LLVMValueRef, bytes: Str);
    pub(crate) fn ipda_warn(module: LLVMModuleRef, text: Str);
    pub(crate) fn ipda_say_once(copies: *const LLVMBasicBlockRef, count: usize);
    pub(crate) fn ipda_mark_loop(latch: LLVMValueRef, key: Str, number: u32);
    pub(crate) fn ipda_unmark_loops(module: LLVMModuleRef, keys: Str);
    pub(crate) fn ipda_loop_mark(latch: LLVMValueRef, key: Str, number: *mut u32) -> bool;
    pub(crate) fn ipda_expect_first(branch: LLVMValueRef);
    pub(crate) fn ipda_branch_weights(terminator: LLVMValueRef, weights: *mut u32, count: usize) -> bool;
    pub(crate) fn ipda_machine_code(
        module: LLVMModuleRef,
        functions: *const LLVMValueRef,
        function_count: usize,
        key: Str,
        processors: *const Str,
        processor_count: usize,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, found: *const RawMachineLoop),
        failed: extern "C" fn(context: *mut c_void, reason: Str),
    );
    pub(crate) fn ipda_code_cost(
        module: LLVMModuleRef,
        functions: *const LLVMValueRef,
        function_count: usize,
        key: Str,
        processors: *const Str,
        processor_count: usize,
        context: *mut c_void,
        each: extern "C" fn(context: *mut c_void, found: *const RawMachineLoop),
        failed: extern "C" fn(context: *mut c_void, reason: Str),
    );
}
