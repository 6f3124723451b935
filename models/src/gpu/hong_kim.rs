//! The model of Hong and Kim, "An analytical model for a GPU architecture with memory-level and thread-level parallelism
//! awareness" (ISCA 2009), as published; names are the paper's.
//!
//! MWP is how many warps of a multiprocessor can be at memory together, CWP how many can compute while one is there.

use crate::error::{ModelError, non_negative, positive};
use crate::estimate::{Assumption, Bound, Equation, Estimate, Term};
use crate::quantity::{Bytes, BytesPerSecond, Cycles, Hertz};

/// The machine parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Mem_LD: the latency of a memory access.
    pub mem_ld: Cycles,
    /// Departure_del_uncoal: between two transactions of one uncoalesced access.
    pub departure_del_uncoal: Cycles,
    /// Departure_del_coal: between two coalesced accesses of different warps.
    pub departure_del_coal: Cycles,
    /// Issue_cycles: to start one instruction for all threads of a warp.
    pub issue_cycles: Cycles,
    /// Freq: the clock of the processors.
    pub freq: Hertz,
    /// Mem_Bandwidth, of all multiprocessors together.
    pub mem_bandwidth: BytesPerSecond,
    /// Load_bytes_per_warp: what one memory access of a warp moves.
    pub load_bytes_per_warp: Bytes,
}

/// What a kernel does; counts are those of one warp.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// comp_insts: dynamic instructions, without memory instructions.
    pub comp_insts: f64,
    /// coal_mem_insts
    pub coal_mem_insts: f64,
    /// uncoal_mem_insts
    pub uncoal_mem_insts: f64,
    /// synch_insts
    pub synch_insts: f64,
    /// Uncoal_per_mw: transactions of one uncoalesced access.
    pub uncoal_per_mw: f64,
    /// N: active warps of a multiprocessor.
    pub active_warps: f64,
    /// Blocks of the launch.
    pub blocks: f64,
    /// Active_blocks_per_SM
    pub active_blocks_per_sm: f64,
    /// ActiveSM: multiprocessors that have blocks.
    pub active_sms: f64,
    /// OMP_Rep: iterations of the parallel loop that one thread does, of which the other counts describe one (thesis, 5.2.2).
    pub omp_rep: f64,
}

/// Which of the model's equations for the execution time applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// MWP = N and CWP = N: too few warps to keep either busy.
    FewWarps,
    /// CWP >= MWP, or computing takes longer than memory: memory is busy all the time.
    MemoryBound,
    /// MWP > CWP: computation is busy all the time.
    ComputationBound,
    /// No memory instructions: there is no MWP, and computation is all.
    ComputationAlone,
}

/// Everything that the model computes.
#[derive(Debug, Clone, PartialEq)]
pub struct HongKim {
    /// Mem_L_Uncoal
    pub mem_l_uncoal: Cycles,
    /// Mem_L
    pub mem_l: Cycles,
    /// Departure_delay
    pub departure_delay: Cycles,
    /// MWP_Without_BW
    pub mwp_without_bw: f64,
    /// MWP_peak_BW
    pub mwp_peak_bw: f64,
    /// MWP
    pub mwp: f64,
    /// Mem_Cycles
    pub mem_cycles: Cycles,
    /// Comp_Cycles
    pub comp_cycles: Cycles,
    /// CWP
    pub cwp: f64,
    /// Rep
    pub rep: f64,
    /// Which equation applies.
    pub case: Case,
    /// Exec_Cycles, with OMP_Rep, without the cost of synchronisation.
    pub exec_cycles: Cycles,
    /// Synch_cost, with OMP_Rep.
    pub synch_cost: Cycles,
    /// The same as time, with its terms.
    pub estimate: Estimate,
}

const INPUT: &str = "input";
const PAPER: &str = "Hong-Kim 2009";

/// The model.
///
/// # Errors
/// If an input has no meaning: a machine without multiprocessors, negative counts.
pub fn hong_kim(machine: &Parameters, work: &Work) -> Result<HongKim, ModelError> {
    check(machine, work)?;
    let n = work.active_warps;
    let mem_insts = work.coal_mem_insts + work.uncoal_mem_insts;

    let memory = MemoryWarps::of(machine, work);
    let MemoryWarps { mem_l_uncoal, mem_l, departure_delay, mwp_without_bw, mwp_peak_bw, mwp, .. } = memory;
    let warp = WarpCycles::of(machine, work, mem_l_uncoal);
    let WarpCycles { mem_cycles, comp_cycles, cwp } = warp;
    let rep = work.blocks / (work.active_blocks_per_sm * work.active_sms);

    let case = if mem_insts == 0.0 { Case::ComputationAlone } else { Case::of(n, mwp, &warp) };
    let (once, synch_once) = case.cycles(work, &memory, &warp);
    let exec_cycles = once * (rep * work.omp_rep);
    let synch_cost = synch_once * (rep * work.omp_rep);

    let paper = |text| Equation::new(text, PAPER);
    let mut parts = [memory.terms(machine), warp.terms()].concat();
    parts.extend([
        Term::new("N", Equation::new("active warps of a multiprocessor", INPUT), n),
        Term::new("Rep", paper("Blocks / (Active_blocks_per_SM * ActiveSM)"), rep),
        Term::new("OMP_Rep", Equation::new("iterations of a thread", "thesis 5.2.2"), work.omp_rep),
        Term::new("Exec_Cycles", paper("as above, in cycles"), exec_cycles),
    ]);
    let terms = vec![
        Term::new("execution", paper(case.equation()), exec_cycles / machine.freq).with_parts(parts),
        Term::new(
            "synchronisation",
            paper("Departure_delay * (MWP - 1) * synch_insts * Active_blocks_per_SM * Rep * OMP_Rep / Freq"),
            synch_cost / machine.freq,
        ),
    ];
    let few = "there are fewer blocks than run at a time: Rep is below 1, which the equations are not made for";
    let assumptions = (rep < 1.0).then(|| Assumption(few.to_owned())).into_iter().collect();
    let estimate = Estimate::of(terms, Vec::new(), assumptions, case.bound(mwp, mwp_peak_bw))?;
    Ok(HongKim {
        mem_l_uncoal,
        mem_l,
        departure_delay,
        mwp_without_bw,
        mwp_peak_bw,
        mwp,
        mem_cycles,
        comp_cycles,
        cwp,
        rep,
        case,
        exec_cycles,
        synch_cost,
        estimate,
    })
}

/// How many warps can be at memory together (MWP), and what that follows from.
struct MemoryWarps {
    mem_l_uncoal: Cycles,
    weight_uncoal: f64,
    mem_l: Cycles,
    departure_delay: Cycles,
    mwp_without_bw: f64,
    bw_per_warp: f64,
    mwp_peak_bw: f64,
    mwp: f64,
}

impl MemoryWarps {
    fn of(machine: &Parameters, work: &Work) -> MemoryWarps {
        let n = work.active_warps;
        let mem_insts = work.coal_mem_insts + work.uncoal_mem_insts;
        let mem_l_uncoal = machine.mem_ld + machine.departure_del_uncoal * (work.uncoal_per_mw - 1.0);
        let mem_l_coal = machine.mem_ld;
        let weight_uncoal = if mem_insts > 0.0 { work.uncoal_mem_insts / mem_insts } else { 0.0 };
        let weight_coal = 1.0 - weight_uncoal;
        let mem_l = mem_l_uncoal * weight_uncoal + mem_l_coal * weight_coal;
        let departure_delay = machine.departure_del_uncoal * (work.uncoal_per_mw * weight_uncoal)
            + machine.departure_del_coal * weight_coal;

        let mwp_without_bw = (mem_l / departure_delay).min(n);
        // Bytes a second, since Mem_L is in cycles of Freq.
        let bw_per_warp = machine.load_bytes_per_warp.get() / (mem_l / machine.freq).get();
        let mwp_peak_bw = machine.mem_bandwidth.get() / (bw_per_warp * work.active_sms);
        let mwp = mwp_without_bw.min(mwp_peak_bw).min(n);
        MemoryWarps {
            mem_l_uncoal,
            weight_uncoal,
            mem_l,
            departure_delay,
            mwp_without_bw,
            bw_per_warp,
            mwp_peak_bw,
            mwp,
        }
    }

    fn terms(&self, machine: &Parameters) -> [Term; 3] {
        let paper = |text| Equation::new(text, PAPER);
        [
            Term::new("Mem_L", paper("Mem_L_Uncoal * Weight_uncoal + Mem_L_Coal * Weight_coal"), self.mem_l)
                .with_parts([
                    Term::new(
                        "Mem_L_Uncoal",
                        paper("Mem_LD + (Uncoal_per_mw - 1) * Departure_del_uncoal"),
                        self.mem_l_uncoal,
                    ),
                    Term::new("Mem_L_Coal", paper("Mem_LD"), machine.mem_ld),
                    Term::new("Weight_uncoal", paper("uncoal_mem_insts / mem_insts"), self.weight_uncoal),
                ]),
            Term::new(
                "Departure_delay",
                paper("Departure_del_uncoal * Uncoal_per_mw * Weight_uncoal + Departure_del_coal * Weight_coal"),
                self.departure_delay,
            ),
            Term::new("MWP", paper("min(MWP_Without_BW, MWP_peak_BW, N)"), self.mwp).with_parts([
                Term::new("MWP_Without_BW", paper("min(Mem_L / Departure_delay, N)"), self.mwp_without_bw),
                Term::new("MWP_peak_BW", paper("Mem_Bandwidth / (BW_per_warp * ActiveSM)"), self.mwp_peak_bw),
                Term::new(
                    "BW_per_warp",
                    paper("Freq * Load_bytes_per_warp / Mem_L"),
                    BytesPerSecond::new(self.bw_per_warp),
                ),
            ]),
        ]
    }
}

/// What one warp takes alone, and how many warps can compute while one is at memory (CWP).
struct WarpCycles {
    mem_cycles: Cycles,
    comp_cycles: Cycles,
    cwp: f64,
}

impl WarpCycles {
    fn of(machine: &Parameters, work: &Work, mem_l_uncoal: Cycles) -> WarpCycles {
        let (n, mem_insts) = (work.active_warps, work.coal_mem_insts + work.uncoal_mem_insts);
        let mem_l_coal = machine.mem_ld;
        let mem_cycles = mem_l_uncoal * work.uncoal_mem_insts + mem_l_coal * work.coal_mem_insts;
        let comp_cycles = machine.issue_cycles * (work.comp_insts + mem_insts);
        // Without instructions there is nothing to overlap; every warp could compute.
        let cwp = if comp_cycles > Cycles::ZERO { ((mem_cycles + comp_cycles) / comp_cycles).min(n) } else { n };
        WarpCycles { mem_cycles, comp_cycles, cwp }
    }

    fn terms(&self) -> [Term; 3] {
        let paper = |text| Equation::new(text, PAPER);
        let of_memory = paper("Mem_L_Uncoal * uncoal_mem_insts + Mem_L_Coal * coal_mem_insts");
        [
            Term::new("CWP", paper("min((Mem_Cycles + Comp_Cycles) / Comp_Cycles, N)"), self.cwp),
            Term::new("Mem_Cycles", of_memory, self.mem_cycles),
            Term::new("Comp_Cycles", paper("Issue_cycles * total_insts"), self.comp_cycles),
        ]
    }
}

impl Case {
    /// Of warps that access memory.
    fn of(n: f64, mwp: f64, warp: &WarpCycles) -> Case {
        if mwp == n && warp.cwp == n {
            Case::FewWarps
        } else if warp.cwp >= mwp || warp.comp_cycles > warp.mem_cycles {
            Case::MemoryBound
        } else {
            Case::ComputationBound
        }
    }

    /// The cycles of the equation, and those of synchronisation, without repetitions.
    fn cycles(self, work: &Work, memory: &MemoryWarps, warp: &WarpCycles) -> (Cycles, Cycles) {
        let (n, mem_insts) = (work.active_warps, work.coal_mem_insts + work.uncoal_mem_insts);
        let WarpCycles { mem_cycles, comp_cycles, .. } = *warp;
        // The equations are made for MWP >= 1; where bandwidth is less than one warp's worth, nothing more overlaps.
        let others = (memory.mwp - 1.0).max(0.0);
        let comp_between = if mem_insts > 0.0 { comp_cycles / mem_insts } else { Cycles::ZERO };
        let once = match self {
            Case::FewWarps => mem_cycles + comp_cycles + comp_between * others,
            Case::MemoryBound => mem_cycles * (n / memory.mwp) + comp_between * others,
            Case::ComputationBound => memory.mem_l + comp_cycles * n,
            Case::ComputationAlone => comp_cycles * n,
        };
        let synch_once = match self {
            Case::ComputationAlone => Cycles::ZERO,
            _ => memory.departure_delay * (others * work.synch_insts * work.active_blocks_per_sm),
        };
        (once, synch_once)
    }

    /// The equation of the execution time, as time.
    pub fn equation(self) -> &'static str {
        match self {
            Case::FewWarps => {
                "(Mem_Cycles + Comp_Cycles + Comp_Cycles / mem_insts * (MWP - 1)) * Rep * OMP_Rep / Freq, as MWP = CWP = N"
            }
            Case::MemoryBound => {
                "(Mem_Cycles * N / MWP + Comp_Cycles / mem_insts * (MWP - 1)) * Rep * OMP_Rep / Freq, as CWP >= MWP or \
                 Comp_Cycles > Mem_Cycles"
            }
            Case::ComputationBound => "(Mem_L + Comp_Cycles * N) * Rep * OMP_Rep / Freq, as MWP > CWP",
            Case::ComputationAlone => "Comp_Cycles * N * Rep * OMP_Rep / Freq, as mem_insts = 0",
        }
    }

    fn bound(self, mwp: f64, mwp_peak_bw: f64) -> Bound {
        match self {
            Case::ComputationBound | Case::ComputationAlone => Bound::Computation,
            Case::MemoryBound if mwp == mwp_peak_bw => Bound::Memory,
            Case::FewWarps | Case::MemoryBound => Bound::Latency,
        }
    }
}

fn check(machine: &Parameters, work: &Work) -> Result<(), ModelError> {
    positive("mem_ld", machine.mem_ld.get())?;
    positive("departure_del_uncoal", machine.departure_del_uncoal.get())?;
    positive("departure_del_coal", machine.departure_del_coal.get())?;
    positive("issue_cycles", machine.issue_cycles.get())?;
    positive("freq", machine.freq.get())?;
    positive("mem_bandwidth", machine.mem_bandwidth.get())?;
    positive("load_bytes_per_warp", machine.load_bytes_per_warp.get())?;
    non_negative("comp_insts", work.comp_insts)?;
    non_negative("coal_mem_insts", work.coal_mem_insts)?;
    non_negative("uncoal_mem_insts", work.uncoal_mem_insts)?;
    non_negative("synch_insts", work.synch_insts)?;
    crate::error::at_least_one("uncoal_per_mw", work.uncoal_per_mw)?;
    crate::error::at_least_one("active_warps", work.active_warps)?;
    non_negative("blocks", work.blocks)?;
    positive("active_blocks_per_sm", work.active_blocks_per_sm)?;
    positive("active_sms", work.active_sms)?;
    non_negative("omp_rep", work.omp_rep)?;
    Ok(())
}
