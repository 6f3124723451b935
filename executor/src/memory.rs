//! Global memory of the device: buffers in one synthetic address space, with gaps between them that belong to nobody. The gaps are much
//! larger than the buffers: an index that leaves an array by gigabytes meets nothing, and is told as one of that array.

use rustc_hash::FxHashSet;
use std::cell::Cell;
use thiserror::Error;

/// A buffer of a [`Memory`], in the order of allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// Every base address is a multiple of this, before an offset that was asked for.
pub const BUFFER_ALIGNMENT: u64 = 256;
/// No buffer begins below: small integers are no addresses.
pub const FIRST_ADDRESS: u64 = 0x1000_0000;
/// The least gap in front of a buffer.
const LEAST_GAP: u64 = 4096;
/// All buffers that grow have no more bytes than this together.
const MOST_GROWN: usize = 1 << 28;
/// How many buffers of a segment have its largest gap. Those of later ones fall with the square of their number, so that all gaps together
/// take no more than twice the space of these.
const WIDELY_APART: u64 = 512;

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

/// A stretch of the address space that grows at its end.
#[derive(Debug, Clone)]
struct Segment {
    /// The first address that the next buffer's gap may have.
    end: u64,
    largest_gap: u64,
    /// The bytes of all buffers, one behind the other.
    bytes: Vec<u8>,
    /// By address.
    buffers: Vec<Buffer>,
    /// The buffer that was met last.
    last: Cell<usize>,
}

/// The segments: what the kernel is given, the module's variables, what the kernel allocates, and what the device runtime allocates for
/// variables that a team shares.
const STARTS: [u64; 4] = [FIRST_ADDRESS, 0x4800_0000_0000, 0x5c00_0000_0000, 0x6800_0000_0000];
/// The largest gaps in each: no 32-bit index into an array of numbers leads from the middle of one of the first to its end.
const LARGEST_GAPS: [u64; 4] = [1 << 36, 1 << 34, 1 << 33, 1 << 32];
pub(crate) const VARIABLES: usize = 1;
pub(crate) const HEAP: usize = 2;
pub(crate) const RUNTIME_HEAP: usize = 3;
/// The upper bits of a [`BufferId`] name the segment.
const SEGMENT_SHIFT: u32 = 28;

/// The buffers and their bytes.
#[derive(Debug, Clone)]
pub struct Memory {
    segments: [Segment; 4],
    /// Buffers for the kernel's arguments that grow where an access leaves them at their end.
    growing: FxHashSet<BufferId>,
}

impl Default for Memory {
    fn default() -> Memory {
        let segment = |number: usize| Segment {
            end: STARTS[number],
            largest_gap: LARGEST_GAPS[number],
            bytes: Vec::new(),
            buffers: Vec::new(),
            last: Cell::new(0),
        };
        Memory { segments: [0, 1, 2, 3].map(segment), growing: FxHashSet::default() }
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

impl Segment {
    /// The gap in front of the next buffer.
    fn gap(&self) -> u64 {
        let number = (self.buffers.len() as u64).max(WIDELY_APART);
        let gap = self.largest_gap / number * (WIDELY_APART * WIDELY_APART) / number;
        gap.max(LEAST_GAP)
    }

    /// The last buffer that begins at an address or in front of it.
    #[inline]
    fn up_to(&self, address: u64) -> Option<usize> {
        self.buffers.partition_point(|buffer| buffer.start <= address).checked_sub(1)
    }

    /// Where the bytes of an address are, which is in a buffer.
    #[inline]
    fn place(&self, address: u64, bytes: u64) -> usize {
        let mut buffer = &self.buffers[self.last.get()];
        if !buffer.holds(address, bytes) {
            let index = self.up_to(address).expect("a buffer was found there");
            self.last.set(index);
            buffer = &self.buffers[index];
        }
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
        let segment = &mut self.segments[number];
        let start = (segment.end + segment.gap()).next_multiple_of(BUFFER_ALIGNMENT) + offset;
        let at = segment.bytes.len();
        segment.end = start + len;
        segment.bytes.resize(at + len as usize, 0);
        segment.buffers.push(Buffer { name: name.to_owned(), start, len, at, capacity: len });
        BufferId((number as u32) << SEGMENT_SHIFT | (segment.buffers.len() as u32 - 1))
    }

    /// Takes a buffer away: later accesses to it are out of bounds. Its address is not used again.
    pub(crate) fn release(&mut self, buffer: BufferId) {
        let index = (buffer.0 & ((1 << SEGMENT_SHIFT) - 1)) as usize;
        self.segments[(buffer.0 >> SEGMENT_SHIFT) as usize].buffers[index].len = 0;
    }

    /// Lets a buffer for an argument grow: an access that leaves it at its end finds zeros there.
    pub(crate) fn let_grow(&mut self, buffer: BufferId) {
        self.growing.insert(buffer);
    }

    /// Room for an access that is in no buffer, behind the end of one that grows.
    pub(crate) fn make_room(&mut self, address: u64, bytes: u64) -> Option<BufferId> {
        if self.growing.is_empty() || segment_of(address) != 0 {
            return None;
        }
        let segment = &mut self.segments[0];
        let index = segment.up_to(address)?;
        let id = BufferId(index as u32);
        let buffer = segment.buffers.get_mut(index).filter(|_| self.growing.contains(&id))?;
        let len = (address - buffer.start).checked_add(bytes).filter(|&len| len < MOST_GROWN as u64)?;
        if len > buffer.capacity {
            let capacity = (2 * len as usize).min(MOST_GROWN);
            let (old, at) = (buffer.at..buffer.at + buffer.len as usize, segment.bytes.len());
            if at + capacity > 2 * MOST_GROWN {
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

    /// The buffer that holds all of `bytes` bytes at `address`; `guess` is looked at first.
    #[inline]
    pub(crate) fn find(&self, address: u64, bytes: u64, guess: BufferId) -> Option<BufferId> {
        if self.buffer(guess).is_some_and(|buffer| buffer.holds(address, bytes)) {
            return Some(guess);
        }
        let segment = segment_of(address);
        let index = self.segments[segment].up_to(address)?;
        let id = BufferId((segment as u32) << SEGMENT_SHIFT | index as u32);
        self.segments[segment].buffers[index].holds(address, bytes).then_some(id)
    }

    /// A variable of the module, by its name.
    pub(crate) fn variable(&self, name: &str) -> Option<BufferId> {
        let index = self.segments[VARIABLES].buffers.iter().position(|buffer| buffer.name == name)?;
        Some(BufferId((VARIABLES as u32) << SEGMENT_SHIFT | index as u32))
    }

    /// The buffer that begins at an address.
    pub(crate) fn starting_at(&self, address: u64) -> Option<BufferId> {
        self.find(address, 0, BufferId(0)).filter(|&buffer| self.address(buffer) == address)
    }

    /// Bytes that [`Memory::find`] has found.
    #[inline]
    pub(crate) fn at(&self, address: u64, bytes: u64) -> &[u8] {
        let segment = &self.segments[segment_of(address)];
        let start = segment.place(address, bytes);
        &segment.bytes[start..start + bytes as usize]
    }

    /// Bytes that [`Memory::find`] has found.
    #[inline]
    pub(crate) fn at_mut(&mut self, address: u64, bytes: u64) -> &mut [u8] {
        let segment = &mut self.segments[segment_of(address)];
        let start = segment.place(address, bytes);
        &mut segment.bytes[start..start + bytes as usize]
    }

    /// What is wrong with an access that is in no buffer.
    pub(crate) fn explain(&self, address: u64, bytes: u64) -> OutOfBounds {
        let at = i128::from(address);
        let distance = |buffer: &Buffer| {
            let (first, end) = (i128::from(buffer.start), i128::from(buffer.start) + i128::from(buffer.len));
            if at < first { first - at } else { (at - end + 1).max(0) }
        };
        let segment = segment_of(address);
        // Half of a gap is nearer to the one buffer, and half to the other.
        let near = i128::from(LARGEST_GAPS[segment] / 2);
        let buffers = self.segments[segment].buffers.iter();
        match buffers.min_by_key(|buffer| distance(buffer)) {
            Some(buffer) if distance(buffer) <= near => OutOfBounds::Near {
                name: buffer.name.clone(),
                len: buffer.len,
                offset: (at - i128::from(buffer.start)) as i64,
                bytes,
            },
            _ => OutOfBounds::Nowhere { address, bytes },
        }
    }
}
