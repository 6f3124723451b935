//! Values by number, in nodes that copies share.

use std::array;
use std::rc::Rc;

/// Values by number, in nodes that copies share. Absent is the default value.
#[derive(Clone)]
pub(super) struct Tree<V> {
    pub(super) root: Option<Rc<Node<V>>>,
    /// Levels below the root.
    pub(super) height: u32,
    /// The root has the keys that become this number without the bits of all levels: no more levels than its keys need.
    pub(super) block: u32,
}

#[derive(Clone)]
pub(super) enum Node<V> {
    Inner([Option<Rc<Node<V>>>; ARITY]),
    Leaf([V; ARITY]),
}

pub(super) const ARITY_BITS: u32 = 3;
pub(super) const ARITY: usize = 1 << ARITY_BITS;

impl<V: Copy + Default + PartialEq> Tree<V> {
    pub(super) const EMPTY: Tree<V> = Tree { root: None, height: 0, block: 0 };

    pub(super) fn get(&self, key: u32) -> V {
        if block_of(key, self.height) != self.block {
            return V::default();
        }
        let mut node = &self.root;
        for level in (0..=self.height).rev() {
            let child = child_index(key, level);
            match node.as_deref() {
                None => break,
                Some(Node::Leaf(values)) => return values[child],
                Some(Node::Inner(children)) => node = &children[child],
            }
        }
        V::default()
    }

    pub(super) fn set(&mut self, key: u32, value: V) {
        if self.root.is_none() {
            (self.height, self.block) = (0, block_of(key, 0));
        }
        while block_of(key, self.height) != self.block {
            self.raise();
        }
        let mut node = &mut self.root;
        for level in (0..=self.height).rev() {
            let empty = || {
                Rc::new(if level == 0 {
                    Node::Leaf([V::default(); ARITY])
                } else {
                    Node::Inner([const { None }; ARITY])
                })
            };
            match Rc::make_mut(node.get_or_insert_with(empty)) {
                Node::Leaf(values) => {
                    values[child_index(key, level)] = value;
                    return;
                }
                Node::Inner(children) => node = &mut children[child_index(key, level)],
            }
        }
    }

    /// Puts a level above the root.
    pub(super) fn raise(&mut self) {
        let mut children = [const { None }; ARITY];
        children[child_index(self.block, 0)] = self.root.take();
        self.root = Some(Rc::new(Node::Inner(children)));
        self.height += 1;
        self.block >>= ARITY_BITS;
    }

    /// The first answer for a value that is not the default.
    pub(super) fn find<T>(&self, mut ask: impl FnMut(u32, V) -> Option<T>) -> Option<T> {
        find_below(self.root.as_ref()?, self.block, &mut ask)
    }
}

pub(super) fn block_of(key: u32, height: u32) -> u32 {
    key.checked_shr((height + 1) * ARITY_BITS).unwrap_or(0)
}

pub(super) fn child_index(key: u32, level: u32) -> usize {
    (key >> (level * ARITY_BITS)) as usize % ARITY
}

pub(super) fn find_below<V: Copy + Default + PartialEq, T>(
    node: &Node<V>,
    prefix: u32,
    ask: &mut impl FnMut(u32, V) -> Option<T>,
) -> Option<T> {
    let keys = prefix << ARITY_BITS..;
    match node {
        Node::Leaf(values) => {
            keys.zip(values).filter(|(_, value)| **value != V::default()).find_map(|(key, &value)| ask(key, value))
        }
        Node::Inner(children) => keys.zip(children).find_map(|(key, child)| find_below(child.as_deref()?, key, ask)),
    }
}

impl Tree<u64> {
    /// The greater of the values; shares with either where it can.
    pub(super) fn join(&self, other: &Tree<u64>) -> Tree<u64> {
        if self.root.is_none() || other.root.is_none() {
            return if other.root.is_none() { self.clone() } else { other.clone() };
        }
        let (mut a, mut b) = (self.clone(), other.clone());
        while (a.height, a.block) != (b.height, b.block) {
            if a.height <= b.height { a.raise() } else { b.raise() }
        }
        let root = a.root.as_ref().zip(b.root.as_ref()).map(|(a, b)| join_nodes(a, b));
        Tree { root, ..a }
    }
}

pub(super) fn join_nodes(a: &Rc<Node<u64>>, b: &Rc<Node<u64>>) -> Rc<Node<u64>> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    match (&**a, &**b) {
        (Node::Leaf(x), Node::Leaf(y)) => {
            let both: [u64; ARITY] = array::from_fn(|i| x[i].max(y[i]));
            match both {
                both if both == *x => a.clone(),
                both if both == *y => b.clone(),
                both => Rc::new(Node::Leaf(both)),
            }
        }
        (Node::Inner(x), Node::Inner(y)) => {
            let both: [_; ARITY] = array::from_fn(|i| match (&x[i], &y[i]) {
                (Some(x), Some(y)) => Some(join_nodes(x, y)),
                (x, y) => x.as_ref().or(y.as_ref()).cloned(),
            });
            let shares = |with: &[Option<Rc<Node<u64>>>; ARITY]| {
                both.iter().zip(with).all(|(new, old)| new.as_ref().map(Rc::as_ptr) == old.as_ref().map(Rc::as_ptr))
            };
            if shares(x) {
                a.clone()
            } else if shares(y) {
                b.clone()
            } else {
                Rc::new(Node::Inner(both))
            }
        }
        (Node::Leaf(_), Node::Inner(_)) | (Node::Inner(_), Node::Leaf(_)) => unreachable!("trees of one height"),
    }
}
