//! What the changed code claims of its accesses, held against what they do: accesses of scopes that are said to lie apart never touch one byte, and
//! what is said to be invariant nobody writes.
//!
//! A false claim need not lead to a wrong result, as no pass may have built on it yet.

use crate::interpreter::WarpAccess;
use crate::program::{Program, Site};
use ipda_llvm::Claims;
use ipda_models::report::AccessKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many accesses ran that claim something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Claimed {
    /// That others lie apart.
    pub apart: usize,
    /// That nobody writes there.
    pub invariant: usize,
}

impl Claimed {
    /// Adds another's counts.
    pub fn add(&mut self, other: Claimed) {
        self.apart += other.apart;
        self.invariant += other.invariant;
    }
}

/// The accesses that touch each byte of global memory in one launch.
pub(super) struct Touched<'a> {
    sites: Vec<&'a Site>,
    /// By eight bytes in a row, which of them each access touches; none where nothing is claimed.
    words: Option<FxHashMap<u64, Vec<(u32, u8)>>>,
}

/// Bytes of a word.
const WORD: u64 = u8::BITS as u64;

impl<'a> Touched<'a> {
    pub(super) fn new(program: &'a Program) -> Touched<'a> {
        let sites: Vec<&Site> = program.sites().map(|(_, site)| site).collect();
        let words = sites.iter().any(|site| !site.claims.is_empty()).then(FxHashMap::default);
        Touched { sites, words }
    }

    pub(super) fn note(&mut self, access: &WarpAccess<'_>) {
        let Some(words) = &mut self.words else { return };
        for (lane, &first) in access.addresses.iter().enumerate() {
            if access.active >> lane & 1 == 0 {
                continue;
            }
            let end = first + access.bytes;
            for word in first / WORD..end.div_ceil(WORD) {
                let is_touched = |byte: &u64| (first..end).contains(&(word * WORD + byte));
                let bytes = (0..WORD).filter(is_touched).fold(0, |bytes, byte| bytes | 1 << byte);
                let here = words.entry(word).or_default();
                match here.binary_search_by_key(&access.site.0, |(site, _)| *site) {
                    Ok(at) => here[at].1 |= bytes,
                    Err(at) => here.insert(at, (access.site.0, bytes)),
                }
            }
        }
    }

    /// What was claimed by accesses that ran; or a claim that is false.
    pub(super) fn judged(&self) -> Result<Claimed, String> {
        let mut claimed = Claimed::default();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let together: FxHashSet<&Vec<(u32, u8)>> = self.words.iter().flatten().map(|(_, here)| here).collect();
        for here in together {
            for &(number, bytes) in here {
                let one = self.sites[number as usize];
                if seen.insert(number) {
                    claimed.apart += usize::from(!one.claims.apart.is_empty());
                    claimed.invariant += usize::from(one.claims.is_invariant);
                }
                let meet = here.iter().filter(|(_, others)| others & bytes != 0);
                let others = meet.map(|&(other, _)| self.sites[other as usize]);
                if let Some((other, claim)) =
                    others.into_iter().find_map(|other| Some((other, false_claim(one, other)?)))
                {
                    return Err(format!("{} {claim} {}", words(one), words(other)));
                }
            }
        }
        Ok(claimed)
    }
}

/// What an access claims wrongly of another one of the same byte.
fn false_claim(one: &Site, other: &Site) -> Option<&'static str> {
    let Claims { apart, is_invariant, .. } = &one.claims;
    let of_other = &other.claims.own;
    if !of_other.is_empty() && of_other.iter().all(|scope| apart.contains(scope)) {
        return Some("is said to lie apart from");
    }
    let writes = matches!(other.kind, AccessKind::Store | AccessKind::CopyTo | AccessKind::Atomic);
    (*is_invariant && writes).then_some("is said to be invariant, and is written by")
}

fn words(site: &Site) -> String {
    let place = site.place.first().map_or_else(String::new, |place| format!(" at {place}"));
    format!("the {:?} in {}{place}", site.kind, site.function).to_lowercase()
}
