//! What is read of a whole module, and kept as it was.

use crate::{Value, some};
use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// What NVIDIA's annotations say of a function.
pub struct Annotation {
    /// Of which function.
    pub function: Value,
    /// What is said.
    pub key: String,
    /// And how much.
    pub value: i64,
}

/// The entries of `!nvvm.annotations`: a function, then keys with numbers.
#[allow(clippy::undocumented_unsafe_blocks)] // the module outlives the call, and each kind of operand is asked for before it is read
pub fn nvvm_annotations(module: &Module<'_>) -> Vec<Annotation> {
    let name = c"nvvm.annotations".as_ptr();
    let operands = |node: LLVMValueRef| {
        let mut operands = vec![std::ptr::null_mut(); unsafe { LLVMGetMDNodeNumOperands(node) } as usize];
        unsafe { LLVMGetMDNodeOperands(node, operands.as_mut_ptr()) };
        operands
    };
    let mut nodes =
        vec![std::ptr::null_mut(); unsafe { LLVMGetNamedMetadataNumOperands(module.as_mut_ptr(), name) } as usize];
    unsafe { LLVMGetNamedMetadataOperands(module.as_mut_ptr(), name, nodes.as_mut_ptr()) };
    let mut annotations = Vec::new();
    for node in nodes {
        let operands = operands(node);
        let Some((&function, pairs)) = operands.split_first() else { continue };
        let Some(function) = some(function).filter(|function| function.is_function()) else { continue };
        for pair in pairs.chunks_exact(2) {
            if let (Some(key), Some(value)) = (unsafe { metadata_text(pair[0]) }, some(pair[1]).and_then(Value::as_int))
            {
                annotations.push(Annotation { function, key: String::from_utf8_lossy(key).into_owned(), value });
            }
        }
    }
    annotations
}

/// Values that are made meanwhile get no names.
pub struct Nameless {
    context: LLVMContextRef,
    before: i32,
}

#[allow(clippy::undocumented_unsafe_blocks)] // the module's context outlives the run
impl Nameless {
    /// From here on.
    pub fn new(module: &Module<'_>) -> Nameless {
        let context = unsafe { LLVMGetModuleContext(module.as_mut_ptr()) };
        let before = unsafe { LLVMContextShouldDiscardValueNames(context) };
        unsafe { LLVMContextSetDiscardValueNames(context, 1) };
        Nameless { context, before }
    }
}

impl Drop for Nameless {
    #[allow(clippy::undocumented_unsafe_blocks)] // as above
    fn drop(&mut self) {
        unsafe { LLVMContextSetDiscardValueNames(self.context, self.before) }
    }
}

/// Removes declarations that LLVM's own passes added to a module while copies were worked on.
pub struct DeclarationGuard {
    module: LLVMModuleRef,
    last: LLVMValueRef,
}

#[allow(clippy::undocumented_unsafe_blocks)] // the module outlives the run
impl DeclarationGuard {
    /// For the declarations of a module.
    pub fn new(module: &Module<'_>) -> DeclarationGuard {
        let module = module.as_mut_ptr();
        DeclarationGuard { module, last: unsafe { LLVMGetLastFunction(module) } }
    }
}

impl Drop for DeclarationGuard {
    #[allow(clippy::undocumented_unsafe_blocks)] // as above; the copies that used the declarations are gone
    fn drop(&mut self) {
        unsafe {
            loop {
                let added = LLVMGetLastFunction(self.module);
                if added == self.last || LLVMIsDeclaration(added) == 0 || !LLVMGetFirstUse(added).is_null() {
                    return;
                }
                LLVMDeleteFunction(added);
            }
        }
    }
}

/// The operands of a metadata node, null ones too; none where it is no node.
///
/// # Safety
/// `node` is null or metadata as a value.
pub(crate) unsafe fn metadata_operands(node: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: by the caller's promise; the second call writes as many as the first tells.
    unsafe {
        if node.is_null() || LLVMIsAMDNode(node).is_null() {
            return Vec::new();
        }
        let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
        operands
    }
}

/// The characters of a text among metadata; none of what is something else, or null.
///
/// # Safety
/// The value is null or alive.
pub(crate) unsafe fn metadata_text<'a>(value: LLVMValueRef) -> Option<&'a [u8]> {
    let mut length = 0;
    // SAFETY: by the caller's promise; the context owns the characters.
    unsafe {
        let text = if value.is_null() { std::ptr::null() } else { LLVMGetMDString(value, &raw mut length) };
        (!text.is_null()).then(|| std::slice::from_raw_parts(text.cast::<u8>(), length as usize))
    }
}
