//! `ipda cc` from outside, with stand-ins for clang, the plugin and a CUDA tree.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held from writing a script to running it: a file that a thread still writes, as a process that another thread starts may see it,
/// cannot be run.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct Scene {
    folder: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

impl Scene {
    /// An LLVM whose drivers print what they are given, a plugin, and no CUDA tree.
    fn new(name: &str) -> Scene {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cc").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("llvm-19/lib")).expect("the folder can be made");
        fs::create_dir_all(folder.join("path")).expect("the folder can be made");
        let scene = Scene { folder, _alone: alone };
        for driver in ["clang", "clang++"] {
            scene.script(
                &format!("llvm-19/bin/{driver}"),
                "echo \"$(basename $0)\"; for word; do echo \"<$word>\"; done; exit 7",
            );
        }
        scene.script("libipda.so", "no plugin");
        scene
    }

    fn script(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the folder is writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    }

    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env_clear().args(arguments);
        command.env("PATH", format!("{}:/usr/bin:/bin", self.folder.join("path").display()));
        command.env("LLVM_SYS_191_PREFIX", self.folder.join("llvm-19"));
        command.env("LIBIPDA", self.folder.join("libipda.so")).env("HOME", &self.folder);
        command
    }

    fn ipda(&self, arguments: &[&str]) -> Command {
        self.command(Path::new(env!("CARGO_BIN_EXE_ipda")), arguments)
    }

    /// What a driver is given; it is named by its path, since this machine may have its own clang-19.
    fn words(&self, command: &mut Command) -> Vec<String> {
        let output = command.output().expect("ipda starts");
        assert_eq!(output.status.code(), Some(7), "{}", text(&output.stderr));
        let here = format!("{}/", self.folder.display());
        text(&output.stdout).lines().map(|line| line.replace(&here, "")).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn output_of(command: &mut Command) -> Output {
    command.output().expect("ipda starts")
}

#[test]
fn a_compilation_gets_the_plugin_and_all_else_stays() {
    let scene = Scene::new("plugin");
    let clang = "llvm-19/bin/clang";
    let compiled = scene.words(&mut scene.ipda(&["cc", "--", clang, "-c", "a b.c", "-DX=\"y z\"", ""]));
    assert_eq!(compiled, ["clang", "<-fpass-plugin=libipda.so>", "<-c>", "<a b.c>", "<-DX=\"y z\">", "<>"]);
    for words in [
        &["a.o", "-o", "a"][..],
        &["--version"],
        &["-E", "a.c"],
        &["-c", "a.s"],
        &["-fpass-plugin=/x/libipda.so", "-c", "a.c"],
    ] {
        let all = [&["cc", clang], words].concat();
        let expected: Vec<String> = words.iter().map(|word| format!("<{word}>")).collect();
        assert_eq!(scene.words(&mut scene.ipda(&all))[1..], expected);
    }
    assert_eq!(scene.words(&mut scene.ipda(&["cc", "llvm-19/bin/clang++", "-c", "a.cpp"]))[0], "clang++");
}

#[test]
fn a_cuda_tree_is_looked_for_where_nvidias_gpus_are_meant() {
    let scene = Scene::new("cuda");
    let words = ["cc", "llvm-19/bin/clang", "-fopenmp", "--offload-arch=sm_90", "-c", "a.c"];
    if !Path::new("/usr/local/cuda/nvvm").exists() && !Path::new("/usr/lib/cuda/nvvm").exists() {
        let output = output_of(&mut scene.ipda(&words));
        let reported = text(&output.stderr);
        assert!(reported.starts_with("ipda cc: there is no CUDA tree"), "{reported}");
        assert!(reported.ends_with("`ipda cc --look ...`\n"), "{reported}");
        assert_eq!(output.status.code(), Some(7), "clang says the rest");
    }
    for tree in [".cache/ipda/cuda-9.9", ".cache/ipda/cuda-13.0.88", ".cache/ipda/cuda-13.0.88.part", "mine"] {
        fs::create_dir_all(scene.folder.join(tree).join("nvvm/libdevice")).expect("the folder can be made");
    }
    let cuda = [
        "<--start-no-unused-arguments>",
        "<--cuda-path=.cache/ipda/cuda-13.0.88>",
        "<--libomptarget-nvptx-bc-path=llvm-19/lib>",
    ];
    assert_eq!(scene.words(&mut scene.ipda(&words))[2..5], cuda);
    let mine = scene.folder.join("mine");
    assert_eq!(scene.words(scene.ipda(&words).env("CUDA_PATH", &mine))[3], "<--cuda-path=mine>");
    // What the user says counts, and an AMD GPU needs none.
    let named = scene.words(&mut scene.ipda(&["cc", "llvm-19/bin/clang", "--cuda-path=/x", "-x", "cuda", "-c", "a.h"]));
    assert_eq!(named[2..], ["<--cuda-path=/x>", "<-x>", "<cuda>", "<-c>", "<a.h>"]);
    let amd =
        scene.words(&mut scene.ipda(&["cc", "llvm-19/bin/clang", "-fopenmp", "--offload-arch=gfx90a", "-c", "a.c"]));
    assert_eq!(amd[2], "<-fopenmp>");
}

#[test]
fn a_look_keeps_no_code_and_names_its_report() {
    let scene = Scene::new("look");
    let clang = "llvm-19/bin/clang";
    let look =
        |more: &[&'static str]| [&["cc", "--look", "--", clang, "-fopenmp", "--offload-arch=sm_90"], more].concat();
    let words = scene.words(&mut scene.ipda(&look(&["-c", "-S", "src/a.c", "-o", "a.o"])));
    let (output, before) = words.split_last().expect("clang is given words");
    assert_eq!(
        before.join(" "),
        "clang <-fpass-plugin=libipda.so> <--start-no-unused-arguments> <-nogpulib> <--end-no-unused-arguments> <-c> <-emit-llvm> \
         <-fopenmp> <--offload-arch=sm_90> <-c> <src/a.c> <-o> <a.o> <-o>"
    );
    let folder = Path::new(output.trim_matches(['<', '>'])).parent().expect("a folder");
    assert!(folder.is_absolute() && !folder.exists(), "{output}");
    // A CUDA source has one output for each side.
    let words = scene.words(&mut scene.ipda(&["cc", "--look", clang, "-g", "-c", "--", "a.cu"]));
    let added = ["<--offload-device-only>", "<-Xclang>", "<-debug-info-kind=constructor>", "<-g>", "<-c>", "<-o>"];
    assert_eq!(words[7..13], added);
    assert_eq!(words[14..], ["<-->", "<a.cu>"]);

    let reported = |command: &mut Command| {
        let output = output_of(command);
        (output.status.code(), text(&output.stderr))
    };
    let said = |text: &str| (Some(0), format!("ipda cc --look: {text}\n"));
    scene.script(clang, "case \"$*\" in *a.c*) echo ipda_report: $$ > part && mv part $IPDA_REPORT;; esac");
    for _ in 0..2 {
        let found = said("no code is kept; `ipda report a.c.ipda.yaml` shows what was found");
        assert_eq!(reported(&mut scene.ipda(&look(&["a.c"]))), found);
    }
    // A source of the same name does not take the report of the other.
    let found = said("no code is kept; `ipda report src+a.c.ipda.yaml` shows what was found");
    assert_eq!(reported(&mut scene.ipda(&look(&["src/a.c"]))), found);
    assert!(["a.c.ipda.yaml", "src+a.c.ipda.yaml"].iter().all(|name| scene.folder.join(name).exists()));
    let nothing = said("no target region or kernel in b.c, and so no report; regions need -fopenmp");
    assert_eq!(reported(&mut scene.ipda(&look(&["b.c"]))), nothing);
    let theirs = said("no code is kept; the report is where IPDA_REPORT or ipda.yaml says");
    assert_eq!(reported(scene.ipda(&look(&["a.c"])).env("IPDA_REPORT", "mine.yaml")), theirs);
    assert!(scene.folder.join("mine.yaml").exists());
    assert_eq!(reported(scene.ipda(&look(&["b.c"])).env("IPDA_REPORT", "mine.yaml")), nothing);
    // A report is not written over a source, nor is that taken for one without regions.
    fs::write(scene.folder.join("b.c"), "int b;\n").unwrap();
    let refused = "ipda: there is no report: b.c is not an ipda report, and stays as it is: name another file, or remove it first\n";
    assert_eq!(reported(scene.ipda(&look(&["b.c"])).env("IPDA_REPORT", "b.c")), (Some(1), refused.to_owned()));
    // What cannot be written is not taken for a source without regions.
    let scene_clang = scene.folder.join(clang).display().to_string();
    let at = |folder: &str, path: &str| {
        let words = ["cc", "--look", &scene_clang, "-fopenmp", "-c", "/x/b.c"];
        let mut command = scene.ipda(&words);
        command.current_dir(folder).env("IPDA_REPORT", path);
        reported(&mut command)
    };
    for (folder, path) in
        [("/proc/self", ""), ("/", "/proc/self/a.yaml"), ("/", "/proc/self/fd/"), ("/", "/none/a.yaml")]
    {
        let (status, said) = at(folder, path);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("ipda: there is no report: cannot write to "), "{said}");
    }
    assert_eq!(at("/", "/dev/null"), theirs);
    assert_eq!(at("/", &scene.folder.join("not/there/").display().to_string()), theirs);
    scene.script(clang, "kill -9 $$");
    assert_eq!(reported(&mut scene.ipda(&look(&["a.c"]))), (Some(137), String::new()));

    let refused = |sentence: &str| (Some(1), format!("ipda: {sentence}\n"));
    for (words, sentence) in [
        (&["a.o"][..], "there is no source to look at"),
        (&["a.c", "b.c"], "--look takes one source, and there are 2"),
        (&["-E", "a.c"], "--look compiles, and the arguments only preprocess or check"),
        (
            &["--offload-arch=sm_80", "a.cu"],
            "--look takes one processor for kernels of CUDA and HIP: name one with --offload-arch",
        ),
    ] {
        assert_eq!(reported(&mut scene.ipda(&look(words))), refused(sentence));
    }
}

#[test]
fn the_program_serves_under_a_compilers_name() {
    let scene = Scene::new("name");
    for (name, driver) in [("ipda-cc", "clang"), ("ipda-c++", "clang++")] {
        symlink(env!("CARGO_BIN_EXE_ipda"), scene.folder.join("path").join(name)).expect("the link can be made");
        let words =
            scene.words(&mut scene.command(Path::new(name), &[&format!("llvm-19/bin/{driver}"), "-c", "a.cpp"]));
        assert_eq!(words, [driver, "<-fpass-plugin=libipda.so>", "<-c>", "<a.cpp>"]);
    }
}

#[test]
fn a_cache_sees_the_plugin_and_its_options() {
    let scene = Scene::new("cache");
    scene.script("path/ccache", "shift; for word; do echo \"<$word>\"; done; exit 7");
    let tag = |command: &mut Command| scene.words(command)[1].clone();
    let words = ["cc", "ccache", "llvm-19/bin/clang", "-c", "a.c"];
    let plain = tag(&mut scene.ipda(&words));
    assert!(plain.starts_with("<-fplugin-arg-ipda-"), "{plain}");
    assert_eq!(plain, tag(&mut scene.ipda(&words)));
    let off = tag(scene.ipda(&words).env("IPDA_TRANSFORM", "off"));
    fs::write(scene.folder.join("ipda.yaml"), "transform: off\ngpu: mine.yaml\n").expect("the folder is writable");
    let by_file = tag(&mut scene.ipda(&words));
    fs::write(scene.folder.join("mine.yaml"), "gpu:\n").expect("the folder is writable");
    let other_gpu = tag(&mut scene.ipda(&words));
    fs::write(scene.folder.join("libipda.so"), "another").expect("the folder is writable");
    let other_plugin = tag(&mut scene.ipda(&words));
    let all = [plain, off, by_file, other_gpu, other_plugin];
    assert!((0..all.len()).all(|at| !all[at + 1..].contains(&all[at])), "{all:?}");
    // A report is written by a compilation: there is no cache then.
    assert_eq!(scene.words(scene.ipda(&words).env("IPDA_REPORT", "r.yaml"))[0], "clang");
    let compiler = |options: &str| {
        fs::write(scene.folder.join("ipda.yaml"), options).expect("the folder is writable");
        scene.words(&mut scene.ipda(&words))[0].clone()
    };
    // However YAML is written; and what looks like the option is none inside of another, or in a file that the plugin refuses.
    let cached = compiler("transform: off\n");
    assert_ne!(cached, "clang");
    for without in [
        "gpu: |\n  report: r.yaml\n",
        "gpu: h200 # \nlink: 'x\n  report: r.yaml'\n",
        "report:\n",
        "report: r.yaml\nrepart: x\n",
    ] {
        assert_eq!(compiler(without), cached, "{without}");
    }
    for with in [
        "{report: r.yaml}",
        "gpu: h200\n\"report\" : 'r.yaml' # here\n",
        "report:\n  r.yaml\n",
        "---\nreport: r.yaml\n",
        "report: r.yaml\n",
    ] {
        assert_eq!(compiler(with), "clang", "{with}");
    }
    let number = |scene: &Scene| text(&output_of(&mut scene.ipda(&["cc", "--print-fingerprint"])).stdout);
    assert_ne!(number(&scene), number(&scene), "never the same where a report is asked for");
    fs::remove_file(scene.folder.join("ipda.yaml")).expect("the file is there");
    assert_eq!(number(&scene), number(&scene));
}

#[test]
fn the_command_can_be_seen() {
    let scene = Scene::new("print");
    let output = output_of(&mut scene.ipda(&["cc", "--print", "--", "llvm-19/bin/clang", "-c", "it's.c"]));
    let plugin = scene.folder.join("libipda.so");
    assert_eq!(text(&output.stdout), format!("llvm-19/bin/clang -fpass-plugin={} -c 'it'\\''s.c'\n", plugin.display()));
}

#[test]
fn what_is_missing_is_reported_in_a_sentence() {
    let scene = Scene::new("missing");
    let reported = |command: &mut Command| {
        let output = output_of(command);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), String::new()));
        text(&output.stderr)
    };
    assert_eq!(
        reported(&mut scene.ipda(&["cc", "gcc", "-c", "a.c"])),
        "ipda: gcc is another compiler; the plugin works in clang 19\n"
    );
    let missing = reported(scene.ipda(&["cc", "llvm-19/bin/clang", "-c", "a.c"]).env("LIBIPDA", "/nowhere/libipda.so"));
    assert_eq!(missing, "ipda: LIBIPDA names /nowhere/libipda.so, which is no file\n");
    scene.script("other/clang", "echo clang version 15.0.7");
    assert_eq!(
        reported(&mut scene.ipda(&["cc", "./other/clang", "-c", "a.c"])),
        "ipda: ./other/clang is clang 15; the plugin works in clang 19\n"
    );
}
