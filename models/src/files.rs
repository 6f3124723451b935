//! Files that options and reports name: what is read is a file of a bounded size, and what is written stands in the place of nothing but its
//! own kind.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

/// Links in a row that are followed, as many as Linux follows.
const MAX_LINKS: usize = 40;
/// Bytes at a file's beginning that tell its kind.
const BEGINNING: u64 = 256;
/// Bytes of an argument file at most.
const MAX_BYTES_OF_ARGUMENTS: u64 = 64 << 20;
/// Bits of a file's mode that say who may use it.
const PERMISSIONS: u32 = 0o777;

/// A kind of file that is written, recognised by its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// What a file of the kind is called: `an ipda report`.
    pub name: &'static str,
    /// How its files begin, each in at most 256 bytes.
    pub beginnings: &'static [&'static [u8]],
}

/// What the plugin writes.
pub const REPORT: Kind = Kind { name: "an ipda report", beginnings: &[b"ipda_report: "] };

impl Kind {
    fn is(self, beginning: &[u8]) -> bool {
        beginning.is_empty() || self.beginnings.iter().any(|known| beginning.starts_with(known))
    }
}

/// A path without `.` and `..`, by its text alone: links are not followed.
pub fn lexically_normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut made, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(made.pop()),
            other => made.push(other),
        }
        made
    })
}

/// Why a file was not written; nothing at its path has changed then, but for what a pipe or a device already took.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something else is there.
    #[error("{path} is not {kind}, and stays as it is: name another file, or remove it first")]
    Other {
        /// What was named.
        path: PathBuf,
        /// What may be replaced.
        kind: &'static str,
    },
    /// It is no longer what was read.
    #[error("{path} has been written meanwhile, and stays as it is")]
    Changed {
        /// What was named.
        path: PathBuf,
    },
    /// The system does not allow it.
    #[error("cannot write {path}: {error}")]
    System {
        /// What was named.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

/// What a path leads to.
enum Target {
    /// A file, or nothing yet, at this place, which is no link.
    File(PathBuf),
    /// A pipe, a terminal or another device, or whatever a process has open.
    Stream(PathBuf),
}

/// Writes a file of a kind: anew, or in the place of an empty one or one of the same kind, through links. Readers see the old text or the
/// new one, never a part. Pipes, devices and what is open under a number (`/dev/stdout`) are written to, and stay what they are.
///
/// # Errors
/// Where the path leads to something else, or the system does not allow it.
pub fn replace(path: &Path, text: &[u8], kind: Kind) -> Result<(), WriteError> {
    write(path, text, |old| is_of(kind, old), || WriteError::Other { path: path.to_owned(), kind: kind.name })
}

/// Opens a file of a kind to write it bit by bit: a new one, or one of the same kind, which is empty then; or what is no file, as
/// [`replace`] does.
///
/// # Errors
/// As [`replace`].
pub fn create(path: &Path, kind: Kind) -> Result<File, WriteError> {
    let failed = |error| WriteError::System { path: path.to_owned(), error };
    match target(path).map_err(failed)? {
        Target::Stream(place) => OpenOptions::new().append(true).open(place).map_err(failed),
        Target::File(place) => {
            let mut file =
                OpenOptions::new().read(true).write(true).create(true).truncate(false).open(place).map_err(failed)?;
            if !is_of(kind, &mut file).map_err(failed)? {
                return Err(WriteError::Other { path: path.to_owned(), kind: kind.name });
            }
            file.rewind().and_then(|()| file.set_len(0)).map_err(failed)?;
            Ok(file)
        }
    }
}

/// Whether [`replace`] would refuse because of what is there.
///
/// # Errors
/// The refusal.
pub fn check(path: &Path, kind: Kind) -> Result<(), WriteError> {
    let failed = |error| WriteError::System { path: path.to_owned(), error };
    let Target::File(place) = target(path).map_err(failed)? else { return Ok(()) };
    let is_free = match File::open(&place) {
        Ok(mut old) => is_of(kind, &mut old).map_err(failed)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(failed(error)),
    };
    if is_free { Ok(()) } else { Err(WriteError::Other { path: path.to_owned(), kind: kind.name }) }
}

fn is_of(kind: Kind, file: &mut File) -> io::Result<bool> {
    let mut beginning = Vec::new();
    file.take(BEGINNING).read_to_end(&mut beginning)?;
    Ok(kind.is(&beginning))
}

/// Writes a file anew that still has the bytes which were read of it.
///
/// # Errors
/// Where it has others by now, or the system does not allow it.
pub fn change(path: &Path, before: &[u8], after: &[u8]) -> Result<(), WriteError> {
    let is_same = |old: &mut File| {
        let mut found = Vec::new();
        old.take(before.len() as u64 + 1).read_to_end(&mut found)?;
        Ok(found == before)
    };
    write(path, after, is_same, || WriteError::Changed { path: path.to_owned() })
}

fn write(
    path: &Path,
    text: &[u8],
    may_replace: impl FnOnce(&mut File) -> io::Result<bool>,
    refusal: impl FnOnce() -> WriteError,
) -> Result<(), WriteError> {
    let failed = |error| WriteError::System { path: path.to_owned(), error };
    let place = match target(path).map_err(failed)? {
        // What a process has open may be a file with something in it already.
        Target::Stream(place) => {
            let opened = OpenOptions::new().append(true).open(place);
            return opened.and_then(|mut stream| stream.write_all(text)).map_err(failed);
        }
        Target::File(place) => place,
    };
    let permissions = match OpenOptions::new().read(true).write(true).open(&place) {
        Ok(mut old) => {
            if !may_replace(&mut old).map_err(failed)? {
                return Err(refusal());
            }
            let mode = old.metadata().map_err(failed)?.mode();
            Some(Permissions::from_mode(mode & PERMISSIONS))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    put(&place, text, permissions).map_err(failed)
}

/// Writes under another name first: a reader, or another writer, never sees half a file.
fn put(place: &Path, text: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A new file is for whoever the process's mask lets use it, as any file that a program makes.
    let as_usual = Permissions::from_mode(0o666);
    let mut beside =
        tempfile::Builder::new().prefix(".ipda-").suffix(".new").permissions(as_usual).tempfile_in(folder)?;
    beside.write_all(text)?;
    if let Some(permissions) = permissions {
        beside.as_file().set_permissions(permissions)?;
    }
    beside.persist(place).map(drop).map_err(|error| error.error)
}

fn target(path: &Path) -> io::Result<Target> {
    let mut place = path.to_owned();
    for _ in 0..MAX_LINKS {
        let found = match fs::symlink_metadata(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Target::File(place)),
            found => found?,
        };
        if found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if found.is_file() {
            return Ok(Target::File(place));
        }
        if !found.is_symlink() || is_descriptor(&place) {
            return Ok(Target::Stream(place));
        }
        let link = fs::read_link(&place)?;
        place = place.parent().map(|folder| folder.join(&link)).unwrap_or(link);
    }
    Err(io::Error::other("too many links lead to each other"))
}

/// Whether a link stands for something that a process has open: `/dev/stdout` leads to such a one.
fn is_descriptor(link: &Path) -> bool {
    let folder = link.parent().and_then(|folder| fs::canonicalize(folder).ok());
    folder.is_some_and(|folder| folder.starts_with("/proc") && folder.ends_with("fd"))
}

/// Reads a file of at most so many bytes. Standard input and others that are open already may be pipes; what is found by its name is a file.
///
/// # Errors
/// Where it is longer, something other than a file (of devices, `/dev/null` alone is an empty file), or cannot be read.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    if let Target::Stream(place) = target(path)?
        && !is_descriptor(&place)
        && place != Path::new("/dev/null")
    {
        return Err(io::Error::other("it is a pipe or a device, not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::Error::other(format!("it is longer than {max_bytes} bytes")));
    }
    Ok(bytes)
}

/// The words of a compiler's argument file `@FILE`; any other word is itself, and so is one whose file is none. A pipe gives its words once, and they
/// are the compiler's.
pub fn argument_words(word: &str) -> Vec<String> {
    let text = word
        .strip_prefix('@')
        .filter(|file| fs::metadata(file).is_ok_and(|found| found.is_file()))
        .and_then(|file| read_text(Path::new(file), MAX_BYTES_OF_ARGUMENTS).ok());
    match text {
        Some(text) => text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect(),
        None => vec![word.to_owned()],
    }
}

/// [`read`] for text.
///
/// # Errors
/// As [`read`], and where it is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    String::from_utf8(read(path, max_bytes)?).map_err(|_| io::Error::other("it is not a text in UTF-8"))
}
