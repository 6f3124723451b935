//! Names of people's variables, made fit for the text form.

/// A name in the text form.
pub(crate) enum Label {
    /// Of a symbol or another unknown: between brackets.
    Bracketed(String),
    /// Of an iteration number: as it is.
    Bare(String),
}

impl Label {
    /// The text, with a suffix that makes it unique.
    pub(crate) fn text(&self, suffix: &str) -> String {
        match self {
            Label::Bracketed(name) => ["[", name, suffix, "]"].concat(),
            Label::Bare(name) => [name, suffix].concat(),
        }
    }
}

/// A name as it can stand between brackets: brackets balance, and no comparison can be read in it.
pub(crate) fn bracketed(name: &str) -> String {
    if !name.is_empty() && !name.contains(['[', ']', '<', '>', '=']) {
        return name.into();
    }
    let mut depth = 0_i32;
    let balanced = name.chars().all(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth >= 0
    });
    let keep_brackets = balanced && depth == 0;
    let is_fit = |c: &char| keep_brackets || !matches!(c, '[' | ']');
    let fit: String = name.chars().map(|c| if is_fit(&c) { c } else { '_' }).collect();
    let fit =
        [" <= ", " < ", " >= ", " > ", " == ", " != "].iter().fold(fit, |name, sign| name.replace(sign, sign.trim()));
    if fit.is_empty() { "_".into() } else { fit }
}

/// Whether a name outside of brackets can start with the character.
pub(crate) fn starts_bare(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '#')
}

/// Whether a name outside of brackets can go on with the character.
pub(crate) fn continues_bare(c: char) -> bool {
    starts_bare(c) || c.is_numeric() || c == '.'
}

/// A name as it can stand outside of brackets.
pub(crate) fn bare(name: &str) -> String {
    let fit: String = name.chars().map(|c| if continues_bare(c) { c } else { '_' }).collect();
    if fit.starts_with(starts_bare) { fit } else { format!("_{fit}") }
}
