//! Offload binaries, in which clang's driver puts device images into a host's module (`llvm/Object/OffloadBinary.h`).

const MAGIC: [u8; 4] = [0x10, 0xff, 0x10, 0xad];
/// Where the size of the whole is, and where its one entry begins.
const SIZE: usize = 8;
const ENTRY: usize = 16;
/// In the entry: where its strings are, how many there are, where the image is, and how large.
const STRINGS: usize = 8;
const COUNT: usize = 16;
const IMAGE: usize = 24;
const LENGTH: usize = 32;
/// The size of the whole is a multiple of it.
const ALIGNMENT: usize = 8;
const MAX_STRINGS: usize = 64;

/// One binary, with the image in it.
#[derive(Clone, Copy)]
pub(super) struct Binary<'a> {
    pub bytes: &'a [u8],
    pub image: &'a [u8],
}

/// All offsets are the file's word: none may lead outside of it.
fn number(bytes: &[u8], base: usize, offset: usize) -> Option<usize> {
    let at = base.checked_add(offset)?;
    usize::try_from(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?)).ok()
}

impl<'a> Binary<'a> {
    /// Hands over the binaries that follow each other.
    pub(super) fn each(mut bytes: &'a [u8], mut each: impl FnMut(Binary<'a>)) {
        while let Some(binary) = Binary::first(bytes) {
            each(binary);
            bytes = &bytes[binary.bytes.len()..];
        }
    }

    fn first(bytes: &'a [u8]) -> Option<Binary<'a>> {
        if !bytes.starts_with(&MAGIC) {
            return None;
        }
        let (size, entry) = (number(bytes, SIZE, 0)?, number(bytes, ENTRY, 0)?);
        let (image, length) = (number(bytes, entry, IMAGE)?, number(bytes, entry, LENGTH)?);
        let whole = bytes.get(..size.max(1))?;
        Some(Binary { bytes: whole, image: whole.get(image..image.checked_add(length)?)? })
    }

    fn string(self, wanted: &str) -> Option<String> {
        let Binary { bytes, .. } = self;
        let entry = number(bytes, ENTRY, 0)?;
        let (strings, count) = (number(bytes, entry, STRINGS)?, number(bytes, entry, COUNT)?);
        let text = |at: usize| {
            let rest = bytes.get(at..)?;
            std::str::from_utf8(&rest[..rest.iter().position(|&byte| byte == 0)?]).ok()
        };
        let value = |index: usize| {
            let name = text(number(bytes, strings, 16 * index)?)?;
            (name == wanted).then(|| text(number(bytes, strings, 16 * index + 8)?))?
        };
        (0..count.min(MAX_STRINGS)).find_map(value).map(str::to_owned)
    }

    pub(super) fn triple(self) -> String {
        self.string("triple").unwrap_or_default()
    }

    /// Such as `sm_90`; empty where the image is for any.
    pub(super) fn processor(self) -> String {
        self.string("arch").unwrap_or_default()
    }

    /// The same with another image; none where something lies behind the image.
    pub(super) fn with_image(self, image: &[u8]) -> Option<Vec<u8>> {
        let at = self.image.as_ptr().addr() - self.bytes.as_ptr().addr();
        let behind = &self.bytes[at + self.image.len()..];
        if behind.len() >= ALIGNMENT || behind.iter().any(|&byte| byte != 0) {
            return None;
        }
        let mut made = self.bytes[..at].to_vec();
        made.extend(image);
        made.resize(made.len().next_multiple_of(ALIGNMENT), 0);
        let entry = number(self.bytes, ENTRY, 0)?;
        let (size, length) = (made.len() as u64, image.len() as u64);
        made[SIZE..SIZE + 8].copy_from_slice(&size.to_le_bytes());
        made[entry + LENGTH..entry + LENGTH + 8].copy_from_slice(&length.to_le_bytes());
        Some(made)
    }
}
