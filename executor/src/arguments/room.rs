//! Which arrays have a default length, and how they get a greater one.

use super::*;

impl Description {
    /// The names of those arrays, behind parameters that `given` does not mention, that may have any length.
    pub(crate) fn of_default_length(&self, given: &Description, parameters: &[Parameter], names: &[&str]) -> Vec<bool> {
        let mut own = self.clone();
        names.iter().map(|name| own.default_array(given, parameters, name).is_some()).collect()
    }

    /// Gives an array of these at least so many bytes; the parameter's own name, where there is such an array.
    pub(crate) fn enlarge(
        &mut self,
        given: &Description,
        parameters: &[Parameter],
        name: &str,
        bytes: u64,
    ) -> Option<(String, Argument)> {
        let (index, array) = self.default_array(given, parameters, name)?;
        let least = |count: &mut u64, size: u64| *count = (*count).max(bytes.div_ceil(size.max(1)));
        match array {
            Argument::Array(ArrayDescription { element, count, .. }) => least(count, element.size()),
            Argument::Bytes { bytes, .. } => least(bytes, 1),
            Argument::Rows { count, .. } => least(count, 8),
            Argument::Structures(StructureDescription { count, bytes: Some(size), .. }) => least(count, *size),
            _ => return None,
        }
        Some(self.arguments[index].clone())
    }

    /// An array by its name, and the position of its parameter. As in [`Description::fill_defaults`], there is an argument for each parameter.
    fn default_array(
        &mut self,
        given: &Description,
        parameters: &[Parameter],
        name: &str,
    ) -> Option<(usize, &mut Argument)> {
        let outer = &name[..name.find(['-', '.', '[']).unwrap_or(name.len())];
        let index = index_of(outer, parameters)?;
        if given.arguments.iter().any(|(key, _)| index_of(key, parameters) == Some(index)) {
            return None;
        }
        let ty = parameters[index].ty.as_ref()?;
        let array = array_behind(&mut self.arguments.get_mut(index)?.1, ty, outer.to_owned(), name)?;
        Some((index, array))
    }
}

/// The array that is called `wanted`, at or behind a pointer that is called `name`.
fn array_behind<'a>(
    argument: &'a mut Argument,
    pointer: &SourceType,
    name: String,
    wanted: &str,
) -> Option<&'a mut Argument> {
    let (target, member) = match pointer {
        SourceType::Pointer(target) => (target, "->"),
        SourceType::Reference(target) => (target, "."),
        _ => return None,
    };
    if name == wanted {
        // A reference stands for what its type says.
        return matches!(pointer, SourceType::Pointer(_)).then_some(argument);
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
