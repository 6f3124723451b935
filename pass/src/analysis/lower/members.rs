//! What people call objects and the members of structures that are read: by the types of debug information, or by what the host's version of the
//! region calls the same.

use super::Lowering;
use ipda_llvm::SourceType;
use ipda_symbolic::{Atom, AtomId, Polynomial, without_states};

impl Lowering<'_> {
    /// What a person would call an object, `A`, `p->data`, `rows[]` for a pointer read from an array of pointers, and its type where that is known.
    pub(crate) fn path(&self, atom: AtomId) -> (String, Option<SourceType>) {
        let Atom::Load { address, .. } = self.space.atom(atom) else {
            let text = self.space.display(&Polynomial::from_atom(atom)).to_string();
            let ty = self.argument_of(atom).and_then(|argument| self.members.types.get(&argument).copied());
            return (text.trim_start_matches('[').trim_end_matches(']').to_string(), ty);
        };
        let Some(base) = address.atoms().into_iter().find(|&atom| self.object(atom).is_some()) else {
            return ("?".into(), None);
        };
        let (path, ty) = self.path(base);
        let rest = address - &Polynomial::from_atom(base);
        let Some(offset) = rest.as_constant() else { return (format!("{path}[]"), None) };
        let member = offset.to_u64().and_then(|offset| ty?.member(offset));
        match (member, self.space.member(atom)) {
            (Some((name, ty)), _) => (format!("{path}->{name}"), Some(ty)),
            (None, Some(name)) => (name.to_owned(), None),
            (None, None) if offset.is_zero() => (format!("*{path}"), None),
            (None, None) => (format!("*({path}+{offset})"), None),
        }
    }

    /// Names a load by the member that it reads, if that is known.
    pub(super) fn name_member(&mut self, load: AtomId) {
        if self.members.types.is_empty() && self.members.known.is_empty() {
            return;
        }
        let name = match self.path(load) {
            (path, Some(_)) => Some(path),
            (_, None) => {
                let text = self.space.display(&Polynomial::from_atom(load)).to_string();
                self.members.known.get(&without_states(&text)).cloned()
            }
        };
        if let Some(name) = name {
            self.space.name_member(load, &name);
        }
    }
}
