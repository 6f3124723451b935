//! A launch: its teams and their threads, in the order that was asked for.

use super::context::{Context, Shape};
use super::gang::Gang;
use super::launch::{Fault, FaultKind, Launch, Observer, Order, Outcome, Races};
use super::step::Progress;
use super::synchronise::{Barriers, Warp, lanes_of};
use crate::memory::{Memory, VARIABLES};
use crate::program::{Kernel, Program};
use crate::race::{MAX_THREADS, RaceDetector};
use crate::random::Random;
use rustc_hash::FxHashMap;

/// The name of the memory that a kernel's hidden first argument points to.
pub(crate) const LAUNCH_ENVIRONMENT: &str = "the launch's environment";
/// The name of the memory that teams hand their parts of a reduction over in.
pub(crate) const REDUCTION_BUFFER: &str = "the buffer for reductions";
/// Threads that a team of a kernel can have on any device.
const MAX_THREADS_OF_TEAM: u32 = 1024;
/// How many teams are on their way together in a random order.
const MAX_TOGETHER: usize = 8;
/// Operations after which a warp or thread gives way to the next.
const TURN: u64 = 1 << 20;

/// A team that has begun.
struct Team<const W: usize> {
    team: u32,
    gangs: Vec<Gang<W>>,
    warps: Vec<Warp>,
    barriers: Barriers,
    shared: Vec<u8>,
    /// The order in which gangs have their turns.
    order: Vec<usize>,
}

impl<const W: usize> Team<W> {
    /// Puts what the team has into the context, or takes it back.
    fn swap(&mut self, context: &mut Context<'_, '_, W>) {
        std::mem::swap(&mut context.warps, &mut self.warps);
        std::mem::swap(&mut context.barriers, &mut self.barriers);
        std::mem::swap(&mut context.shared, &mut self.shared);
    }
}

/// How a team's run ended.
enum TeamProgress {
    Finished,
    /// It may be waiting for another team.
    Paused,
}

pub(super) fn launch<'a, 'o>(
    program: &'a Program,
    kernel: &Kernel,
    arguments: &[u64],
    memory: &'a mut Memory,
    launch: &Launch,
    observer: Option<&'a mut (dyn Observer + 'o)>,
) -> Result<Outcome, Fault> {
    match (launch.order, program.lanes) {
        // AMD's lanes move together by definition: only the order of whole warps is free.
        (order, 64) => {
            let observer = observer.filter(|_| order == Order::Warps);
            run::<64>(program, kernel, arguments, memory, launch, observer)
        }
        (Order::Warps, _) => run::<32>(program, kernel, arguments, memory, launch, observer),
        _ => run::<1>(program, kernel, arguments, memory, launch, None),
    }
}

fn refusal(message: String) -> Fault {
    Fault { kind: FaultKind::Wrong, message, place: Vec::new(), function: String::new(), thread: None, team: 0 }
}

/// Refuses a launch that the kernel or this interpreter is not made for.
fn check(program: &Program, kernel: &Kernel, launch: &Launch) -> Result<(), Fault> {
    let lanes = program.lanes;
    let (teams, asked) = (launch.teams.count(), launch.threads.count());
    if teams == 0 || asked == 0 {
        return Err(refusal("a launch needs at least one team of one thread".into()));
    }
    if kernel.max_teams != 0 && teams > kernel.max_teams {
        let most = kernel.max_teams;
        return Err(refusal(format!("{teams} teams, but the kernel is for at most {most}")));
    }
    if kernel.max_threads != 0 && asked > kernel.max_threads {
        let most = kernel.max_threads;
        let otherwise = if kernel.is_region { "thread_limit" } else { "other launch bounds" };
        return Err(refusal(format!(
            "{asked} threads a team, but the kernel was compiled for at most {most}: take fewer, or compile with {otherwise}"
        )));
    }
    if let Some(required) = kernel.required.filter(|&required| required != launch.threads) {
        return Err(refusal(format!("{} threads a team, but the kernel is for {required}", launch.threads)));
    }
    if !kernel.is_region && asked > MAX_THREADS_OF_TEAM {
        return Err(refusal(format!("{asked} threads a team: a device has at most {MAX_THREADS_OF_TEAM}")));
    }
    // With a warp more for each team, in generic mode.
    let all = u64::from(teams) * (u64::from(asked) + 2 * u64::from(lanes));
    if all > u64::from(MAX_THREADS) {
        return Err(refusal(format!(
            "{} teams of {} threads are more than the {MAX_THREADS} threads that can be run here: take fewer teams",
            launch.teams, launch.threads
        )));
    }
    Ok(())
}

fn run<'a, 'o, const W: usize>(
    program: &'a Program,
    kernel: &Kernel,
    arguments: &[u64],
    memory: &'a mut Memory,
    launch: &Launch,
    observer: Option<&'a mut (dyn Observer + 'o)>,
) -> Result<Outcome, Fault> {
    check(program, kernel, launch)?;
    let lanes = program.lanes;
    let (teams, asked) = (launch.teams.count(), launch.threads.count());
    // As the OpenMP library does: in generic mode the last warp is there for the one thread that runs the serial part.
    let (threads, shape) = if kernel.is_generic {
        let threads = asked.next_multiple_of(lanes) + lanes;
        (threads, Shape { teams: launch.teams, threads: threads.into() })
    } else {
        (asked, Shape { teams: launch.teams, threads: launch.threads })
    };
    let values = parameters(kernel, arguments, launch, memory)?;
    let (packet, implicit_arguments) = packet(shape, memory);
    let detector = match launch.races {
        Races::Detect => Some(RaceDetector::new(teams, threads)),
        Races::Ignore => None,
    };
    let wants_iterations = observer.as_ref().is_some_and(|observer| observer.wants_iterations());
    let wants_own_memory = observer.as_ref().is_some_and(|observer| observer.wants_own_memory());
    let context = Context::<'_, '_, W> {
        program,
        constants: constants(program, never_written(launch)),
        never_written: never_written(launch),
        allocated: 0,
        allocations: 0,
        memory,
        shared: Vec::new(),
        team: 0,
        threads,
        shape,
        detector,
        updated: FxHashMap::default(),
        observer,
        wants_iterations,
        wants_own_memory,
        iteration: Vec::new(),
        warps: Vec::new(),
        barriers: Barriers::default(),
        output: String::new(),
        steps: 0,
        packet,
        implicit_arguments,
    };
    run_teams(context, kernel, &values, launch)
}

/// The values of the kernel's parameters: before the arguments, where it is a region, what the runtime gives.
fn parameters(kernel: &Kernel, arguments: &[u64], launch: &Launch, memory: &mut Memory) -> Result<Vec<u64>, Fault> {
    let hidden_parameters = usize::from(kernel.is_region);
    let wanted = (kernel.parameters as usize).saturating_sub(hidden_parameters);
    if arguments.len() != wanted {
        return Err(refusal(format!("the kernel takes {wanted} arguments, {} are given", arguments.len())));
    }
    let hidden = environment(kernel, launch, memory);
    // What is narrower than a word has nothing above its own bits.
    let own = kernel.parameter_bits.iter().skip(hidden_parameters).zip(arguments);
    let own = own.map(|(&bits, &word)| super::arithmetic::low(word, bits));
    Ok(std::iter::once(hidden).take(hidden_parameters).chain(own).take(kernel.parameters as usize).collect())
}

/// Teams run one after the other; one that seems to wait for another lets the next begin.
fn run_teams<const W: usize>(
    mut context: Context<'_, '_, W>,
    kernel: &Kernel,
    values: &[u64],
    launch: &Launch,
) -> Result<Outcome, Fault> {
    let (program, threads) = (context.program, context.threads);
    let mut random = Random::new(if let Order::Shuffled { seed } = launch.order { seed } else { 0 });
    let mut waiting: Vec<u32> = (0..launch.teams.count()).rev().collect();
    match launch.order {
        Order::Reversed => waiting.reverse(),
        Order::Shuffled { .. } => random.shuffle(&mut waiting),
        Order::Warps | Order::Forward => {}
    }
    let mut paused: Vec<Team<W>> = Vec::new();
    while !paused.is_empty() || !waiting.is_empty() {
        let is_full = matches!(launch.order, Order::Shuffled { .. }) && paused.len() >= MAX_TOGETHER;
        let mut team = match if is_full { None } else { waiting.pop() } {
            Some(team) => begin(program, kernel, team, threads, launch, values, &mut random),
            None if matches!(launch.order, Order::Shuffled { .. }) => {
                paused.swap_remove(random.below(paused.len() as u64) as usize)
            }
            None => paused.remove(0),
        };
        context.team = team.team;
        team.swap(&mut context);
        let progress = advance(&mut context, &mut team, launch, &mut random)?;
        team.swap(&mut context);
        match progress {
            TeamProgress::Finished => {}
            TeamProgress::Paused => paused.push(team),
        }
    }
    let races = context.detector.map(|detector| detector.races().to_vec()).unwrap_or_default();
    let by_several = context.updated.into_iter().filter(|(_, only)| only.is_none()).map(|(place, _)| place).collect();
    Ok(Outcome {
        races,
        updated_by_several: by_several,
        output: context.output,
        steps: context.steps,
        threads_of_team: threads,
    })
}

/// Bytes of memory that nobody has written: no small number, no pointer, not false; different from launch to launch, so that results that
/// depend on them differ.
fn never_written(launch: &Launch) -> u8 {
    match launch.order {
        Order::Warps => 0xcd,
        Order::Forward => 0x35,
        Order::Reversed => 0x9b,
        Order::Shuffled { .. } => 0x67,
    }
}

/// The constants of a program, in every lane; those that stand for values that nobody has set among them.
fn constants<const W: usize>(program: &Program, never_written: u8) -> Vec<[u64; W]> {
    let mut words = program.constants.clone();
    for &(index, bits) in &program.undefined {
        words[index as usize] = super::arithmetic::low(u64::from_le_bytes([never_written; 8]), bits);
    }
    words.into_iter().map(|word| [word; W]).collect()
}

/// What the OpenMP library hands to a kernel in its hidden first argument.
fn environment(kernel: &Kernel, launch: &Launch, memory: &mut Memory) -> u64 {
    // struct KernelLaunchEnvironmentTy { uint32_t ReductionCnt, ReductionIterCnt; void *ReductionBuffer; };
    const BYTES: u64 = 16;
    let environment = memory.allocate_in(VARIABLES, LAUNCH_ENVIRONMENT, BYTES, 0);
    let (bytes, length) = kernel.reduction;
    if bytes > 0 {
        let len = bytes * length.max(launch.teams.count().into());
        let buffer = memory.allocate_in(VARIABLES, REDUCTION_BUFFER, len, 0);
        let address = memory.address(buffer);
        memory.contents_mut(environment)[8..16].copy_from_slice(&address.to_le_bytes());
    }
    memory.address(environment)
}

/// An AMD launch's dispatch packet and implicit arguments, as far as the device runtime reads them.
fn packet(Shape { teams, threads }: Shape, memory: &mut Memory) -> (u64, u64) {
    let packet = memory.allocate_in(VARIABLES, "the dispatch packet", 64, 0);
    let bytes = memory.contents_mut(packet);
    // Devices have at most 1024 threads a team: what does not fit is refused by the runtime's own checks.
    let sizes = threads.0.map(|extent| (extent as u16).to_le_bytes()).concat();
    let all = [0, 1, 2].map(|axis| teams.0[axis].wrapping_mul(threads.0[axis]).to_le_bytes()).concat();
    // hsa_kernel_dispatch_packet_t: workgroup_size_x at 4, grid_size_x at 12.
    bytes[4..10].copy_from_slice(&sizes);
    bytes[12..24].copy_from_slice(&all);
    let implicit = memory.allocate_in(VARIABLES, "the implicit arguments", 256, 0);
    let bytes = memory.contents_mut(implicit);
    // Code object version 5: block counts, group sizes, remainders.
    bytes[0..12].copy_from_slice(&teams.0.map(u32::to_le_bytes).concat());
    bytes[12..18].copy_from_slice(&sizes);
    (memory.address(packet), memory.address(implicit))
}

fn begin<const W: usize>(
    program: &Program,
    kernel: &Kernel,
    team: u32,
    threads: u32,
    launch: &Launch,
    arguments: &[u64],
    random: &mut Random,
) -> Team<W> {
    let lanes = program.lanes;
    let living = |warp: u32| {
        let count = (threads - warp * lanes).min(lanes);
        if count == 64 { u64::MAX } else { (1 << count) - 1 }
    };
    let count = threads.div_ceil(lanes);
    let warps = (0..count).map(|warp| Warp::new(living(warp), lanes)).collect();
    let mut gangs = Vec::new();
    for warp in 0..count {
        if W == 1 {
            for lane in lanes_of(living(warp)) {
                gangs.push(Gang::new(program, kernel.function, warp, lane, 1, arguments));
            }
        } else {
            gangs.push(Gang::new(program, kernel.function, warp, 0, living(warp), arguments));
        }
    }
    let mut order: Vec<usize> = (0..gangs.len()).collect();
    match launch.order {
        Order::Reversed => order.reverse(),
        Order::Shuffled { .. } => random.shuffle(&mut order),
        Order::Warps | Order::Forward => {}
    }
    let shared = vec![never_written(launch); program.shared_bytes as usize];
    Team { team, gangs, warps, barriers: Barriers::default(), shared, order }
}

/// Gives all threads of a team their turns, until all have ended or none but spinning ones are left.
fn advance<const W: usize>(
    context: &mut Context<'_, '_, W>,
    team: &mut Team<W>,
    launch: &Launch,
    random: &mut Random,
) -> Result<TeamProgress, Fault> {
    /// Rounds in which every thread that can run uses up its turn, before another team has one.
    const PATIENCE: u32 = 3;
    /// The same, where they go to sleep instead.
    const SLEEPY_PATIENCE: u32 = 10_000;
    const RARELY: u64 = 256;
    let (mut rounds_without_event, mut sleeps) = (0, 0);
    loop {
        if let Order::Shuffled { .. } = launch.order {
            random.shuffle(&mut team.order);
        }
        let (mut ran, mut paused, mut sleeping, mut event) = (false, false, false, false);
        for &index in &team.order {
            let gang = &mut team.gangs[index];
            if gang.is_finished() {
                continue;
            }
            let before = gang.steps;
            match take_turn(context, gang, launch, random)? {
                Progress::Finished => event = true,
                Progress::Blocked => event |= gang.steps > before,
                // Mostly for other warps, rarely for lanes of its own that are ahead.
                Progress::Sleeps => {
                    sleeping = true;
                    sleeps += 1;
                    if sleeps % RARELY == 0 {
                        let_others_pass(gang);
                    }
                }
                Progress::Paused => {
                    paused = true;
                    // Perhaps it waits for lanes of its own that are ahead.
                    let_others_pass(gang);
                }
            }
            ran |= gang.steps > before;
        }
        if team.gangs.iter().all(Gang::is_finished) {
            return Ok(TeamProgress::Finished);
        }
        if !ran {
            return Err(deadlock(context, team));
        }
        // In a random order all teams are on their way together.
        if matches!(launch.order, Order::Shuffled { .. }) {
            return Ok(TeamProgress::Paused);
        }
        rounds_without_event = if event || !(paused || sleeping) { 0 } else { rounds_without_event + 1 };
        let patience = if paused { PATIENCE } else { SLEEPY_PATIENCE };
        if rounds_without_event > patience && launch.teams.count() > 1 {
            return Ok(TeamProgress::Paused);
        }
    }
}

/// Lets a gang run until it waits, ends or its turn is over.
fn take_turn<const W: usize>(
    context: &mut Context<'_, '_, W>,
    gang: &mut Gang<W>,
    launch: &Launch,
    random: &mut Random,
) -> Result<Progress, Fault> {
    let before = gang.steps;
    let turn = match launch.order {
        // Lanes that move together are not interrupted: they might not meet again.
        Order::Shuffled { .. } if W == 1 => 1 + random.below(100),
        _ => TURN,
    };
    let progress = gang.run(context, turn)?;
    context.steps += gang.steps - before;
    if context.steps > launch.max_steps {
        let message = format!(
            "more than {} operations: an endless loop, or a launch that is too large (--max-steps allows more)",
            launch.max_steps
        );
        return Err(Fault { kind: FaultKind::OutOfSteps, ..gang.stands(context, message) });
    }
    Ok(progress)
}

/// Lets the other lanes of a gang have the next turns.
fn let_others_pass<const W: usize>(gang: &mut Gang<W>) {
    gang.patience = if gang.patience == 0 { 1 } else { 0 };
    gang.release_returned();
}

fn deadlock<const W: usize>(context: &Context<'_, '_, W>, team: &Team<W>) -> Fault {
    let at_barriers = context.barriers.waiting();
    let exchanging: u32 = context.warps.iter().map(|warp| warp.waiting().count_ones()).sum();
    let ended = context.threads - context.warps.iter().map(|warp| warp.alive.count_ones()).sum::<u32>();
    let message = format!(
        "the threads wait for each other without end: {at_barriers}, {exchanging} for other lanes of their warp; {ended} have ended"
    );
    match team.gangs.iter().find(|gang| !gang.is_finished()) {
        Some(gang) => gang.stands(context, message),
        None => refusal(message),
    }
}
