//! The form in which kernels run: functions as flat lists of operations over numbered slots, one machine word each.
//!
//! A value of the IR takes one slot for each of its scalar parts. Integers are kept zero-extended, floating-point numbers as their bits.
//! The blocks of a function stand in an order in which a loop's body precedes what follows the loop, so that of several groups of lanes
//! the one that is furthest back is the one to run: where they meet, they join.

use crate::extent::Extent;
use crate::interpreter::Special;
use ipda_llvm::Claims;
use ipda_models::report::{AccessKind, Location};

/// A place for one machine word of each lane.
pub(crate) type Slot = u32;
/// A place in a function's list of operations.
pub(crate) type Pc = u32;

/// A slot, or a constant of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operand(u32);

impl Operand {
    const CONSTANT: u32 = 1 << 31;

    pub(crate) fn slot(slot: Slot) -> Operand {
        debug_assert!(slot < Operand::CONSTANT);
        Operand(slot)
    }

    pub(crate) fn constant(index: u32) -> Operand {
        Operand(index | Operand::CONSTANT)
    }

    /// The slot, or else the constant's number.
    #[inline]
    pub(crate) fn decode(self) -> Result<Slot, u32> {
        if self.0 & Operand::CONSTANT == 0 { Ok(self.0) } else { Err(self.0 & !Operand::CONSTANT) }
    }
}

/// Operations on integers of up to 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    SMin,
    SMax,
    UMin,
    UMax,
    UAddSat,
    USubSat,
    SAddSat,
    SSubSat,
    /// 1 where the addition overflows.
    UAddOverflows,
    SAddOverflows,
    USubOverflows,
    SSubOverflows,
    UMulOverflows,
    SMulOverflows,
    MulHighS,
    MulHighU,
}

/// Comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Operations on integers of more than 128 bits, whole words of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordsOp {
    Add,
    Sub,
    Mul,
    Shl,
    And,
    Or,
    Xor,
    /// The first one where the comparison holds, else the second one.
    Choose(Comparison),
    Compare(Comparison),
}

/// Comparisons of floating-point numbers, as the set of orders that make them true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FloatComparison {
    pub equal: bool,
    pub greater: bool,
    pub less: bool,
    pub unordered: bool,
}

/// `float` or `double`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloatWidth {
    Single,
    Double,
}

/// Which way a funnel shift moves two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Funnel {
    /// `fshl`: the high half of what moved to the left.
    Left,
    /// `fshr`: the low half of what moved to the right.
    Right,
}

/// Who allocates memory while a kernel runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allocator {
    /// The device runtime, for variables that a team shares.
    Runtime,
    /// The kernel itself.
    Kernel,
}

/// Functions of one integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntFunction {
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    SwapBytes,
    ReverseBits,
    Abs,
}

/// Functions of floating-point numbers; unused arguments are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Math {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
    Abs,
    Sqrt,
    ReciprocalSqrt,
    Floor,
    Ceil,
    Trunc,
    /// To the nearest, ties to even.
    RoundEven,
    /// To the nearest, ties away from zero.
    Round,
    /// `a * b + c` with one rounding.
    Fma,
    /// `a * b + c` with two.
    MulAdd,
    /// The number, if one is none.
    Min,
    Max,
    /// None, if one is none; and -0 is less than 0.
    Minimum,
    Maximum,
    CopySign,
    Exp,
    Exp2,
    Exp10,
    ExpM1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Pow,
    /// To an integer power.
    PowI,
    Cbrt,
    Hypot,
    /// `b * 2^a` has the integer in `b`.
    Ldexp,
    /// One that is rare.
    Special(Special),
}

/// Changes of type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// Keeps the low bits.
    Truncate {
        bits: u8,
    },
    /// Repeats the sign bit.
    SignExtend {
        from: u8,
        to: u8,
    },
    FloatToSigned {
        from: FloatWidth,
        bits: u8,
    },
    FloatToUnsigned {
        from: FloatWidth,
        bits: u8,
    },
    SignedToFloat {
        bits: u8,
        to: FloatWidth,
    },
    UnsignedToFloat {
        to: FloatWidth,
    },
    SingleToDouble,
    DoubleToSingle,
    /// A 32-bit pointer of a window of the address space as a generic pointer.
    WindowToGeneric {
        window: u64,
    },
    /// The reverse.
    GenericToWindow {
        window: u64,
    },
}

/// Read-modify-write operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Update {
    Exchange,
    Int(IntOp),
    Nand,
    Float(Math, FloatWidth),
    /// Up to the operand, then from 0 again.
    IncrementWrap,
    /// Down to 0, then from the operand again.
    DecrementWrap,
}

/// How an atomic operation orders other accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ordering {
    NotAtomic,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

/// What a thread asks about itself and the launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Register {
    /// Thread of the team, by dimension.
    Thread(u8),
    /// Threads of a team.
    Threads(u8),
    /// The team.
    Team(u8),
    /// Number of teams.
    Teams(u8),
    Lane,
    WarpSize,
    Warp,
    LanesBelow,
    LanesUpTo,
    LanesAbove,
    LanesFrom,
    LaneBit,
    /// Lanes that execute together now.
    Active,
    /// A clock: operations so far.
    Clock,
    /// The dispatch packet (AMD).
    DispatchPacket,
    /// The implicit arguments (AMD).
    ImplicitArguments,
}

/// Operations in which the lanes of a warp exchange values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WarpOp {
    /// Waits only.
    Sync,
    /// The value of the lane that the second operand names, within a segment that the third describes (NVIDIA's `c`).
    ShuffleIndex,
    ShuffleDown,
    ShuffleUp,
    ShuffleXor,
    Ballot,
    All,
    Any,
    AllEqual,
    /// The value of the lane that a byte address names (AMD's `ds_bpermute`).
    Permute,
    /// The value of the first active lane.
    First,
    /// Lanes that have the same value.
    Match,
}

/// A load's, store's or copy's static place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// One scalar in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub offset: u32,
    pub bytes: u8,
    /// Bits that count; the others are dropped on load.
    pub bits: u8,
}

/// A range of one of the program's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: u32,
    pub len: u32,
}

impl Span {
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// One operation. `to` is the slot of the result.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    Copy {
        to: Slot,
        from: Operand,
    },
    Int {
        op: IntOp,
        bits: u8,
        to: Slot,
        a: Operand,
        b: Operand,
    },
    /// On two slots a value, the low one first.
    WideInt {
        op: IntOp,
        bits: u8,
        to: Slot,
        a: [Operand; 2],
        b: [Operand; 2],
    },
    Compare {
        comparison: Comparison,
        bits: u8,
        to: Slot,
        a: Operand,
        b: Operand,
    },
    WideCompare {
        comparison: Comparison,
        bits: u8,
        to: Slot,
        a: [Operand; 2],
        b: [Operand; 2],
    },
    /// On as many slots a value as half of the operands, the low one first.
    Words {
        op: WordsOp,
        to: Slot,
        operands: Span,
    },
    WideSignExtend {
        from: u8,
        to: Slot,
        a: Operand,
        bits: u8,
    },
    IntFunction {
        function: IntFunction,
        bits: u8,
        to: Slot,
        a: Operand,
    },
    Math {
        function: Math,
        width: FloatWidth,
        to: Slot,
        arguments: [Operand; 3],
    },
    FloatCompare {
        comparison: FloatComparison,
        width: FloatWidth,
        to: Slot,
        a: Operand,
        b: Operand,
    },
    IsClass {
        width: FloatWidth,
        classes: u16,
        to: Slot,
        a: Operand,
    },
    Convert {
        conversion: Conversion,
        to: Slot,
        a: Operand,
    },
    Select {
        to: Slot,
        condition: Operand,
        a: Operand,
        b: Operand,
    },
    /// The address `base + index * scale`, the index being signed.
    Index {
        to: Slot,
        base: Operand,
        index: Operand,
        bits: u8,
        scale: i64,
        pointer_bits: u8,
    },
    /// The element of a vector that is chosen at run time: the slots from `from` on.
    Extract {
        to: Slot,
        from: Slot,
        count: u32,
        index: Operand,
    },
    Insert {
        to: Slot,
        count: u32,
        index: Operand,
        value: Operand,
    },
    Funnel {
        shift: Funnel,
        bits: u8,
        to: Slot,
        arguments: [Operand; 3],
    },
    BytePermute {
        to: Slot,
        arguments: [Operand; 3],
    },
    Load {
        to: Slot,
        address: Operand,
        parts: Span,
        bytes: u32,
        order: Ordering,
        site: SiteId,
        window: u64,
    },
    Store {
        values: Span,
        address: Operand,
        parts: Span,
        bytes: u32,
        order: Ordering,
        site: SiteId,
        window: u64,
    },
    Update {
        update: Update,
        to: Slot,
        address: Operand,
        value: Operand,
        bytes: u8,
        order: Ordering,
        site: SiteId,
        window: u64,
    },
    /// Leaves the old value in `to` and whether it was replaced in `to + 1`.
    CompareExchange {
        to: Slot,
        address: Operand,
        values: [Operand; 2],
        bytes: u8,
        order: Ordering,
        /// Of one that finds another value, and so only reads.
        failure: Ordering,
        site: SiteId,
        window: u64,
    },
    Fence {
        order: Ordering,
    },
    Alloca {
        to: Slot,
        count: Operand,
        bytes: u64,
        align: u32,
        window: u64,
    },
    StackSave {
        to: Slot,
    },
    StackRestore {
        from: Operand,
    },
    /// Sites of the reading and the writing part follow each other.
    CopyMemory {
        to: Operand,
        from: Operand,
        bytes: Operand,
        site: SiteId,
    },
    FillMemory {
        to: Operand,
        value: Operand,
        bytes: Operand,
        site: SiteId,
    },
    Read {
        register: Register,
        to: Slot,
    },
    IsInWindow {
        to: Slot,
        address: Operand,
        window: Window,
    },
    Allocate {
        to: Slot,
        bytes: Operand,
        by: Allocator,
    },
    Free {
        address: Operand,
    },
    TakeLock {
        address: Operand,
        site: SiteId,
    },
    LeaveLock {
        address: Operand,
        site: SiteId,
    },
    Print {
        format: Operand,
        arguments: Operand,
        to: Slot,
    },
    Warp {
        op: WarpOp,
        to: Slot,
        mask: Operand,
        arguments: [Operand; 3],
    },
    Barrier {
        id: Operand,
        count: Option<Operand>,
    },
    /// A place where lanes that took several ways may meet.
    Meet,
    /// Others shall run first: it waits for something in memory.
    Sleep,
    LoopEnter {
        index: u32,
    },
    LoopNext {
        index: u32,
    },
    Jump {
        to: Pc,
    },
    Branch {
        condition: Operand,
        then: Pc,
        otherwise: Pc,
        branch: u32,
    },
    Switch {
        value: Operand,
        cases: Span,
        default: Pc,
        branch: u32,
    },
    Call {
        function: u32,
        arguments: Span,
        to: Slot,
    },
    CallIndirect {
        callee: Operand,
        arguments: Span,
        to: Slot,
        results: u32,
    },
    Return {
        values: Span,
    },
    /// The thread ends here.
    Exit,
    /// The program has said that this is never reached, or asked to stop.
    Stop {
        message: u32,
    },
    /// Not supported: reported when it is reached.
    Refuse {
        message: u32,
    },
}

/// Parts of the address space that are no global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// Shared by the threads of a team.
    Shared,
    /// Private to a thread.
    Local,
}

/// Where each window begins, and how large it may be.
pub(crate) const SHARED_WINDOW: u64 = 0x7000_0000_0000;
pub(crate) const LOCAL_WINDOW: u64 = 0x7100_0000_0000;
pub(crate) const FUNCTION_WINDOW: u64 = 0x7200_0000_0000;

/// Where a window is in the address space.
pub(crate) fn window_of(address: u64) -> Option<Window> {
    match address {
        SHARED_WINDOW..LOCAL_WINDOW => Some(Window::Shared),
        LOCAL_WINDOW..FUNCTION_WINDOW => Some(Window::Local),
        _ => None,
    }
}

/// A loop of a function, for iteration vectors.
#[derive(Debug, Clone)]
pub(crate) struct Loop {
    pub parent: Option<u32>,
}

/// "No loop" in the place of a loop's number.
pub(crate) const NO_LOOP: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(crate) struct Function {
    pub name: String,
    pub slots: u32,
    /// How many slots the parameters take; they come first.
    pub parameters: u32,
    /// How many slots its result takes.
    pub results: u32,
    pub code: Vec<Op>,
    pub loops: Vec<Loop>,
    /// The innermost loop around each operation.
    pub innermost: Vec<u32>,
    /// The place in the source of each operation, as an index into the program's locations; 0: none.
    pub places: Vec<u32>,
    /// Whether it has a body.
    pub defined: bool,
}

/// Where one thing in the source is: the innermost place, then the calls that led there by inlining, innermost first.
pub type Place = Vec<Location>;

/// A load, store, atomic operation or copy in the program.
#[derive(Debug, Clone)]
pub struct Site {
    /// What it does.
    pub kind: AccessKind,
    /// Bytes a lane; 0 where the number is known only at run time.
    pub bytes: u64,
    /// Where it stands in the source.
    pub place: Place,
    /// The function of the module that holds it.
    pub function: String,
    /// Whether it stands behind a branch that is said not to be taken.
    pub is_unlikely: bool,
    /// What is said of the memory that it touches.
    pub claims: Claims,
    /// Whether it belongs to the device runtime or to helpers that the compiler made.
    pub is_runtime: bool,
}

/// A conditional branch.
#[derive(Debug, Clone)]
pub struct BranchSite {
    /// How many ways lead on.
    pub ways: Ways,
    /// Whether one of them leaves the innermost loop.
    pub ends_loop: bool,
    /// Where it stands in the source.
    pub place: Place,
    /// Whether it belongs to the device runtime.
    pub is_runtime: bool,
}

/// How many ways lead on from a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ways {
    /// By a condition.
    Two,
    /// By a number.
    Many,
}

/// A global variable.
#[derive(Debug)]
pub(crate) struct Global {
    pub name: String,
    pub address: u64,
    pub bytes: Vec<u8>,
    pub window: Option<Window>,
    /// Whether its contents are known: touching one whose are not is out of bounds.
    pub is_readable: bool,
}

/// A device module, ready to run.
#[derive(Debug, Default)]
pub struct Program {
    pub(crate) functions: Vec<Function>,
    pub(crate) constants: Vec<u64>,
    /// Constants that stand for a value that nobody has set, with their width in bits.
    pub(crate) undefined: Vec<(u32, u8)>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) parts: Vec<Part>,
    pub(crate) cases: Vec<(u64, Pc)>,
    pub(crate) messages: Vec<String>,
    pub(crate) places: Vec<Place>,
    pub(crate) sites: Vec<Site>,
    pub(crate) branches: Vec<BranchSite>,
    pub(crate) globals: Vec<Global>,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) shared_bytes: u64,
    pub(crate) lanes: u32,
}

/// A kernel of the module.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The name in the module.
    pub name: String,
    /// The function of the source that holds the region.
    pub source_function: String,
    /// The directive's line.
    pub line: u32,
    pub(crate) function: u32,
    /// How many arguments it takes, the hidden first one included.
    pub parameters: u32,
    /// Whether it is an OpenMP target region, with a hidden first argument; else a kernel of CUDA or HIP.
    pub is_region: bool,
    /// How many bits each argument has, the hidden one included.
    pub(crate) parameter_bits: Vec<u8>,
    /// The threads that a team must have, where the code fixes them.
    pub required: Option<Extent>,
    /// Whether one thread of a team runs the region's serial part while the others wait (generic mode).
    pub is_generic: bool,
    /// The most threads that a team may have; 0: no limit stated.
    pub max_threads: u32,
    /// The most teams; 0: no limit stated. Regions without a teams construct have one.
    pub max_teams: u32,
    /// Bytes of the buffer for reductions over teams, and how many teams fit.
    pub(crate) reduction: (u64, u64),
}

impl Kernel {
    /// Teams and threads, no more than the kernel allows, and as it requires them.
    pub fn at_most(&self, teams: Extent, threads: Extent) -> (Extent, Extent) {
        let limit = |wanted: Extent, most: u32| if most == 0 { wanted } else { wanted.at_most(most) };
        (limit(teams, self.max_teams), self.required.unwrap_or_else(|| limit(threads, self.max_threads)))
    }
}

impl Program {
    /// The kernels, in the order of the module.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// A load, store or copy.
    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0 as usize]
    }

    /// All of them.
    pub fn sites(&self) -> impl ExactSizeIterator<Item = (SiteId, &Site)> {
        self.sites.iter().enumerate().map(|(index, site)| (SiteId(index as u32), site))
    }

    /// The conditional branches, by number.
    pub fn branches(&self) -> &[BranchSite] {
        &self.branches
    }

    /// Threads of a warp: 32, or 64 on AMD's CDNA.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }
}
