//! Global memory of the device: buffers in one synthetic address space, with gaps between them that belong to nobody.

use thiserror::Error;

/// A buffer of a [`Memory`], in the order of allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// Every base address is a multiple of this, before an offset that was asked for.
pub const BUFFER_ALIGNMENT: u64 = 256;
/// The address of the first buffer: small integers are no addresses.
pub const FIRST_ADDRESS: u64 = 0x1000_0000;
/// The least gap between two buffers, so that an index that leaves an array meets nothing.
const GAP: u64 = 4096;

#[derive(Debug, Clone)]
struct Buffer {
    name: String,
    start: u64,
    len: u64,
}

/// A stretch of the address space that grows at its end.
#[derive(Debug, Clone)]
struct Segment {
    start: u64,
    /// The bytes from `start` on, gaps included.
    bytes: Vec<u8>,
    /// By address.
    buffers: Vec<Buffer>,
}

/// The segments: what the kernel is given, the module's variables, what the kernel allocates, and what the device runtime allocates for
/// variables that a team shares.
const STARTS: [u64; 4] = [FIRST_ADDRESS, 0x6000_0000_0000, 0x6800_0000_0000, 0x6c00_0000_0000];
pub(crate) const VARIABLES: usize = 1;
pub(crate) const HEAP: usize = 2;
pub(crate) const RUNTIME_HEAP: usize = 3;
/// The upper bits of a [`BufferId`] name the segment.
const SEGMENT_SHIFT: u32 = 28;

/// The buffers and their bytes.
#[derive(Debug, Clone)]
pub struct Memory {
    segments: [Segment; 4],
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { segments: STARTS.map(|start| Segment { start, bytes: Vec::new(), buffers: Vec::new() }) }
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

impl Memory {
    /// Adds a zeroed buffer that starts `offset` bytes behind a multiple of [`BUFFER_ALIGNMENT`].
    pub fn allocate(&mut self, name: &str, len: u64, offset: u64) -> BufferId {
        self.allocate_in(0, name, len, offset)
    }

    pub(crate) fn allocate_in(&mut self, segment: usize, name: &str, len: u64, offset: u64) -> BufferId {
        let Segment { start, bytes, buffers } = &mut self.segments[segment];
        let first = (*start + bytes.len() as u64).next_multiple_of(BUFFER_ALIGNMENT) + offset;
        bytes.resize((first + len + GAP - *start) as usize, 0);
        buffers.push(Buffer { name: name.to_owned(), start: first, len });
        BufferId((segment as u32) << SEGMENT_SHIFT | (buffers.len() as u32 - 1))
    }

    /// Takes a buffer away: later accesses to it are out of bounds. Its address is not used again.
    pub(crate) fn release(&mut self, buffer: BufferId) {
        let index = (buffer.0 & ((1 << SEGMENT_SHIFT) - 1)) as usize;
        self.segments[(buffer.0 >> SEGMENT_SHIFT) as usize].buffers[index].len = 0;
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
        let &Buffer { start, len, .. } = self.known(buffer);
        self.at(start, len)
    }

    /// The contents of a buffer, to be filled.
    pub fn contents_mut(&mut self, buffer: BufferId) -> &mut [u8] {
        let &Buffer { start, len, .. } = self.known(buffer);
        self.at_mut(start, len)
    }

    /// The buffer that holds all of `bytes` bytes at `address`; `guess` is looked at first.
    #[inline]
    pub(crate) fn find(&self, address: u64, bytes: u64, guess: BufferId) -> Option<BufferId> {
        if self.buffer(guess).is_some_and(|buffer| buffer.holds(address, bytes)) {
            return Some(guess);
        }
        let segment = segment_of(address);
        let buffers = &self.segments[segment].buffers;
        let index = buffers.partition_point(|buffer| buffer.start <= address).checked_sub(1)?;
        let id = BufferId((segment as u32) << SEGMENT_SHIFT | index as u32);
        buffers[index].holds(address, bytes).then_some(id)
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
        let start = (address - segment.start) as usize;
        &segment.bytes[start..start + bytes as usize]
    }

    /// Bytes that [`Memory::find`] has found.
    #[inline]
    pub(crate) fn at_mut(&mut self, address: u64, bytes: u64) -> &mut [u8] {
        let segment = &mut self.segments[segment_of(address)];
        let start = (address - segment.start) as usize;
        &mut segment.bytes[start..start + bytes as usize]
    }

    /// What is wrong with an access that is in no buffer.
    pub(crate) fn explain(&self, address: u64, bytes: u64) -> OutOfBounds {
        const NEAR: i128 = 1 << 20;
        let at = i128::from(address);
        let distance = |buffer: &Buffer| {
            let (first, end) = (i128::from(buffer.start), i128::from(buffer.start) + i128::from(buffer.len));
            if at < first { first - at } else { (at - end + 1).max(0) }
        };
        let buffers = &self.segments[segment_of(address)].buffers;
        match buffers.iter().min_by_key(|buffer| distance(buffer)) {
            Some(buffer) if distance(buffer) < NEAR => OutOfBounds::Near {
                name: buffer.name.clone(),
                len: buffer.len,
                offset: (at - i128::from(buffer.start)) as i64,
                bytes,
            },
            _ => OutOfBounds::Nowhere { address, bytes },
        }
    }
}
