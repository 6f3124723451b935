//! Arguments for what the description leaves out.

use super::*;
use crate::source_types::{Member, Role};

/// What parameters get that the description does not mention: by their type alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Defaults {
    /// The value of integers.
    pub integer: i64,
    /// The value of floating-point numbers.
    pub float: f64,
    /// How many numbers a pointer points to.
    pub count: u64,
    /// How many pointers a pointer points to.
    pub rows: u64,
    /// How many numbers each of those points to.
    pub row: u64,
    /// How many structures a pointer points to.
    pub structures: u64,
}

impl Default for Defaults {
    fn default() -> Defaults {
        Defaults { integer: 100, float: 1.5, count: 1 << 16, rows: 256, row: 4096, structures: 1024 }
    }
}

/// Integers in arrays stay below these, so that they are indices into every default array. Prime numbers: rows of the usual lengths
/// differ. Each parameter has its own, so that copying one array to another changes something.
const INTEGERS_BELOW: [u64; 8] = [61, 59, 53, 47, 43, 41, 37, 31];
/// An index into a row may be the sum of several sizes, such as a margin's and the inner part's, and is to lead to no other row: an extent of a
/// variable-length array is this many times the default integer.
const EXTENTS: i64 = 4;
/// Floating-point numbers in arrays stay below these: they and sums of many of them are exact.
const FLOATS_BELOW: [u64; 8] = [251, 241, 239, 233, 229, 227, 223, 211];
/// How many pointers, and numbers, there are on each level behind a pointer of three levels.
const DEEP_ROWS: u64 = 128;
/// A structure with more members than this, counted one by one, gets no default.
const MAX_FIELDS: usize = 1024;
/// Of arrays inside of an array, there are twice as many as the default integer counts, in no more bytes than this.
const MAX_BYTES: u64 = 1 << 26;

impl Description {
    /// This description with a default for every parameter that it does not mention, in the parameters' order.
    pub fn fill_defaults(&self, parameters: &[Parameter], defaults: &Defaults) -> Result<Description, ArgumentError> {
        let given = self.of_parameters(parameters)?;
        let mut filled = Description { arguments: Vec::new(), ..self.clone() };
        for (index, (parameter, given)) in parameters.iter().zip(given).enumerate() {
            let entry = match given {
                Some((key, argument)) => (key.to_owned(), argument.clone()),
                None => {
                    let name = label(index, parameters);
                    let argument = of_parameter(parameter, &name, defaults)
                        .map_err(|reason| ArgumentError::NoDefault { name: name.clone(), reason })?;
                    (name, of_its_own(argument, index))
                }
            };
            filled.arguments.push(entry);
        }
        Ok(filled)
    }
}

fn of_parameter(parameter: &Parameter, name: &str, defaults: &Defaults) -> Result<Argument, String> {
    const UNKNOWN: &str = "its type is not known (a module compiled with \
                           `-g -Xclang -debug-info-kind=constructor` tells the types of numbers and arrays)";
    let maker = Maker { defaults, numbers: defaults.count, rows: defaults.rows, row: defaults.row };
    let path = Some(name.to_owned());
    if parameter.role == Role::Extent {
        return Ok(Argument::Integer(defaults.integer.saturating_mul(EXTENTS)));
    }
    match parameter.ty.as_ref().ok_or(UNKNOWN)? {
        SourceType::Pointer(pointee) => maker.many(pointee, path, &[]),
        SourceType::Reference(pointee) => maker.one(pointee, path, &[]),
        scalar => maker.scalar(scalar),
    }
}

/// A structure that is being filled.
#[derive(Clone)]
struct Frame {
    /// The name of its array; none where it lies inside of another structure, or in one of many arrays.
    array: Option<String>,
    place: Place,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// An element of an array of its own.
    Element,
    /// Inside of the structure before it.
    Inside,
}

/// What the members that are being filled belong to.
struct Whole<'a> {
    ty: &'a SourceType,
    count: u64,
    /// What the names of arrays behind its members begin with, where there is but one of it.
    prefix: Option<String>,
}

struct Maker<'a> {
    defaults: &'a Defaults,
    /// How many numbers a pointer points to here.
    numbers: u64,
    /// How many pointers a pointer points to here.
    rows: u64,
    /// How many numbers each of those points to.
    row: u64,
}

impl Maker<'_> {
    /// What a pointer points to. `path` is the name that its array will have, where there is but one.
    fn many(&self, ty: &SourceType, path: Option<String>, frames: &[Frame]) -> Result<Argument, String> {
        let (inner, per_element) = strip_arrays(ty).ok_or_else(|| unsupported(ty))?;
        match inner {
            SourceType::Integer { .. } | SourceType::Float { .. } => {
                let bytes = inner.size().unwrap_or(1).saturating_mul(per_element).max(1);
                let arrays = if per_element == 1 { 0 } else { self.defaults.integer.unsigned_abs() * 2 };
                let arrays = arrays.min(MAX_BYTES / bytes).max(1);
                Ok(numbers(inner, self.numbers.max(arrays * per_element)))
            }
            SourceType::Opaque => Ok(Argument::Bytes { bytes: 8 * self.numbers, fill: Fill::Zero, offset: 0 }),
            SourceType::Pointer(target) | SourceType::Reference(target) => {
                let maker = match levels(target) {
                    0 => Maker { numbers: self.row, ..*self },
                    1 => Maker { rows: DEEP_ROWS, row: DEEP_ROWS, ..*self },
                    _ => return Err("it has more than three levels of pointers".to_owned()),
                };
                let count = maker.rows;
                let row = match &**target {
                    // Objects that each have their own pointer.
                    SourceType::Struct { .. } => maker.structures(target, 1, None, frames)?,
                    _ => maker.many(target, None, frames)?,
                };
                Ok(Argument::Rows { row: Box::new(row), count: count * per_element })
            }
            SourceType::Struct { .. } => {
                let prefix = path.clone().map(|path| format!("{path}->"));
                let count = self.defaults.structures * per_element;
                self.structures(inner, count, path.zip(prefix), frames)
            }
            SourceType::Enclosing { .. } | SourceType::Array { .. } => Err(unsupported(inner)),
        }
    }

    /// What a reference stands for.
    fn one(&self, ty: &SourceType, path: Option<String>, frames: &[Frame]) -> Result<Argument, String> {
        let (inner, count) = strip_arrays(ty).ok_or_else(|| unsupported(ty))?;
        match inner {
            SourceType::Integer { .. } | SourceType::Float { .. } => match ty {
                SourceType::Array { .. } => Ok(numbers(inner, count)),
                _ => self.scalar(inner),
            },
            SourceType::Struct { .. } => {
                let prefix = path.clone().map(|path| format!("{path}."));
                self.structures(inner, count, path.zip(prefix), frames)
            }
            SourceType::Pointer(target) => {
                Ok(Argument::Rows { row: Box::new(self.many(target, None, frames)?), count })
            }
            other => Err(unsupported(other)),
        }
    }

    fn scalar(&self, ty: &SourceType) -> Result<Argument, String> {
        match *ty {
            SourceType::Integer { bits: bits @ 1..=64, signed } => {
                let most = i64::MAX as u64 >> (63 - (bits - u32::from(signed)).min(63));
                let least = if signed { i64::MIN } else { 0 };
                Ok(Argument::Integer(self.defaults.integer.clamp(least, most as i64)))
            }
            SourceType::Float { bits: 32 | 64 } => Ok(Argument::Float(self.defaults.float)),
            _ => Err(unsupported(ty)),
        }
    }

    /// `names`: the name of the array, and what the names of arrays behind its members begin with.
    fn structures(
        &self,
        ty: &SourceType,
        count: u64,
        names: Option<(String, String)>,
        frames: &[Frame],
    ) -> Result<Argument, String> {
        let (array, prefix) = names.unzip();
        let mut frames = frames.to_vec();
        frames.push(Frame { array, place: Place::Element });
        let mut fields = Vec::new();
        self.members(&Whole { ty, count, prefix }, ty, "", 0, &frames, &mut fields)?;
        Ok(Argument::Structures(StructureDescription { fields, count, bytes: ty.size(), offset: 0 }))
    }

    /// The members of a structure at `base` of the whole, whose names begin with `path`.
    fn members(
        &self,
        whole: &Whole<'_>,
        ty: &SourceType,
        path: &str,
        base: u64,
        frames: &[Frame],
        fields: &mut Vec<(FieldKey, Field)>,
    ) -> Result<(), String> {
        let SourceType::Struct { members, .. } = ty else { return Ok(()) };
        let mut taken = 0;
        for Member { name, offset, ty } in members {
            // Of the members of a union, the first one counts.
            if *offset >= taken {
                taken = offset + ty.size().unwrap_or(0);
                let path = match (path, name.as_str()) {
                    (path, "") => path.to_owned(),
                    ("", name) => name.to_owned(),
                    (path, name) => format!("{path}.{name}"),
                };
                self.member(whole, ty, &path, base + offset, frames, fields)?;
            }
        }
        Ok(())
    }

    fn member(
        &self,
        whole: &Whole<'_>,
        ty: &SourceType,
        path: &str,
        offset: u64,
        frames: &[Frame],
        fields: &mut Vec<(FieldKey, Field)>,
    ) -> Result<(), String> {
        if fields.len() >= MAX_FIELDS {
            return Err(format!("a structure behind it has more than {MAX_FIELDS} members"));
        }
        let leads_here = whole.ty.member(path).is_some_and(|found| found.offset == offset && found.ty == ty);
        let key = if leads_here { FieldKey::Path(path.to_owned()) } else { FieldKey::Offset(offset) };
        let column = |element| Field::Column { element, fill: Fill::Modulo(below(ty)), length: None };
        let field = match ty {
            SourceType::Struct { .. } => {
                let mut frames = frames.to_vec();
                frames.push(Frame { array: None, place: Place::Inside });
                return self.members(whole, ty, path, offset, &frames, fields);
            }
            SourceType::Array { element, count } => {
                match strip_arrays(ty).map(|(inner, _)| (inner, Element::of(inner))) {
                    Some((inner, Some(element))) => {
                        Some(Field::Column { element, fill: Fill::Modulo(below(inner)), length: None })
                    }
                    _ => {
                        let size = element.size().unwrap_or(0);
                        for index in 0..count.unwrap_or(0) {
                            self.member(
                                whole,
                                element,
                                &format!("{path}[{index}]"),
                                offset + index * size,
                                frames,
                                fields,
                            )?;
                        }
                        return Ok(());
                    }
                }
            }
            // An integer in a structure may well be an extent, and those must not be zero.
            SourceType::Integer { .. } => self.scalar(ty).ok().map(Field::Same),
            SourceType::Float { .. } if whole.count > 1 => Element::of(ty).map(column),
            SourceType::Float { .. } => self.scalar(ty).ok().map(Field::Same),
            SourceType::Pointer(target) | SourceType::Reference(target) => {
                let name = whole.prefix.as_ref().map(|prefix| format!("{prefix}{}", key.text()));
                Some(match (&**target, ty) {
                    (SourceType::Enclosing { levels, .. }, _) => enclosing(frames, *levels),
                    (_, SourceType::Reference(_)) => Field::Same(self.one(target, name, frames)?),
                    _ => Field::Same(self.many(target, name, frames)?),
                })
            }
            SourceType::Opaque | SourceType::Enclosing { .. } => None,
        };
        // What has no default, is zero.
        fields.extend(field.map(|field| (key, field)));
        Ok(())
    }
}

/// A pointer to a structure around: along the array that it is in, or else to the first one.
fn enclosing(frames: &[Frame], levels: usize) -> Field {
    let Some(target) = frames.len().checked_sub(levels + 1) else { return Field::Same(Argument::Null) };
    let element = frames.iter().rposition(|frame| frame.place == Place::Element);
    if element == Some(target) {
        return Field::Chain;
    }
    match &frames[target].array {
        Some(name) => Field::Same(Argument::SameAs { name: name.clone(), at: 0 }),
        None => Field::Same(Argument::Null),
    }
}

/// An array of numbers.
pub(super) fn numbers(ty: &SourceType, count: u64) -> Argument {
    match Element::of(ty) {
        Some(element) => Argument::Array(ArrayDescription { element, count, fill: Fill::Modulo(below(ty)), offset: 0 }),
        None => Argument::Bytes { bytes: ty.size().unwrap_or(1) * count, fill: Fill::Zero, offset: 0 },
    }
}

/// The default of the parameter at a position, filled in its own way.
fn of_its_own(argument: Argument, position: usize) -> Argument {
    let choose = |below: u64| {
        let list = [INTEGERS_BELOW, FLOATS_BELOW].into_iter().find(|list| list[0] == below)?;
        Some(list[position % list.len()])
    };
    match argument {
        Argument::Array(array) => {
            let fill = match array.fill {
                Fill::Modulo(below) => Fill::Modulo(choose(below).unwrap_or(below)),
                other => other,
            };
            Argument::Array(ArrayDescription { fill, ..array })
        }
        other => other,
    }
}

fn below(ty: &SourceType) -> u64 {
    match ty {
        SourceType::Integer { bits: 1, .. } => 2,
        SourceType::Integer { .. } => INTEGERS_BELOW[0],
        _ => FLOATS_BELOW[0],
    }
}

/// How many pointers one has to follow to get to something else.
fn levels(ty: &SourceType) -> u32 {
    match ty {
        SourceType::Pointer(target) | SourceType::Reference(target) => 1 + levels(target),
        SourceType::Array { element, .. } => levels(element),
        _ => 0,
    }
}

fn unsupported(ty: &SourceType) -> String {
    format!("there is no default for what is {}", ty.describe())
}
