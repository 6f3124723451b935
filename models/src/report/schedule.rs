//! How iterations are handed out, and what counts take for granted about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the iterations of a shared loop are handed out. Chunks are expressions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// Chunks of one length in turn.
    StaticChunked {
        /// To whom.
        over: Workers,
        /// Iterations of a chunk.
        chunk: String,
    },
    /// One block of consecutive iterations for each.
    Static {
        /// To whom.
        over: Workers,
    },
    /// One block for each thread, of a team's chunk that has as many iterations as the team has threads.
    StaticInTeam,
    /// Chunks to whichever thread is free.
    Dynamic {
        /// Iterations of a chunk.
        chunk: String,
    },
    /// Shrinking chunks to whichever thread is free.
    Guided,
    /// As `OMP_SCHEDULE` says when the program runs.
    Runtime,
    /// As the implementation likes.
    Auto,
}

/// Those who share a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Workers {
    /// Teams of a league.
    Teams,
    /// Threads.
    Threads,
}

impl Schedule {
    /// The chunk, where it has one.
    pub fn chunk(&self) -> Option<&str> {
        match self {
            Schedule::StaticChunked { chunk, .. } | Schedule::Dynamic { chunk } => Some(chunk),
            Schedule::Static { .. }
            | Schedule::StaticInTeam
            | Schedule::Guided
            | Schedule::Runtime
            | Schedule::Auto => None,
        }
    }

    /// In words.
    pub fn sentence(&self) -> String {
        match self {
            Schedule::StaticChunked { over: Workers::Teams, chunk } => format!("static, chunk {chunk}, over teams"),
            Schedule::StaticChunked { over: Workers::Threads, chunk } if chunk == "1" => {
                "static, chunk 1: neighbouring threads take neighbouring iterations".into()
            }
            Schedule::StaticChunked { over: Workers::Threads, chunk } => {
                format!("static, chunk {chunk}: neighbouring threads are {chunk} iterations apart")
            }
            Schedule::Static { over: Workers::Teams } => "static, one block for each team".into(),
            Schedule::Static { over: Workers::Threads } => {
                "static, one block of consecutive iterations for each thread".into()
            }
            Schedule::StaticInTeam => {
                "static, one block for each thread; within a team's chunk that is one iteration".into()
            }
            Schedule::Dynamic { chunk } => format!("dynamic, chunk {chunk}: threads take iterations as they get free"),
            Schedule::Guided => "guided: threads take shrinking chunks as they get free".into(),
            Schedule::Runtime => "runtime: chosen by OMP_SCHEDULE when the program runs".into(),
            Schedule::Auto => "auto: chosen by the implementation".into(),
        }
    }
}

/// What counts take for granted about the threads that have neighbouring iterations. Loops are named by their variable, where they have one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Mapping {
    /// Neighbouring threads of a warp are so many iterations apart.
    Apart {
        /// The loop.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variable: Option<String>,
        /// How many: an expression.
        iterations: String,
        /// Where a warp begins.
        start: WarpStart,
    },
    /// Each thread has a block of consecutive iterations.
    Block {
        /// The loop.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variable: Option<String>,
        /// Iterations of all threads together: an expression.
        iterations: String,
    },
    /// A team has fewer iterations at a time than a warp has threads.
    ShortChunk {
        /// The loop.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variable: Option<String>,
        /// How many: a number, as text like the other kinds' expressions.
        #[serde(with = "number_as_text")]
        #[schemars(with = "String")]
        iterations: u32,
    },
    /// Teams are a multiple of the warp's width wide in x, so that a warp's threads are neighbours in x.
    WideTeams,
    /// The device's compilation is not at hand: its default schedule is assumed.
    DefaultSchedule,
}

/// A number that is written as text, so that a key has one type; earlier reports have it as a number.
mod number_as_text {
    use serde::{Deserialize, Deserializer, Serializer, de};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u32),
        Text(String),
    }

    pub fn serialize<S: Serializer>(number: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(number),
            Written::Text(text) => text.parse().map_err(|_| de::Error::custom(format!("{text:.80} is no number"))),
        }
    }
}

/// At which iteration a warp begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarpStart {
    /// At a multiple of its width, as in teams of full warps.
    FullWarps,
    /// Anywhere.
    Anywhere,
    /// Where its threads ask for their chunks together, as LLVM's device runtime hands them out.
    AsAsked,
    /// Only some threads of a team get iterations: counts are for warps in which all do.
    PartOfTeam,
}

impl Mapping {
    /// In words, for warps of so many threads.
    pub fn sentence(&self, warp_lanes: u32) -> String {
        let name = |variable: &Option<String>| match variable {
            Some(variable) => format!("loop {variable}"),
            None => "the parallel loop".into(),
        };
        match self {
            Mapping::Apart { variable, iterations, start } => {
                let apart = if iterations == "1" { "1 iteration".into() } else { format!("{iterations} iterations") };
                let start = start.words(warp_lanes, iterations);
                format!("{}: neighbouring threads of a warp are {apart} apart{start}", name(variable))
            }
            Mapping::Block { variable, iterations } => format!(
                "{}: each thread has a block of consecutive iterations, floor({iterations} / [threads of loop]) or one more of them",
                name(variable)
            ),
            Mapping::ShortChunk { variable, iterations } => {
                format!("{}: a team has {iterations} iterations at a time: no more of its threads work", name(variable))
            }
            Mapping::WideTeams => {
                format!("teams are a multiple of {warp_lanes} threads wide in x: a warp's threads are neighbours in x")
            }
            Mapping::DefaultSchedule => {
                "the device's compilation is not at hand: its default schedule is assumed".into()
            }
        }
    }
}

impl WarpStart {
    fn words(self, warp_lanes: u32, iterations: &str) -> String {
        match self {
            WarpStart::FullWarps => {
                format!(", a warp starting at a multiple of {warp_lanes} (as teams of full warps do)")
            }
            WarpStart::Anywhere => String::new(),
            WarpStart::AsAsked => {
                ", where they ask for their chunks together, as LLVM's device runtime hands them out".into()
            }
            WarpStart::PartOfTeam => format!(
                "; of a team with T threads, T / {iterations} get iterations: counts are for warps in which all do"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_chunks_are_read_as_text_and_as_numbers() {
        let of = |iterations| format!("kind: short-chunk\nvariable: i\niterations: {iterations}\n");
        let read = |iterations| serde_yaml::from_str::<Mapping>(&of(iterations));
        let expected = Mapping::ShortChunk { variable: Some("i".into()), iterations: 5 };
        assert_eq!(read("'5'").expect("it is one"), expected);
        assert_eq!(read("5").expect("it is one"), expected);
        assert!(read("five").is_err());
        assert_eq!(serde_yaml::to_string(&expected).expect("it is written"), of("'5'"));
    }
}
