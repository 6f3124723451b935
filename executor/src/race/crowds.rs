//! Histories of cells in which one access is not enough: many readers, many atomic updates.

use super::access::{Access, Stamp, Touch};
use super::event::Site;
use super::order::HappensBefore;
use super::shadow::Others;
use super::tree::Tree;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::mem;
use std::rc::Rc;

/// Items known by their index, which is used again after they are taken.
pub(super) struct Slab<T> {
    pub(super) items: Vec<T>,
    pub(super) free: Vec<u32>,
}

impl<T: Default> Slab<T> {
    pub(super) fn new() -> Slab<T> {
        Slab { items: Vec::new(), free: Vec::new() }
    }

    pub(super) fn insert(&mut self, item: T) -> u32 {
        if let Some(index) = self.free.pop() {
            self.items[index as usize] = item;
            return index;
        }
        self.items.push(item);
        u32::try_from(self.items.len() - 1).expect("fewer than 2^32 items")
    }

    pub(super) fn take(&mut self, index: u32) -> T {
        self.free.push(index);
        mem::take(&mut self.items[index as usize])
    }
}

/// The accesses to cells where one is not enough.
pub(super) struct Crowds {
    pub(super) crowds: Slab<Crowd>,
    /// Threads of the launch.
    pub(super) threads: u32,
    pub(super) nobody: Rc<Multitude>,
    /// Steps taken lately, so that cells with equal histories come to share a tree; the older ones apart.
    pub(super) steps: [FxHashMap<(usize, Access), Step>; 2],
}

/// Accesses since the last plain write, none of which may be forgotten because of another.
#[derive(Clone)]
pub(super) enum Crowd {
    Few(SmallVec<[Access; FEW]>),
    Many(Rc<Multitude>),
}

impl Default for Crowd {
    fn default() -> Crowd {
        Crowd::Few(SmallVec::new())
    }
}

/// Accesses in a list; more go into a tree.
pub(super) const FEW: usize = 4;
/// After so many new steps the older ones are given up.
pub(super) const STEPS: usize = 4096;

/// Many accesses, the last of each thread and touch.
#[derive(Clone)]
pub(super) struct Multitude {
    /// By touch and thread.
    pub(super) accesses: Tree<Mark>,
    /// The latest time of each touch, 0 where there is none.
    pub(super) newest: [u64; Touch::BESIDE],
    pub(super) team: Teams,
    /// The access that came first.
    pub(super) first: Access,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Teams {
    One(u32),
    Several,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Mark {
    pub(super) time: u64,
    pub(super) site: Site,
}

/// Adding an access to one multitude gives the other.
pub(super) struct Step {
    /// Kept so that its address stays its own.
    pub(super) _from: Rc<Multitude>,
    pub(super) to: Rc<Multitude>,
}

impl Crowds {
    pub(super) fn new(threads: u32) -> Crowds {
        let nobody = Multitude {
            accesses: Tree::EMPTY,
            newest: [0; Touch::BESIDE],
            team: Teams::Several,
            first: Access { stamp: Stamp::default(), site: Site::default() },
        };
        Crowds {
            crowds: Slab::new(),
            threads,
            nobody: Rc::new(nobody),
            steps: [FxHashMap::default(), FxHashMap::default()],
        }
    }

    pub(super) fn remove(&mut self, crowd: u32) {
        self.crowds.take(crowd);
    }

    pub(super) fn duplicate(&mut self, crowd: u32) -> Others {
        let copy = self.crowds.items[crowd as usize].clone();
        Others::Crowd(self.crowds.insert(copy))
    }

    /// An access of the crowd that races with this one.
    pub(super) fn racing(&self, crowd: u32, me: Access, order: &HappensBefore) -> Option<Access> {
        let races = |other: &Access| other.touch().conflicts(me.touch()) && !order.is_known(me.thread(), other.stamp);
        let many = match &self.crowds.items[crowd as usize] {
            Crowd::Few(accesses) => return accesses.iter().copied().find(races),
            Crowd::Many(many) => many,
        };
        let conflicting = (0..Touch::BESIDE).filter(|&touch| Touch::ALL[touch].conflicts(me.touch()));
        let newest = conflicting.map(|touch| many.newest[touch]).max().unwrap_or(0);
        if newest == 0 || many.is_before_barrier(newest, me.thread(), order) {
            return None;
        }
        many.accesses.find(|key, mark| Some(self.access(key, mark)).filter(races))
    }

    /// The accesses since the last plain write after one more.
    pub(super) fn insert(&mut self, others: Others, me: Access, order: &HappensBefore) -> Others {
        let crowd = match others {
            Others::Nobody => return Others::One(me),
            Others::One(other) if is_replaced(other, me, order) => return Others::One(me),
            Others::One(other) if makes_needless(other, me, order) => return others,
            Others::One(other) => {
                return Others::Crowd(self.crowds.insert(Crowd::Few(smallvec![other, me])));
            }
            Others::Crowd(crowd) => crowd,
        };
        let rest = match &mut self.crowds.items[crowd as usize] {
            Crowd::Few(accesses) => {
                if accesses.iter().any(|&other| makes_needless(other, me, order)) {
                    return others;
                }
                accesses.retain(|other| !is_replaced(*other, me, order));
                if accesses.len() < FEW {
                    accesses.push(me);
                    (accesses.len() == 1).then_some(me)
                } else {
                    let accesses = mem::take(accesses);
                    let start = self.nobody.clone();
                    let many =
                        accesses.into_iter().chain([me]).fold(start, |many, access| self.step(many, access, order));
                    self.crowds.items[crowd as usize] = Crowd::Many(many);
                    None
                }
            }
            Crowd::Many(many) => {
                let newest = many.newest.into_iter().max().unwrap_or(0);
                if many.is_covered_by(me.touch()) && many.is_before_barrier(newest, me.thread(), order) {
                    Some(me)
                } else if many.first.touch().covers(me.touch()) && order.is_stranded(many.first.stamp) {
                    many.is_covered_by(many.first.touch()).then_some(many.first)
                } else {
                    let many = mem::replace(many, self.nobody.clone());
                    let many = self.step(many, me, order);
                    self.crowds.items[crowd as usize] = Crowd::Many(many);
                    None
                }
            }
        };
        match rest {
            Some(access) => {
                self.crowds.take(crowd);
                Others::One(access)
            }
            None => others,
        }
    }

    pub(super) fn step(&mut self, from: Rc<Multitude>, access: Access, order: &HappensBefore) -> Rc<Multitude> {
        let key = (Rc::as_ptr(&from).addr(), access);
        if let Some(step) = self.steps.iter().find_map(|steps| steps.get(&key)) {
            return step.to.clone();
        }
        let to = self.add(&from, access, order);
        let [new, old] = &mut self.steps;
        if new.len() == STEPS {
            *old = mem::take(new);
        }
        new.insert(key, Step { _from: from, to: to.clone() });
        to
    }

    pub(super) fn add(&self, from: &Rc<Multitude>, access: Access, order: &HappensBefore) -> Rc<Multitude> {
        let key = access.touch() as u32 * self.threads + access.thread();
        let mark = Mark { time: access.stamp.time(), site: access.site };
        if from.accesses.get(key).time == mark.time {
            return from.clone();
        }
        let mut to = Multitude::clone(from);
        to.accesses.set(key, mark);
        let newest = &mut to.newest[access.touch() as usize];
        *newest = mark.time.max(*newest);
        let team = Teams::One(order.team_of(access.thread()));
        if Rc::ptr_eq(from, &self.nobody) {
            (to.first, to.team) = (access, team);
        } else if to.team != team {
            to.team = Teams::Several;
        }
        Rc::new(to)
    }

    pub(super) fn access(&self, key: u32, mark: Mark) -> Access {
        let touch = Touch::ALL[(key / self.threads) as usize];
        Access { stamp: Stamp::new(mark.time, key % self.threads).with_touch(touch), site: mark.site }
    }
}

impl Multitude {
    /// Whether all accesses up to a time are of the thread's team and known from its last barrier.
    pub(super) fn is_before_barrier(&self, newest: u64, thread: u32, order: &HappensBefore) -> bool {
        let team = order.team_of(thread);
        self.team == Teams::One(team) && order.knows_whole_team(team, newest)
    }

    pub(super) fn is_covered_by(&self, touch: Touch) -> bool {
        (0..Touch::BESIDE).all(|other| self.newest[other] == 0 || touch.covers(Touch::ALL[other]))
    }
}

/// Whether an earlier access may be forgotten because of a later one.
pub(super) fn is_replaced(earlier: Access, later: Access, order: &HappensBefore) -> bool {
    later.touch().covers(earlier.touch()) && order.is_known(later.thread(), earlier.stamp)
}

/// Whether a later access need not be remembered because of an earlier one.
pub(super) fn makes_needless(earlier: Access, later: Access, order: &HappensBefore) -> bool {
    earlier.touch().covers(later.touch()) && (earlier.is_at_once_with(later) || order.is_stranded(earlier.stamp))
}
