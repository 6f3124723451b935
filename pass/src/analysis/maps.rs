//! The map clauses of a region, as far as the host's launch shows them.

use crate::analysis::lower::Lowering;
use crate::openmp::{self, Launch, map_type};
use inkwell::module::Module;
use ipda_llvm::{Block, Cfg, DataLayout, FunctionCopy, Opcode, Session, Value};
use ipda_models::report::{Map, Region};
use ipda_models::summary::{Expression, Expressions, NO_SIZE, Names};
use ipda_symbolic::{AtomId, Coeff, Interval, Polynomial, Signedness, Space, Symbol, Varies};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Instructions of a calling function beyond which sizes that are computed there are not looked at.
const MAX_INSTRUCTIONS: usize = 20_000;

/// Widths of the variables that are looked for among the lengths of sections.
const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// One entry of the launch's argument arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MapEntry {
    flags: u64,
    /// None where it is not visible.
    bytes: Option<Size>,
}

/// The bytes of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Size {
    Constant(i64),
    Captured(OfCaptures),
    /// By the names of the function that launches.
    Expression(String),
}

impl MapEntry {
    pub(crate) fn flags(&self) -> u64 {
        self.flags
    }

    /// Whether the launch maps no byte by it, whatever the program's values are.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == Some(Size::Constant(0))
    }
}

/// What a launch shows of its kernel's map clauses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Maps {
    entries: Vec<MapEntry>,
    lengths: Vec<SectionLength>,
    sections: Vec<Section>,
}

/// A variable or array section that a map clause names, and whose address is captured. Two of one construct share no storage (OpenMP 5.2,
/// 5.8.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// Position among the captured variables.
    pub capture: usize,
    /// Bytes from the captured address to the first byte.
    pub begin: OfCaptures,
    pub bytes: OfCaptures,
}

/// A sum of products of captured variables: a factor, and for each variable its position, its bits and its power.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfCaptures(pub Vec<(Coeff, Vec<(SectionLength, u32)>)>);

/// A variable captured by value that is the length of an array section in a map clause: no negative number (OpenMP 5.2, 3.2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SectionLength {
    /// Position among the captured variables.
    pub capture: usize,
    /// The variable's bits in the argument that carries it.
    pub bits: u32,
}

/// Maps by kernel name. Of several launches of one kernel the first counts, for they come from one directive; sections are those of all.
pub(crate) fn find(session: Session, layout: DataLayout, module: &Module<'_>) -> FxHashMap<String, Maps> {
    let mut maps = FxHashMap::default();
    let Some(launch) = module.get_function("__tgt_target_kernel") else { return maps };
    let shares_memory = openmp::requires_shared_memory(module);
    let mut seen = FxHashSet::default();
    let calls = Value::of(&launch).users().into_iter().filter(|user| user.is_call());
    // Uses come last first.
    let callers: Vec<Value> = calls.map(|call| call.block().function()).filter(|&caller| seen.insert(caller)).collect();
    for caller in callers.into_iter().rev() {
        if caller.instructions().take(MAX_INSTRUCTIONS + 1).count() <= MAX_INSTRUCTIONS {
            in_caller(session, layout, caller, &mut maps);
        }
    }
    if shares_memory {
        // Data need not be mapped then, so programs may be careless of what their clauses name.
        maps.values_mut().for_each(|maps| maps.sections.clear());
    }
    maps
}

fn in_caller(session: Session, layout: DataLayout, caller: Value, maps: &mut FxHashMap<String, Maps>) {
    let mut copy = FunctionCopy::new(session, caller);
    copy.canonicalise();
    let cfg = Cfg::new(copy.function());
    let names = crate::analysis::names::Names::read(&copy).variables;
    let mut lowering = Lowering::new(
        &copy,
        &cfg,
        layout,
        names,
        &copy.function().params(),
        FxHashMap::default(),
        FxHashSet::default(),
    );
    for call in copy.function().instructions().filter(|value| value.is_call()) {
        let Some(launch) = Launch::decode(call) else { continue };
        let Some(kernel) = launch.kernel() else { continue };
        let Some(found) = of_launch(&mut lowering, launch) else {
            // Nothing is known of what this one names.
            maps.entry(kernel).or_default().sections.clear();
            continue;
        };
        match maps.entry(kernel) {
            Entry::Vacant(entry) => _ = entry.insert(found),
            Entry::Occupied(mut entry) if entry.get().entries.is_empty() => {
                entry.insert(Maps { sections: Vec::new(), ..found });
            }
            // Copies of a caller may have been optimised apart, with other constants: what holds in all of them is kept.
            Entry::Occupied(mut entry) => entry.get_mut().keep_common(&found),
        }
    }
}

fn of_launch(lowering: &mut Lowering<'_>, launch: Launch) -> Option<Maps> {
    const BASE_POINTERS: i64 = 2;
    const POINTERS: i64 = 3;
    const SIZES: i64 = 4;
    const TYPES: i64 = 5;
    let stored = |field: i64| {
        launch
            .argument_stores()
            .into_iter()
            .find(|&store| launch.stored_field(store) == Some(field))
            .map(|store| store.operand(0))
    };
    let types = base(stored(TYPES)?).initializer()?;
    let sizes = base(stored(SIZES)?);
    let mut maps = Maps::default();
    let mut variables = Vec::new();
    let mut sections = Vec::new();
    let mut named = Vec::new();
    let mut captures = 0;
    while let Some(flags) = types.aggregate_element(maps.entries.len() as u32) {
        let flags = flags.as_int()? as u64;
        let index = maps.entries.len() as i64;
        maps.entries.push(MapEntry { flags, bytes: None });
        let is_captured = flags & map_type::TARGET_PARAMETER != 0;
        if flags & map_type::LITERAL != 0 {
            variables.extend(is_captured.then_some((captures, index)));
        } else if flags & map_type::IMPLICIT == 0 {
            sections.extend(only_store(sizes, index));
            // Members of structures, and pointers that lead to what is mapped, are entries of other kinds.
            let is_plain = flags & !(map_type::DIRECTIONS | map_type::TARGET_PARAMETER) == 0;
            named.extend((is_captured && is_plain).then_some((captures, index)));
        }
        captures += usize::from(is_captured);
    }
    let mut known = Carried::default();
    for (capture, index) in variables {
        let carried = stored(BASE_POINTERS).and_then(|pointers| only_store(base(pointers), index));
        let Some(carried) = carried else { continue };
        known.add_computed(lowering, capture, carried);
        for bits in WIDTHS {
            let variable = carried_variable(lowering, carried, bits);
            let variable = variable.map(|atom| (atom, carried.block(), SectionLength { capture, bits }));
            known.variables.extend(variable);
            if sections.iter().any(|&size| has_length(lowering, size, carried, bits)) {
                maps.lengths.push(SectionLength { capture, bits });
            }
        }
    }
    for (index, entry) in (0..).zip(&mut maps.entries) {
        entry.bytes = size(lowering, sizes, index, &known);
    }
    for (capture, index) in named {
        let at = |field| stored(field).and_then(|array| only_store(base(array), index));
        let (Some(start), Some(first)) = (at(BASE_POINTERS), at(POINTERS)) else { continue };
        maps.sections.extend(section(lowering, capture, start, first, section_size(sizes, index), &known.variables));
    }
    Some(maps)
}

/// The values that a launch hands over, with the block in which it does.
#[derive(Default)]
struct Carried {
    /// Variables that nothing is known of but their names.
    variables: Vec<(AtomId, Block, SectionLength)>,
    /// Variables that are computed where the launch is.
    computed: Vec<(Polynomial, Block, SectionLength)>,
}

/// Factors of a size that are tried.
const MAX_FACTORS: u32 = 3;
/// Computed variables of which products are tried.
const MAX_COMPUTED: usize = 6;
/// Terms of a computed variable beyond which it is in no product that is tried.
const MAX_TERMS: usize = 8;

/// A product of computed variables.
struct Product {
    value: Polynomial,
    powers: Vec<(SectionLength, u32)>,
    /// Where its last factor is in the list, from which further ones are taken.
    last: usize,
}

impl Carried {
    fn add_computed(&mut self, lowering: &mut Lowering<'_>, capture: usize, carrier: Value) {
        let Some(id) = lowering.cfg.id(carrier.block()) else { return };
        let value = lowering.value_at(carrier.operand(0), id).value;
        for bits in WIDTHS {
            let number = if bits == u64::BITS { value.clone() } else { lowering.space.congruent(bits, &value) };
            let is_exact = bits == u64::BITS
                || lowering.space.range(&number).is_within(&Interval::of_width(bits, Signedness::Signed));
            if is_exact && number.as_constant().is_none() && number.terms().len() <= MAX_TERMS {
                self.computed.push((number, carrier.block(), SectionLength { capture, bits }));
            }
        }
    }

    /// A size as a product of computed variables and a constant.
    fn product(&self, size: &Polynomial, block: Block) -> Option<(Coeff, Vec<(SectionLength, u32)>)> {
        let atoms = size.atoms();
        let is_part = |value: &Polynomial| value.atoms().iter().all(|atom| atoms.contains(atom));
        let here = self.computed.iter().filter(|(value, at, _)| *at == block && is_part(value));
        let here: Vec<_> = here.take(MAX_COMPUTED).collect();
        let mut products = vec![Product { value: Polynomial::from(1), powers: Vec::new(), last: 0 }];
        for _ in 0..MAX_FACTORS {
            let larger = products.iter().flat_map(|Product { value, powers, last }| {
                here.iter().enumerate().skip(*last).map(move |(at, (factor, _, variable))| {
                    let mut powers = powers.clone();
                    match powers.last_mut().filter(|(before, _)| before == variable) {
                        Some((_, power)) => *power += 1,
                        None => powers.push((*variable, 1)),
                    }
                    Product { value: value * factor, powers, last: at }
                })
            });
            products = larger.collect();
            let times = |product: &Polynomial| {
                let (monomial, wanted) = size.terms().next()?;
                let (_, found) = product.terms().find(|(own, _)| *own == monomial)?;
                wanted.div_exact(found).filter(|factor| product.scale(factor) == *size)
            };
            let mut found =
                products.iter().filter_map(|product| Some((times(&product.value)?, product.powers.clone())));
            if let Some(found) = found.next() {
                return Some(found);
            }
        }
        None
    }
}

/// How many bytes an entry has: what is stored there, or a constant.
enum SectionSize {
    Stored(Value),
    Constant(i64),
    Unknown,
}

fn section_size(sizes: Value, index: i64) -> SectionSize {
    if sizes.is_global_variable() {
        let element = sizes.initializer().and_then(|array| array.aggregate_element(index as u32)?.as_int());
        return element.map_or(SectionSize::Unknown, SectionSize::Constant);
    }
    match only_store(sizes, index) {
        Some(store) => SectionSize::Stored(store),
        None if !stores(sizes, index).is_empty() => SectionSize::Unknown,
        None => constant_size(sizes, index).map_or(SectionSize::Unknown, SectionSize::Constant),
    }
}

/// The variable of `bits` bits, read with its sign, whose value a store hands to the region.
fn carried_variable(lowering: &mut Lowering<'_>, carrier: Value, bits: u32) -> Option<AtomId> {
    let block = lowering.cfg.id(carrier.block())?;
    let carried = lowering.value_at(carrier.operand(0), block).value;
    let variable = lowering.space.congruent(bits, &carried);
    let is_exact = lowering.space.range(&variable).is_within(&Interval::of_width(bits, Signedness::Signed));
    variable.as_atom().filter(|_| is_exact)
}

/// What one entry maps, in terms of the variables that are captured by value.
fn section(
    lowering: &mut Lowering<'_>,
    capture: usize,
    start: Value,
    first: Value,
    size: SectionSize,
    known: &[(AtomId, Block, SectionLength)],
) -> Option<Section> {
    let block = start.block();
    // In another block, a value that changes with a loop may be that of another iteration.
    let here = |store: Value| if store.block() == block { lowering.cfg.id(block) } else { None };
    let (at, id) = (here(first)?, here(start)?);
    let bytes = match size {
        SectionSize::Constant(bytes) => Polynomial::from(bytes),
        SectionSize::Unknown => return None,
        SectionSize::Stored(store) => {
            let at = here(store)?;
            let size = store.operand(0);
            let length = length(size);
            let element = if length == size { 1 } else { size.operand(1).as_int()? };
            let length = lowering.value_at(length, at);
            lowering.is_signed_in(&length, at).then(|| length.value.scale(&Coeff::from(element)))?
        }
    };
    let begin = &lowering.value_at(first.operand(0), at).value - &lowering.value_at(start.operand(0), id).value;
    let in_captures = |value: &Polynomial| in_captures(value, block, known);
    Some(Section { capture, begin: in_captures(&begin)?, bytes: in_captures(&bytes)? })
}

/// A value in a block in terms of the variables that the region captures there.
fn in_captures(value: &Polynomial, block: Block, known: &[(AtomId, Block, SectionLength)]) -> Option<OfCaptures> {
    let terms = value.terms().map(|(monomial, factor)| {
        let powers = monomial.powers().map(|(atom, power)| {
            let is_it = |(other, at, _): &&(AtomId, Block, SectionLength)| *other == atom && *at == block;
            known.iter().find(is_it).map(|(_, _, variable)| (*variable, power))
        });
        Some((factor.clone(), powers.collect::<Option<Vec<_>>>()?))
    });
    terms.collect::<Option<Vec<_>>>().map(OfCaptures)
}

/// The variable that a pointer into an array belongs to.
pub(crate) fn base(mut pointer: Value) -> Value {
    while pointer.is(Opcode::LLVMGetElementPtr) {
        pointer = pointer.operand(0);
    }
    pointer
}

/// The size at an index: of a constant array, or of a local one that is copied from a constant and partly overwritten.
fn size(lowering: &mut Lowering<'_>, array: Value, index: i64, carried: &Carried) -> Option<Size> {
    let Some(&store) = stores(array, index).first() else { return constant_size(array, index).map(Size::Constant) };
    let block = store.block();
    let id = lowering.cfg.id(block)?;
    let bytes = lowering.value_at(store.operand(0), id).value;
    if let Some(constant) = bytes.as_constant() {
        return constant.to_i64().map(Size::Constant);
    }
    if let Some(captured) = in_captures(&bytes, block, &carried.variables) {
        return Some(Size::Captured(captured));
    }
    if let Some(product) = carried.product(&bytes, block) {
        return Some(Size::Captured(OfCaptures(vec![product])));
    }
    let is_known = lowering.space.per_thread_reason(&bytes).is_none();
    is_known.then(|| Size::Expression(lowering.space.display(&bytes).to_string()))
}

/// The element of a constant array, or of the one that a local array is copied from.
fn constant_size(array: Value, index: i64) -> Option<i64> {
    let copies = array.users().into_iter().filter(|user| {
        user.is_call()
            && user.callee().is_some_and(|callee| callee.name().starts_with("llvm.memcpy"))
            && user.operand(0) == array
    });
    let constant = if array.is_global_variable() { array } else { copies.last()?.operand(1) };
    constant.initializer()?.aggregate_element(index as u32)?.as_int()
}

/// The stores to an element of a local array. The first element may be stored to without an index.
fn stores(array: Value, index: i64) -> Vec<Value> {
    let is_element = |user: &Value| {
        user.is(Opcode::LLVMGetElementPtr)
            && user.operand_count() == 3
            && user.operand(0) == array
            && user.operand(2).as_int() == Some(index)
    };
    let elements = array.users().into_iter().filter(is_element);
    let into = |element: Value| {
        element.users().into_iter().filter(move |store| store.is(Opcode::LLVMStore) && store.operand(1) == element)
    };
    let itself = (index == 0).then_some(array);
    elements.chain(itself).flat_map(into).collect()
}

fn only_store(array: Value, index: i64) -> Option<Value> {
    let stores = stores(array, index);
    if let [store] = stores[..] { Some(store) } else { None }
}

/// Whether the size that one store hands to the runtime is that of a section whose length is the variable of `bits` bits, read with its sign,
/// that another store does.
fn has_length(lowering: &mut Lowering<'_>, size: Value, carrier: Value, bits: u32) -> bool {
    let Some(block) = lowering.cfg.id(size.block()) else { return false };
    // In another block, a value that changes with a loop may be that of another iteration.
    if size.block() != carrier.block() {
        return false;
    }
    let length = lowering.value_at(length(size.operand(0)), block);
    let carried = lowering.value_at(carrier.operand(0), block).value;
    let variable = lowering.space.congruent(bits, &carried);
    let is_exact = lowering.space.range(&variable).is_within(&Interval::of_width(bits, Signedness::Signed));
    lowering.is_signed_in(&length, block) && is_exact && variable.as_constant().is_none() && length.value == variable
}

/// What a size is a multiple of: clang multiplies the length with the size of an element, and marks that the product does not wrap.
fn length(size: Value) -> Value {
    let times = |element: Value| element.as_int().is_some_and(|bytes| bytes > 0);
    let is_product = size.is(Opcode::LLVMMul) && (size.has_nuw() || size.has_nsw());
    if is_product && times(size.operand(1)) { size.operand(0) } else { size }
}

impl Maps {
    /// Keeps of one launch what another launch of the same region shows as well.
    fn keep_common(&mut self, other: &Maps) {
        self.sections.retain(|section| other.sections.contains(section));
        for (own, other) in self.entries.iter_mut().zip(&other.entries) {
            own.bytes = match (own.bytes.take(), &other.bytes) {
                (own, other) if own == *other => own,
                // What is captured may be a constant, or nothing that is known, where a launch has been optimised more than the other.
                (Some(Size::Captured(bytes)), None | Some(Size::Constant(_) | Size::Expression(_))) => {
                    Some(Size::Captured(bytes))
                }
                (None | Some(Size::Constant(_) | Size::Expression(_)), Some(Size::Captured(bytes))) => {
                    Some(Size::Captured(bytes.clone()))
                }
                _ => None,
            };
        }
    }

    /// All entries, in the order of the launch's arrays.
    pub(crate) fn entries(&self) -> &[MapEntry] {
        &self.entries
    }

    /// The captured variables that are lengths of sections, if there are as many captured variables as the launch says.
    pub(crate) fn lengths(&self, captures: usize) -> &[SectionLength] {
        if self.arguments().count() == captures { &self.lengths } else { &[] }
    }

    /// What the clauses name, if there are as many captured variables as the launch says.
    pub(crate) fn sections(&self, captures: usize) -> &[Section] {
        if self.arguments().count() == captures { &self.sections } else { &[] }
    }

    /// The entries that are arguments of the kernel, in order.
    fn arguments(&self) -> impl Iterator<Item = &MapEntry> {
        self.entries.iter().filter(|entry| entry.flags & map_type::TARGET_PARAMETER != 0)
    }
}

/// What is moved of an argument of the kernel.
struct Moved<'a> {
    flags: u64,
    /// Of all that is moved; none where these are not visible, or not all of them are moved the same way.
    sizes: Option<Vec<&'a Size>>,
}

impl Maps {
    /// What each argument of the kernel moves, by its own entry and by those of its members.
    fn moved(&self) -> impl Iterator<Item = Moved<'_>> {
        let arguments = (1_u64..).zip(&self.entries);
        arguments.filter(|(_, entry)| entry.flags & map_type::TARGET_PARAMETER != 0).map(|(number, entry)| {
            let direction = |entry: &MapEntry| entry.flags & (map_type::TO | map_type::FROM);
            let is_member = |other: &&MapEntry| {
                other.flags & map_type::MEMBER_OF == number << map_type::MEMBER_OF.trailing_zeros()
                    && other.flags & (map_type::TARGET_PARAMETER | map_type::LITERAL) == 0
                    && direction(other) != 0
            };
            let members: Vec<&MapEntry> = self.entries.iter().filter(is_member).collect();
            // What holds the members is not moved itself, if it is not said to be.
            let own = (members.is_empty() || direction(entry) != 0).then_some(entry);
            let all: Vec<&MapEntry> = own.into_iter().chain(members).collect();
            let is_one_way = all.iter().all(|other| direction(other) == direction(all[0]));
            let sizes = all.iter().map(|other| other.bytes.as_ref()).collect::<Option<Vec<_>>>();
            Moved {
                flags: all.iter().fold(entry.flags, |flags, other| flags | direction(other)),
                sizes: sizes.filter(|_| is_one_way),
            }
        })
    }
}

/// Gives the region's captured variables, and their expressions, their maps: entries that are kernel arguments, in order.
pub(crate) fn attach(region: &mut Region, expressions: Option<&mut Expressions>, maps: &Maps) {
    let arguments: Vec<Moved<'_>> = maps.moved().collect();
    if arguments.len() != region.captures.len() {
        return;
    }
    if let Some(all) = expressions {
        let size = |moved: &Moved<'_>| {
            let sizes = moved.sizes.as_ref().ok_or(NO_SIZE)?;
            let mut sum = Polynomial::from(0);
            for size in sizes {
                sum = &sum + &size.expression(all.names())?;
            }
            Ok(sum)
        };
        all.maps = arguments.iter().map(size).collect();
    }
    let names: Vec<String> = region.captures.iter().map(|capture| capture.name.clone()).collect();
    for (capture, moved) in region.captures.iter_mut().zip(arguments) {
        let text = |sizes: Vec<&Size>| sizes.iter().map(|size| size.text(&names)).collect::<Vec<_>>().join(" + ");
        capture.map = Some(Map {
            kind: map_type::kind(moved.flags),
            bytes: moved.sizes.map(text),
            implicit: moved.flags & map_type::IMPLICIT != 0,
            stays: false,
            made_there: false,
        });
    }
}

impl Size {
    /// As a report says it, with the names of captured variables.
    fn text(&self, names: &[String]) -> String {
        match self {
            Size::Constant(bytes) => bytes.to_string(),
            Size::Expression(text) => text.clone(),
            Size::Captured(bytes) => {
                let mut space = Space::new();
                // Two symbols of one name would be told apart.
                let mut symbols: FxHashMap<usize, Polynomial> = FxHashMap::default();
                let mut symbol = |capture: usize| {
                    let name = names.get(capture).cloned().unwrap_or_default();
                    space.symbol(Symbol { name, range: Interval::ALL, varies: Varies::No })
                };
                let sum = bytes.sum(|capture| symbols.entry(capture).or_insert_with(|| symbol(capture)).clone());
                space.display(&sum).to_string()
            }
        }
    }

    /// The same over a region's names.
    fn expression(&self, names: &mut Names) -> Expression {
        match self {
            Size::Constant(bytes) => Ok(Polynomial::from(*bytes)),
            Size::Expression(text) => names.read(text),
            Size::Captured(bytes) => {
                Ok(bytes.sum(|capture| names.input(capture).unwrap_or_else(|| Polynomial::from(0))))
            }
        }
    }
}

impl OfCaptures {
    /// The sum, with the values of captured variables by their position.
    fn sum(&self, mut value: impl FnMut(usize) -> Polynomial) -> Polynomial {
        let OfCaptures(terms) = self;
        let mut sum = Polynomial::from(0);
        for (factor, powers) in terms {
            let mut product = Polynomial::from(factor.clone());
            for (variable, power) in powers {
                let value = value(variable.capture);
                for _ in 0..*power {
                    product = &product * &value;
                }
            }
            sum = &sum + &product;
        }
        sum
    }
}
