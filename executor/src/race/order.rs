//! What happens before what.

use super::access::{MAX_TIME, Span, Stamp};
use super::event::{AtomicKind, MAX_ATOMIC_BYTES, Order, Participants};
use super::tree::Tree;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::mem;

/// Up to which time the accesses of threads, and of whole teams, are known; 0 where nothing is.
pub(super) type Knowledge = Tree<u64>;

/// What every thread knows of what others did.
pub(super) struct HappensBefore {
    pub(super) time: u64,
    /// The stamp of each thread's accesses at present.
    pub(super) now: Vec<Stamp>,
    pub(super) threads: Vec<Thread>,
    pub(super) teams: Vec<Team>,
    /// What atomic accesses and fences published, by the address of the atomic access.
    pub(super) publications: BTreeMap<u64, Publication>,
    pub(super) nothing: Knowledge,
}

pub(super) struct Thread {
    pub(super) team: u32,
    /// The last time at which others could come to know the thread's own accesses, other than with the whole team.
    pub(super) released: u64,
    /// The last barrier of its team that it took part in if it has ended; else [`LIVE`].
    pub(super) left: u64,
    /// Contains what its team knows; `None` if that is all.
    pub(super) knowledge: Option<Knowledge>,
    pub(super) fences: Option<Box<Fences>>,
}

pub(super) const LIVE: u64 = u64::MAX;

pub(super) struct Fences {
    /// What was known at the last release fence: published by later atomic writes.
    pub(super) released: Option<Knowledge>,
    /// What atomic reads saw: known from the next acquire fence on.
    pub(super) acquirable: Option<Knowledge>,
}

pub(super) struct Team {
    /// The time of the last barrier of the whole team.
    pub(super) barrier: u64,
    /// The last of its barriers that is known outside.
    pub(super) exported: u64,
    pub(super) live: u32,
    /// What all of its threads learnt from others up to the last barrier.
    pub(super) knowledge: Option<Knowledge>,
    /// Its live threads that know more.
    pub(super) informed: Vec<u32>,
}

pub(super) struct Publication {
    pub(super) bytes: u32,
    pub(super) knowledge: Knowledge,
}

impl HappensBefore {
    pub(super) fn new(teams: u32, threads_per_team: u32) -> HappensBefore {
        let threads = teams * threads_per_team;
        let thread =
            |thread| Thread { team: thread / threads_per_team, released: 0, left: LIVE, knowledge: None, fences: None };
        let team = |_| Team { barrier: 0, exported: 0, live: threads_per_team, knowledge: None, informed: Vec::new() };
        HappensBefore {
            time: 1,
            now: (0..threads).map(|thread| Stamp::new(1, thread)).collect(),
            threads: (0..threads).map(thread).collect(),
            teams: (0..teams).map(team).collect(),
            publications: BTreeMap::new(),
            nothing: Tree::EMPTY,
        }
    }

    pub(super) fn team_of(&self, thread: u32) -> u32 {
        self.threads[thread as usize].team
    }

    /// Whether an access happened before what the thread does now.
    pub(super) fn is_known(&self, thread: u32, access: Stamp) -> bool {
        let (other, time) = (access.thread(), access.time());
        if other == thread {
            return true;
        }
        let (me, them) = (&self.threads[thread as usize], &self.threads[other as usize]);
        let team = &self.teams[me.team as usize];
        if me.team == them.team && team.barrier.min(them.left) > time {
            return true;
        }
        let Some(knowledge) = me.knowledge.as_ref().or(team.knowledge.as_ref()) else { return false };
        knowledge.get(other) > time || knowledge.get(self.team_key(them.team)).min(them.left) > time
    }

    /// Whether everything that threads of the team did up to a time is known in the team from its last barrier.
    pub(super) fn knows_whole_team(&self, team: u32, time: u64) -> bool {
        let team = &self.teams[team as usize];
        team.barrier > time && team.live as usize == self.threads_per_team()
    }

    /// Whether no thread but its own knows the access, and none ever will.
    pub(super) fn is_stranded(&self, access: Stamp) -> bool {
        let (thread, time) = (&self.threads[access.thread() as usize], access.time());
        if thread.left == LIVE || time < thread.released {
            return false;
        }
        let team = &self.teams[thread.team as usize];
        time >= thread.left || team.live == 0 && time >= team.exported
    }

    pub(super) fn threads_per_team(&self) -> usize {
        self.threads.len() / self.teams.len()
    }

    pub(super) fn team_key(&self, team: u32) -> u32 {
        self.threads.len() as u32 + team
    }

    pub(super) fn tick(&mut self) -> u64 {
        self.time += 1;
        assert!(self.time < MAX_TIME, "too many barriers and releases");
        self.time
    }

    /// Later accesses of the thread are not known to whoever learns of it at this time.
    pub(super) fn begin(&mut self, thread: u32, time: u64) {
        self.now[thread as usize] = Stamp::new(time, thread);
        self.threads[thread as usize].released = time;
    }

    /// What the thread learnt from others.
    pub(super) fn learnt(&self, thread: u32) -> &Knowledge {
        let me = &self.threads[thread as usize];
        me.knowledge.as_ref().or(self.teams[me.team as usize].knowledge.as_ref()).unwrap_or(&self.nothing)
    }

    pub(super) fn learn(&mut self, thread: u32, knowledge: Knowledge) {
        let me = &mut self.threads[thread as usize];
        if me.knowledge.replace(knowledge).is_none() {
            self.teams[me.team as usize].informed.push(thread);
        }
    }

    pub(super) fn acquire(&mut self, thread: u32, published: &Knowledge) {
        let knowledge = self.learnt(thread).join(published);
        self.learn(thread, knowledge);
    }

    /// Everything that the thread knows, for others.
    pub(super) fn release(&mut self, thread: u32) -> Knowledge {
        let mut knowledge = self.learnt(thread).clone();
        let team = self.team_of(thread);
        let barrier = self.teams[team as usize].barrier;
        if barrier > 0 {
            knowledge.set(self.team_key(team), barrier);
            self.teams[team as usize].exported = barrier;
        }
        let time = self.tick();
        knowledge.set(thread, time);
        self.begin(thread, time);
        knowledge
    }

    pub(super) fn fence(&mut self, thread: u32, order: Order) {
        if order.acquires()
            && let Some(fences) = &mut self.threads[thread as usize].fences
            && let Some(published) = fences.acquirable.take()
        {
            self.acquire(thread, &published);
        }
        if order.releases() {
            let knowledge = self.release(thread);
            self.fences(thread).released = Some(knowledge);
        }
    }

    pub(super) fn fences(&mut self, thread: u32) -> &mut Fences {
        let fences = &mut self.threads[thread as usize].fences;
        fences.get_or_insert_with(|| Box::new(Fences { released: None, acquirable: None }))
    }

    pub(super) fn take_publication(&mut self, thread: u32, span: Span, order: Order) {
        let Some(knowledge) = self.publication(span).cloned() else { return };
        if order.acquires() {
            self.acquire(thread, &knowledge);
        } else {
            let acquirable = &mut self.fences(thread).acquirable;
            *acquirable = Some(acquirable.as_ref().map_or(knowledge.clone(), |old| old.join(&knowledge)));
        }
    }

    pub(super) fn publication(&self, span: Span) -> Option<&Knowledge> {
        let publication = self.publications.get(&span.address)?;
        (publication.bytes == span.bytes).then_some(&publication.knowledge)
    }

    pub(super) fn publish(&mut self, thread: u32, span: Span, kind: AtomicKind, order: Order) {
        let given = if order.releases() {
            Some(self.release(thread))
        } else {
            self.threads[thread as usize].fences.as_ref().and_then(|fences| fences.released.clone())
        };
        // An update goes on with the release sequence of what it read.
        let kept = self.publication(span).filter(|_| kind == AtomicKind::Update).cloned();
        self.drop_publications(span.address, span.end());
        let knowledge = match (kept, given) {
            (Some(kept), Some(given)) => given.join(&kept),
            (Some(knowledge), None) | (None, Some(knowledge)) => knowledge,
            (None, None) => return,
        };
        self.publications.insert(span.address, Publication { bytes: span.bytes, knowledge });
    }

    pub(super) fn drop_publications(&mut self, start: u64, end: u64) {
        if self.publications.is_empty() {
            return;
        }
        let from = start.saturating_sub(u64::from(MAX_ATOMIC_BYTES) - 1);
        let touched =
            self.publications.range(from..end).filter(|(address, old)| *address + u64::from(old.bytes) > start);
        let touched: SmallVec<[u64; 4]> = touched.map(|(&address, _)| address).collect();
        for address in touched {
            self.publications.remove(&address);
        }
    }

    pub(super) fn barrier(&mut self, team: u32, participants: Participants<'_>) {
        let live = self.teams[team as usize].live as usize;
        match participants {
            Participants::Threads(threads) if threads.len() < live || !threads.is_sorted_by(|a, b| a < b) => {
                self.barrier_of_some(threads);
            }
            _ => self.barrier_of_all(team),
        }
    }

    pub(super) fn barrier_of_all(&mut self, team: u32) {
        let time = self.tick();
        let per_team = self.threads_per_team();
        let first = team as usize * per_team;
        for thread in first..first + per_team {
            self.now[thread] = Stamp::new(time, thread as u32);
        }
        self.teams[team as usize].barrier = time;
        for thread in mem::take(&mut self.teams[team as usize].informed) {
            let Some(knowledge) = self.threads[thread as usize].knowledge.take() else { continue };
            let team = &mut self.teams[team as usize];
            team.knowledge = Some(team.knowledge.as_ref().map_or(knowledge.clone(), |known| known.join(&knowledge)));
        }
    }

    pub(super) fn barrier_of_some(&mut self, threads: &[u32]) {
        let time = self.tick();
        let mut knowledge = self.nothing.clone();
        for &thread in threads {
            knowledge = knowledge.join(self.learnt(thread));
        }
        for &thread in threads {
            knowledge.set(thread, time);
            self.begin(thread, time);
        }
        for &thread in threads {
            self.learn(thread, knowledge.clone());
        }
    }

    pub(super) fn thread_ended(&mut self, thread: u32) {
        let me = &mut self.threads[thread as usize];
        if me.left != LIVE {
            return;
        }
        let team = &mut self.teams[me.team as usize];
        me.left = team.barrier;
        me.fences = None;
        team.live -= 1;
        if me.knowledge.take().is_some() {
            team.informed.retain(|&other| other != thread);
        }
    }
}
