//! What the parameters of a kernel are in the source: names and types from debug information.
//! clang passes every scalar as 64 bits; `<kernel>_debug__`, which the kernel calls or has taken in, knows their types, and so does the copy of it
//! that a changed kernel calls.

mod nodes;

use inkwell::module::Module;
use inkwell::types::{AnyType, AnyTypeEnum};
use inkwell::values::FunctionValue;
use nodes::{Encoding, Kind, Node};

/// A parameter of a kernel, or a global variable of a module.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name in the source; none for what the compiler has added, such as the extents of a variable-length array.
    pub name: Option<String>,
    /// Its type in the source; none without debug information.
    pub ty: Option<SourceType>,
    /// What it is there for.
    pub role: Role,
}

/// What a parameter is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// What the source names.
    #[default]
    Named,
    /// An extent of a variable-length array, which clang hands on beside the array.
    Extent,
}

/// A type of the source. Names for types, `const`, `volatile` and `restrict` are looked through.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceType {
    /// An integer, an enumeration, or with one bit a truth value, which takes a byte.
    Integer {
        /// Its width.
        bits: u32,
        /// Whether it can be negative.
        signed: bool,
    },
    /// A floating-point number.
    Float {
        /// Its width.
        bits: u32,
    },
    /// A pointer to any number of these.
    Pointer(Box<SourceType>),
    /// A pointer to exactly one of these: a reference, or a variable that the region shares with its surroundings.
    Reference(Box<SourceType>),
    /// A structure, a class or a union.
    Struct {
        /// Its name; empty where the source gives none.
        name: String,
        /// Its members with a place of their own, base classes among them; bit fields and static members are left out.
        members: Vec<Member>,
        /// Its size in bytes.
        size: u64,
    },
    /// An array inside of something else.
    Array {
        /// The type of its elements.
        element: Box<SourceType>,
        /// How many elements, where that is a constant.
        count: Option<u64>,
    },
    /// Behind a pointer: a structure that this pointer is a part of.
    Enclosing {
        /// The structure's name.
        name: String,
        /// How many structures outwards: 0 is the one whose member this is.
        levels: usize,
    },
    /// What is not described or is none of the above.
    Opaque,
}

/// A member of a structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name; empty for an unnamed structure or union and for a base class.
    pub name: String,
    /// Bytes from the start of the structure.
    pub offset: u64,
    /// Its type.
    pub ty: SourceType,
}

/// What a kernel is in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A target region, which clang has made a function of, with a hidden first parameter.
    Region,
    /// A function of the source.
    Function,
}

/// The parameters of a kernel, without the hidden first one of a region.
pub fn parameters<'a>(module: &Module<'a>, kernel: FunctionValue<'a>, origin: Origin) -> Vec<Parameter> {
    let own = nodes::subprogram(kernel);
    let typed = typed_subprogram(module, kernel);
    let own_types = own.map(signature).unwrap_or_default();
    let types = typed.map(signature).unwrap_or_default();
    let names = typed.or(own).map(names).unwrap_or_default();
    let named = |position: u32| {
        let mut of_position = names.iter().filter(|(at, _)| *at == position + 1);
        of_position.next().map(|(_, name)| name.clone())
    };
    let extents = typed.or(own).map(extents).unwrap_or_default();
    let first = if origin == Origin::Region { 1 } else { 0 };
    (first..kernel.count_params())
        .map(|position| {
            let at = position as usize;
            let is_pointer = kernel.get_nth_param(position).is_some_and(|parameter| parameter.is_pointer_value());
            // The kernel's own types tell references from pointers, the others know the scalars.
            let ty = match own_types.get(at) {
                Some(pointer @ (SourceType::Pointer(_) | SourceType::Reference(_))) => Some(pointer),
                own if origin == Origin::Function => own,
                _ => types.get(at),
            };
            let ty = ty.filter(|ty| is_pointer == matches!(ty, SourceType::Pointer(_) | SourceType::Reference(_)));
            // Functions in LLVM's text form have names and types of their own.
            let value = kernel.get_nth_param(position).filter(|_| own.is_none() && origin == Origin::Function);
            let known = || match value?.get_type().as_any_type_enum() {
                AnyTypeEnum::PointerType(_) => Some(SourceType::Pointer(Box::new(SourceType::Opaque))),
                scalar => Some(of_value_type(scalar)),
            };
            let called = || Some(value?.get_name().to_string_lossy().into_owned()).filter(|name| !name.is_empty());
            let ty = match ty.cloned() {
                // A variable-length array comes behind its extents, and its type says one element.
                Some(SourceType::Reference(element)) if extents.contains(&position) => {
                    Some(SourceType::Pointer(element))
                }
                other => other,
            };
            let role = if extents.contains(&(position + 1)) { Role::Extent } else { Role::Named };
            Parameter { name: named(position).or_else(called), ty: ty.or_else(known), role }
        })
        .collect()
}

/// The variables of a module that live in memory of the device, by what the source or else the module says of them.
pub fn globals(module: &Module<'_>) -> Vec<Parameter> {
    module
        .get_globals()
        .filter(|global| !global.is_constant() && !global.get_name().to_bytes().starts_with(b"llvm."))
        .map(|global| {
            let ty = nodes::global_type(global).map(of_node).unwrap_or_else(|| of_value_type(global.get_value_type()));
            Parameter { name: Some(global.get_name().to_string_lossy().into_owned()), ty: Some(ty), role: Role::Named }
        })
        .collect()
}

impl SourceType {
    /// How many bytes one takes, where that is known.
    pub fn size(&self) -> Option<u64> {
        match self {
            SourceType::Integer { bits, .. } | SourceType::Float { bits } => Some(u64::from(bits.div_ceil(8))),
            SourceType::Pointer(_) | SourceType::Reference(_) => Some(8),
            SourceType::Struct { size, .. } => Some(*size),
            SourceType::Array { element, count } => element.size()?.checked_mul((*count)?),
            SourceType::Enclosing { .. } | SourceType::Opaque => None,
        }
    }

    /// A power of two that the address of one is a multiple of.
    pub fn alignment(&self) -> u64 {
        match self {
            SourceType::Struct { members, .. } => members.iter().map(|member| member.ty.alignment()).max().unwrap_or(1),
            SourceType::Array { element, .. } => element.alignment(),
            SourceType::Enclosing { .. } | SourceType::Opaque => 1,
            scalar => scalar.size().map_or(1, |size| size.next_power_of_two().min(16)),
        }
    }

    /// In words, for messages.
    pub fn describe(&self) -> String {
        match self {
            SourceType::Integer { bits: 1, .. } => "a truth value".to_owned(),
            SourceType::Integer { bits, signed: true } => format!("a {bits}-bit integer"),
            SourceType::Integer { bits, signed: false } => format!("an unsigned {bits}-bit integer"),
            SourceType::Float { bits } => format!("a {bits}-bit floating-point number"),
            SourceType::Pointer(_) => "a pointer".to_owned(),
            SourceType::Reference(_) => "a reference".to_owned(),
            SourceType::Struct { name, .. } if name.is_empty() => "a structure without a name".to_owned(),
            SourceType::Struct { name, .. } | SourceType::Enclosing { name, .. } => format!("the structure '{name}'"),
            SourceType::Array { .. } => "an array".to_owned(),
            SourceType::Opaque => "of an unknown type".to_owned(),
        }
    }
}

/// A member of a structure, or of what lies inside of it.
pub(crate) struct Found<'a> {
    /// Bytes from the start of the structure.
    pub offset: u64,
    /// Its type.
    pub ty: &'a SourceType,
    /// The structures that it lies in, the outermost first.
    pub structures: Vec<&'a SourceType>,
}

impl SourceType {
    /// The member of a structure that `path` leads to, as in `cell[2].mass`.
    pub(crate) fn member(&self, path: &str) -> Option<Found<'_>> {
        let SourceType::Struct { members, .. } = self else { return None };
        let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
        let own = members.iter().find(|member| !name.is_empty() && member.name == name);
        let found = match own {
            Some(member) => member.ty.inside(rest)?.moved(member.offset),
            None => {
                let mut unnamed = members.iter().filter(|member| member.name.is_empty());
                unnamed.find_map(|member| Some(member.ty.member(path)?.moved(member.offset)))?
            }
        };
        Some(found.behind(self))
    }

    /// The number, array of numbers or pointer that begins `offset` bytes into a structure.
    pub(crate) fn member_at(&self, offset: u64) -> Option<Found<'_>> {
        match self {
            SourceType::Struct { members, .. } => {
                let found = members.iter().find_map(|member| {
                    Some(member.ty.member_at(offset.checked_sub(member.offset)?)?.moved(member.offset))
                });
                found.map(|found| found.behind(self))
            }
            SourceType::Array { element, count } if self.innermost().is_none() => {
                let size = element.size().filter(|&size| size > 0)?;
                let index = offset / size;
                let is_inside = count.is_none_or(|count| index < count);
                is_inside.then(|| element.member_at(offset % size))?.map(|found| found.moved(index * size))
            }
            _ => (offset == 0).then(|| Found { offset: 0, ty: self, structures: Vec::new() }),
        }
    }

    /// The number in an array of numbers.
    fn innermost(&self) -> Option<&SourceType> {
        match self {
            SourceType::Array { element, .. } => element.innermost(),
            SourceType::Integer { .. } | SourceType::Float { .. } => Some(self),
            _ => None,
        }
    }

    /// What the rest of a path leads to, from a member onwards.
    fn inside(&self, rest: &str) -> Option<Found<'_>> {
        if rest.is_empty() {
            return Some(Found { offset: 0, ty: self, structures: Vec::new() });
        }
        if let Some(path) = rest.strip_prefix('.') {
            return self.member(path);
        }
        let (index, rest) = rest.strip_prefix('[')?.split_once(']')?;
        let index: u64 = index.parse().ok()?;
        match self {
            SourceType::Array { element, count } if count.is_none_or(|count| index < count) => {
                Some(element.inside(rest)?.moved(index.checked_mul(element.size()?)?))
            }
            _ => None,
        }
    }
}

impl<'a> Found<'a> {
    fn moved(mut self, bytes: u64) -> Found<'a> {
        self.offset += bytes;
        self
    }

    fn behind(mut self, structure: &'a SourceType) -> Found<'a> {
        self.structures.insert(0, structure);
        self
    }
}

/// The description of the function that takes the kernel's parameters with their source types.
fn typed_subprogram<'a>(module: &Module<'a>, kernel: FunctionValue<'a>) -> Option<Node<'a>> {
    let name = format!("{}_debug__", kernel.get_name().to_string_lossy());
    match module.get_function(&name).or_else(|| module.get_function(&format!("{name}.ipda"))) {
        Some(function) => nodes::subprogram(function),
        // Inlined: only source locations in the kernel still lead to it.
        None => nodes::scopes(kernel).into_iter().find(|scope| scope.function_name().as_deref() == Some(&name)),
    }
}

/// The types of a function's parameters, the hidden first one included.
fn signature(subprogram: Node<'_>) -> Vec<SourceType> {
    // The first type is that of the result.
    let types = subprogram.function_type().map(Node::parameter_types).unwrap_or_default();
    types.into_iter().skip(1).map(|node| node.map_or(SourceType::Opaque, of_node)).collect()
}

/// The names of parameters by their position, which counts from 1.
fn names(subprogram: Node<'_>) -> Vec<(u32, String)> {
    let variables = subprogram.retained_variables();
    let named = variables.into_iter().filter_map(|variable| {
        let position = variable.argument_number()?;
        let name = variable.variable_name()?;
        // `vla` and names with a dot are clang's own; `this` is its own as well, but known to people.
        let is_own = name.starts_with('.') || variable.is_artificial() && name != "this";
        (!is_own).then_some((position, name))
    });
    named.collect()
}

/// The positions, which count from 1, of the extents of variable-length arrays.
fn extents(subprogram: Node<'_>) -> Vec<u32> {
    let variables = subprogram.retained_variables().into_iter();
    let extents = variables.filter(|each| each.is_artificial() && each.variable_name().as_deref() == Some("vla"));
    extents.filter_map(Node::argument_number).collect()
}

fn of_node(node: Node<'_>) -> SourceType {
    Reader { structures: Vec::new(), left: MAX_TYPES }.read(Some(node))
}

/// A type tree with more nodes than this is cut: headers of libraries can span all of their types.
const MAX_TYPES: u32 = 4096;

struct Reader<'a> {
    /// The structures that are being read, the innermost last.
    structures: Vec<Node<'a>>,
    left: u32,
}

impl<'a> Reader<'a> {
    fn read(&mut self, node: Option<Node<'a>>) -> SourceType {
        let Some(node) = node.map(Node::without_qualifiers).unwrap_or(None) else { return SourceType::Opaque };
        if self.left == 0 {
            return SourceType::Opaque;
        }
        self.left -= 1;
        let bits = node.bits();
        match node.kind() {
            Kind::Basic => basic(node.encoding(), bits),
            Kind::Enumeration => match self.read(node.base()) {
                SourceType::Integer { signed, .. } => SourceType::Integer { bits: bits as u32, signed },
                _ => SourceType::Integer { bits: bits as u32, signed: false },
            },
            Kind::Pointer => self.pointee(node).map_or(SourceType::Opaque, |ty| SourceType::Pointer(Box::new(ty))),
            Kind::Reference => self.pointee(node).map_or(SourceType::Opaque, |ty| SourceType::Reference(Box::new(ty))),
            Kind::Array => {
                let element = self.read(node.base());
                node.extents()
                    .into_iter()
                    .rev()
                    .fold(element, |element, count| SourceType::Array { element: Box::new(element), count })
            }
            Kind::Structure if node.is_declaration() => SourceType::Opaque,
            Kind::Structure => self.structure(node),
            Kind::Qualifier | Kind::Function | Kind::Other => SourceType::Opaque,
        }
    }

    /// What a pointer points to; none for functions, which no data can stand for.
    fn pointee(&mut self, pointer: Node<'a>) -> Option<SourceType> {
        let Some(node) = pointer.base().and_then(Node::without_qualifiers) else { return Some(SourceType::Opaque) };
        if node.kind() == Kind::Function {
            return None;
        }
        Some(match self.structures.iter().rev().position(|&structure| structure == node) {
            Some(levels) => SourceType::Enclosing { name: node.name(), levels },
            None => self.read(Some(node)),
        })
    }

    fn structure(&mut self, node: Node<'a>) -> SourceType {
        self.structures.push(node);
        let mut members = Vec::new();
        for member in node.members() {
            let base = member.base().and_then(Node::without_qualifiers);
            // What a base class has is named as if it were the structure's own.
            let name = if member.is_base_class() { String::new() } else { member.name() };
            members.push(Member { name, offset: member.bit_offset() / 8, ty: self.read(base) });
        }
        self.structures.pop();
        SourceType::Struct { name: node.name(), members, size: node.bits() / 8 }
    }
}

fn basic(encoding: Encoding, bits: u64) -> SourceType {
    let bits = bits as u32;
    match encoding {
        Encoding::Boolean => SourceType::Integer { bits: 1, signed: false },
        Encoding::Signed => SourceType::Integer { bits, signed: true },
        Encoding::Unsigned => SourceType::Integer { bits, signed: false },
        Encoding::Float => SourceType::Float { bits },
        Encoding::Complex => {
            SourceType::Array { element: Box::new(SourceType::Float { bits: bits / 2 }), count: Some(2) }
        }
        Encoding::Other => SourceType::Opaque,
    }
}

/// The type of a variable without debug information.
fn of_value_type(ty: AnyTypeEnum<'_>) -> SourceType {
    match ty {
        AnyTypeEnum::IntType(ty) => SourceType::Integer { bits: ty.get_bit_width(), signed: true },
        AnyTypeEnum::FloatType(ty) => SourceType::Float { bits: ty.get_bit_width() },
        AnyTypeEnum::PointerType(_) => SourceType::Pointer(Box::new(SourceType::Opaque)),
        AnyTypeEnum::ArrayType(ty) => SourceType::Array {
            element: Box::new(of_value_type(ty.get_element_type().as_any_type_enum())),
            count: Some(u64::from(ty.len())),
        },
        _ => SourceType::Opaque,
    }
}
