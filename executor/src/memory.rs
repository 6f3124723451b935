//! Global memory of the device: buffers in one synthetic address space. Each has a stretch of addresses for itself that is much larger than it
//! is, and lies in the middle: an index that leaves an array by gigabytes meets no other, and is reported as one of that array. Addresses take no
//! memory: bytes are there for what is in buffers.

use crate::program::SHARED_WINDOW;
use rustc_hash::FxHashSet;
use thiserror::Error;

/// A buffer of a [`Memory`], in the order of allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// Every base address is a multiple of this, before an offset that was asked for.
pub const BUFFER_ALIGNMENT: u64 = 256;
/// No buffer begins below: small integers are no addresses.
pub const FIRST_ADDRESS: u64 = 0x1000_0000;
/// So many buffers at least find room in a segment, if they are smaller than the narrowest slots.
pub(crate) const MAX_BUFFERS: u64 = 1 << 22;

#[derive(Debug, Clone)]
struct Buffer {
    name: String,
    start: u64,
    len: u64,
    /// Where its bytes are among those of the segment.
    at: usize,
    /// How many bytes it can have there.
    capacity: u64,
}

/// Slots of one size, one after the other.
#[derive(Debug, Clone)]
struct Tier {
    start: u64,
    /// A slot has two to the power of this many addresses.
    shift: u32,
    /// How many slots there can be.
    most: u64,
    /// Which buffer each slot belongs to. A large one has several.
    slots: Vec<u32>,
}

/// A stretch of the address space, for buffers of one kind.
#[derive(Debug, Clone)]
struct Segment {
    /// By address; a buffer is in the first one that has room for it.
    tiers: [Tier; 3],
    /// The bytes of all buffers, one after the other.
    bytes: Vec<u8>,
    /// By address.
    buffers: Vec<Buffer>,
}

/// The segments: what the kernel is given, the module's variables, what the kernel allocates, and what the device runtime allocates for
/// variables that a team shares. The last one ends where the windows begin.
const STARTS: [u64; 5] = [FIRST_ADDRESS, 0x4800_0000_0000, 0x5c00_0000_0000, 0x6400_0000_0000, SHARED_WINDOW];
/// The slots of the first tier of each: from the middle of one of the first segment, no 32-bit index into an array of numbers leads to another.
const WIDEST: [u32; 4] = [36, 34, 32, 32];
/// How many slots the first tiers have. The last one has the rest of the segment.
const WIDE_SLOTS: [u64; 2] = [512, 8192];
const NARROWER: [u32; 2] = [28, 20];
pub(crate) const VARIABLES: usize = 1;
pub(crate) const HEAP: usize = 2;
pub(crate) const RUNTIME_HEAP: usize = 3;
/// The upper bits of a [`BufferId`] name the segment.
const SEGMENT_SHIFT: u32 = 28;

/// The buffers and their bytes.
#[derive(Debug, Clone)]
pub struct Memory {
    segments: [Segment; 4],
    growth: Growth,
}

/// Buffers for the kernel's arguments that grow where an access leaves them at their end.
#[derive(Debug, Clone, Default)]
struct Growth {
    buffers: FxHashSet<BufferId>,
    /// The bytes that one of them can have.
    most: u64,
    /// Whether an access asked for more.
    is_exhausted: bool,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { segments: [0, 1, 2, 3].map(Segment::new), growth: Growth::default() }
    }
}

/// An access that is not inside of one buffer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OutOfBounds {
    /// Near a buffer.
    #[error("{bytes} bytes at byte {offset} of '{name}', which has {len} bytes")]
    Near {
        /// The buffer's name.
        name: String,
        /// Its length in bytes.
        len: u64,
        /// Where the access begins, counted from the buffer's start.
        offset: i64,
        /// How many bytes it touches.
        bytes: u64,
    },
    /// At an address that is close to no buffer.
    #[error("{bytes} bytes at address {address:#x}, where no buffer is")]
    Nowhere {
        /// Where the access begins.
        address: u64,
        /// How many bytes it touches.
        bytes: u64,
    },
}

/// The size of a block that glibc's allocator frees to keep twice as much from then on; it learns from none above 32 MiB.
const LARGE_BLOCK: usize = 31 << 20;

/// Has the allocator keep what launches free for the next ones. It begins with 128 KiB and else hands all above them back to the system, which
/// clears each page anew for the next launch: half of the time of many short ones. The size up to which it keeps grows with the largest block that was
/// freed (mallopt(3), `M_MMAP_THRESHOLD`); other allocators are none the worse for one block.
pub(crate) fn keep_freed() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE_BLOCK)));
}

/// Whether an address is where the device runtime keeps variables that a team shares.
#[inline]
pub(crate) fn is_runtimes(address: u64) -> bool {
    address >= STARTS[RUNTIME_HEAP]
}

/// Whether an address is in memory that was allocated while the kernel ran.
pub(crate) fn is_allocated_by_kernel(address: u64) -> bool {
    address >= STARTS[HEAP]
}

#[inline]
fn segment_of(address: u64) -> usize {
    usize::from(address >= STARTS[VARIABLES])
        + usize::from(address >= STARTS[HEAP])
        + usize::from(address >= STARTS[RUNTIME_HEAP])
}

impl Buffer {
    #[inline]
    fn holds(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.start);
        offset <= self.len && bytes <= self.len - offset
    }
}

impl Tier {
    fn new(start: u64, shift: u32, most: u64) -> Tier {
        Tier { start, shift, most, slots: Vec::new() }
    }

    fn end(&self) -> u64 {
        self.start + (self.most << self.shift)
    }

    /// Slots for the next buffer, and its start; none if there is no room. Half a slot before it is free, and a quarter behind it at least.
    fn take(&mut self, bytes: u64, buffer: u32) -> Option<u64> {
        let first = self.slots.len() as u64;
        let (front, behind) = (1 << (self.shift - 1), 1 << (self.shift - 2));
        let count = (front + bytes + behind).div_ceil(1 << self.shift);
        if count > self.most - first {
            return None;
        }
        self.slots.resize((first + count) as usize, buffer);
        Some(self.start + (first << self.shift) + front)
    }
}

impl Segment {
    fn new(number: usize) -> Segment {
        let widest = Tier::new(STARTS[number], WIDEST[number], WIDE_SLOTS[0]);
        let wide = Tier::new(widest.end(), NARROWER[0], WIDE_SLOTS[1]);
        let room = STARTS[number + 1] - wide.end();
        let narrow = Tier::new(wide.end(), NARROWER[1], room >> NARROWER[1]);
        Segment { tiers: [widest, wide, narrow], bytes: Vec::new(), buffers: Vec::new() }
    }

    /// The buffer whose slot an address is in, by its place.
    #[inline]
    fn slot_of(&self, address: u64) -> Option<usize> {
        let [widest, wide, narrow] = &self.tiers;
        let tier = match address {
            _ if address < wide.start => widest,
            _ if address < narrow.start => wide,
            _ => narrow,
        };
        let slot = address.checked_sub(tier.start)? >> tier.shift;
        tier.slots.get(slot as usize).map(|&buffer| buffer as usize)
    }

    /// Where the bytes of an address are, which is in a buffer.
    #[inline]
    fn place(&self, address: u64) -> usize {
        let index = self.slot_of(address).expect("a buffer was found there");
        let buffer = &self.buffers[index];
        buffer.at + (address - buffer.start) as usize
    }
}

impl Memory {
    /// Adds a zeroed buffer that starts `offset` bytes behind a multiple of [`BUFFER_ALIGNMENT`].
    pub fn allocate(&mut self, name: &str, len: u64, offset: u64) -> BufferId {
        self.allocate_in(0, name, len, offset)
    }

    pub(crate) fn allocate_in(&mut self, segment: usize, name: &str, len: u64, offset: u64) -> BufferId {
        let number = segment;
        let Segment { tiers, bytes, buffers } = &mut self.segments[number];
        let index = buffers.len() as u32;
        // A tier that has been left is not filled: buffers lie in the order of their numbers.
        let first = tiers.iter().rposition(|tier| !tier.slots.is_empty()).unwrap_or(0);
        let start = tiers[first..].iter_mut().find_map(|tier| tier.take(offset + len, index));
        let start = start.expect("who allocates keeps to what there is room for") + offset;
        let at = bytes.len();
        bytes.resize(at + len as usize, 0);
        buffers.push(Buffer { name: name.to_owned(), start, len, at, capacity: len });
        BufferId((number as u32) << SEGMENT_SHIFT | index)
    }

    /// Takes a buffer away: later accesses to it are out of bounds. Its address is not used again.
    pub(crate) fn release(&mut self, buffer: BufferId) {
        let index = (buffer.0 & ((1 << SEGMENT_SHIFT) - 1)) as usize;
        self.segments[(buffer.0 >> SEGMENT_SHIFT) as usize].buffers[index].len = 0;
    }

    /// Lets buffers for arguments grow, each to no more than `most` bytes: an access that leaves one at its end finds zeros there.
    pub(crate) fn let_grow(&mut self, buffers: impl Iterator<Item = BufferId>, most: u64) {
        self.growth = Growth { buffers: buffers.collect(), most, is_exhausted: false };
    }

    /// Whether an access would have found room in a buffer that can grow to more bytes.
    pub(crate) fn is_growth_exhausted(&self) -> bool {
        self.growth.is_exhausted
    }

    /// Room for an access that is in no buffer, behind the end of one that grows.
    #[cold]
    pub(crate) fn make_room(&mut self, address: u64, bytes: u64) -> Option<BufferId> {
        /// Of so many that grow to their most there is room.
        const AT_MOST: usize = 8;
        let (segment, growth) = (&mut self.segments[0], &mut self.growth);
        let id = BufferId(segment.slot_of(address).filter(|_| segment_of(address) == 0)? as u32);
        let buffer = segment.buffers.get_mut(id.0 as usize).filter(|_| growth.buffers.contains(&id))?;
        let len = address.checked_sub(buffer.start)?.checked_add(bytes)?;
        growth.is_exhausted = len > growth.most;
        if len > buffer.capacity {
            let capacity = (2 * len).min(growth.most) as usize;
            let (old, at) = (buffer.at..buffer.at + buffer.len as usize, segment.bytes.len());
            growth.is_exhausted |= at + capacity > AT_MOST * growth.most as usize;
            if growth.is_exhausted {
                return None;
            }
            segment.bytes.resize(at + capacity, 0);
            segment.bytes.copy_within(old, at);
            (buffer.at, buffer.capacity) = (at, capacity as u64);
        }
        buffer.len = buffer.len.max(len);
        Some(id)
    }

    fn buffer(&self, id: BufferId) -> Option<&Buffer> {
        let index = (id.0 & ((1 << SEGMENT_SHIFT) - 1)) as usize;
        self.segments[(id.0 >> SEGMENT_SHIFT) as usize].buffers.get(index)
    }

    fn known(&self, id: BufferId) -> &Buffer {
        self.buffer(id).expect("a buffer's number comes from `allocate`")
    }

    /// The buffers that were allocated for the kernel's arguments, in the order of their addresses.
    pub fn buffers(&self) -> impl Iterator<Item = BufferId> + use<> {
        (0..self.segments[0].buffers.len() as u32).map(BufferId)
    }

    /// The name that a buffer was given.
    pub fn name(&self, buffer: BufferId) -> &str {
        &self.known(buffer).name
    }

    /// The address of a buffer's first byte.
    pub fn address(&self, buffer: BufferId) -> u64 {
        self.known(buffer).start
    }

    /// The contents of a buffer.
    pub fn contents(&self, buffer: BufferId) -> &[u8] {
        let &Buffer { at, len, .. } = self.known(buffer);
        &self.segments[(buffer.0 >> SEGMENT_SHIFT) as usize].bytes[at..at + len as usize]
    }

    /// The contents of a buffer, to be filled.
    pub fn contents_mut(&mut self, buffer: BufferId) -> &mut [u8] {
        let &Buffer { at, len, .. } = self.known(buffer);
        &mut self.segments[(buffer.0 >> SEGMENT_SHIFT) as usize].bytes[at..at + len as usize]
    }

    /// The buffer that holds all of `bytes` bytes at `address`.
    #[inline]
    pub(crate) fn find(&self, address: u64, bytes: u64) -> Option<BufferId> {
        let number = segment_of(address);
        let segment = &self.segments[number];
        let index = segment.slot_of(address)?;
        let id = BufferId((number as u32) << SEGMENT_SHIFT | index as u32);
        segment.buffers[index].holds(address, bytes).then_some(id)
    }

    /// A variable of the module, by its name.
    pub(crate) fn variable(&self, name: &str) -> Option<BufferId> {
        let index = self.segments[VARIABLES].buffers.iter().position(|buffer| buffer.name == name)?;
        Some(BufferId((VARIABLES as u32) << SEGMENT_SHIFT | index as u32))
    }

    /// The buffer that begins at an address.
    pub(crate) fn starting_at(&self, address: u64) -> Option<BufferId> {
        self.find(address, 0).filter(|&buffer| self.address(buffer) == address)
    }

    /// Bytes that [`Memory::find`] has found.
    #[inline]
    pub(crate) fn at(&self, address: u64, bytes: u64) -> &[u8] {
        let segment = &self.segments[segment_of(address)];
        let start = segment.place(address);
        &segment.bytes[start..start + bytes as usize]
    }

    /// Bytes that [`Memory::find`] has found.
    #[inline]
    pub(crate) fn at_mut(&mut self, address: u64, bytes: u64) -> &mut [u8] {
        let segment = &mut self.segments[segment_of(address)];
        let start = segment.place(address);
        &mut segment.bytes[start..start + bytes as usize]
    }

    /// What is wrong with an access that is in no buffer.
    pub(crate) fn explain(&self, address: u64, bytes: u64) -> OutOfBounds {
        let segment = &self.segments[segment_of(address)];
        match segment.slot_of(address).map(|index| &segment.buffers[index]) {
            Some(buffer) => OutOfBounds::Near {
                name: buffer.name.clone(),
                len: buffer.len,
                offset: address.wrapping_sub(buffer.start) as i64,
                bytes,
            },
            None => OutOfBounds::Nowhere { address, bytes },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blamed(memory: &Memory, address: u64) -> Option<(String, i64)> {
        match memory.explain(address, 8) {
            OutOfBounds::Near { name, offset, .. } => Some((name, offset)),
            OutOfBounds::Nowhere { .. } => None,
        }
    }

    #[test]
    fn what_leaves_a_buffer_meets_no_other_and_is_reported_as_its_own() {
        // Into the second tier, whose slots have 2^28 addresses, and the third one, whose slots have 2^20.
        let counts = [1, WIDE_SLOTS[0], WIDE_SLOTS[0] + 10, WIDE_SLOTS[0] + WIDE_SLOTS[1] + 10];
        let mut memory = Memory::default();
        let ids: Vec<BufferId> =
            (0..counts[3]).map(|number| memory.allocate(&format!("b{number}"), 24, number % 2 * 8)).collect();
        for (count, reach) in counts.into_iter().zip([34, 34, 26, 18]) {
            let (id, name) = (ids[count as usize - 1], format!("b{}", count - 1));
            for by in (5..=reach).map(|power| 1_i64 << power).flat_map(|by| [by, -by, by + 3, -by - 1]) {
                let address = memory.address(id).wrapping_add_signed(by);
                assert_eq!(memory.find(address, 8), None, "{name} {by}");
                assert_eq!(blamed(&memory, address), Some((name.clone(), by)));
            }
            for inside in [0, 8, 16] {
                assert_eq!(memory.find(memory.address(id) + inside, 8), Some(id));
            }
            assert_eq!(memory.find(memory.address(id) + 17, 8), None);
        }
        let addresses: Vec<u64> = ids.iter().map(|&id| memory.address(id)).collect();
        assert!(addresses.is_sorted());
        assert!(ids.iter().all(|&id| memory.address(id) % BUFFER_ALIGNMENT == u64::from(id.0 % 2) * 8));
    }

    #[test]
    fn a_buffer_larger_than_a_slot_has_several() {
        let mut memory = Memory::default();
        for _ in 0..WIDE_SLOTS[0] + WIDE_SLOTS[1] {
            memory.allocate("small", 1, 0);
        }
        let large = memory.allocate("large", 5 << 20, 0);
        let next = memory.allocate("next", 8, 0);
        memory.contents_mut(next).fill(7);
        memory.contents_mut(large).fill(1);
        let end = memory.address(large) + (5 << 20);
        for at in [0, 1 << 20, (5 << 20) - 8] {
            assert_eq!(memory.find(memory.address(large) + at, 8), Some(large));
        }
        assert_eq!(blamed(&memory, end), Some(("large".to_owned(), 5 << 20)));
        assert_eq!(memory.at(end - 8, 8), [1; 8]);
        assert_eq!(memory.contents(next), [7; 8]);
        assert!(memory.address(next) - end >= 1 << 18);
    }

    #[test]
    fn small_numbers_and_garbage_are_no_addresses() {
        let mut memory = Memory::default();
        memory.allocate("x", 8, 0);
        for address in [0, 8, FIRST_ADDRESS - 1, STARTS[1] - 8, STARTS[2], u64::MAX, 0xcdcd_cdcd_cdcd_cdcd] {
            assert_eq!((memory.find(address, 8), blamed(&memory, address)), (None, None), "{address:#x}");
        }
    }

    #[test]
    fn only_what_may_grow_does_and_keeps_what_it_holds() {
        let mut memory = Memory::default();
        let (grows, fixed) = (memory.allocate("grows", 8, 0), memory.allocate("fixed", 8, 0));
        memory.contents_mut(grows).fill(3);
        memory.let_grow([grows].into_iter(), 1 << 12);
        let (start, other) = (memory.address(grows), memory.address(fixed));
        assert_eq!(memory.make_room(other + 8, 8), None);
        assert_eq!(memory.make_room(start - 8, 8), None);
        assert_eq!(memory.make_room(start + 1000, 8), Some(grows));
        assert_eq!(memory.contents(grows).len(), 1008);
        assert_eq!(memory.contents(grows)[..16], [[3; 8], [0; 8]].concat());
        assert_eq!(memory.contents(fixed), [0; 8]);
        assert!(!memory.is_growth_exhausted());
        assert_eq!(memory.make_room(start + 4096, 8), None);
        assert!(memory.is_growth_exhausted());
    }
}
