//! Where a report is written, and under which name.

use ipda_models::files;
use ipda_models::hash::fnv1a;
use ipda_models::report::Report;
use std::path::{Component, Path, PathBuf};

/// Writes the report to a file, or into a folder under a name made of the source's. A source that is compiled for several processors, each
/// with a report, needs theirs too. What is neither a report nor empty stays as it is.
pub(crate) fn write_report(path: &Path, report: &Report, processor: Option<&str>) -> Result<(), String> {
    let is_folder = path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/');
    let file = if is_folder {
        std::fs::create_dir_all(path)
            .map_err(|error| format!("cannot create the report folder {}: {error}", path.display()))?;
        let here = std::env::current_dir().unwrap_or_default();
        path.join(file_name(&here.join(&report.source), &here.join(path), processor))
    } else {
        path.to_path_buf()
    };
    files::replace(&file, report.to_yaml().as_bytes(), files::REPORT)
        .map_err(|error| format!("there is no report: {error}"))
}

/// Names that are longer, in bytes, are cut: file systems take 255.
pub(super) const LONGEST_NAME: usize = 200;

/// A name for the report of a source, another for each: its path from beside the folder of reports, with `+` for `/` and for each step upward.
/// With reports in `p/reports`, `p/src/a/gemm.c` becomes `src+a+gemm.c.ipda.yaml`, and with reports in `p/build/reports` `+src+a+gemm.c.ipda.yaml`;
/// `a.cu` for sm_90 becomes `a.cu.sm_90.ipda.yaml`.
pub(super) fn file_name(source: &Path, folder: &Path, processor: Option<&str>) -> String {
    let (source, folder) = (files::lexically_normal(source), files::lexically_normal(folder));
    let around: Vec<Component<'_>> = folder.parent().unwrap_or(&folder).components().collect();
    let common = source.components().zip(&around).take_while(|(one, other)| one == *other).count();
    let rest: PathBuf = source.components().skip(common).collect();
    let mut flat = "+".repeat(around.len() - common);
    for c in rest.to_string_lossy().chars() {
        match c {
            '/' => flat.push('+'),
            c if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') => flat.push(c),
            c => flat.push_str(&format!("%{:x}", u32::from(c))),
        }
    }
    if let Some(processor) = processor {
        flat = format!("{flat}.{processor}");
    }
    if flat.len() > LONGEST_NAME {
        let end = (flat.len() - LONGEST_NAME..).find(|&at| flat.is_char_boundary(at)).unwrap_or(0);
        flat = format!("{:016x}+{}", fnv1a(flat.as_bytes()), &flat[end..]);
    }
    format!("{flat}.ipda.yaml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_names_follow_the_source() {
        let name = |source: &str, processor| file_name(Path::new(source), Path::new("/p/build/reports/"), processor);
        assert_eq!(name("/p/build/gemm.c", None), "gemm.c.ipda.yaml");
        assert_eq!(name("/p/build/b/gemm.c", None), "b+gemm.c.ipda.yaml");
        assert_eq!(name("/p/src/a/gemm.c", None), "+src+a+gemm.c.ipda.yaml");
        assert_eq!(name("/p/build/../src/a b.cpp", None), "+src+a%20b.cpp.ipda.yaml");
        assert_eq!(name("/home/x/gemm.c", None), "++home+x+gemm.c.ipda.yaml");
        assert_eq!(name("/p/build/b.cu", Some("sm_90")), "b.cu.sm_90.ipda.yaml");
    }

    #[test]
    fn no_two_sources_have_one_name() {
        let long = "deep/".repeat(100);
        let sources =
            ["x.c", "p/x.c", "p/build/x.c", "p/build/reports/x.c", "p/x/y.c", "p/x_y.c", "p/x+y.c", "p/x%2by.c"];
        let sources = sources.map(|source| format!("/{source}"));
        let long = [format!("/p/{long}a.c"), format!("/p/b/{long}a.c")];
        let all = sources.iter().chain(&long);
        let names = all.map(|source| file_name(Path::new(source), Path::new("/p/build/reports"), None));
        let names: std::collections::BTreeSet<String> = names.collect();
        assert_eq!(names.len(), sources.len() + long.len(), "{names:?}");
        assert!(names.iter().all(|name| name.len() < 255));
    }
}
