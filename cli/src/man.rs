//! Manual pages, made of what `--help` says.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;
use ipda_models::files::{self, Kind};
use ipda_models::options::{CONFIG, FILE_NAME, OPTIONS, PluginOption};

use crate::cc;

/// What may be written over.
const PAGE: Kind = Kind { name: "a manual page", beginnings: &[b".ie \\n(.g .ds Aq"] };

/// What stands at the end of the program's own page.
fn environment() -> String {
    let option = |option: &PluginOption| {
        format!("{}={}: {}.\n\n", option.variable(), option.values, option.meaning.replace('`', "'"))
    };
    format!(
        "\
The plugin takes its options from the environment, or from ipda.yaml in the folder in which the compiler runs:

{}\
{CONFIG}=FILE: another file of options than {FILE_NAME}.

LIBIPDA=PATH: the plugin that `ipda cc` loads, if not the one beside the program.

The documentation is in /usr/share/doc/ipda; begin with docs/use.md.",
        OPTIONS.iter().map(option).collect::<String>()
    )
}

/// Writes `ipda.1`, and `ipda-report.1` and the like for each command that is not hidden.
pub fn write(command: Command, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let command = command
        .after_long_help(environment())
        .mut_subcommand("cc", |command| command.after_long_help(cc::HELP))
        .mut_subcommand("c++", |command| command.after_long_help(cc::HELP));
    let mut command = command.disable_help_subcommand(true);
    command.build();
    pages(&command, folder)
}

fn pages(command: &Command, folder: &Path) -> Result<()> {
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    files::replace(&folder.join(page.get_filename()), &text, PAGE)?;
    command.get_subcommands().filter(|command| !command.is_hide_set()).try_for_each(|command| pages(command, folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn each_command_has_a_page() {
        let folder = tempfile::tempdir().expect("a folder");
        write(crate::Arguments::command(), folder.path()).expect("pages");
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_else(|_| panic!("no {name}"));
        for command in crate::Arguments::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            assert!(text(&format!("ipda-{}.1", command.get_name())).starts_with(".ie"), "{}", command.get_name());
        }
        for option in &OPTIONS {
            assert!(text("ipda.1").contains(&option.variable()), "{}", option.key);
        }
        assert!(text("ipda-cc.1").contains("fingerprint"));
        write(crate::Arguments::command(), folder.path()).expect("the same again");
        fs::write(folder.path().join("ipda.1"), "a letter").expect("a file");
        let error = write(crate::Arguments::command(), folder.path()).expect_err("it is somebody's");
        assert!(error.to_string().contains("ipda.1 is not a manual page, and stays as it is"), "{error}");
        assert_eq!(text("ipda.1"), "a letter");
    }
}
