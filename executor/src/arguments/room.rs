//! Which arrays have a default length, and how they get a greater one.

use super::*;
use crate::source_types::Role;

impl Description {
    /// The names of those arrays, behind parameters that `given` does not mention, that may have any length.
    pub(crate) fn of_default_length(&self, given: &Description, parameters: &[Parameter], names: &[&str]) -> Vec<bool> {
        let mut own = self.clone();
        names.iter().map(|name| own.default_array(given, parameters, name).is_some()).collect()
    }

    /// Gives an array of these at least so many bytes.
    pub(crate) fn enlarge(&mut self, given: &Description, parameters: &[Parameter], name: &str, bytes: u64) {
        let Some((ty, array)) = self.default_array(given, parameters, name) else { return };
        let least = |count: &mut u64, size: u64| *count = (*count).max(bytes.div_ceil(size.max(1)));
        match array {
            Argument::Array(ArrayDescription { element, count, .. }) => least(count, element.size()),
            Argument::Bytes { bytes, .. } => least(bytes, 1),
            Argument::Rows { count, .. } => least(count, 8),
            Argument::Structures(StructureDescription { count, bytes: Some(size), .. }) => least(count, *size),
            Argument::Integer(_) | Argument::Float(_) => {
                *array = defaults::numbers(ty, bytes.div_ceil(ty.size().unwrap_or(1).max(1)));
            }
            _ => {}
        }
    }

    /// An array by its name, and the type of what is in it. As in [`Description::fill_defaults`], there is an argument for each parameter.
    fn default_array<'a>(
        &'a mut self,
        given: &Description,
        parameters: &'a [Parameter],
        name: &str,
    ) -> Option<(&'a SourceType, &'a mut Argument)> {
        let outer = &name[..name.find(['-', '.', '[']).unwrap_or(name.len())];
        let index = index_of(outer, parameters)?;
        if given.arguments.iter().any(|(key, _)| index_of(key, parameters) == Some(index)) {
            return None;
        }
        let ty = parameters[index].ty.as_ref()?;
        let argument = &mut self.arguments.get_mut(index)?.1;
        match ty {
            // A variable-length array whose type another one has brought along looks like a number.
            SourceType::Reference(target) if name == outer => {
                let is_number = matches!(**target, SourceType::Integer { .. } | SourceType::Float { .. });
                let has_extents = parameters.iter().any(|parameter| parameter.role == Role::Extent);
                (is_number && has_extents).then_some((&**target, argument))
            }
            _ => array_behind(argument, ty, outer.to_owned(), name),
        }
    }
}

/// The array that is called `wanted`, at or behind a pointer that is called `name`.
fn array_behind<'a>(
    argument: &'a mut Argument,
    pointer: &'a SourceType,
    name: String,
    wanted: &str,
) -> Option<(&'a SourceType, &'a mut Argument)> {
    let (target, member) = match pointer {
        SourceType::Pointer(target) => (target, "->"),
        SourceType::Reference(target) => (target, "."),
        _ => return None,
    };
    if name == wanted {
        // A reference stands for what its type says.
        return matches!(pointer, SourceType::Pointer(_)).then_some((&**target, argument));
    }
    let rest = wanted.strip_prefix(&name)?;
    let (target, _) = strip_arrays(target)?;
    match argument {
        Argument::Rows { row, .. } => {
            let (index, _) = rest.strip_prefix('[')?.split_once(']')?;
            array_behind(row, target, format!("{name}[{index}]"), wanted)
        }
        Argument::Structures(structures) => structures.fields.iter_mut().find_map(|(key, field)| {
            let Field::Same(argument) = field else { return None };
            let found = match key {
                FieldKey::Path(path) => target.member(path),
                FieldKey::Offset(offset) => target.member_at(*offset),
            };
            array_behind(argument, found?.ty, format!("{name}{member}{}", key.text()), wanted)
        }),
        _ => None,
    }
}
