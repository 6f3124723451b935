//! From the IR to the form that runs: every function of a module, block by block.
//!
//! What cannot be run becomes an operation that says so when it is reached: the device runtime holds much that no kernel ever calls.

mod call;
mod instruction;
mod layout;
mod words;

use crate::interpreter::Extent;
use crate::llvm;
use crate::memory::{Memory, VARIABLES};
use crate::program::*;
use inkwell::module::Module;
use ipda_llvm::{Block, BlockId, Cfg, Claims, DataLayout, Opcode, Value};
use ipda_models::report::{AccessKind, RegionKind};
use rustc_hash::{FxHashMap, FxHashSet};

const SCOPE_DECLARATION: &str = "llvm.experimental.noalias.scope.decl";

/// Makes a module ready to run. `library` names the functions that belong to the device runtime.
pub(crate) fn translate(module: &Module<'_>, library: &FxHashSet<String>) -> Program {
    let is_amd = module.get_triple().as_str().to_bytes().starts_with(b"amdgcn");
    let mut translator = Translator {
        module,
        layout: DataLayout::of(module),
        library,
        program: Program { lanes: if is_amd { 64 } else { 32 }, ..Program::default() },
        functions: FxHashMap::default(),
        globals: FxHashMap::default(),
        constants: FxHashMap::default(),
        declared_scopes: FxHashSet::default(),
    };
    // Place 0 is "not known".
    translator.program.places.push(Place::new());
    translator.place_globals();
    let listed: Vec<Value> = module.get_functions().map(|function| llvm::value(&function)).collect();
    for (index, &function) in listed.iter().enumerate() {
        translator.functions.insert(function, index as u32);
    }
    translator.fill_globals();
    let calls = listed.iter().flat_map(|function| function.instructions()).filter(|value| value.is_call());
    let declares = |call: &Value| call.callee().is_some_and(|callee| callee.name() == SCOPE_DECLARATION);
    translator.declared_scopes = calls.filter(declares).flat_map(Value::declared_scopes).collect();
    for &function in &listed {
        let code = translator.function(function);
        translator.program.functions.push(code);
    }
    translator.find_kernels(&listed);
    translator.program
}

/// Why a function cannot be run, as a sentence.
pub(super) type Unsupported = String;

pub(super) struct Translator<'a, 'context> {
    module: &'a Module<'context>,
    layout: DataLayout,
    library: &'a FxHashSet<String>,
    program: Program,
    functions: FxHashMap<Value, u32>,
    /// Global variables by their place in the program's list.
    globals: FxHashMap<Value, usize>,
    constants: FxHashMap<u64, u32>,
    /// Scopes of accesses that are declared anew in each run of a piece of code; no launch as a whole is held against what is said of them.
    declared_scopes: FxHashSet<usize>,
}

impl Translator<'_, '_> {
    /// Gives each global variable the address that it has in every run's memory.
    fn place_globals(&mut self) {
        let mut shared = 0_u64;
        let mut memory = Memory::default();
        for variable in self.module.get_globals() {
            let value = llvm::value(&variable);
            let name = value.name();
            if name.starts_with("llvm.") {
                continue;
            }
            let window = Self::window(value.address_space());
            let size = self.layout.alloc_size(llvm::value_type(value)).max(1);
            let align = u64::from(llvm::alignment(value)).max(16);
            let address = match window {
                Some(Window::Shared) => {
                    let at = shared.next_multiple_of(align);
                    shared = at + size;
                    SHARED_WINDOW + at
                }
                // There are none: a thread's private memory has no variables of the module.
                Some(Window::Local) => continue,
                None => {
                    let buffer = memory.allocate_in(VARIABLES, &name, size, 0);
                    memory.address(buffer)
                }
            };
            self.globals.insert(value, self.program.globals.len());
            self.program.globals.push(Global {
                name,
                address,
                bytes: vec![0; size as usize],
                window,
                is_readable: true,
            });
        }
        self.program.shared_bytes = shared;
    }

    fn fill_globals(&mut self) {
        for (value, index) in self.globals.clone() {
            if self.program.globals[index].window.is_some() {
                continue;
            }
            let Some(initial) = value.initializer() else { continue };
            match self.initial_bytes(initial) {
                Ok(bytes) => self.program.globals[index].bytes[..bytes.len()].copy_from_slice(&bytes),
                Err(_) => self.program.globals[index].is_readable = false,
            }
        }
    }

    fn find_kernels(&mut self, listed: &[Value]) {
        let kernels = ipda::device_kernels(self.module);
        for (index, &function) in listed.iter().enumerate() {
            let name = function.name();
            let Some(kernel) = kernels.iter().find(|kernel| kernel.symbol == name) else { continue };
            let environment = self.module.get_global(&format!("{name}_kernel_environment"));
            let environment = environment.and_then(|variable| {
                let value = llvm::value(&variable);
                value.initializer().and_then(|initial| initial.aggregate_element(0))
            });
            let field = |index| {
                environment.and_then(|value| value.aggregate_element(index)).and_then(Value::as_int).unwrap_or(0)
            };
            let bits = |parameter: Value| parameter.ty().int_bits().unwrap_or(64);
            let required = kernel.required_threads;
            let required = required[0].is_some().then(|| Extent(required.map(|extent| extent.unwrap_or(1))));
            self.program.kernels.push(Kernel {
                source_function: kernel.function.clone(),
                line: kernel.line,
                is_region: kernel.kind == RegionKind::Target,
                parameter_bits: function.params().into_iter().map(|value| bits(value).min(64) as u8).collect(),
                required,
                function: index as u32,
                parameters: function.params().len() as u32,
                // 1: generic. 2 and 3: SPMD, written so or made so.
                is_generic: field(2) == 1,
                max_threads: kernel.max_threads.unwrap_or(field(4).max(0) as u32),
                // -1 stands for a region without a teams construct.
                max_teams: if field(6) == -1 { 1 } else { field(6).max(0) as u32 },
                reduction: (field(7).max(0) as u64, field(8).max(0) as u64),
                name,
            });
        }
    }

    fn constant(&mut self, word: u64) -> Operand {
        let next = self.program.constants.len() as u32;
        let index = *self.constants.entry(word).or_insert(next);
        if index == next {
            self.program.constants.push(word);
        }
        Operand::constant(index)
    }

    /// A value that nobody has set.
    fn undefined(&mut self, bits: u8) -> Operand {
        if let Some(&(index, _)) = self.program.undefined.iter().find(|&&(_, other)| other == bits) {
            return Operand::constant(index);
        }
        let index = self.program.constants.len() as u32;
        self.program.constants.push(0);
        self.program.undefined.push((index, bits));
        Operand::constant(index)
    }

    fn message(&mut self, text: String) -> u32 {
        self.program.messages.push(text);
        self.program.messages.len() as u32 - 1
    }

    fn function(&mut self, function: Value) -> Function {
        let name = function.name();
        if function.is_declaration() {
            return Function { name, ..Function::default() };
        }
        let cfg = Cfg::new(function);
        let is_runtime = self.library.contains(&name) || llvm::is_runtime_name(&name);
        let mut body = Body {
            cfg,
            is_runtime,
            values: FxHashMap::default(),
            code: Function { name, defined: true, ..Function::default() },
            block_start: FxHashMap::default(),
            jumps: Vec::new(),
            block: 0,
            place: 0,
            last_location: None,
        };
        body.code.loops = (0..body.cfg.loops.len())
            .map(|index| Loop { parent: body.cfg.loops[index].parent.map(|parent| parent as u32) })
            .collect();
        if let Err(reason) = self.body(function, &mut body) {
            // A type that has no form here: the function is refused when it is called.
            let message = self.message(format!("{reason} in function {}", body.code.name));
            body.code.code = vec![Op::Refuse { message }];
            body.code.innermost = vec![NO_LOOP];
            body.code.places = vec![0];
        }
        body.code
    }

    fn body(&mut self, function: Value, body: &mut Body) -> Result<(), Unsupported> {
        for parameter in function.params() {
            self.new_value(body, parameter)?;
        }
        body.code.parameters = body.code.slots;
        body.code.results = self.slots(llvm::return_type(llvm::value_type(function)))?;
        let order = block_order(&body.cfg);
        // Every value has its slots before it is used: a phi may name one of a later block.
        for &id in &order {
            for instruction in body.cfg.blocks[id].instructions() {
                self.new_value(body, instruction)?;
            }
        }
        for id in order {
            body.block = id;
            body.block_start.insert(id, body.code.code.len() as Pc);
            for instruction in body.cfg.blocks[id].instructions() {
                self.set_place(body, instruction);
                if instruction.is(Opcode::LLVMPHI) {
                    continue;
                }
                if let Err(reason) = self.instruction(body, instruction) {
                    let message = self.message(reason);
                    self.emit(body, Op::Refuse { message });
                }
            }
        }
        for (pc, target) in std::mem::take(&mut body.jumps) {
            let start = body.block_start[&target];
            match &mut body.code.code[pc as usize] {
                Op::Jump { to } => *to = start,
                other => unreachable!("only jumps wait for their target, not {other:?}"),
            }
        }
        Ok(())
    }

    fn new_value(&mut self, body: &mut Body, value: Value) -> Result<(), Unsupported> {
        let count = self.slots(value.ty())?;
        if count > 0 {
            let first = body.new_slots(count);
            body.values.insert(value, first);
        }
        Ok(())
    }

    fn set_place(&mut self, body: &mut Body, instruction: Value) {
        let place: Place = instruction.location().into_iter().chain(ipda::called_from(&[instruction])).collect();
        if body.last_location.as_ref() != Some(&place) {
            body.place = if place.is_empty() {
                0
            } else {
                self.program.places.push(place.clone());
                self.program.places.len() as u32 - 1
            };
            body.last_location = Some(place);
        }
    }

    fn emit(&self, body: &mut Body, op: Op) {
        let innermost = body.cfg.loop_of(body.block).map_or(NO_LOOP, |index| index as u32);
        body.code.code.push(op);
        body.code.innermost.push(innermost);
        body.code.places.push(body.place);
    }

    /// The operands of a value, one for each of its scalars.
    fn operands(&mut self, body: &Body, value: Value) -> Result<Vec<Operand>, Unsupported> {
        if let Some(&first) = body.values.get(&value) {
            let count = self.slots(value.ty())?;
            return Ok((first..first + count).map(Operand::slot).collect());
        }
        if !value.is_constant() {
            return Err(format!("the operand {}", llvm::print(value)));
        }
        if llvm::constant_kind(value) == llvm::ConstantKind::Undefined {
            let parts = self.parts(value.ty())?;
            return Ok(parts.into_iter().map(|part| self.undefined(part.bits)).collect());
        }
        Ok(self.constant_parts(value)?.into_iter().map(|word| self.constant(word)).collect())
    }

    /// The operand of a value with one scalar.
    fn operand(&mut self, body: &Body, value: Value) -> Result<Operand, Unsupported> {
        match self.operands(body, value)?[..] {
            [operand] => Ok(operand),
            _ => Err(format!("a value of type {} here", value.ty().describe())),
        }
    }

    fn span_of_operands(&mut self, operands: &[Operand]) -> Span {
        let start = self.program.operands.len() as u32;
        self.program.operands.extend_from_slice(operands);
        Span { start, len: operands.len() as u32 }
    }

    fn span_of_parts(&mut self, parts: &[Part]) -> Result<Span, Unsupported> {
        if parts.iter().any(|part| part.offset == u32::MAX) {
            return Err("vectors of single bits in memory".into());
        }
        let start = self.program.parts.len() as u32;
        self.program.parts.extend_from_slice(parts);
        Ok(Span { start, len: parts.len() as u32 })
    }

    fn site(&mut self, body: &Body, kind: AccessKind, bytes: u64) -> SiteId {
        self.site_with(body, kind, bytes, Claims::default())
    }

    fn site_with(&mut self, body: &Body, kind: AccessKind, bytes: u64, claims: Claims) -> SiteId {
        let claims = claims.without(|scope| self.declared_scopes.contains(&scope));
        self.program.sites.push(Site {
            kind,
            bytes,
            place: self.program.places[body.place as usize].clone(),
            function: body.code.name.clone(),
            is_unlikely: is_unlikely(&body.cfg, body.block),
            is_runtime: body.is_runtime,
            claims,
        });
        SiteId(self.program.sites.len() as u32 - 1)
    }

    fn branch(&mut self, body: &Body, ways: Ways) -> u32 {
        let place = self.program.places[body.place as usize].clone();
        let cfg = &body.cfg;
        let leaves = |index: usize| cfg.successors[body.block].iter().any(|&to| !cfg.loops[index].contains(to));
        let ends_loop = cfg.loop_of(body.block).is_some_and(leaves);
        self.program.branches.push(BranchSite { ways, ends_loop, place, is_runtime: body.is_runtime });
        self.program.branches.len() as u32 - 1
    }

    /// What happens on the way from the current block to `to`: loops are counted, and phis take their values.
    fn edge(&mut self, body: &mut Body, to: Block) -> Result<Vec<Op>, Unsupported> {
        let from = body.block;
        let target = body.cfg.id(to).ok_or("a jump to a block that nothing reaches")?;
        let mut ops = Vec::new();
        if let Some(index) = body.cfg.loops.iter().position(|natural| natural.header == target) {
            let index32 = index as u32;
            ops.push(if body.cfg.loops[index].contains(from) {
                Op::LoopNext { index: index32 }
            } else {
                Op::LoopEnter { index: index32 }
            });
        }
        let source = body.cfg.blocks[from];
        let mut moves: Vec<(Slot, Operand)> = Vec::new();
        for phi in to.phis() {
            let Some((value, _)) = phi.incoming().into_iter().find(|&(_, block)| block == source) else { continue };
            let operands = self.operands(body, value)?;
            let first = body.values[&phi];
            moves.extend((first..).zip(operands).filter(|&(slot, operand)| operand != Operand::slot(slot)));
        }
        // All phis read before any is written.
        let mut written = FxHashSet::default();
        let conflict = moves.iter().any(|&(slot, operand)| {
            let reads_written = operand.decode().is_ok_and(|slot| written.contains(&slot));
            written.insert(slot);
            reads_written
        });
        if conflict {
            let first = body.new_slots(moves.len() as u32);
            ops.extend((first..).zip(&moves).map(|(to, &(_, from))| Op::Copy { to, from }));
            ops.extend((first..).zip(&moves).map(|(from, &(to, _))| Op::Copy { to, from: Operand::slot(from) }));
        } else {
            ops.extend(moves.into_iter().map(|(to, from)| Op::Copy { to, from }));
        }
        Ok(ops)
    }

    /// Emits the way to a block, and the jump there; gives the place where it begins.
    fn go(&mut self, body: &mut Body, to: Block) -> Result<Pc, Unsupported> {
        let start = body.code.code.len() as Pc;
        for op in self.edge(body, to)? {
            self.emit(body, op);
        }
        let target = body.cfg.id(to).ok_or("a jump to a block that nothing reaches")?;
        body.jumps.push((body.code.code.len() as Pc, target));
        self.emit(body, Op::Jump { to: 0 });
        Ok(start)
    }
}

/// The state of one function's translation.
pub(super) struct Body {
    cfg: Cfg,
    is_runtime: bool,
    /// The first slot of each value.
    values: FxHashMap<Value, Slot>,
    code: Function,
    block_start: FxHashMap<BlockId, Pc>,
    /// Jumps that wait for the place of their block.
    jumps: Vec<(Pc, BlockId)>,
    /// The block at hand.
    block: BlockId,
    place: u32,
    last_location: Option<Place>,
}

impl Body {
    fn new_slots(&mut self, count: u32) -> Slot {
        let first = self.code.slots;
        self.code.slots += count;
        first
    }
}

/// Whether a block runs only where a branch goes the way that it is said not to go.
fn is_unlikely(cfg: &Cfg, block: BlockId) -> bool {
    let is_the_other_way = |(above, below): (BlockId, BlockId)| {
        let end = cfg.blocks[above].terminator();
        let weights = end.filter(|end| end.successors().len() == 2).and_then(|end| end.branch_weights(2));
        let other = end.and_then(|end| cfg.id(*end.successors().get(1)?));
        weights.is_some_and(|weights| weights[0] > 0 && weights[1] == 0) && other == Some(below)
    };
    std::iter::successors(Some(block), |&block| cfg.immediate_dominator(block))
        .filter_map(|block| Some((cfg.immediate_dominator(block)?, block)))
        .any(is_the_other_way)
}

/// Reverse postorder in which the blocks of each loop stand together.
fn block_order(cfg: &Cfg) -> Vec<BlockId> {
    fn place(cfg: &Cfg, blocks: &[BlockId], around: Option<usize>, placed: &mut [bool], order: &mut Vec<BlockId>) {
        for &block in blocks {
            if placed[block] {
                continue;
            }
            match cfg.loops.iter().position(|natural| natural.header == block && Some(natural.header) != around) {
                // The loop's own blocks are sorted, and its header is the first.
                Some(index) => {
                    placed[block] = true;
                    order.push(block);
                    place(cfg, &cfg.loops[index].blocks, Some(block), placed, order);
                }
                None => {
                    placed[block] = true;
                    order.push(block);
                }
            }
        }
    }
    let all: Vec<BlockId> = (0..cfg.blocks.len()).collect();
    let (mut placed, mut order) = (vec![false; all.len()], Vec::new());
    place(cfg, &all, None, &mut placed, &mut order);
    order
}
