//! Arguments in memory.

use super::*;
use crate::memory::{BufferId, MAX_BUFFERS, Memory};
use rustc_hash::FxHashMap;

/// The arguments of a kernel, in memory.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    /// The value of every parameter behind the hidden first one.
    pub values: Vec<u64>,
    /// The arrays behind them, those behind pointers in memory included.
    pub arrays: Vec<PreparedArray>,
}

/// Variables of a module, to be written to where they live.
#[derive(Debug, Clone, Default)]
pub struct PreparedGlobals {
    /// The bytes that each begins with, by name.
    pub contents: Vec<(String, Vec<u8>)>,
    /// The arrays behind them.
    pub arrays: Vec<PreparedArray>,
}

/// An array that was made for an argument.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedArray {
    /// The parameter's name or position; an array behind it is named like `p->data` or `rows[2]`.
    pub name: String,
    /// Where it is.
    pub buffer: BufferId,
    /// The type of its elements.
    pub element: SourceType,
}

/// All arrays of one description have no more bytes than this.
const MAX_BYTES: u64 = 1 << 32;

impl Description {
    /// Makes and fills the arrays and gives the value of every parameter; those that the description does not
    /// mention get what [`Defaults::default`] says.
    pub fn prepare(&self, parameters: &[Parameter], memory: &mut Memory) -> Result<Prepared, ArgumentError> {
        let filled = self.fill_defaults(parameters, &Defaults::default())?;
        let mut maker = Maker::new(memory);
        maker.values = vec![0; parameters.len()];
        // As many as there are parameters, in their order.
        for (index, (key, argument)) in filled.arguments.iter().enumerate() {
            let name = label(index, parameters);
            let ty = parameters[index].ty.as_ref();
            let slot = Slot { place: Place::Parameter(index), offset: 0 };
            let typed = Typed::new(ty.filter(|ty| **ty != SourceType::Opaque));
            maker.value(&name, argument, &typed, slot).map_err(|problem| filled.at(key, problem))?;
        }
        maker.link().map_err(|problem| filled.at(outermost(&problem.0.clone()), problem))?;
        Ok(Prepared { values: maker.values, arrays: maker.arrays })
    }

    /// What the description says of variables of the module: `globals` are those that there are.
    pub fn prepare_globals(
        &self,
        globals: &[Parameter],
        memory: &mut Memory,
    ) -> Result<PreparedGlobals, ArgumentError> {
        let mut maker = Maker::new(memory);
        for (name, argument) in &self.globals {
            let Some(global) = globals.iter().find(|global| global.name.as_deref() == Some(name)) else {
                let known = globals.iter().filter_map(|global| global.name.clone()).collect();
                return Err(ArgumentError::UnknownName { place: self.place(name), name: name.clone(), known });
            };
            maker.global(name, argument, global.ty.as_ref()).map_err(|problem| self.at(name, problem))?;
        }
        maker.link().map_err(|problem| self.at(outermost(&problem.0.clone()), problem))?;
        let names = self.globals.iter().map(|(name, _)| name.clone());
        Ok(PreparedGlobals { contents: names.zip(maker.globals).collect(), arrays: maker.arrays })
    }

    fn at(&self, key: &str, (name, problem): Problem) -> ArgumentError {
        self.unfit(key, &name, problem)
    }
}

/// The name of what does not fit, and the rest of the sentence.
type Problem = (String, String);

/// The parameter that an array belongs to.
fn outermost(name: &str) -> &str {
    &name[..name.find(['-', '.', '[']).unwrap_or(name.len())]
}

/// Where a value goes.
#[derive(Clone, Copy)]
struct Slot {
    place: Place,
    offset: u64,
}

#[derive(Clone, Copy)]
enum Place {
    Parameter(usize),
    Global(usize),
    Buffer(BufferId),
}

impl Slot {
    fn plus(self, bytes: u64) -> Slot {
        Slot { offset: self.offset + bytes, ..self }
    }
}

/// What the source says of a value, if anything.
#[derive(Clone)]
struct Typed<'t> {
    ty: Option<&'t SourceType>,
    /// The structures around it, the innermost last.
    structures: Vec<&'t SourceType>,
    /// How the source writes a member of it.
    member: &'static str,
}

impl<'t> Typed<'t> {
    fn new(ty: Option<&'t SourceType>) -> Typed<'t> {
        Typed { ty, structures: Vec::new(), member: "." }
    }

    /// What a pointer points to.
    fn target(&self) -> Typed<'t> {
        let (target, member) = match self.ty {
            Some(SourceType::Pointer(target)) => (Some(&**target), "->"),
            Some(SourceType::Reference(target)) => (Some(&**target), "."),
            _ => (None, "->"),
        };
        let mut structures = self.structures.clone();
        let ty = match target {
            Some(SourceType::Enclosing { levels, .. }) => {
                structures.truncate(structures.len().saturating_sub(*levels));
                structures.pop()
            }
            Some(SourceType::Opaque) => None,
            other => other,
        };
        Typed { ty, structures, member }
    }

    /// The element of an array of arrays, where that is known.
    fn element(&self) -> Typed<'t> {
        Typed { ty: self.ty.and_then(strip_arrays).map(|(ty, _)| ty), ..self.clone() }
    }
}

/// A pointer into an array that may not have been made yet.
struct Link {
    subject: String,
    target: String,
    at: u64,
    alignment: u64,
    slot: Slot,
}

/// What an array is made of, and where it begins.
struct Shape {
    bytes: u64,
    offset: u64,
    element: SourceType,
}

/// A member of a structure.
struct Spot<'t> {
    name: String,
    typed: Typed<'t>,
    offset: u64,
}

struct Maker<'m> {
    memory: &'m mut Memory,
    values: Vec<u64>,
    globals: Vec<Vec<u8>>,
    arrays: Vec<PreparedArray>,
    /// Pointers into arrays of other arguments: resolved when all arrays are there.
    links: Vec<Link>,
    bytes: u64,
}

impl<'m> Maker<'m> {
    fn new(memory: &'m mut Memory) -> Maker<'m> {
        Maker { memory, values: Vec::new(), globals: Vec::new(), arrays: Vec::new(), links: Vec::new(), bytes: 0 }
    }

    fn global(&mut self, name: &str, argument: &Argument, ty: Option<&SourceType>) -> Result<(), Problem> {
        let typed = Typed::new(ty.filter(|ty| **ty != SourceType::Opaque));
        let slot = Slot { place: Place::Global(self.globals.len()), offset: 0 };
        match ty {
            Some(SourceType::Struct { .. } | SourceType::Array { .. } | SourceType::Opaque) | None => {
                let shape = shape(argument, typed.ty).map_err(|problem| (name.to_owned(), problem))?;
                let problem = match ty.and_then(SourceType::size) {
                    Some(size) if shape.bytes > size => format!("has {size} bytes, not {}", shape.bytes),
                    _ if shape.offset > 0 => "lies where the module puts it: no `offset` is expected".to_owned(),
                    _ => {
                        self.count_bytes(name, &shape)?;
                        self.globals.push(vec![0; shape.bytes as usize]);
                        return self.contents(name, argument, &typed, 0, slot);
                    }
                };
                Err((name.to_owned(), problem))
            }
            Some(value) => {
                self.globals.push(vec![0; value.size().unwrap_or(8) as usize]);
                self.value(name, argument, &typed, slot)
            }
        }
    }

    /// A parameter or a member.
    fn value(&mut self, name: &str, argument: &Argument, typed: &Typed<'_>, slot: Slot) -> Result<(), Problem> {
        let is_number = matches!(argument, Argument::Integer(_) | Argument::Float(_) | Argument::Scalar { .. });
        match typed.ty {
            Some(SourceType::Pointer(_)) if !is_number => self.pointer(name, argument, &typed.target(), 0, slot),
            Some(SourceType::Pointer(_)) => {
                let expected = "an array, such as { type: f32, count: 1000 }, or null is expected";
                Err((name.to_owned(), format!("is a pointer: {expected}")))
            }
            Some(SourceType::Reference(_)) => self.pointer(name, argument, &typed.target(), 0, slot),
            Some(SourceType::Struct { .. } | SourceType::Array { .. }) => {
                let expected = "its parts are given one by one, as in `part.name` or `part[0]`";
                Err((name.to_owned(), format!("holds more than a number: {expected}")))
            }
            None if !is_number => self.pointer(name, argument, &typed.target(), 0, slot),
            _ => {
                let (bits, bytes) = number(argument, typed.ty, slot).map_err(|problem| (name.to_owned(), problem))?;
                self.store(slot, bits, bytes);
                Ok(())
            }
        }
    }

    /// A pointer and what is behind it: `number` is that of the array among those that look the same.
    fn pointer(
        &mut self,
        name: &str,
        argument: &Argument,
        target: &Typed<'_>,
        number: u64,
        slot: Slot,
    ) -> Result<(), Problem> {
        match argument {
            Argument::Null => self.store(slot, 0, 8),
            Argument::SameAs { name: other, at } => {
                let alignment = target.ty.map_or(1, SourceType::alignment);
                let (subject, target) = (name.to_owned(), other.clone());
                self.links.push(Link { subject, target, at: *at, alignment, slot });
            }
            _ => {
                let shape = shape(argument, target.ty).map_err(|problem| (name.to_owned(), problem))?;
                self.count_bytes(name, &shape)?;
                let buffer = self.memory.allocate(name, shape.bytes, shape.offset);
                self.arrays.push(PreparedArray { name: name.to_owned(), buffer, element: shape.element });
                let inside = Slot { place: Place::Buffer(buffer), offset: 0 };
                self.contents(name, argument, target, number, inside)?;
                self.store(slot, self.memory.address(buffer), 8);
            }
        }
        Ok(())
    }

    fn count_bytes(&mut self, name: &str, shape: &Shape) -> Result<(), Problem> {
        self.bytes = self.bytes.saturating_add(shape.bytes).saturating_add(shape.offset);
        if self.bytes > MAX_BYTES {
            return Err((name.to_owned(), format!("is too large: all arrays together may have {MAX_BYTES} bytes")));
        }
        if self.arrays.len() as u64 >= MAX_BUFFERS {
            return Err((name.to_owned(), format!("is one array too many: there may be {MAX_BUFFERS}")));
        }
        Ok(())
    }

    /// What an array holds, once [`shape`] has agreed.
    fn contents(
        &mut self,
        name: &str,
        argument: &Argument,
        typed: &Typed<'_>,
        number: u64,
        slot: Slot,
    ) -> Result<(), Problem> {
        let problem = |problem: String| (name.to_owned(), problem);
        match argument {
            Argument::Array(ArrayDescription { element, count, fill, .. }) => {
                fill.check(*element).map_err(problem)?;
                self.fill(slot, *element, *count, *fill, number.wrapping_mul(*count));
            }
            Argument::Bytes { bytes, fill, .. } => {
                fill.check(Element::I8).map_err(problem)?;
                self.fill(slot, Element::I8, *bytes, *fill, number.wrapping_mul(*bytes));
            }
            Argument::Values { element, values, .. } => {
                for (value, index) in values.iter().zip(0..) {
                    let bits = element.bits(*value).map_err(problem)?;
                    self.store(slot.plus(index * element.size()), bits, element.size());
                }
            }
            Argument::Pointers(list) => {
                let target = typed.element().target();
                for (argument, index) in list.iter().zip(0..) {
                    self.pointer(&format!("{name}[{index}]"), argument, &target, 0, slot.plus(8 * index))?;
                }
            }
            Argument::Rows { row, count } => {
                let target = typed.element().target();
                for index in 0..*count {
                    let number = number.wrapping_mul(*count).wrapping_add(index);
                    self.pointer(&format!("{name}[{index}]"), row, &target, number, slot.plus(8 * index))?;
                }
            }
            Argument::Structures(description) => {
                self.structures(name, description, &typed.element(), number, slot)?;
            }
            Argument::Integer(_) | Argument::Float(_) | Argument::Scalar { .. } => {
                self.value(name, argument, typed, slot)?;
            }
            Argument::Null | Argument::SameAs { .. } => return Err(problem(NO_POINTER.to_owned())),
        }
        Ok(())
    }

    fn structures(
        &mut self,
        name: &str,
        description: &StructureDescription,
        typed: &Typed<'_>,
        number: u64,
        slot: Slot,
    ) -> Result<(), Problem> {
        let size = structure_size(description, typed.ty).map_err(|problem| (name.to_owned(), problem))?;
        for (key, field) in &description.fields {
            let spot = spot(name, key, field, typed)?;
            let problem = |problem: String| (spot.name.clone(), problem);
            let width = width(field, &spot.typed).map_err(problem)?;
            if spot.offset.checked_add(width).is_none_or(|end| end > size) {
                return Err(problem(format!("ends behind the structure's {size} bytes")));
            }
            let each = (0..description.count).map(|index| (index, slot.plus(index * size + spot.offset)));
            match field {
                Field::Column { element, fill, .. } => {
                    fill.check(*element).map_err(problem)?;
                    let length = width / element.size();
                    for (index, slot) in each {
                        let index = number.wrapping_mul(description.count).wrapping_add(index);
                        self.fill(slot, *element, length, *fill, index.wrapping_mul(length));
                    }
                }
                Field::Chain => {
                    let Place::Buffer(buffer) = slot.place else {
                        return Err(problem("is a chain, which only an array behind a pointer can have".to_owned()));
                    };
                    let first = self.memory.address(buffer) + slot.offset;
                    for (index, slot) in each {
                        let next = index + 1;
                        let address = if next < description.count { first + next * size } else { 0 };
                        self.store(slot, address, 8);
                    }
                }
                Field::Same(argument @ Argument::SameAs { .. }) => {
                    for (_, slot) in each {
                        self.value(&spot.name, argument, &spot.typed, slot)?;
                    }
                }
                Field::Same(argument) => {
                    let mut each = each.map(|(_, slot)| slot);
                    if let Some(first) = each.next() {
                        self.value(&spot.name, argument, &spot.typed, first)?;
                        let bytes = self.bytes_at(first, width).to_vec();
                        for slot in each {
                            self.bytes_at(slot, width).copy_from_slice(&bytes);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn fill(&mut self, slot: Slot, element: Element, count: u64, fill: Fill, first: u64) {
        let size = element.size();
        let elements = self.bytes_at(slot, count * size).chunks_exact_mut(size as usize);
        for (bytes, index) in elements.zip(first..) {
            bytes.copy_from_slice(&fill.bits(element, index).to_le_bytes()[..size as usize]);
        }
    }

    fn store(&mut self, slot: Slot, bits: u64, bytes: u64) {
        match slot.place {
            Place::Parameter(index) => self.values[index] = bits,
            _ => self.bytes_at(slot, bytes).copy_from_slice(&bits.to_le_bytes()[..bytes as usize]),
        }
    }

    fn bytes_at(&mut self, slot: Slot, bytes: u64) -> &mut [u8] {
        let all = match slot.place {
            Place::Buffer(buffer) => self.memory.contents_mut(buffer),
            Place::Global(index) => &mut self.globals[index],
            Place::Parameter(_) => unreachable!("parameters are stored as values"),
        };
        &mut all[slot.offset as usize..(slot.offset + bytes) as usize]
    }

    /// Resolves the pointers into arrays of other arguments.
    fn link(&mut self) -> Result<(), Problem> {
        let named = self.arrays.iter().map(|array| {
            let bytes = self.memory.contents(array.buffer).len() as u64;
            (array.name.clone(), (self.memory.address(array.buffer), bytes))
        });
        let mut places: FxHashMap<String, (u64, u64)> = named.collect();
        let mut links = std::mem::take(&mut self.links);
        while !links.is_empty() {
            let (ready, rest): (Vec<Link>, Vec<Link>) =
                links.into_iter().partition(|link| places.contains_key(&link.target));
            if let (true, Some(link)) = (ready.is_empty(), rest.first()) {
                let problem = format!("is the same as '{}', which is no array here", link.target);
                return Err((link.subject.clone(), problem));
            }
            for Link { subject, target, at, alignment, slot } in ready {
                let (address, bytes) = places[&target];
                if at > bytes {
                    return Err((subject, format!("begins {at} bytes into '{target}', which has {bytes}")));
                }
                if (address + at) % alignment != 0 {
                    let problem = format!("begins {at} bytes into '{target}', but needs a multiple of {alignment}");
                    return Err((subject, problem));
                }
                self.store(slot, address + at, 8);
                places.insert(subject, (address + at, bytes - at));
            }
            links = rest;
        }
        Ok(())
    }
}

const NO_POINTER: &str = "is no pointer: an array such as { type: f32, count: 1000 } is expected";

/// The bits of a number and how many bytes it takes.
fn number(argument: &Argument, ty: Option<&SourceType>, slot: Slot) -> Result<(u64, u64), String> {
    let value = match argument {
        Argument::Integer(value) | Argument::Scalar { value: Number::Integer(value), .. } => Number::Integer(*value),
        Argument::Float(value) | Argument::Scalar { value: Number::Float(value), .. } => Number::Float(*value),
        _ => {
            return Err(format!("is {}: a number is expected", ty.map_or("no array".to_owned(), |ty| ty.describe())));
        }
    };
    match (ty, argument) {
        (Some(ty), Argument::Scalar { element, .. }) => {
            check_element(*element, Some(ty))?;
            Ok((bits_of_source(ty, value)?, element.size()))
        }
        (Some(ty), _) => Ok((bits_of_source(ty, value)?, ty.size().unwrap_or(8))),
        (None, Argument::Scalar { element, .. }) => Ok((element.bits(value)?, element.size())),
        // All 64 bits of a parameter are there, so that every type of integer finds its own.
        (None, Argument::Integer(value)) if matches!(slot.place, Place::Parameter(_)) => Ok((*value as u64, 8)),
        (None, _) => Err("is of an unknown type: a type is expected, as in { type: f32, value: 1.5 }".to_owned()),
    }
}

/// What the array behind a pointer to `target` is made of.
fn shape(argument: &Argument, target: Option<&SourceType>) -> Result<Shape, String> {
    let inner = target.and_then(strip_arrays).map(|(ty, _)| ty);
    let numbers = |element: Element, count: u64, offset: u64| {
        check_element(element, inner)?;
        let ty = inner.filter(|ty| Element::of(ty) == Some(element)).cloned();
        Ok((count, element.size(), offset, ty.unwrap_or_else(|| element.source_type())))
    };
    let pointers = |count: u64| match inner {
        Some(SourceType::Pointer(_) | SourceType::Reference(_) | SourceType::Opaque) | None => {
            Ok((count, 8, 0, SourceType::Pointer(Box::new(SourceType::Opaque))))
        }
        Some(other) => Err(format!("holds {} in the source, no pointers", other.describe())),
    };
    let (count, size, offset, element) = match argument {
        Argument::Array(ArrayDescription { element, count, offset, .. }) => numbers(*element, *count, *offset),
        Argument::Values { element, values, offset } => numbers(*element, values.len() as u64, *offset),
        Argument::Bytes { bytes, offset, .. } => {
            Ok((*bytes, 1, *offset, SourceType::Integer { bits: 8, signed: false }))
        }
        Argument::Pointers(list) => pointers(list.len() as u64),
        Argument::Rows { count, .. } => pointers(*count),
        Argument::Structures(description) => {
            let size = structure_size(description, inner)?;
            let unknown = SourceType::Struct { name: String::new(), members: Vec::new(), size };
            let element = inner.filter(|ty| ty.size() == Some(size)).cloned().unwrap_or(unknown);
            Ok((description.count, size, description.offset, element))
        }
        Argument::Scalar { element, .. } if target.is_none() => numbers(*element, 1, 0),
        Argument::Integer(_) | Argument::Float(_) | Argument::Scalar { .. } => match target {
            Some(ty @ (SourceType::Integer { .. } | SourceType::Float { .. })) => {
                Ok((1, ty.size().unwrap_or(8), 0, ty.clone()))
            }
            _ => Err("is more than a number: an array or `struct` is expected".to_owned()),
        },
        Argument::Null | Argument::SameAs { .. } => Err(NO_POINTER.to_owned()),
    }?;
    let alignment = element.alignment();
    if offset % alignment != 0 {
        return Err(format!("begins at offset {offset}: a multiple of {alignment} is expected"));
    }
    Ok(Shape { bytes: count.saturating_mul(size), offset, element })
}

/// That an element of a description is what the source says.
fn check_element(element: Element, ty: Option<&SourceType>) -> Result<(), String> {
    let (Some(ty), written) = (ty, element.source_type().describe()) else { return Ok(()) };
    match ty {
        SourceType::Opaque => Ok(()),
        SourceType::Integer { .. } | SourceType::Float { .. } if Element::of(ty) == Some(element) => Ok(()),
        // Memory as it is: numbers one after the other, whatever members they fall on.
        SourceType::Struct { .. } => Ok(()),
        SourceType::Pointer(_) | SourceType::Reference(_) => {
            Err("holds pointers in the source: `pointers` is expected".to_owned())
        }
        _ => Err(format!("holds {} in the source, not {written}", ty.describe())),
    }
}

/// How many bytes one structure takes.
fn structure_size(description: &StructureDescription, ty: Option<&SourceType>) -> Result<u64, String> {
    let known = match ty {
        Some(SourceType::Struct { size, .. }) => Some(*size),
        Some(SourceType::Opaque) | None => None,
        Some(other) => return Err(format!("holds {} in the source, no structures", other.describe())),
    };
    match (description.bytes, known) {
        (Some(bytes), Some(size)) if bytes != size => {
            Err(format!("holds structures of {size} bytes in the source, not of {bytes}"))
        }
        (Some(size), _) | (None, Some(size)) => Ok(size),
        (None, None) => Err("holds structures of unknown size: `bytes` is expected beside `struct`".to_owned()),
    }
}

/// Where a member is and what the source says of it.
fn spot<'t>(name: &str, key: &FieldKey, field: &Field, typed: &Typed<'t>) -> Result<Spot<'t>, Problem> {
    let name = format!("{name}{}{}", typed.member, key.text());
    let has_type = matches!(field, Field::Column { .. } | Field::Same(Argument::Scalar { .. }));
    let found = match (key, typed.ty) {
        (FieldKey::Path(path), Some(ty)) => match ty.member(path) {
            Some(found) => Some(found),
            None => return Err((name, format!("is no member of {}", ty.describe()))),
        },
        (FieldKey::Path(_), None) => {
            return Err((name, "is a name, but the type is not known: an offset in bytes is expected".to_owned()));
        }
        // Another member of a union may be meant.
        (FieldKey::Offset(_), _) if has_type => None,
        (FieldKey::Offset(offset), ty) => ty.and_then(|ty| ty.member_at(*offset)),
    };
    let offset = match (key, &found) {
        (_, Some(found)) => found.offset,
        (FieldKey::Offset(offset), None) => *offset,
        (FieldKey::Path(_), None) => unreachable!("looked at above"),
    };
    let mut structures = typed.structures.clone();
    structures.extend(found.iter().flat_map(|found| &found.structures).copied());
    let ty = found.map(|found| found.ty).filter(|ty| **ty != SourceType::Opaque);
    Ok(Spot { name, typed: Typed { ty, structures, member: "." }, offset })
}

/// How many bytes a member takes.
fn width(field: &Field, typed: &Typed<'_>) -> Result<u64, String> {
    let is_pointer = matches!(typed.ty, Some(SourceType::Pointer(_) | SourceType::Reference(_)));
    match field {
        Field::Column { element, length, .. } => {
            let (inner, known) = typed.ty.and_then(strip_arrays).unzip();
            check_element(*element, inner)?;
            let length = length.or(known).unwrap_or(1);
            match known {
                Some(known) if length > known => Err(format!("has {known} elements, not {length}")),
                _ => Ok(length.saturating_mul(element.size())),
            }
        }
        Field::Same(Argument::Scalar { element, .. }) if !is_pointer => Ok(element.size()),
        Field::Same(Argument::Integer(_) | Argument::Float(_)) => Ok(typed.ty.and_then(SourceType::size).unwrap_or(8)),
        Field::Same(_) | Field::Chain => match typed.ty {
            Some(other) if !is_pointer => Err(format!("is {}, no pointer", other.describe())),
            _ => Ok(8),
        },
    }
}
