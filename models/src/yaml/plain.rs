//! Scalars without quotes that are strings in YAML 1.2 and something else in YAML 1.1, which many readers know alone.

/// The text of a writer of YAML 1.2, one scalar a line but for blocks, with quotes where YAML 1.1 needs them.
pub(super) fn for_all_readers(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + text.len() / 64);
    // The column that the lines of a block are to the right of.
    let mut block: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let indent = line.len() - line.trim_start_matches(' ').len();
        if block.is_some_and(|column| line.trim().is_empty() || indent > column) {
            result.push_str(line);
        } else {
            block = write_line(&mut result, line, indent);
        }
        result.push_str(end);
    }
    result
}

/// Writes a line; gives the column of what a block of text in it belongs to.
fn write_line(result: &mut String, line: &str, indent: usize) -> Option<usize> {
    let mut at = indent;
    let mut column = indent;
    // A long key stands behind a question mark, and its value behind a colon.
    while ["- ", "? ", ": "].iter().any(|mark| line[at..].starts_with(mark)) {
        column = at;
        at += 2;
    }
    result.push_str(&line[..at]);
    let mut rest = &line[at..];
    if let Some(length) = key_length(rest) {
        column = at;
        scalar(result, &rest[..length]);
        let colon = if rest[length..].starts_with(": ") { ": " } else { ":" };
        result.push_str(colon);
        rest = &rest[length + colon.len()..];
    }
    scalar(result, rest);
    rest.starts_with(['|', '>']).then_some(column)
}

/// Bytes of the key that a line begins with, if it does.
fn key_length(line: &str) -> Option<usize> {
    let quoted = match line.as_bytes().first()? {
        b'\'' => {
            let mut end = 1;
            loop {
                end += line[end..].find('\'')? + 1;
                if !line[end..].starts_with('\'') {
                    break end;
                }
                end += 1;
            }
        }
        b'"' => {
            let mut is_escaped = false;
            let closing = |(_, c): &(usize, char)| {
                let closes = *c == '"' && !is_escaped;
                is_escaped = *c == '\\' && !is_escaped;
                closes
            };
            line.char_indices().skip(1).find(closing)?.0 + 1
        }
        _ => {
            let inside = line.find(": ");
            return inside.or_else(|| line.ends_with(':').then(|| line.len() - 1));
        }
    };
    let behind = &line[quoted..];
    (behind == ":" || behind.starts_with(": ")).then_some(quoted)
}

fn scalar(result: &mut String, text: &str) {
    if text.starts_with(['\'', '"', '|', '>', '[', '{']) {
        result.push_str(text);
    } else if let Some(number) = with_exponent(text) {
        result.push_str(&number);
    } else if is_other_in_yaml_1_1(text) {
        result.extend(["'", &text.replace('\'', "''"), "'"]);
    } else {
        result.push_str(text);
    }
}

/// A number as YAML 1.1 wants it where it has an exponent: with a point and a sign, `1.0e+16`. The writer quotes strings that look so.
fn with_exponent(text: &str) -> Option<String> {
    let (mantissa, exponent) = text.split_once('e')?;
    // Where the number is larger than any, it is a string: a hash such as 12e4567890123456.
    text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['+', '-']) { "" } else { "+" };
    Some(format!("{mantissa}{point}e{sign}{exponent}"))
}

/// Whether a string is a truth value, a number, a date, or one of the special marks of YAML 1.1, section "Language-Independent Types".
fn is_other_in_yaml_1_1(text: &str) -> bool {
    const WORDS: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];
    matches!(text, "=" | "<<")
        || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        || is_number(text)
        || is_date(text)
}

/// Numbers that YAML 1.2 knows as such are never strings here.
fn is_number(text: &str) -> bool {
    match text.parse::<f64>() {
        Ok(number) if !number.is_finite() => return true,
        Ok(_) if !text.trim_start_matches(['+', '-']).starts_with("0") => return false,
        _ => {}
    }
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let of_base = |prefix: &str| {
        let digits = body.strip_prefix(prefix).unwrap_or("");
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit() || c == '_')
    };
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '_' | '.' | ':');
    let begins = body.starts_with(|c: char| c.is_ascii_digit()) || body.starts_with('.') && body.len() > 1;
    let leading_zero =
        body.len() > 1 && body.starts_with('0') && body.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let has_mark = body.contains(['_', ':']) || body.matches('.').count() > 1;
    let digits = body.split_once(['e', 'E']).map_or(body, |(digits, exponent)| {
        let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let is_power = !power.is_empty() && power.bytes().all(|byte| byte.is_ascii_digit());
        if is_power { digits } else { body }
    });
    let in_parts = begins && digits.contains(|c: char| c.is_ascii_digit()) && digits.chars().all(is_part) && has_mark;
    of_base("0x") || of_base("0b") || leading_zero || in_parts
}

/// `2001-12-14`, with or without a time.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut digits = |lengths: std::ops::RangeInclusive<usize>| {
        let part = parts.next().unwrap_or("");
        let count = part.bytes().take_while(u8::is_ascii_digit).count();
        (lengths.contains(&count), count == part.len())
    };
    let (year, month) = (digits(4..=4), digits(1..=2));
    year == (true, true) && month == (true, true) && digits(1..=2).0
}
