//! Functions of mathematics, by one name for C's library, for those of devices and for LLVM's intrinsics.

/// What a result in memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultKind {
    /// Of the type of the first argument.
    Number,
    Int,
}

/// A function of mathematics.
pub(super) struct Row {
    pub sets_errno: bool,
    /// What its arguments that are pointers lead to, and whether that is always written.
    pub results: Option<(ResultKind, bool)>,
}

/// Functions of mathematics that set nothing else.
const QUIET: [&str; 21] = [
    "abs",
    "cbrt",
    "ceil",
    "copysign",
    "fabs",
    "finite",
    "floor",
    "fmax",
    "fmin",
    "fpclassify",
    "isinf",
    "isnan",
    "labs",
    "llabs",
    "nearbyint",
    "rint",
    "round",
    "roundeven",
    "signbit",
    "significand",
    "trunc",
];

/// Those that may set `errno`, or `signgam`.
const WITH_ERRNO: [&str; 52] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "drem",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fdim",
    "fma",
    "fmod",
    "gamma",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "nextafter",
    "nexttoward",
    "pow",
    "remainder",
    "scalb",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "y0",
    "y1",
    "yn",
];

/// Those that leave a result in memory: what it is, whether it is always there, and whether `errno` may be set.
const WITH_RESULTS: [(&str, ResultKind, bool, bool); 6] = [
    ("frexp", ResultKind::Int, true, false),
    ("lgamma_r", ResultKind::Int, true, true),
    ("modf", ResultKind::Number, true, false),
    ("remquo", ResultKind::Int, false, true),
    ("sincos", ResultKind::Number, true, true),
    ("sincospi", ResultKind::Number, true, true),
];

/// Those that C's standard does not reserve: a program may have functions of its own by these names. The library's are declared to throw nothing.
pub(super) const EXTENSIONS: [&str; 19] = [
    "drem",
    "exp10",
    "finite",
    "fpclassify",
    "gamma",
    "isinf",
    "isnan",
    "j0",
    "j1",
    "jn",
    "lgamma_r",
    "roundeven",
    "scalb",
    "signbit",
    "significand",
    "sincos",
    "y0",
    "y1",
    "yn",
];

/// What is known of a function by its name for `double`.
pub(super) fn row(name: &str) -> Option<Row> {
    if QUIET.contains(&name) || WITH_ERRNO.contains(&name) {
        return Some(Row { sets_errno: WITH_ERRNO.contains(&name), results: None });
    }
    let (_, kind, always, sets_errno) = WITH_RESULTS.iter().find(|(known, ..)| *known == name)?;
    Some(Row { sets_errno: *sets_errno, results: Some((*kind, *always)) })
}

/// The name that a function of C's mathematics has for `double`, as `sin` for `sinf` and `isnan` for `__isnanf`.
pub(super) fn in_c(name: &str) -> Option<&str> {
    const TESTS: [&str; 5] = ["finite", "fpclassify", "isinf", "isnan", "signbit"];
    let tests = name.strip_prefix("__").filter(|rest| TESTS.iter().any(|test| rest.starts_with(test)));
    let name = tests.unwrap_or(name);
    let short = match name {
        "lgammaf_r" | "lgammal_r" => Some("lgamma_r"),
        _ => name.strip_suffix(['f', 'l']),
    };
    [Some(name), short].into_iter().flatten().find(|name| row(name).is_some())
}

/// The same of a function of the device's own library, which clang's headers call in place of C's: `sin` for `__nv_sinf` and
/// `__ocml_sin_f32`. It has many more than C's.
pub(super) fn on_device(name: &str) -> Option<&str> {
    if let Some(name) = name.strip_prefix("__ocml_") {
        return Some(name.strip_suffix("_f64").or_else(|| name.strip_suffix("_f32")).unwrap_or(name));
    }
    let name = name.strip_prefix("__nv_")?;
    Some(in_c(name).unwrap_or(name))
}

/// A function's name without what compilers for host and device add to it: `sqrt` for `llvm.sqrt.f32`, `sqrtf`, `__nv_sqrtf`. What differs by the
/// type of the result alone has one name.
pub(crate) fn plain_name(name: &str) -> &str {
    let name = name.strip_prefix("llvm.").and_then(|name| name.split('.').next()).unwrap_or(name);
    match on_device(name).or_else(|| in_c(name)).unwrap_or(name) {
        "maxnum" => "fmax",
        "minnum" => "fmin",
        "labs" | "llabs" => "abs",
        "llrint" => "lrint",
        "llround" => "lround",
        name => name,
    }
}

/// Whether a function of a device's library is one that code for the host has as an instruction of LLVM's.
pub(crate) fn is_instruction_on_host(name: &str) -> bool {
    const NAMES: [&str; 10] =
        ["abs", "finitef", "isfinited", "isinfd", "isinff", "isnand", "isnanf", "llabs", "signbitd", "signbitf"];
    name.strip_prefix("__nv_").is_some_and(|name| NAMES.contains(&name))
}

/// Whether a name is that of a function of mathematics, whatever it leaves in memory.
pub(crate) fn is_mathematics(name: &str) -> bool {
    is_pure_intrinsic(name) || on_device(name).or_else(|| in_c(name)).is_some()
}

/// Whether a function of floats rises with each of its arguments, or falls, or stands: rounding, sums of products, the lesser and the greater.
pub(crate) fn keeps_order(name: &str) -> bool {
    const NAMES: [&str; 13] = [
        "floor",
        "ceil",
        "trunc",
        "rint",
        "nearbyint",
        "round",
        "roundeven",
        "fma",
        "fmuladd",
        "minnum",
        "maxnum",
        "fmin",
        "fmax",
    ];
    let plain = name.strip_prefix("llvm.").and_then(|rest| rest.split('.').next()).unwrap_or(name);
    let plain = plain.strip_prefix("__nv_").unwrap_or(plain);
    NAMES.contains(&plain) || plain.strip_suffix('f').is_some_and(|plain| NAMES.contains(&plain))
}

/// Whether a function is an intrinsic that computes its result from its arguments alone, which are numbers.
pub(crate) fn is_pure_intrinsic(name: &str) -> bool {
    const NAMES: [&str; 54] = [
        "abs",
        "acos",
        "asin",
        "atan",
        "bitreverse",
        "bswap",
        "canonicalize",
        "ceil",
        "copysign",
        "cos",
        "cosh",
        "ctlz",
        "ctpop",
        "cttz",
        "exp",
        "exp10",
        "exp2",
        "fabs",
        "floor",
        "fma",
        "fmuladd",
        "fptosi",
        "fptoui",
        "fshl",
        "fshr",
        "is",
        "ldexp",
        "llrint",
        "llround",
        "log",
        "log10",
        "log2",
        "lrint",
        "lround",
        "maximum",
        "maxnum",
        "minimum",
        "minnum",
        "nearbyint",
        "pow",
        "powi",
        "rint",
        "round",
        "roundeven",
        "sin",
        "sinh",
        "smax",
        "smin",
        "sqrt",
        "tan",
        "tanh",
        "trunc",
        "umax",
        "umin",
    ];
    name.strip_prefix("llvm.").and_then(|rest| rest.split('.').next()).is_some_and(|name| NAMES.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_one_name_on_both_sides() {
        let names = ["llvm.sqrt.f32", "sqrtf", "__nv_sqrtf", "llvm.sqrt.f64", "sqrt"].map(plain_name);
        assert_eq!(names, ["sqrt"; 5]);
        assert_eq!(["llvm.maxnum.f64", "fmaxf", "__nv_fmax"].map(plain_name), ["fmax"; 3]);
        assert_eq!(["labs", "llvm.abs.i64", "__nv_llabs"].map(plain_name), ["abs"; 3]);
        assert_eq!(["sincosf", "__nv_sincosf", "sincos"].map(plain_name), ["sincos"; 3]);
        assert_eq!(["erf", "erff", "f", "_Z4leafi"].map(plain_name), ["erf", "erf", "f", "_Z4leafi"]);
    }
}
