//! Two runs' results.

use super::*;
use crate::memory::Memory;
use crate::source_types::Member;
use std::fmt;

/// Where two memories differ first, and how much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The name of the array.
    pub array: String,
    /// The element.
    pub index: u64,
    /// The part of the element, as in `.cell[2].mass`; empty if the element is a number.
    pub member: String,
    /// What the first memory holds there.
    pub left: String,
    /// What the second memory holds there.
    pub right: String,
    /// How many elements of all arrays differ.
    pub elements: u64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { array, index, member, left, right, elements } = self;
        let differ = if *elements == 1 { "element differs" } else { "elements differ" };
        write!(f, "{array}[{index}]{member} is {left} in one and {right} in the other; {elements} {differ} in all")
    }
}

/// Compares the arrays that two memories have both, by their names, bit by bit. Variables of two modules may lie in different places.
pub fn difference(a: (&Memory, &[PreparedArray]), b: (&Memory, &[PreparedArray])) -> Option<Difference> {
    difference_beyond_rounding(a, b, |_| false)
}

/// The same, where floating-point numbers at some addresses of the first memory may differ by how sums of them were rounded.
pub fn difference_beyond_rounding(
    a: (&Memory, &[PreparedArray]),
    b: (&Memory, &[PreparedArray]),
    is_rounded: impl Fn(u64) -> bool,
) -> Option<Difference> {
    let mut first: Option<Difference> = None;
    let mut elements = 0;
    for (index, PreparedArray { name, buffer, element }) in a.1.iter().enumerate() {
        let is_same = |other: &&PreparedArray| other.name == *name;
        let Some(other) = b.1.get(index).filter(is_same).or_else(|| b.1.iter().find(is_same)) else { continue };
        let (left, right) = (a.0.contents(*buffer), b.0.contents(other.buffer));
        if left == right {
            continue;
        }
        if left.len() != right.len() {
            elements += 1;
            let [left, right] = [left, right].map(|bytes| format!("in an array of {} bytes", bytes.len()));
            first.get_or_insert(Difference {
                array: name.clone(),
                index: 0,
                member: String::new(),
                left,
                right,
                elements: 0,
            });
            continue;
        }
        let size = element.size().unwrap_or(1).max(1) as usize;
        for (index, (left, right)) in left.chunks(size).zip(right.chunks(size)).enumerate() {
            let place = || a.0.address(*buffer) + (index * size) as u64;
            let Some((member, start, ty)) = unlike(left, right, element, |byte| is_rounded(place() + byte as u64))
            else {
                continue;
            };
            elements += 1;
            first.get_or_insert_with(|| {
                let (left, right) = texts(&left[start..], &right[start..], &ty);
                Difference { array: name.clone(), index: index as u64, member, left, right, elements: 0 }
            });
        }
    }
    first.map(|first| Difference { elements, ..first })
}

/// The first part of an element, as `part` says it, that differs by more than how sums are rounded, where these begin at a byte that may be.
fn unlike(
    left: &[u8],
    right: &[u8],
    element: &SourceType,
    is_rounded: impl Fn(usize) -> bool,
) -> Option<(String, usize, SourceType)> {
    let mut next = 0;
    while let Some(byte) = (next..left.len()).find(|&byte| left[byte] != right[byte]) {
        let (path, start, ty) = part(element, byte);
        if !(is_close(&left[start..], &right[start..], &ty) && is_rounded(start)) {
            return Some((path, start, ty));
        }
        next = start + ty.size().unwrap_or(1).max(1) as usize;
    }
    None
}

/// Whether two floating-point numbers are the same sum but for its rounding, as far as a sum of few terms of usual sizes tells.
fn is_close(left: &[u8], right: &[u8], ty: &SourceType) -> bool {
    /// Of the greater one, and in all: great terms may leave a small sum.
    const RATIO: f64 = 1e-4;
    const LEAST: f64 = 0.25;
    let number = |bytes: &[u8]| match ty {
        SourceType::Float { bits: 32 } => Some(f64::from(f32::from_bits(bits(bytes, ty) as u32))),
        SourceType::Float { bits: 64 } => Some(f64::from_bits(bits(bytes, ty))),
        _ => None,
    };
    let (Some(left), Some(right)) = (number(left), number(right)) else { return false };
    let far = (RATIO * left.abs().max(right.abs())).max(LEAST);
    left.is_nan() && right.is_nan() || (left - right).abs() <= far
}

/// The number or pointer that byte `byte` of a value belongs to: its path, where it begins and its type.
fn part(ty: &SourceType, byte: usize) -> (String, usize, SourceType) {
    let size = |ty: &SourceType| ty.size().unwrap_or(0) as usize;
    match ty {
        SourceType::Struct { members, .. } => {
            let holds = |member: &&Member| {
                let offset = member.offset as usize;
                (offset..offset + size(&member.ty)).contains(&byte)
            };
            if let Some(Member { name, offset, ty }) = members.iter().find(holds) {
                let (path, start, leaf) = part(ty, byte - *offset as usize);
                let dot = if name.is_empty() { "" } else { "." };
                return (format!("{dot}{name}{path}"), start + *offset as usize, leaf);
            }
        }
        SourceType::Array { element, .. } if size(element) > 0 => {
            let index = byte / size(element);
            let (path, start, leaf) = part(element, byte % size(element));
            return (format!("[{index}]{path}"), start + index * size(element), leaf);
        }
        SourceType::Integer { .. } | SourceType::Float { .. } | SourceType::Pointer(_) | SourceType::Reference(_) => {
            return (String::new(), 0, ty.clone());
        }
        _ => {}
    }
    (format!(" byte {byte}"), byte, SourceType::Integer { bits: 8, signed: false })
}

/// Two values that differ, as texts that do.
fn texts(left: &[u8], right: &[u8], ty: &SourceType) -> (String, String) {
    let (left, right) = (bits(left, ty), bits(right, ty));
    match (text(left, ty), text(right, ty)) {
        // What is not a number comes in many forms.
        (same, other) if same == other => (format!("{same} ({left:#x})"), format!("{other} ({right:#x})")),
        texts => texts,
    }
}

fn bits(bytes: &[u8], ty: &SourceType) -> u64 {
    let size = ty.size().unwrap_or(1).min(8) as usize;
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[..size]);
    u64::from_le_bytes(word)
}

fn text(bits: u64, ty: &SourceType) -> String {
    match *ty {
        SourceType::Integer { bits: width @ 2..=64, signed: true } => {
            let unused = 64 - width;
            ((bits << unused) as i64 >> unused).to_string()
        }
        SourceType::Integer { .. } => bits.to_string(),
        SourceType::Float { bits: 32 } => format!("{:?}", f32::from_bits(bits as u32)),
        SourceType::Float { bits: 64 } => format!("{:?}", f64::from_bits(bits)),
        _ => format!("{bits:#x}"),
    }
}
