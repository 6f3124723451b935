//! Why an entry could not be used: always the user's data, never a fault of the program.

use std::path::PathBuf;

/// Why a hardware description could not be loaded. Each message is one sentence that names the place and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No entry of that name is built in.
    #[error("unknown GPU `{name}`: the known ones are {}", valid.join(", "))]
    UnknownName {
        /// The name that was asked for.
        name: String,
        /// The names that [`Gpu::builtin`](crate::Gpu::builtin) takes.
        valid: Vec<&'static str>,
    },
    /// The file cannot be read.
    #[error("cannot read the hardware description {}: {source}", path.display())]
    Unreadable {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a hardware description.
    #[error("{}:{line}:{column}: {expected}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// The key, what was found there and what was expected.
        expected: String,
    },
}

impl LoadError {
    pub(crate) fn malformed(path: PathBuf, error: &serde_yaml::Error) -> LoadError {
        let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
        let message = error.to_string();
        // The reader repeats the position at the end of its sentence.
        let expected = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message).to_owned();
        LoadError::Malformed { path, line, column, expected }
    }
}
