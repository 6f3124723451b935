//! Writes the entries' trees as JSON, which takes a compilation a tenth of the time to read that YAML does.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() {
    println!("cargo:rerun-if-changed=entries");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for kind in ["gpu", "cpu", "link"] {
        let written = convert_all(&Path::new("entries").join(kind), &out.join(kind));
        written.unwrap_or_else(|error| panic!("entries/{kind}: {error}"));
    }
}

fn convert_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let tree: serde_yaml::Value = serde_yaml::from_str(&fs::read_to_string(&path)?).map_err(io::Error::other)?;
        let file = to.join(path.with_extension("json").file_name().expect("it is a file"));
        fs::write(file, serde_json::to_vec(&tree)?)?;
    }
    Ok(())
}
