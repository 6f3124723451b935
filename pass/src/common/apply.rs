/// Whether what can be done is done, or only reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Apply {
    No,
    Yes,
}
