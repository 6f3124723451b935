//! The nodes of debug information, read through LLVM's C interface. Numbers of operands are those of LLVM 19.

use inkwell::values::{AsValueRef, FunctionValue, GlobalValue};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMValueRef};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A node, alive as long as its context.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    // Invariant: a node of `context`.
    raw: LLVMMetadataRef,
    context: LLVMContextRef,
    alive: PhantomData<&'a ()>,
}

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Basic,
    Enumeration,
    Pointer,
    Reference,
    Array,
    Structure,
    /// A type that is another one with a name or a qualifier, or a member of that type.
    Qualifier,
    /// The type of a function.
    Function,
    Other,
}

/// What the bits of a basic type mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Boolean,
    Signed,
    Unsigned,
    Float,
    Complex,
    Other,
}

const TAG_ARRAY: u16 = 0x01;
const TAG_CLASS: u16 = 0x02;
const TAG_ENUMERATION: u16 = 0x04;
const TAG_MEMBER: u16 = 0x0d;
const TAG_POINTER: u16 = 0x0f;
const TAG_REFERENCE: u16 = 0x10;
const TAG_STRUCTURE: u16 = 0x13;
const TAG_TYPEDEF: u16 = 0x16;
const TAG_UNION: u16 = 0x17;
const TAG_INHERITANCE: u16 = 0x1c;
const TAG_CONST: u16 = 0x26;
const TAG_VOLATILE: u16 = 0x35;
const TAG_RESTRICT: u16 = 0x37;
const TAG_RVALUE_REFERENCE: u16 = 0x42;
const TAG_ATOMIC: u16 = 0x47;

const SCOPE_OF_BLOCK: usize = 1;
const NAME: usize = 2;
const NAME_OF_VARIABLE: usize = 1;
const TYPE_OF_VARIABLE: usize = 3;
const VARIABLE_OF_EXPRESSION: usize = 0;
const LINKAGE_NAME: usize = 3;
const TYPE_OF_FUNCTION: usize = 4;
const RETAINED_NODES: usize = 7;
const BASE_TYPE: usize = 3;
const ELEMENTS: usize = 4;
const PARAMETER_TYPES: usize = 3;
const COUNT: usize = 0;

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Node<'_>) -> bool {
        self.raw == other.raw
    }
}

/// The description of a function.
pub(super) fn subprogram(function: FunctionValue<'_>) -> Option<Node<'_>> {
    // SAFETY: the function is alive, and a node or nothing comes back.
    Node::new(unsafe { LLVMGetSubprogram(function.as_value_ref()) }, context_of(function.as_value_ref()))
}

/// The descriptions of all functions that a function's instructions were written in.
pub(super) fn scopes(function: FunctionValue<'_>) -> Vec<Node<'_>> {
    let context = context_of(function.as_value_ref());
    let mut scopes: Vec<Node<'_>> = Vec::new();
    for instruction in function.get_basic_block_iter().flat_map(|block| block.get_instructions()) {
        // SAFETY: the instruction is alive, and a node or nothing comes back.
        let mut location = Node::new(unsafe { LLVMInstructionGetDebugLoc(instruction.as_value_ref()) }, context);
        while let Some(at) = location {
            let scope = at.scope_of_location().and_then(Node::enclosing_function);
            scopes.extend(scope.filter(|scope| !scopes.contains(scope)));
            location = at.inlined_at();
        }
    }
    scopes
}

/// The type of a variable of the module.
pub(super) fn global_type(global: GlobalValue<'_>) -> Option<Node<'_>> {
    let context = context_of(global.as_value_ref());
    let mut count = 0;
    // SAFETY: the variable is alive; the copy is disposed of below.
    let entries = unsafe { LLVMGlobalCopyAllMetadata(global.as_value_ref(), &mut count) };
    let nodes = (0..count as u32).filter_map(|index| {
        // SAFETY: fewer than the count that came with the entries.
        Node::new(unsafe { LLVMValueMetadataEntriesGetMetadata(entries, index) }, context)
    });
    let nodes: Vec<Node<'_>> = nodes.collect();
    // SAFETY: made above and not used after; the nodes belong to the context.
    unsafe { LLVMDisposeValueMetadataEntries(entries) };
    nodes
        .into_iter()
        .find(|node| node.is(LLVMMetadataKind::LLVMDIGlobalVariableExpressionMetadataKind))
        .and_then(|expression| expression.node(VARIABLE_OF_EXPRESSION)?.node(TYPE_OF_VARIABLE))
}

fn context_of(value: LLVMValueRef) -> LLVMContextRef {
    // SAFETY: every value that inkwell hands out is alive and has a type.
    unsafe { LLVMGetTypeContext(LLVMTypeOf(value)) }
}

impl<'a> Node<'a> {
    fn new(raw: LLVMMetadataRef, context: LLVMContextRef) -> Option<Node<'a>> {
        NonNull::new(raw).map(|raw| Node { raw: raw.as_ptr(), context, alive: PhantomData })
    }

    /// What this type is.
    pub(super) fn kind(self) -> Kind {
        let is_type = self.is(LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind)
            || self.is(LLVMMetadataKind::LLVMDICompositeTypeMetadataKind);
        if self.is(LLVMMetadataKind::LLVMDIBasicTypeMetadataKind) {
            return Kind::Basic;
        }
        if self.is(LLVMMetadataKind::LLVMDISubroutineTypeMetadataKind) {
            return Kind::Function;
        }
        if !is_type {
            return Kind::Other;
        }
        match self.tag() {
            TAG_ENUMERATION => Kind::Enumeration,
            TAG_POINTER => Kind::Pointer,
            TAG_REFERENCE | TAG_RVALUE_REFERENCE => Kind::Reference,
            TAG_ARRAY => Kind::Array,
            TAG_STRUCTURE | TAG_CLASS | TAG_UNION => Kind::Structure,
            TAG_TYPEDEF | TAG_CONST | TAG_VOLATILE | TAG_RESTRICT | TAG_ATOMIC => Kind::Qualifier,
            _ => Kind::Other,
        }
    }

    /// The type behind names and qualifiers; none is `void`.
    pub(super) fn without_qualifiers(self) -> Option<Node<'a>> {
        let mut node = self;
        while node.kind() == Kind::Qualifier {
            node = node.base()?;
        }
        Some(node)
    }

    /// The type that this one is made from: of an element, behind a pointer, of a member.
    pub(super) fn base(self) -> Option<Node<'a>> {
        self.node(BASE_TYPE)
    }

    /// The members of a structure that have bytes of their own, base classes among them.
    pub(super) fn members(self) -> Vec<Node<'a>> {
        let elements = self.node(ELEMENTS).map(Node::nodes).unwrap_or_default();
        let has_bytes = |member: &Node<'a>| {
            member.is(LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind)
                && matches!(member.tag(), TAG_MEMBER | TAG_INHERITANCE)
                && member.flags() & (LLVMDIFlagStaticMember | LLVMDIFlagBitField) == 0
        };
        elements.into_iter().flatten().filter(has_bytes).collect()
    }

    pub(super) fn is_base_class(self) -> bool {
        self.tag() == TAG_INHERITANCE
    }

    /// Whether a type is only announced here.
    pub(super) fn is_declaration(self) -> bool {
        self.flags() & LLVMDIFlagFwdDecl != 0
    }

    /// The extents of an array, the outermost first; none where one is computed when the program runs.
    pub(super) fn extents(self) -> Vec<Option<u64>> {
        let ranges = self.node(ELEMENTS).map(Node::nodes).unwrap_or_default();
        let ranges = ranges.into_iter().flatten();
        ranges.map(|range| range.constant(COUNT).and_then(|count| u64::try_from(count).ok())).collect()
    }

    /// The type of a function.
    pub(super) fn function_type(self) -> Option<Node<'a>> {
        self.node(TYPE_OF_FUNCTION)
    }

    /// The type of a function's result and those of its parameters; none is `void`.
    pub(super) fn parameter_types(self) -> Vec<Option<Node<'a>>> {
        self.node(PARAMETER_TYPES).map(Node::nodes).unwrap_or_default()
    }

    /// The variables that a function's description keeps.
    pub(super) fn retained_variables(self) -> Vec<Node<'a>> {
        let nodes = self.node(RETAINED_NODES).map(Node::nodes).unwrap_or_default();
        let nodes = nodes.into_iter().flatten();
        nodes.filter(|node| node.is(LLVMMetadataKind::LLVMDILocalVariableMetadataKind)).collect()
    }

    /// The name of a function.
    pub(super) fn function_name(self) -> Option<String> {
        self.string(LINKAGE_NAME).or_else(|| self.string(NAME))
    }

    /// The name of a variable.
    pub(super) fn variable_name(self) -> Option<String> {
        self.string(NAME_OF_VARIABLE)
    }

    /// The name of a type or a member; empty if it has none.
    pub(super) fn name(self) -> String {
        self.string(NAME).unwrap_or_default()
    }

    /// The size of a type in bits.
    pub(super) fn bits(self) -> u64 {
        // SAFETY: only types are asked.
        unsafe { LLVMDITypeGetSizeInBits(self.raw) }
    }

    /// Where a member begins in its structure.
    pub(super) fn bit_offset(self) -> u64 {
        // SAFETY: only types are asked.
        unsafe { LLVMDITypeGetOffsetInBits(self.raw) }
    }

    // The C interface lacks the following three; LLVM's text form of the node has them.

    /// What the bits of a basic type mean.
    pub(super) fn encoding(self) -> Encoding {
        match self.printed("encoding").as_deref() {
            Some("DW_ATE_boolean") => Encoding::Boolean,
            Some("DW_ATE_signed" | "DW_ATE_signed_char") => Encoding::Signed,
            Some("DW_ATE_unsigned" | "DW_ATE_unsigned_char" | "DW_ATE_UTF") => Encoding::Unsigned,
            Some("DW_ATE_float") => Encoding::Float,
            Some("DW_ATE_complex_float") => Encoding::Complex,
            _ => Encoding::Other,
        }
    }

    /// The position of a parameter, counted from 1.
    pub(super) fn argument_number(self) -> Option<u32> {
        self.printed("arg")?.parse().ok()
    }

    /// Whether a variable was added by the compiler.
    pub(super) fn is_artificial(self) -> bool {
        self.printed("flags").is_some_and(|flags| flags.split(" | ").any(|flag| flag == "DIFlagArtificial"))
    }

    /// A field of the text form: `arg: 2` in `!DILocalVariable(name: "n", arg: 2, ...)`.
    fn printed(self, field: &str) -> Option<String> {
        // SAFETY: a value of the node's context; LLVM hands over a text that ends in a zero, given back below.
        let text = unsafe { LLVMPrintValueToString(self.as_value()) };
        // SAFETY: as said above.
        let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        // SAFETY: made above and not used after.
        unsafe { LLVMDisposeMessage(text) };
        // A name comes first and is in quotes: no field is looked for in it.
        let fields = copy.rsplit_once('"').map_or(copy.as_str(), |(_, fields)| fields);
        let value = fields.split([',', '(']).find_map(|part| part.trim().strip_prefix(field)?.strip_prefix(": "))?;
        Some(value.trim_end_matches(')').to_owned())
    }

    fn is(self, kind: LLVMMetadataKind) -> bool {
        // SAFETY: the node is alive.
        let own = unsafe { LLVMGetMetadataKind(self.raw) };
        own as u32 == kind as u32
    }

    /// Which kind of debug information a node of it is.
    fn tag(self) -> u16 {
        // SAFETY: only nodes of debug information are asked.
        unsafe { LLVMGetDINodeTag(self.raw) }
    }

    fn flags(self) -> LLVMDIFlags {
        // SAFETY: only types are asked.
        unsafe { LLVMDITypeGetFlags(self.raw) }
    }

    fn scope_of_location(self) -> Option<Node<'a>> {
        // SAFETY: only source locations are asked.
        Node::new(unsafe { LLVMDILocationGetScope(self.raw) }, self.context)
    }

    fn inlined_at(self) -> Option<Node<'a>> {
        // SAFETY: only source locations are asked.
        Node::new(unsafe { LLVMDILocationGetInlinedAt(self.raw) }, self.context)
    }

    fn enclosing_function(self) -> Option<Node<'a>> {
        let mut scope = self;
        while !scope.is(LLVMMetadataKind::LLVMDISubprogramMetadataKind) {
            scope = scope.node(SCOPE_OF_BLOCK)?;
        }
        Some(scope)
    }

    fn as_value(self) -> LLVMValueRef {
        // SAFETY: the node belongs to the context.
        unsafe { LLVMMetadataAsValue(self.context, self.raw) }
    }

    /// The operands; null where there is none.
    fn operands(self) -> Vec<LLVMValueRef> {
        let value = self.as_value();
        // SAFETY: a node wrapped into a value.
        let mut operands = vec![std::ptr::null_mut(); unsafe { LLVMGetMDNodeNumOperands(value) } as usize];
        // SAFETY: as many places as the node has operands.
        unsafe { LLVMGetMDNodeOperands(value, operands.as_mut_ptr()) };
        operands
    }

    fn operand(self, index: usize) -> Option<LLVMValueRef> {
        self.operands().get(index).copied().filter(|operand| !operand.is_null())
    }

    fn nodes(self) -> Vec<Option<Node<'a>>> {
        self.operands().into_iter().map(|operand| self.of_operand(operand)).collect()
    }

    fn node(self, index: usize) -> Option<Node<'a>> {
        self.of_operand(self.operand(index)?)
    }

    fn of_operand(self, operand: LLVMValueRef) -> Option<Node<'a>> {
        let operand = NonNull::new(operand)?;
        // SAFETY: an operand of a node is a wrapped node or a constant; both have this form.
        Node::new(unsafe { LLVMValueAsMetadata(operand.as_ptr()) }, self.context)
    }

    fn string(self, index: usize) -> Option<String> {
        let operand = self.operand(index)?;
        let mut len = 0;
        // SAFETY: an operand of a node; null comes back if it is no text.
        let text = NonNull::new(unsafe { LLVMGetMDString(operand, &mut len) }.cast_mut())?;
        // SAFETY: the context owns that many bytes at the place.
        let bytes = unsafe { std::slice::from_raw_parts(text.as_ptr().cast::<u8>(), len as usize) };
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    fn constant(self, index: usize) -> Option<i64> {
        let operand = self.operand(index)?;
        // SAFETY: the question fits every value.
        let is_constant = !unsafe { LLVMIsAConstantInt(operand) }.is_null();
        // SAFETY: a constant integer.
        is_constant.then(|| unsafe { LLVMConstIntGetSExtValue(operand) })
    }
}
