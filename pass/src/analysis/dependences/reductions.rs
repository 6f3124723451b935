//! Copies of reductions' variables: each thread updates its own in the shared loop, and behind it the runtime makes one value of all. Which
//! thread makes which updates is then of no matter, as long as these are all that the loop does with the copy, and by the operation that
//! combines the copies.

use super::updates::{chosen_by, operation};
use crate::analysis::lower::is_shared_variable;
use crate::analysis::region::Analysis;
use crate::openmp;
use ipda_llvm::{Block, BlockId, Cfg, IntPredicate, Opcode, Operation, Value};
use ipda_models::report::{ObstacleKind, Reason};
use rustc_hash::FxHashSet;

/// Instructions from the old value to the new one beyond which an update is not followed.
const MAX_STEPS: usize = 64;
/// Operations in each other beyond which two numbers are not compared.
const MAX_DEPTH: usize = 8;

/// What the loop does with a copy.
#[derive(Clone, Copy, PartialEq)]
enum Update {
    By(Operation),
    /// Some iterations set it to one constant.
    Set(Value),
}

/// When an update reads what was there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    First,
    /// In front of the store alone, and not always.
    Last,
    /// First, and it decides what else is read, in a loop of each thread's own: other iterations in front would let more be read or less, which changes no
    /// number, but may read what is not there. In the loop that threads share, nobody knows which iterations are in front.
    InOrder,
}

/// The local variables that a loop writes and that are used after it: all of them copies whose updates may be made by any thread; else why not.
pub(super) fn copies(analysis: &Analysis<'_>, shared: usize) -> Result<Vec<Value>, Reason> {
    let cfg = analysis.cfg;
    let mut copies = Vec::new();
    let locals = cfg.blocks.iter().flat_map(|block| block.instructions()).filter(|value| value.is(Opcode::LLVMAlloca));
    for local in locals {
        let uses = Uses::of(cfg, local, shared);
        let Some(&last) = uses.behind.first().filter(|_| !uses.writes.is_empty()) else { continue };
        let reason = match combined(local) {
            Some(call) => match analysis.updates_alone(&uses, call, shared) {
                Ok(()) => {
                    copies.push(local);
                    continue;
                }
                Err(reason) => reason,
            },
            None if is_shared_variable(local) => {
                let name = analysis.names.variables.get(&local).cloned().unwrap_or_else(|| "a variable".into());
                ObstacleKind::SharedVariable.reason(format!("{name} is shared by all threads of a team"))
            }
            None => ObstacleKind::OwnVariableUsedBehind
                .reason("a variable of each thread's own is used after the shared loop"),
        };
        let place = uses.writes.iter().chain([&last]).find_map(|user| user.location());
        return Err(reason.at(place));
    }
    Ok(copies)
}

/// Whether a local variable is one thread's copy of what a reduction is about.
pub(crate) fn is_copy(local: Value) -> bool {
    local.is(Opcode::LLVMAlloca) && combined(local).is_some()
}

/// Whether the loops that threads share keep nothing in registers from one iteration to the next, and of memory that is used behind them only
/// copies, which they update by the operation that combines these: it does not matter then how many copies there are, nor whose updates
/// each has.
pub(crate) fn only_update_copies(analysis: &mut Analysis<'_>) -> bool {
    let shared: Vec<usize> =
        (0..analysis.cfg.loops.len()).filter(|&index| analysis.is_shared_by_threads(index)).collect();
    let only_updates = |&index: &usize| {
        !analysis.scalars(index).iter().any(|(_, scalar)| scalar.is_carried()) && copies(analysis, index).is_ok()
    };
    !shared.is_empty() && shared.iter().all(only_updates)
}

/// What computes a copy's next value from what it was, and what combines copies.
pub(crate) fn steps(local: Value) -> Vec<Value> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let mut open: Vec<Value> = pointers(local).into_iter().flat_map(Value::users).filter(is_load).collect();
    while let Some(at) = open.pop() {
        let next = at.users().into_iter().filter(|user| user.is_cast_or_arithmetic() || is_float_operation(*user));
        let next: Vec<Value> = next.filter(|&user| seen.insert(user)).collect();
        found.extend(&next);
        open.extend(next);
    }
    found
}

fn is_load(value: &Value) -> bool {
    value.is(Opcode::LLVMLoad)
}

fn is_float_operation(value: Value) -> bool {
    matches!(value.opcode(), Some(Opcode::LLVMFAdd | Opcode::LLVMFSub | Opcode::LLVMFMul | Opcode::LLVMCall))
}

/// The address of a variable in all the kinds of memory that it is seen as.
fn pointers(local: Value) -> Vec<Value> {
    let casts = local.users().into_iter().filter(|user| user.is(Opcode::LLVMAddrSpaceCast));
    std::iter::once(local).chain(casts).collect()
}

/// The runtime call that combines a variable's copies, which it finds through a list of their addresses.
fn combined(local: Value) -> Option<Value> {
    let is_in = |user: &Value| user.is(Opcode::LLVMStore) && pointers(local).contains(&user.operand(0));
    let lists = pointers(local).into_iter().flat_map(Value::users).filter(is_in);
    let mut lists = lists.map(|store| store.operand(1).base_of_address()).filter(|list| list.is(Opcode::LLVMAlloca));
    lists.find_map(|list| {
        pointers(list).into_iter().flat_map(Value::users).find(|&user| user.is_call() && openmp::combines_copies(user))
    })
}

/// Whether a variable's address is written to where only the runtime finds it, to combine copies, or nobody does.
pub(crate) fn is_listed(store: Value, local: Value) -> bool {
    let list = store.operand(1).base_of_address();
    list != local && pointers(local).contains(&store.operand(0)) && is_list(list)
}

/// Whether a variable is of such a kind that only the runtime reads it, to combine copies whose addresses it has, or nobody does.
pub(crate) fn is_list(local: Value) -> bool {
    let mut open = vec![local];
    while let Some(pointer) = open.pop() {
        for user in pointer.users() {
            match user.opcode() {
                Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast) => open.push(user),
                Some(Opcode::LLVMStore) if user.operand(0) != pointer => {}
                Some(Opcode::LLVMCall) if openmp::begins_or_ends_life(user) || openmp::combines_copies(user) => {}
                _ => return false,
            }
        }
    }
    local.is(Opcode::LLVMAlloca)
}

/// What is done with a local variable.
struct Uses {
    local: Value,
    /// In the shared loop.
    inside: Vec<Value>,
    /// Those that can change it.
    writes: Vec<Value>,
    /// Outside, unless it is only given a value.
    behind: Vec<Value>,
    /// Whether only the variable as a whole is used.
    is_whole: bool,
}

impl Uses {
    fn of(cfg: &Cfg, local: Value, shared: usize) -> Uses {
        let mut uses = Uses { local, inside: Vec::new(), writes: Vec::new(), behind: Vec::new(), is_whole: true };
        let (mut open, mut seen) = (vec![local], FxHashSet::default());
        while let Some(pointer) = open.pop() {
            for user in pointer.users() {
                if !seen.insert((user, pointer)) {
                    continue;
                }
                let is_inside = cfg.id(user.block()).is_some_and(|at| cfg.loops[shared].contains(at));
                let is_store = user.is(Opcode::LLVMStore) && user.operand(0) != pointer;
                match user.opcode() {
                    Some(Opcode::LLVMAddrSpaceCast) => open.push(user),
                    Some(Opcode::LLVMGetElementPtr | Opcode::LLVMPHI | Opcode::LLVMSelect | Opcode::LLVMFreeze) => {
                        uses.is_whole = false;
                        open.push(user);
                    }
                    Some(Opcode::LLVMCall)
                        if openmp::begins_or_ends_life(user) || openmp::hands_out_iterations(user) => {}
                    _ if is_inside => {
                        uses.inside.push(user);
                        if !is_load(&user) {
                            uses.writes.push(user);
                        }
                    }
                    _ if is_store => {}
                    Some(Opcode::LLVMCall) if fills(user, pointer) => {}
                    _ => uses.behind.push(user),
                }
            }
        }
        uses
    }
}

/// Whether a block operation writes to a pointer and reads elsewhere.
fn fills(call: Value, pointer: Value) -> bool {
    openmp::block_operation(call).is_some() && call.call_args().iter().skip(1).all(|&arg| arg != pointer)
}

impl Analysis<'_> {
    /// Whether a loop only updates a copy, as the runtime call combines it; else why not.
    fn updates_alone(&self, uses: &Uses, combining: Value, shared: usize) -> Result<(), Reason> {
        let is_used = |text: &str| ObstacleKind::ReductionUsed.reason(text);
        let not_known =
            || ObstacleKind::ReductionCombined.reason("how a reduction's variables are combined is not known");
        if !uses.is_whole {
            return Err(ObstacleKind::ReductionOfSeveral.reason("a reduction is of more than one number"));
        }
        let not_alone = || {
            let loads = uses.inside.iter().filter(|user| is_load(user));
            let mut ways = loads.filter_map(|&load| self.short_circuit(load, shared));
            match ways.any(|(.., read)| read == Read::InOrder) {
                true => ObstacleKind::ReductionInOrder.reason(
                    "a reduction by || or && leaves out what it need not know, by the iterations in front, which are known in a loop of each thread's own",
                ),
                false => is_used("a reduction's variable is used in the loop beside the reduction"),
            }
        };
        let update = self.update(uses, shared).ok_or_else(not_alone)?;
        let mut combining_operation: Option<Operation> = None;
        let is_listed = |user: &Value| user.is(Opcode::LLVMStore) && is_listed(*user, uses.local);
        for &user in uses.behind.iter().filter(|user| !is_listed(user)) {
            if !is_load(&user) || !self.runs_behind(combining, user) {
                return Err(is_used("a reduction's variable is used after the loop beside the reduction"));
            }
            let operation = combination(user).ok_or_else(not_known)?;
            if combining_operation.is_some_and(|known| known != operation) {
                return Err(not_known());
            }
            combining_operation = Some(operation);
        }
        let operation = combining_operation.ok_or_else(not_known)?;
        let matches = match update {
            Update::By(by) => by == operation,
            Update::Set(_) => is_idempotent(operation),
        };
        if matches {
            Ok(())
        } else {
            let text = "a reduction's variable is updated by another operation than the clause names";
            Err(ObstacleKind::ReductionOperation.reason(text))
        }
    }

    fn runs_behind(&self, first: Value, later: Value) -> bool {
        let (Some(a), Some(b)) = (self.cfg.id(first.block()), self.cfg.id(later.block())) else { return false };
        if a != b {
            return self.cfg.dominates(a, b);
        }
        first.block().instructions().find(|&at| at == first || at == later) == Some(first)
    }

    /// The one thing that a loop does with a copy, however often.
    fn update(&self, uses: &Uses, shared: usize) -> Option<Update> {
        let pointers = pointers(uses.local);
        let is_access = |user: &Value| {
            let is_store = user.is(Opcode::LLVMStore) && pointers.contains(&user.operand(1));
            (is_load(user) || is_store) && !user.is_volatile_or_atomic()
        };
        if !uses.inside.iter().all(is_access) {
            return None;
        }
        let (loads, mut stores): (Vec<Value>, Vec<Value>) = uses.inside.iter().partition(|user| is_load(user));
        let all = stores.clone();
        let mut found: Option<Update> = None;
        for load in loads {
            let followed = followed(load).map(|found| (found.operation, found.end, Read::First));
            let chosen = || self.chosen(load).map(|(operation, store)| (operation, store, Read::First));
            let found_here = followed.or_else(chosen).or_else(|| self.short_circuit(load, shared));
            let (operation, store, read) = found_here.filter(|(.., read)| *read != Read::InOrder)?;
            let at = stores.iter().position(|&other| other == store)?;
            stores.swap_remove(at);
            let update = Update::By(operation);
            let is_alone = read == Read::Last || self.is_undisturbed(load, store, &all, shared);
            if store.operand(0).ty() != load.ty() || found.is_some_and(|known| known != update) || !is_alone {
                return None;
            }
            found = Some(update);
        }
        for store in stores {
            let value = store.operand(0);
            if !value.is_constant() || found.is_some_and(|known| known != Update::Set(value)) {
                return None;
            }
            found = Some(Update::Set(value));
        }
        found
    }

    /// Whether between a load and the store behind it, which runs once for it at most, no other store comes.
    fn is_undisturbed(&self, load: Value, store: Value, stores: &[Value], shared: usize) -> bool {
        let cfg = self.cfg;
        let (Some(from), Some(to)) = (cfg.id(load.block()), cfg.id(store.block())) else { return false };
        if cfg.loop_of(from) != cfg.loop_of(to) || !self.runs_behind(load, store) {
            return false;
        }
        let is_other = |value: Value| value != store && stores.contains(&value);
        let after_load = load.block().instructions().skip_while(|&value| value != load);
        let mut on_the_way: Vec<Value> = Vec::new();
        if from == to {
            on_the_way.extend(after_load.take_while(|&value| value != store));
        } else {
            on_the_way.extend(after_load);
            on_the_way.extend(store.block().instructions().take_while(|&value| value != store));
            let (mut open, mut seen) = (cfg.successors[from].clone(), FxHashSet::from_iter([from, to]));
            while let Some(at) = open.pop() {
                if cfg.loops[shared].contains(at) && seen.insert(at) {
                    on_the_way.extend(cfg.blocks[at].instructions());
                    open.extend(&cfg.successors[at]);
                }
            }
        }
        !on_the_way.into_iter().any(is_other)
    }

    /// `any = any || x` and `any = x || any`, likewise with `&&`, where one of the two is not always computed: the operation, the store, and when the
    /// variable is read.
    fn short_circuit(&self, load: Value, shared: usize) -> Option<(Operation, Value, Read)> {
        let [test] = load.users()[..] else { return None };
        let [user] = test.users()[..] else { return None };
        if !asks_for_zero(test) || test.block() != load.block() {
            return None;
        }
        if user.is(Opcode::LLVMPHI) {
            let others = user.incoming().into_iter().filter(|(value, _)| *value != test);
            let others: Vec<Option<i64>> = others.map(|(value, _)| value.as_int()).collect();
            let from = user.incoming().into_iter().find(|(value, _)| *value == test)?.1;
            let truth = others.first().copied().flatten()? != 0;
            let is_alike = others.iter().all(|value| value.is_some_and(|value| (value != 0) == truth));
            let store = stored_truth(user, load)?;
            let behind = load.block().instructions().skip_while(|&value| value != load);
            let before = store.block().instructions().take_while(|&value| value != store);
            let is_direct = from == load.block() && from.terminator()?.successors() == [user.block()];
            let is_undisturbed = is_direct && !behind.chain(before).any(may_write);
            return (is_alike && is_undisturbed).then_some((logical_by(truth), store, Read::Last));
        }
        let head = test.block();
        if user.block() != head || user.branch_condition() != Some(test) {
            return None;
        }
        let cfg = self.cfg;
        let head_id = cfg.id(head)?;
        let ways = user.successors();
        let phi_of = |block: &Block| -> Option<Value> {
            let mut phis = block.phis();
            let phi = phis.next().filter(|_| phis.next().is_none())?;
            phi.incoming().into_iter().any(|(value, from)| from == head && value.is_constant()).then_some(phi)
        };
        let (way, phi) = ways.iter().enumerate().find_map(|(way, block)| Some((way, phi_of(block)?)))?;
        let (end, other) = (ways[way], ways[1 - way]);
        let known = phi.incoming().into_iter().find(|(_, from)| *from == head)?.0.as_int()? != 0;
        // The first way is the one that is taken where the variable is true.
        if end == other || known != (way == 0) || !self.computes_alone(head_id, cfg.id(other)?, cfg.id(end)?) {
            return None;
        }
        let read = if cfg.loop_of(head_id) == Some(shared) { Read::First } else { Read::InOrder };
        Some((logical_by(known), stored_truth(phi, load)?, read))
    }

    /// Whether what comes behind one block in front of another does nothing but compute, and leads nowhere else.
    fn computes_alone(&self, head: BlockId, first: BlockId, end: BlockId) -> bool {
        let cfg = self.cfg;
        let (mut open, mut seen) = (vec![first], vec![first]);
        while let Some(at) = open.pop() {
            let is_around = cfg.loop_of(at) == cfg.loop_of(head) && seen.len() <= MAX_STEPS;
            let is_writing = |value: Value| may_write(value) || is_load(&value) && value.is_volatile_or_atomic();
            if !is_around || cfg.successors[at].is_empty() || cfg.blocks[at].instructions().any(is_writing) {
                return false;
            }
            for &next in cfg.successors[at].iter().filter(|&&next| next != end) {
                if next <= head {
                    return false;
                }
                if !seen.contains(&next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        let is_from_here = |from: &BlockId| *from == head || seen.contains(from);
        seen.iter().chain([&end]).all(|&at| cfg.predecessors[at].iter().all(is_from_here))
    }

    /// `if (a < b) b = a` and the like: the operation, and the store that runs where the test says so.
    fn chosen(&self, load: Value) -> Option<(Operation, Value)> {
        let [test] = load.users()[..] else { return None };
        if !matches!(test.opcode(), Some(Opcode::LLVMICmp | Opcode::LLVMFCmp)) {
            return None;
        }
        let [branch] = test.users()[..] else { return None };
        let new = if test.operand(0) == load { test.operand(1) } else { test.operand(0) };
        let ways = branch.branch_condition().is_some().then(|| branch.successors())?;
        ways.iter().enumerate().find_map(|(way, &block)| {
            let is_store = |value: &Value| {
                value.is(Opcode::LLVMStore)
                    && value.operand(1) == load.operand(0)
                    && is_same_number(value.operand(0), new, branch.block())
            };
            let store = block.instructions().find(is_store)?;
            let is_only_way = self.cfg.predecessors[self.cfg.id(block)?].len() == 1
                && decides_alone(store, branch.block(), ways[1 - way]);
            let (yes, no) = if way == 0 { (new, load) } else { (load, new) };
            let operation = chosen_by(test, yes, no).filter(|_| is_only_way)?;
            Some((operation, store))
        })
    }
}

fn logical_by(truth: bool) -> Operation {
    if truth { Operation::LOGICAL_OR } else { Operation::LOGICAL_AND }
}

/// The store of a truth value, as a number, to where a load has read, in the block where both ways to it meet.
fn stored_truth(truth: Value, load: Value) -> Option<Value> {
    let [number] = truth.users()[..] else { return None };
    let [store] = number.users()[..] else { return None };
    let is_it = number.is(Opcode::LLVMZExt)
        && number.ty() == load.ty()
        && store.is(Opcode::LLVMStore)
        && store.operand(0) == number
        && store.operand(1) == load.operand(0)
        && store.block() == truth.block();
    is_it.then_some(store)
}

/// Whether a value that is computed in a block is one that was computed in the block in front of it: also where functions of numbers are called again, and
/// numbers loaded again, as in `if (fabs(x[i] - y[i]) > most) most = fabs(x[i] - y[i])`.
fn is_same_number(again: Value, before: Value, head: Block) -> bool {
    is_same_within(again, before, head, MAX_DEPTH)
}

fn is_same_within(again: Value, before: Value, head: Block, depth: usize) -> bool {
    if again == before {
        return true;
    }
    if depth == 0 || !again.is_instruction() {
        return false;
    }
    if is_load(&again) && !again.is_volatile_or_atomic() {
        let is_it = |value: &Value| {
            let is_store = value.is(Opcode::LLVMStore) && value.operand(1) == again.operand(0);
            let is_other_load = is_load(value) && value.operand(0) == again.operand(0);
            (is_store && value.operand(0) == before || is_other_load && *value == before)
                && !value.is_volatile_or_atomic()
        };
        let Some(known) = head.instructions().filter(is_it).last() else { return false };
        let behind = head.instructions().skip_while(|&value| value != known).skip(1);
        let here = again.block().instructions().take_while(|&value| value != again);
        return again.ty() == before.ty() && !behind.chain(here).any(may_write);
    }
    let is_alike = |one: Value, other: Value| is_same_within(one, other, head, depth - 1);
    let are_alike = |one: Vec<Value>, other: Vec<Value>| {
        one.len() == other.len() && one.into_iter().zip(other).all(|(one, other)| is_alike(one, other))
    };
    if again.is_call() {
        let is_alike = again.callee().is_some_and(|callee| before.is_instruction() && before.callee() == Some(callee));
        return is_alike && openmp::computes_a_number(again) && are_alike(again.call_args(), before.call_args());
    }
    computes_float(again)
        && before.is_instruction()
        && again.opcode() == before.opcode()
        && are_alike(again.operands().collect(), before.operands().collect())
}

fn computes_float(value: Value) -> bool {
    use Opcode::*;
    let operations = [LLVMFAdd, LLVMFSub, LLVMFMul, LLVMFDiv, LLVMFNeg, LLVMFPExt, LLVMFPTrunc];
    operations.into_iter().any(|operation| value.is(operation))
}

/// Whether an instruction may change what a load finds.
fn may_write(value: Value) -> bool {
    let is_other = [Opcode::LLVMStore, Opcode::LLVMAtomicRMW, Opcode::LLVMAtomicCmpXchg, Opcode::LLVMFence];
    is_other.into_iter().any(|opcode| value.is(opcode))
        || value.is_call() && !value.touches_no_memory() && !openmp::computes_a_number(value)
}

/// Whether a block that a branch chooses does nothing but a store, and goes on where the branch leads otherwise.
fn decides_alone(store: Value, head: Block, otherwise: Block) -> bool {
    let block = store.block();
    let Some(end) = block.terminator() else { return false };
    let goes_on = end.branch_condition().is_none() && end.successors()[..] == [otherwise];
    // What is stored may be computed anew.
    let is_computed = |value: Value| {
        value.is_cast_or_arithmetic()
            || computes_float(value)
            || is_load(&value)
            || value.is_call() && openmp::computes_a_number(value)
    };
    let is_for_store = |value: Value| value.users().into_iter().all(|user| user.block() == block);
    let is_idle = |value: Value| value == store || value == end || is_computed(value) && is_for_store(value);
    let is_same = |phi: Value| {
        let from = |block: Block| phi.incoming().into_iter().find(|(_, from)| *from == block).map(|(value, _)| value);
        from(block) == from(head)
    };
    goes_on && block.instructions().all(is_idle) && otherwise.phis().all(is_same)
}

/// How a value on the way from the old number to the new one relates to it.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    AsIs,
    /// With more bits, of which the upper ones will be dropped.
    Widened,
    /// Whether it is not zero.
    Truth,
}

/// The operation by which a value that is read after a loop is combined with another one, which it replaces.
fn combination(load: Value) -> Option<Operation> {
    let one = followed(load).filter(|found| found.times == 1)?;
    if one.end.is(Opcode::LLVMAtomicRMW) {
        return Some(one.operation);
    }
    // The other one comes from where the outcome goes, and nothing else is done to it.
    let others = one.end.operand(1).users().into_iter().filter(|&user| is_load(&user) && user != load);
    let mut others = others.filter_map(followed);
    others
        .any(|other| (other.operation, other.times, other.end) == (one.operation, 1, one.end))
        .then_some(one.operation)
}

/// What becomes of a value.
struct Followed {
    operation: Operation,
    /// How often it is made.
    times: usize,
    /// The store of the outcome, or the atomic update that the value is given to.
    end: Value,
}

/// The operation, made once or several times, that leads from a value to where it is stored or handed over.
fn followed(from: Value) -> Option<Followed> {
    let (mut at, mut form, mut found, mut times) = (from, Form::AsIs, None, 0);
    for _ in 0..MAX_STEPS {
        let next = only_user(at)?;
        let operation: Option<Operation> = match next.opcode()? {
            Opcode::LLVMStore => {
                let ends = next.operand(0) == at && form == Form::AsIs;
                return ends.then_some(Followed { operation: found?, times, end: next });
            }
            Opcode::LLVMAtomicRMW if next.operand(1) == at && form == Form::AsIs => Some(next.commuting_update()?),
            Opcode::LLVMZExt if form == Form::Truth && found.is_some() => {
                form = if next.ty() == from.ty() { Form::AsIs } else { Form::Widened };
                None
            }
            Opcode::LLVMZExt | Opcode::LLVMSExt if form == Form::AsIs => {
                form = Form::Widened;
                None
            }
            Opcode::LLVMTrunc if form == Form::Widened && next.ty() == from.ty() => {
                form = Form::AsIs;
                None
            }
            // Of the old number alone: what is made of another one is a number no more.
            _ if at == from && asks_for_zero(next) => {
                form = Form::Truth;
                None
            }
            Opcode::LLVMSelect if form == Form::Truth => Some(logical(next, at)?),
            _ => {
                let (operation, _) = operation(next, |value| value == at)?;
                let fits = match form {
                    Form::AsIs => true,
                    Form::Widened => is_modular(operation),
                    Form::Truth => false,
                };
                Some(fits.then_some(operation)?)
            }
        };
        if let Some(name) = operation {
            if found.is_some_and(|known| known != name) {
                return None;
            }
            found = Some(name);
            times += 1;
        }
        if next.is(Opcode::LLVMAtomicRMW) {
            return Some(Followed { operation: found?, times, end: next });
        }
        at = next;
    }
    None
}

/// The one user of a value; a test that only makes a choice belongs to that.
fn only_user(value: Value) -> Option<Value> {
    match value.users()[..] {
        [next] => Some(next),
        [a, b] => {
            let (select, test) = if a.is(Opcode::LLVMSelect) { (a, b) } else { (b, a) };
            (select.is(Opcode::LLVMSelect) && select.operand(0) == test).then_some(select)
        }
        _ => None,
    }
}

fn asks_for_zero(test: Value) -> bool {
    match test.opcode() {
        Some(Opcode::LLVMICmp) => {
            test.int_predicate() == IntPredicate::LLVMIntNE && test.operand(1).as_int() == Some(0)
        }
        // Of what holds a truth value.
        Some(Opcode::LLVMTrunc) => test.ty().int_bits() == Some(1) && test.operand(0).ty().int_bits() == Some(8),
        _ => false,
    }
}

/// `a && b` or `a || b`, where both have been computed.
fn logical(select: Value, carried: Value) -> Option<Operation> {
    let (test, yes, no) = (select.operand(0), select.operand(1), select.operand(2));
    let is = |value: Value, truth: bool| value.as_int().is_some_and(|value| (value != 0) == truth);
    match () {
        () if is(no, false) && (test == carried) != (yes == carried) => Some(Operation::LOGICAL_AND),
        () if is(yes, true) && (test == carried) != (no == carried) => Some(Operation::LOGICAL_OR),
        () => None,
    }
}

/// Whether the lower bits of the outcome are those of the lower bits.
fn is_modular(operation: Operation) -> bool {
    use Operation as Op;
    [Op::ADD, Op::MULTIPLY, Op::AND, Op::OR, Op::XOR].contains(&operation)
}

/// Whether a value combined with itself is the value.
fn is_idempotent(operation: Operation) -> bool {
    use Operation as Op;
    ![Op::ADD, Op::MULTIPLY, Op::XOR, Op::FLOAT_ADD, Op::FLOAT_MULTIPLY].contains(&operation)
}
