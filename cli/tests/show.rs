//! `ipda show` on files without tables that it can read; test-inputs/decide has those with tables.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Status and standard error of `ipda show`.
fn show(files: &[&Path]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ipda")).arg("show").args(files).output().expect("the program starts");
    assert!(output.stdout.is_empty() || files.len() > 1);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn each_file_without_tables_gives_one_sentence() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases: [(&str, &[u8], &str); 4] = [
        ("text", b"nothing of interest", "it is no ELF file that can be read"),
        ("module.o", b"BC\xc0\xde", "it is LLVM bitcode, as -flto makes it"),
        ("library.a", b"!<arch>\n", "it is an archive"),
        ("cut.o", b"\x7fELF\x02\x01\x01", "it is no ELF file that can be read"),
    ];
    for (name, content, sentence) in cases {
        let file = folder.path().join(name);
        fs::write(&file, content).expect("the folder is writable");
        let (status, said) = show(&[&file]);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.starts_with(&format!("ipda: {}: {sentence}", file.display())), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn a_program_without_regions_has_no_tables() {
    let program = Path::new(env!("CARGO_BIN_EXE_ipda"));
    let missing = Path::new("does/not/exist");
    let (status, said) = show(&[missing, program]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("does/not/exist: cannot read it"), "{said}");
    assert!(said.contains("it has no decision tables"), "{said}");
}

#[test]
fn output_that_cannot_be_written_is_reported() {
    let program = env!("CARGO_BIN_EXE_ipda");
    let full = || fs::File::options().write(true).open("/dev/full").expect("the system has it");
    for words in [&["doctor"][..], &["show", program, program], &["hw", "list"], &["cc", "--help"]] {
        let output = Command::new(program).args(words).stdout(full()).output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        assert!(said.starts_with("ipda: cannot write the output: "), "{words:?}: {said}");
    }
}
