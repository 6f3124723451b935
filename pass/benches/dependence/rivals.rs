//! The rivals' library (`pass/benches/rivals`), which `scripts/bench` builds: LLVM's dependence analysis and Polly.

use inkwell::module::Module;
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::support::{LLVMLoadLibraryPermanently, LLVMSearchForAddressOfSymbol};
use std::ffi::{CStr, CString, c_uint, c_void};

/// How many loops around both accesses are distinguished: `MostLoops` of the library.
pub const MAX_LOOPS: usize = 8;
const NONE: u32 = u32::MAX;

/// What is said of a dependence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Answer {
    #[default]
    Possible,
    ExcludedUnderConditions,
    Excluded,
}

impl Answer {
    fn of(value: u8) -> Answer {
        match value {
            0 => Answer::Possible,
            1 => Answer::ExcludedUnderConditions,
            2 => Answer::Excluded,
            _ => panic!("the library says {value}, which is no answer"),
        }
    }
}

/// What one rival says of two accesses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Whether they never touch a common byte in two executions.
    pub independent: Answer,
    /// By loop around both, outermost first: whether they do not in two of its iterations and one of each loop outside of it.
    pub carried: [Answer; MAX_LOOPS],
}

/// A loop of the module.
pub struct Loop {
    pub parent: Option<usize>,
    pub line: u32,
    /// Whether it holds effects on memory besides plain loads and stores.
    pub opaque: bool,
}

/// A load or store of the module; from here on its line in the debug information is one more than its place in the list.
pub struct Access {
    pub function: u32,
    /// The innermost loop around it.
    pub innermost: Option<usize>,
    pub writes: bool,
    /// Where it was in the source.
    pub line: u32,
    pub column: u32,
    /// The local variable that it is in.
    pub local: Option<usize>,
}

/// Nanoseconds, the least of several runs: with all analyses made anew, and of the tests of pairs with those that they use kept.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    pub cold: u64,
    pub warm: u64,
}

#[repr(C)]
struct LoopFact {
    function: u32,
    parent: u32,
    line: u32,
    opaque: u32,
}

#[repr(C)]
struct AccessFact {
    function: u32,
    innermost: u32,
    writes: u32,
    line: u32,
    column: u32,
    local: u32,
}

#[repr(C)]
struct PairFact {
    first: u32,
    second: u32,
    independent: u8,
    carried: [u8; MAX_LOOPS],
}

type Sink<T> = extern "C" fn(*mut c_void, *const T);
type List = extern "C" fn(LLVMModuleRef, *mut c_void, Sink<LoopFact>, Sink<AccessFact>);
type Ask = extern "C" fn(LLVMModuleRef, c_uint, *mut c_void, Option<Sink<PairFact>>, *mut Times);

/// Two accesses, by their places in the list, and what is said of them.
pub type Pair = ((usize, usize), Said);

/// The loaded library.
pub struct Rivals {
    list: List,
    da: Ask,
    polly: Ask,
}

impl Rivals {
    pub fn load(path: &str) -> Rivals {
        let path = CString::new(path).expect("a path without zeros");
        // SAFETY: a string that ends with zero; the library stays loaded.
        assert_eq!(unsafe { LLVMLoadLibraryPermanently(path.as_ptr()) }, 0, "{} can be loaded", path.to_string_lossy());
        let start = symbol(c"rivals_start");
        // SAFETY: the types are those of rivals.h, for these three and for `start`.
        unsafe {
            std::mem::transmute::<*mut c_void, extern "C" fn()>(start)();
            Rivals {
                list: std::mem::transmute::<*mut c_void, List>(symbol(c"rivals_list")),
                da: std::mem::transmute::<*mut c_void, Ask>(symbol(c"rivals_da")),
                polly: std::mem::transmute::<*mut c_void, Ask>(symbol(c"rivals_polly")),
            }
        }
    }

    /// The loops and accesses, whose lines are changed to their numbers.
    pub fn list(&self, module: &Module<'_>) -> (Vec<Loop>, Vec<Access>) {
        type Lists = (Vec<Loop>, Vec<Access>);
        extern "C" fn add_loop(state: *mut c_void, fact: *const LoopFact) {
            // SAFETY: the library hands back the state below, and a fact that lives during the call; so in the other sinks.
            let (lists, fact) = unsafe { (&mut *state.cast::<Lists>(), &*fact) };
            lists.0.push(Loop { parent: place(fact.parent), line: fact.line, opaque: fact.opaque != 0 });
        }
        extern "C" fn add_access(state: *mut c_void, fact: *const AccessFact) {
            // SAFETY: as above.
            let (lists, fact) = unsafe { (&mut *state.cast::<Lists>(), &*fact) };
            let AccessFact { function, innermost, writes, line, column, local } = *fact;
            let (innermost, local) = (place(innermost), place(local));
            lists.1.push(Access { function, innermost, writes: writes != 0, line, column, local });
        }
        let mut lists: Lists = Default::default();
        (self.list)(module.as_mut_ptr(), (&raw mut lists).cast(), add_loop, add_access);
        lists
    }

    /// What LLVM's dependence analysis says, and the time that it takes.
    pub fn da(&self, module: &Module<'_>, runs: u32) -> (Vec<Pair>, Times) {
        ask(self.da, module, runs)
    }

    /// The time alone: where there are many accesses, pairs are too many to be kept.
    pub fn time_da(&self, module: &Module<'_>, runs: u32) -> Times {
        let mut times = Times::default();
        (self.da)(module.as_mut_ptr(), runs, std::ptr::null_mut(), None, &mut times);
        times
    }

    /// What Polly says, and the time that it takes.
    pub fn polly(&self, module: &Module<'_>, runs: u32) -> (Vec<Pair>, Times) {
        ask(self.polly, module, runs)
    }
}

fn ask(question: Ask, module: &Module<'_>, runs: u32) -> (Vec<Pair>, Times) {
    extern "C" fn add(state: *mut c_void, fact: *const PairFact) {
        // SAFETY: as in `list`.
        let (pairs, fact) = unsafe { (&mut *state.cast::<Vec<Pair>>(), &*fact) };
        let said = Said { independent: Answer::of(fact.independent), carried: fact.carried.map(Answer::of) };
        pairs.push(((fact.first as usize, fact.second as usize), said));
    }
    let mut pairs: Vec<Pair> = Vec::new();
    let mut times = Times::default();
    question(module.as_mut_ptr(), runs, (&raw mut pairs).cast(), Some(add), &mut times);
    (pairs, times)
}

fn place(number: u32) -> Option<usize> {
    (number != NONE).then_some(number as usize)
}

fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: a string that ends with zero.
    let address = unsafe { LLVMSearchForAddressOfSymbol(name.as_ptr()) };
    assert!(!address.is_null(), "the library has {}", name.to_string_lossy());
    address
}
