//! What is written over, and what stays; what is read, and what is not.

use ipda_models::files::{self, Kind, REPORT, WriteError};
use ipda_models::options::OptionFile;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const OLD: &str = "ipda_report: 5\ntool: ipda 0.0.0\n";
const NEW: &str = "ipda_report: 5\ntool: ipda 0.1.0\n";

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn replace(path: &Path) -> Result<(), String> {
    files::replace(path, NEW.as_bytes(), REPORT).map_err(|error| error.to_string())
}

fn names(folder: &TempDir) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

#[test]
fn reports_empty_files_and_nothing_are_written_over() {
    let folder = folder();
    let path = folder.path().join("r.yaml");
    for before in [None, Some(""), Some(OLD)] {
        let _ = fs::remove_file(&path);
        if let Some(text) = before {
            fs::write(&path, text).unwrap();
        }
        assert_eq!(replace(&path), Ok(()));
        assert_eq!(fs::read_to_string(&path).unwrap(), NEW);
    }
    assert_eq!(names(&folder), [path], "nothing is left beside");
}

#[test]
fn everything_else_stays() {
    let folder = folder();
    let path = folder.path().join("t.c");
    for text in ["int main(void) { return 0; }\n", "\n", "# ipda_report: 5\n", "ipda_list: 1\n", "\u{7f}ELF"] {
        fs::write(&path, text).unwrap();
        let problem = replace(&path).expect_err(text);
        let expected = format!(
            "{} is not an ipda report, and stays as it is: name another file, or remove it first",
            path.display()
        );
        assert_eq!((problem, fs::read_to_string(&path).unwrap()), (expected, text.to_owned()));
    }
    assert!(replace(folder.path()).is_err(), "a folder is no report");
    assert_eq!(names(&folder), [path]);
}

#[test]
fn links_lead_to_what_is_written_and_stay_links() {
    let folder = folder();
    let [link, second, report, source] = ["link", "second", "r.yaml", "t.c"].map(|name| folder.path().join(name));
    symlink("second", &link).unwrap();
    symlink(&report, &second).unwrap();
    // To nothing yet, then to a report.
    for _ in 0..2 {
        assert_eq!(replace(&link), Ok(()));
        assert_eq!(fs::read_to_string(&report).unwrap(), NEW);
        assert!(
            fs::symlink_metadata(&link).unwrap().is_symlink() && fs::symlink_metadata(&second).unwrap().is_symlink()
        );
        fs::write(&report, OLD).unwrap();
    }
    fs::write(&source, "int x;\n").unwrap();
    fs::remove_file(&second).unwrap();
    symlink(&source, &second).unwrap();
    assert!(replace(&link).is_err());
    assert_eq!(fs::read_to_string(&source).unwrap(), "int x;\n");
    fs::remove_file(&second).unwrap();
    symlink("link", &second).unwrap();
    assert!(replace(&link).expect_err("a ring").contains("too many links"));
}

#[test]
fn pipes_and_devices_are_written_through() {
    assert_eq!(replace(Path::new("/dev/null")), Ok(()));
    assert!(replace(Path::new("/dev/full")).is_err());
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe)
    });
    assert_eq!(replace(&pipe), Ok(()));
    assert_eq!(reader.join().unwrap().unwrap(), NEW);
    assert_eq!(names(&folder), [pipe]);
}

/// `/dev/stdout` of a program whose output goes to a file is that open file, whatever is in it already.
#[test]
fn what_is_open_is_written_to() {
    use std::os::fd::AsRawFd;
    let folder = folder();
    let path = folder.path().join("output.txt");
    fs::write(&path, "first\n").unwrap();
    let open = fs::OpenOptions::new().append(true).open(&path).unwrap();
    assert_eq!(replace(&PathBuf::from(format!("/dev/fd/{}", open.as_raw_fd()))), Ok(()));
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("first\n{NEW}"));
}

#[test]
fn a_file_keeps_who_may_read_it() {
    let folder = folder();
    let path = folder.path().join("r.yaml");
    fs::write(&path, OLD).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(replace(&path), Ok(()));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn other_kinds_are_reported_by_their_beginnings() {
    const TABLE: Kind = Kind { name: "a table", beginnings: &[b"# a table of", b"a;b"] };
    let folder = folder();
    let path = folder.path().join("table");
    for (text, is_replaced) in
        [("# a table of ours\n", true), ("a;b\n1;2\n", true), ("# another\n", false), (OLD, false)]
    {
        fs::write(&path, text).unwrap();
        assert_eq!(files::replace(&path, b"new", TABLE).is_ok(), is_replaced, "{text}");
    }
}

/// Records are written as they come, and never over another file.
#[test]
fn what_is_written_bit_by_bit_is_of_its_kind_too() {
    let folder = folder();
    let path = folder.path().join("r.yaml");
    for before in [None, Some(""), Some(OLD)] {
        let _ = fs::remove_file(&path);
        if let Some(text) = before {
            fs::write(&path, text).unwrap();
        }
        files::check(&path, REPORT).unwrap();
        std::io::Write::write_all(&mut files::create(&path, REPORT).unwrap(), b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }
    assert!(files::create(&path, REPORT).is_err() && files::check(&path, REPORT).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    files::create(Path::new("/dev/null"), REPORT).unwrap();
    assert!(files::create(folder.path(), REPORT).is_err());
}

#[test]
fn what_was_read_is_changed_and_nothing_else() {
    let folder = folder();
    let path = folder.path().join("t.c");
    fs::write(&path, "one").unwrap();
    files::change(&path, b"one", b"two").unwrap();
    for before in ["one", "tw", "twos", ""] {
        let error = files::change(&path, before.as_bytes(), b"three").expect_err(before);
        assert!(matches!(error, WriteError::Changed { .. }), "{error}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "two");
}

#[test]
fn files_of_bounded_size_are_read() {
    let folder = folder();
    let path = folder.path().join("r.yaml");
    fs::write(&path, "12345").unwrap();
    assert_eq!(files::read_text(&path, 5).unwrap(), "12345");
    assert_eq!(files::read(&path, 4).expect_err("too long").to_string(), "it is longer than 4 bytes");
    fs::write(&path, [0xff]).unwrap();
    assert!(files::read_text(&path, 5).is_err());
    assert_eq!(files::read(Path::new("/dev/null"), 5).unwrap(), b"");
    assert!(files::read(folder.path(), 5).is_err());
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for path in [Path::new("/dev/zero"), &pipe] {
        let error = files::read(path, 5).expect_err("no file").to_string();
        assert_eq!(error, "it is a pipe or a device, not a file");
    }
    // What is open already may be a pipe: `ipda report <(..)`.
    let (mut ours, theirs) = (fs::File::open("/dev/null").unwrap(), fs::File::open(Path::new("/dev/zero")).unwrap());
    assert_eq!(ours.read(&mut [0]).unwrap(), 0);
    use std::os::fd::AsRawFd;
    let error = files::read(&PathBuf::from(format!("/proc/self/fd/{}", theirs.as_raw_fd())), 5).expect_err("endless");
    assert_eq!(error.to_string(), "it is longer than 5 bytes");
}

#[test]
fn options_are_read_in_every_style() {
    let folder = folder();
    let path = folder.path().join("ipda.yaml");
    let report = |text: &str| {
        fs::write(&path, text).unwrap();
        OptionFile::read(&path).map(|file| file.get("report").map(PathBuf::from))
    };
    let named = Ok(Some(PathBuf::from("r.yaml")));
    for text in ["report: r.yaml", "{report: r.yaml}", "gpu: h200\n\"report\": 'r.yaml' # here", "report:\n  r.yaml"] {
        assert_eq!(report(text), named, "{text}");
    }
    for text in ["", "# report: r.yaml", "gpu: h200", "gpu: |\n  report: r.yaml\n", "report: ~"] {
        assert_eq!(report(text), Ok(None), "{text}");
    }
    for text in
        ["report: [r.yaml]", "reports: r.yaml", "report: {", "- report", &"[".repeat(60_000), &"#".repeat(70_000)]
    {
        assert!(report(text).is_err());
    }
}

#[test]
fn words_of_argument_files_are_read_where_they_stay() {
    let folder = folder();
    let path = folder.path().join("words");
    fs::write(&path, "-O2 \"-c\"\n'a.c'\n").unwrap();
    let word = |path: &Path| format!("@{}", path.display());
    assert_eq!(files::argument_words(&word(&path)), ["-O2", "-c", "a.c"]);
    assert_eq!(files::argument_words("-O2"), ["-O2"]);
    // Each of these would be empty, endless or never there, and what a pipe gives is not ours to take.
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for other in [&pipe, Path::new("/dev/zero"), folder.path(), &folder.path().join("missing")] {
        assert_eq!(files::argument_words(&word(other)), [word(other)]);
    }
}
