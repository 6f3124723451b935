//! Comparisons as people write them: `2*n + 3 <= m` for what is reported as "not negative".

use ipda_symbolic::{Coeff, Polynomial, Space};

/// Powers of two from this one on are written as such.
const MIN_POWER: u32 = 20;

/// That a polynomial over integers is not negative.
pub(crate) fn not_negative(space: &Space, value: &Polynomial) -> String {
    let whole = value.without_constant();
    let content = whole.content();
    // What both sides are multiples of says nothing; the constant rounds towards what is meant.
    let divided = whole.div_exact(&content).zip(value.constant_term().div_floor(&content));
    let (terms, constant) = divided.unwrap_or_else(|| (whole.clone(), value.constant_term()));
    let part = |negative: bool| {
        let of_sign = terms.terms().filter(|(_, factor)| factor.is_negative() == negative);
        Polynomial::from_terms(of_sign.map(|(monomial, factor)| (monomial.clone(), factor.abs())))
    };
    let (more, less) = (part(false), part(true));
    let text = |side: &Polynomial| plain(&space.display(side).to_string());
    if less.is_zero() {
        return format!("{} >= {}", text(&more), number(&-constant));
    }
    if more.is_zero() {
        let end = &constant + &Coeff::from(1);
        return match power_of_two(&end) {
            Some(end) => format!("{} < {end}", text(&less)),
            None => format!("{} <= {}", text(&less), number(&constant)),
        };
    }
    if constant == Coeff::from(-1) {
        return format!("{} < {}", text(&less), text(&more));
    }
    let constant = Polynomial::from(constant.abs());
    match value.constant_term().is_negative() {
        true => format!("{} <= {}", text(&(&less + &constant)), text(&more)),
        false => format!("{} <= {}", text(&less), text(&(&more + &constant))),
    }
}

fn number(value: &Coeff) -> String {
    power_of_two(value).unwrap_or_else(|| value.to_string())
}

fn power_of_two(value: &Coeff) -> Option<String> {
    let exponent = value.log2().filter(|&exponent| exponent >= MIN_POWER && *value == Coeff::pow2(exponent))?;
    Some(format!("2^{exponent}"))
}

/// A text with loads as the source has them, and with `n` in place of `[n]`, where the brackets hold a name alone: of a variable, or of a member or an
/// element.
pub(crate) fn plain(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let text = ipda_symbolic::in_words(text);
    let mut result = String::with_capacity(text.len());
    let mut rest = &text[..];
    while let Some(open) = rest.find('[') {
        let (before, inside) = rest.split_at(open);
        result.push_str(before);
        let is_subscript = result.ends_with(|c| is_part(c) || c == ']' || c == ')');
        match inside_brackets(inside).filter(|inside| !is_subscript && is_name(inside)) {
            Some(name) => {
                result.push_str(name);
                rest = &inside[name.len() + 2..];
            }
            None => {
                result.push('[');
                rest = &inside[1..];
            }
        }
    }
    result + rest
}

/// What is between the bracket that a text begins with and the one that closes it.
fn inside_brackets(text: &str) -> Option<&str> {
    let mut depth = 0;
    let end = text.find(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth == 0
    })?;
    text.get(1..end)
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_.[]".contains(c);
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.replace("->", ".").chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::{not_negative, plain};
    use ipda_symbolic::{Interval, Space, Symbol, Varies, parse};

    #[test]
    fn comparisons_read_as_people_write_them() {
        let mut space = Space::new();
        for name in ["n", "m"] {
            space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies: Varies::No });
        }
        for (value, text) in [
            ("10 - [m]", "m <= 10"),
            ("[m] - 1", "m >= 1"),
            ("[m] + 7", "m >= -7"),
            ("[m] - 2*[n] - 3", "2*n + 3 <= m"),
            ("[m] - [n] + 65", "n <= m + 65"),
            ("[m] - [n] - 1", "n < m"),
            ("[m] - [n]", "n <= m"),
            // It holds up to n = 67108864, which is 2^26: 64 of it are 4294967296.
            ("4294967359 - 64*[n]", "n <= 2^26"),
            ("1073741824 - [n]*[m] - 1", "n*m < 2^30"),
            // 2 m - 3 n >= 2.5, of integers at least 3.
            ("4*[m] - 6*[n] - 5", "3*n + 3 <= 2*m"),
        ] {
            let value = parse(&mut space, value).expect("an expression");
            assert_eq!(not_negative(&space, &value), text);
        }
    }

    #[test]
    fn brackets_stay_where_they_hold_more_than_a_name() {
        for (text, expected) in [
            ("[n]*[m_2] - 1", "n*m_2 - 1"),
            ("a[n] + [load of x[i]]", "a[n] + [load of x[i]]"),
            ("[[w] >= 1]", "[w >= 1]"),
            ("2*[this->ny] + [v[1]] - [s.n]", "2*this->ny + v[1] - s.n"),
            ("8*load4([n])", "8*n[0]"),
            ("[", "["),
            ("[]", "[]"),
            ("[3]", "[3]"),
            ("[é] [n", "é [n"),
            ("[n]]", "n]"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
