//! How long a parallel region takes on a CPU.
//!
//! [`liao_chapman`] is the published model, as it is. [`extended`] is ours: it knows caches, address translation, the bandwidth that all
//! threads share, and threads that share a core. [`host_threads`] says how many threads a target region gets on the host.

pub(crate) mod extended;
mod fallback;
pub mod liao_chapman;
mod machine;
mod schedule;
mod work;

pub use extended::extended;
pub(crate) use fallback::{ClausesLater, ProcessLater, threads_later};
pub use fallback::{HostEnvironment, HostRequest, HostThreads, host_threads};
pub use machine::{CacheLevel, CpuMachine, CpuMemory, CpuTlb, PerThreads, Transfers};
pub(crate) use schedule::ScheduleLater;
pub use schedule::{Schedule, Split};
pub use work::{Access, AccessKind, AcrossLines, Handout, Lines, Loop, ParallelLoop, Start, Work};
