//! Subscripts of generated nests. A nest has a few shapes, which its accesses use with shifted, exchanged and mirrored variables: so they are
//! likely to meet.

use crate::random::Random;

/// Small integers that the nest does not know: of any sign, and positive ones to divide by or to step with.
pub(super) const SYMBOLS: [&str; 5] = ["n", "m", "ld", "k", "d"];
pub(super) const POSITIVE: [&str; 2] = ["q", "s"];

/// A subscript over up to three variables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    kind: u64,
    factors: [i64; 3],
    shift: i64,
    symbols: [&'static str; 2],
    divisor: Divisor,
}

#[derive(Debug, Clone, Copy)]
enum Divisor {
    Constant(i64),
    Symbol,
}

impl Shape {
    const KINDS: u64 = 22;

    pub(super) fn random(random: &mut Random) -> Shape {
        // Affine subscripts and rows are what programs are full of.
        let kind = if random.chance(35) { random.below(4) } else { random.below(Shape::KINDS) };
        Shape {
            kind,
            factors: [0; 3].map(|_| random.pick(&[1, 1, 1, -1, 2, -2, 3, 4])),
            shift: random.between(-3, 3),
            symbols: [random.pick(&SYMBOLS), random.pick(&SYMBOLS)],
            divisor: if random.chance(60) { Divisor::Constant(random.between(2, 5)) } else { Divisor::Symbol },
        }
    }

    /// The subscript's text for these variables.
    pub(super) fn text(&self, [x, y, z]: [&str; 3]) -> String {
        let [a, b, c] = self.factors;
        let (shift, [s, t]) = (self.shift, self.symbols);
        let divisor = match self.divisor {
            Divisor::Constant(value) => value.to_string(),
            Divisor::Symbol => "q".into(),
        };
        match self.kind {
            0 => format!("{a} * {x} + {shift}"),
            1 => format!("{a} * {x} + {b} * {y} + {shift}"),
            2 => format!("{x} * {s} + {y}"),
            3 => format!("{a} * {x} + {b} * {y} + {c} * {z}"),
            4 => format!("({x} * {s} + {y}) * {t} + {z}"),
            5 => format!("{s} * {x} + {t}"),
            6 => format!("({x} * {s} + {y}) / {divisor}"),
            7 => format!("({a} * {x} + {y}) % {divisor} + {shift}"),
            8 => format!("({x} % {divisor}) * {a} + {x} / {divisor}"),
            9 => format!("({x} < {s} ? {x} : 2 * {s} - {x}) + {b} * {y}"),
            10 => format!("({x} < {y} ? {x} : {y}) * {b} + {shift}"),
            11 => format!("({x} > {shift} ? {x} : {shift}) + {s} * {y}"),
            12 => format!("(({x} + {shift}) >> 1) + {b} * {y}"),
            13 => format!("(({x} << 1) ^ {y}) & 15"),
            14 => format!("(unsigned char)({a} * {x} * 37 + {y})"),
            15 => format!("{x} * {y} + {shift}"),
            16 => format!("(P[({x} + {y}) & 7] & 15) + {a} * {x}"),
            17 => format!("(signed char)({s} * {x} * 29) + {b} * {y}"),
            // Unsigned arithmetic wraps, and what is made of the outcome tells.
            18 => format!("(unsigned)({a} * {x} + {y} - 4) % {divisor}"),
            19 => format!("((unsigned)({x} + {shift}) * 2654435769u >> 28) + {y}"),
            20 => format!("((unsigned)({a} * {x} + {shift}) / 3 & 31) + {b} * {y}"),
            _ => format!("(int)((unsigned)({s} * {x} + {y}) << 30 >> 28)"),
        }
    }
}

/// A variable of the nest, or what stands near it.
pub(super) fn near(random: &mut Random, variables: &[&'static str]) -> String {
    let Some(&variable) = variables.get(random.below(variables.len().max(1) as u64) as usize) else {
        return if random.chance(50) { "1".into() } else { random.pick(&SYMBOLS).into() };
    };
    changed(random, variable)
}

/// A variable with a shift, mirrored, or as it is.
pub(super) fn changed(random: &mut Random, variable: &str) -> String {
    match random.below(12) {
        0..7 => variable.into(),
        7 | 8 => format!("({variable} - {})", random.between(1, 3)),
        9 => format!("({variable} + {})", random.between(1, 3)),
        10 => format!("({} - 1 - {variable})", random.pick(&SYMBOLS)),
        _ => format!("({variable} + {})", random.pick(&SYMBOLS)),
    }
}
