//! Descriptions of arguments: their text form, what they put into memory, their defaults, and the types of the source.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;
use ipda_executor::arguments::*;
use ipda_executor::interpreter::Extent;
use ipda_executor::memory::{BUFFER_ALIGNMENT, Memory};
use ipda_executor::source_types::{self, Member, Origin, Parameter, Role, SourceType};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;

const INT: SourceType = SourceType::Integer { bits: 32, signed: true };
const FLOAT: SourceType = SourceType::Float { bits: 32 };
const DOUBLE: SourceType = SourceType::Float { bits: 64 };
const EXTENT: SourceType = SourceType::Integer { bits: 64, signed: false };

fn pointer(target: SourceType) -> SourceType {
    SourceType::Pointer(Box::new(target))
}

fn reference(target: SourceType) -> SourceType {
    SourceType::Reference(Box::new(target))
}

fn array(element: SourceType, count: u64) -> SourceType {
    SourceType::Array { element: Box::new(element), count: Some(count) }
}

fn member(name: &str, offset: u64, ty: SourceType) -> Member {
    Member { name: name.to_owned(), offset, ty }
}

fn parameter(name: &str, ty: SourceType) -> Parameter {
    Parameter { name: Some(name.to_owned()), ty: Some(ty), role: Role::Named }
}

/// A body in a list of bodies.
fn body() -> SourceType {
    let next = pointer(SourceType::Enclosing { name: "body".to_owned(), levels: 0 });
    let members = vec![member("mass", 0, FLOAT), member("next", 8, next), member("at", 16, array(FLOAT, 3))];
    SourceType::Struct { name: "body".to_owned(), members, size: 32 }
}

fn parse(text: &str) -> Description {
    Description::parse(text, Path::new("args.yaml")).unwrap_or_else(|error| panic!("{error}"))
}

/// The description `text` in memory.
#[track_caller]
fn prepare(text: &str, parameters: &[Parameter]) -> (Prepared, Memory) {
    let mut memory = Memory::default();
    let prepared = parse(text).prepare(parameters, &mut memory).unwrap_or_else(|error| panic!("{error}"));
    (prepared, memory)
}

fn bytes<'a>(name: &str, (prepared, memory): &'a (Prepared, Memory)) -> &'a [u8] {
    let array = prepared.arrays.iter().find(|array| array.name == name);
    memory.contents(array.unwrap_or_else(|| panic!("no array '{name}' in {:?}", prepared.arrays)).buffer)
}

fn address(name: &str, (prepared, memory): &(Prepared, Memory)) -> u64 {
    memory.address(prepared.arrays.iter().find(|array| array.name == name).expect("an array").buffer)
}

fn i32s(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|bytes| i32::from_le_bytes(bytes.try_into().expect("4 bytes"))).collect()
}

fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("4 bytes"))).collect()
}

fn u64s(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes"))).collect()
}

// The text form.

#[test]
fn every_form_reads_and_prints_back() {
    let description = parse(
        "launch: { teams: 3, threads: 128 }
n: 1000
alpha: 1.5
flag: true
A: { type: f32, count: 1000000, fill: index }
idx: { type: i32, count: 1000, fill: { random: { seed: 1, below: 1000 } }, offset: 4 }
table: { type: i32, values: [3, 1, 2] }
rows: { pointers: [{ type: f32, count: 10 }, null] }
more: { pointers: { type: f64, count: 10, fill: { constant: 0.5 } }, count: 4 }
bodies: { struct: { mass: { type: f32, fill: { modulo: 7 } }, next: chain, 16: 1.5 }, count: 3, bytes: 32 }
B: { same-as: A, at: 40 }
raw: { bytes: 64 }
arg12: { type: f32, value: 1.5 }
out: null
globals: { limit: 5 }
",
    );
    let launch = description.launch.expect("given");
    assert_eq!((launch.teams.map(Extent::count), launch.threads.map(Extent::count)), (Some(3), Some(128)));
    let argument = |name: &str| &description.arguments.iter().find(|(key, _)| key == name).expect("given").1;
    assert_eq!(argument("n"), &Argument::Integer(1000));
    assert_eq!(argument("flag"), &Argument::Integer(1));
    assert_eq!(argument("out"), &Argument::Null);
    assert_eq!(argument("B"), &Argument::SameAs { name: "A".to_owned(), at: 40 });
    let random = Fill::Random { seed: 1, below: 1000 };
    let idx = ArrayDescription { element: Element::I32, count: 1000, fill: random, offset: 4 };
    assert_eq!(argument("idx"), &Argument::Array(idx));
    let Argument::Structures(bodies) = argument("bodies") else { panic!("structures are expected") };
    assert_eq!(bodies.fields[1], (FieldKey::Path("next".to_owned()), Field::Chain));
    assert_eq!(bodies.fields[2], (FieldKey::Offset(16), Field::Same(Argument::Float(1.5))));
    assert_eq!(description.globals, [("limit".to_owned(), Argument::Integer(5))]);
    assert_eq!(parse(&description.to_yaml()), description);
}

#[test]
fn an_empty_file_is_an_empty_description() {
    assert_eq!(parse(""), Description::default());
    assert_eq!(parse("# nothing\n"), Description::default());
}

fn elements() -> impl Strategy<Value = Element> {
    use Element::*;
    prop::sample::select(vec![I8, I16, I32, I64, F32, F64])
}

fn fills() -> impl Strategy<Value = Fill> {
    prop_oneof![
        Just(Fill::Zero),
        Just(Fill::Index),
        any::<u64>().prop_map(Fill::Modulo),
        (-1e9..1e9).prop_map(Fill::Constant),
        any::<(u64, u64)>().prop_map(|(seed, below)| Fill::Random { seed, below }),
    ]
}

fn written_numbers() -> impl Strategy<Value = Number> {
    prop_oneof![any::<i64>().prop_map(Number::Integer), (-1e300..1e300).prop_map(Number::Float)]
}

fn written_arguments() -> impl Strategy<Value = Argument> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Argument::Integer),
        (-1e300..1e300).prop_map(Argument::Float),
        Just(Argument::Null),
        (elements(), written_numbers()).prop_map(|(element, value)| Argument::Scalar { element, value }),
        (elements(), any::<u64>(), fills(), 0..512u64).prop_map(|(element, count, fill, offset)| {
            Argument::Array(ArrayDescription { element, count, fill, offset })
        }),
        (elements(), prop::collection::vec(written_numbers(), 0..3), 0..512u64)
            .prop_map(|(element, values, offset)| Argument::Values { element, values, offset }),
        (any::<u64>(), fills(), 0..512u64).prop_map(|(bytes, fill, offset)| Argument::Bytes { bytes, fill, offset }),
        ("[a-zA-Z_][a-z0-9>.-]{0,5}", any::<u64>()).prop_map(|(name, at)| Argument::SameAs { name, at }),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let field = prop_oneof![
            inner.clone().prop_filter_map("an array", |argument| match argument {
                // What has a type and a fill but no count would be another form.
                Argument::Array(_) | Argument::Integer(_) | Argument::Pointers(_) => Some(Field::Same(argument)),
                _ => None,
            }),
            (elements(), fills(), any::<Option<u64>>()).prop_map(|(element, fill, length)| Field::Column {
                element,
                fill,
                length
            }),
            Just(Field::Chain),
        ];
        let fields = prop::collection::btree_map("[a-z]{1,4}|no|null|[0-9]{2}", field, 0..4).prop_map(|fields| {
            fields.into_iter().map(|(name, field)| (FieldKey::Path(name), field)).collect::<Vec<_>>()
        });
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Argument::Pointers),
            (inner.prop_filter("a map", |row| matches!(row, Argument::Array(_) | Argument::Rows { .. })), any::<u64>())
                .prop_map(|(row, count)| Argument::Rows { row: Box::new(row), count }),
            (fields, any::<u64>(), any::<Option<u64>>(), 0..512u64).prop_map(|(fields, count, bytes, offset)| {
                Argument::Structures(StructureDescription { fields, count, bytes, offset })
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_description_reads_back(arguments in prop::collection::vec(written_arguments(), 0..4)) {
        let mut description = Description::default();
        description.arguments = arguments.iter().enumerate().map(|(i, a)| (format!("p{i}"), a.clone())).collect();
        description.globals = arguments.into_iter().enumerate().map(|(i, a)| (format!("g{i}"), a)).collect();
        prop_assert_eq!(parse(&description.to_yaml()), description);
    }

    #[test]
    fn random_integers_stay_below_their_bound(seed: u64, below in 1..100_000u32) {
        let text = format!("A: {{ type: i32, count: 200, fill: {{ random: {{ seed: {seed}, below: {below} }} }} }}");
        let run = prepare(&text, &[parameter("A", pointer(INT))]);
        let values = i32s(bytes("A", &run));
        prop_assert!(values.iter().all(|&value| (0..i64::from(below)).contains(&i64::from(value))));
        prop_assert!(below < 100 || values.iter().any(|value| *value != values[0]));
        let again = prepare(&text, &[parameter("A", pointer(INT))]);
        prop_assert_eq!(bytes("A", &run), bytes("A", &again));
    }
}

// Messages.

/// What is said to `text`, for a kernel with parameters of many kinds.
fn message(text: &str) -> String {
    let parameters = [
        parameter("n", INT),
        parameter("A", pointer(FLOAT)),
        parameter("B", pointer(FLOAT)),
        parameter("rows", pointer(pointer(FLOAT))),
        parameter("bodies", pointer(body())),
        Parameter { name: None, ty: None, role: Role::Named },
    ];
    let read = Description::parse(text, Path::new("args.yaml")).and_then(|mut description| {
        if !text.contains("arg6") {
            description.arguments.push(("arg6".to_owned(), Argument::Integer(1)));
        }
        description.prepare(&parameters, &mut Memory::default())
    });
    match read {
        Ok(prepared) => format!("{:?}", prepared.values),
        Err(error) => error.to_string(),
    }
}

fn check_messages(cases: &[(&str, &str)]) {
    for &(text, expected) in cases {
        assert_eq!(message(text), expected, "{text}");
    }
}

#[test]
fn messages_name_the_place_and_what_was_expected() {
    check_messages(&[
        (
            "n: hello",
            "args.yaml:1:4: n: found string \"hello\", expected a number, null, or a map such as \
             { type: f32, count: 1000, fill: index }",
        ),
        (
            "n: [1]\nA: null",
            "args.yaml:1:4: n: found a list, expected a number, null, or a map such as \
             { type: f32, count: 1000, fill: index }",
        ),
        ("n: 5\nn: 6", "args.yaml:1:1: 'n' is described twice"),
        (
            "A:\n  type: f32\n  count: 10\n  fill: sideways",
            "args.yaml:4:9: A.fill: unknown word `sideways`, expected one of `zero`, `index`, `modulo`, `constant`, \
             `random`",
        ),
        (
            "A: { type: f32, size: 1 }",
            "args.yaml:1:17: A: unknown key `size`, expected one of `type`, `value`, \
             `values`, `same-as`, `at`, `pointers`, `struct`, `bytes`, `count`, `length`, `fill`, `offset`",
        ),
        ("A: { type: f32 }", "args.yaml:1:4: A: expected one of `count`, `values` and `value` beside `type`"),
        ("A: { count: 5 }", "args.yaml:1:4: A: expected one of `type`, `bytes`, `struct`, `pointers` and `same-as`"),
        ("A: { same-as: B, count: 5 }", "args.yaml:1:4: A: `count` has no meaning beside `same-as`"),
        (
            "A: { type: f32, count: -1 }",
            "args.yaml:1:24: A.count: found integer `-1`, expected an integer that is not negative",
        ),
        (
            "launch: { teams: 0 }",
            "args.yaml:1:18: launch.teams: invalid value: integer `0`, expected an integer above 0",
        ),
    ]);
}

#[test]
fn messages_about_numbers_and_arrays_name_the_parameter() {
    check_messages(&[
        ("n: 1.5", "args.yaml:1:1: 'n' is a 32-bit integer and takes an integer, not 1.5"),
        (
            "A: null\nn: 3000000000",
            "args.yaml:2:1: 'n' is a 32-bit integer and takes an integer from -2147483648 to 2147483647, \
             not 3000000000",
        ),
        ("n: null", "args.yaml:1:1: 'n' is a 32-bit integer: a number is expected"),
        ("A: 5", "args.yaml:1:1: 'A' is a pointer: an array, such as { type: f32, count: 1000 }, or null is expected"),
        (
            "A: { type: f64, count: 1 }",
            "args.yaml:1:1: 'A' holds a 32-bit floating-point number in the source, not a 64-bit floating-point number",
        ),
        ("A: { type: f32, count: 8, offset: 2 }", "args.yaml:1:1: 'A' begins at offset 2: a multiple of 4 is expected"),
        (
            "A: { type: f32, count: 1000000000000 }",
            "args.yaml:1:1: 'A' is too large: all arrays together may have 4294967296 bytes",
        ),
        (
            "A: { type: f32, count: 8, fill: { modulo: 0 } }",
            "args.yaml:1:1: 'A' is filled with remainders by 0: at least 1 is expected",
        ),
        ("A: { bytes: 8, fill: { constant: 300 } }", "args.yaml:1:1: 'A' takes an integer from -128 to 255, not 300"),
        (
            "A: { bytes: 8, fill: { random: { seed: 1, below: 300 } } }",
            "args.yaml:1:1: 'A' is filled with values below 300, but its elements end at 255",
        ),
    ]);
}

#[test]
fn messages_about_other_parameters_name_both() {
    check_messages(&[
        ("n: 1\nm: 2", "args.yaml:2:1: there is no 'm' here: there are n, A, B, rows, bodies, arg6"),
        ("arg1: 5\nn: 6", "args.yaml:2:1: 'n' is the parameter that 'arg1' already describes"),
        ("arg6: 1\nB: { same-as: C }", "args.yaml:2:1: 'B' is the same as 'C', which is no array here"),
        (
            "arg6: 1\nA: { same-as: B }\nB: { same-as: A }",
            "args.yaml:2:1: 'A' is the same as 'B', which is no array here",
        ),
        (
            "arg6: 1\nA: { type: f32, count: 10 }\nB: { same-as: A, at: 44 }",
            "args.yaml:3:1: 'B' begins 44 bytes into 'A', which has 40",
        ),
        ("arg6: 1\nB: { same-as: A, at: 3 }", "args.yaml:2:1: 'B' begins 3 bytes into 'A', but needs a multiple of 4"),
    ]);
}

#[test]
fn messages_about_pointers_and_structures_name_the_member() {
    check_messages(&[
        ("rows: { type: f32, count: 3 }", "args.yaml:1:1: 'rows' holds pointers in the source: `pointers` is expected"),
        (
            "rows: { pointers: [{ type: i32, count: 3 }] }",
            "args.yaml:1:1: 'rows[0]' holds a 32-bit floating-point number in the source, not a 32-bit integer",
        ),
        (
            "rows: { pointers: { type: f32, count: 3 } }",
            "args.yaml:1:7: rows: `count` says how many `pointers` there are",
        ),
        ("bodies: { struct: { weight: 1 } }", "args.yaml:1:1: 'bodies->weight' is no member of the structure 'body'"),
        (
            "bodies: { struct: { mass: chain } }",
            "args.yaml:1:1: 'bodies->mass' is a 32-bit floating-point number, no pointer",
        ),
        (
            "bodies: { struct: { at: 1 } }",
            "args.yaml:1:1: 'bodies->at' holds more than a number: its parts are given one by one, as in `part.name` \
             or `part[0]`",
        ),
        (
            "bodies: { struct: { 28: { type: f64, fill: index } } }",
            "args.yaml:1:1: 'bodies->28' ends behind the structure's 32 bytes",
        ),
        (
            "bodies: { struct: { mass: 1 }, bytes: 16 }",
            "args.yaml:1:1: 'bodies' holds structures of 32 bytes in the source, not of 16",
        ),
        (
            "arg6: 1.5",
            "args.yaml:1:1: 'arg6' is of an unknown type: a type is expected, as in { type: f32, value: 1.5 }",
        ),
    ]);
}

#[test]
fn a_parameter_of_unknown_type_needs_a_value() {
    let unknown = [Parameter { name: None, ty: None, role: Role::Named }];
    let error = parse("").prepare(&unknown, &mut Memory::default()).expect_err("a value is needed");
    assert_eq!(
        error.to_string(),
        "'arg1' needs a value in the description of the arguments: its type is not known (a module compiled with \
         `-g -Xclang -debug-info-kind=constructor` tells the types of numbers and arrays)"
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = Description::read(Path::new("no-such-folder/args.yaml")).expect_err("there is no such file");
    assert!(error.to_string().starts_with("cannot read the description of the arguments no-such-folder/args.yaml"));
}

/// Nothing is read of a file without an end, and the parser does not meet brackets that take it minutes.
#[test]
fn endless_files_are_refused_at_once() {
    let error = Description::read(Path::new("/dev/zero")).expect_err("it has no end");
    assert!(error.to_string().starts_with("cannot read the description of the arguments /dev/zero"), "{error}");
    let error = Description::parse(&"[".repeat(1 << 20), Path::new("args.yaml")).expect_err("it is too deep");
    assert_eq!(error.to_string(), "args.yaml:1:1: nested deeper than 64");
}

// What lands in memory.

#[test]
fn scalars_have_their_bits_in_the_low_bytes() {
    let unsigned = |bits| SourceType::Integer { bits, signed: false };
    let signed = |bits| SourceType::Integer { bits, signed: true };
    let cases = [
        ("-1", signed(8), 0xff),
        ("-2", signed(16), 0xfffe),
        ("-3", signed(32), 0xffff_fffd),
        ("-4", signed(64), u64::MAX - 3),
        ("255", unsigned(8), 255),
        ("4294967295", unsigned(32), 0xffff_ffff),
        ("-1", unsigned(64), u64::MAX),
        ("true", unsigned(1), 1),
        ("1e3", signed(32), 1000),
        ("1.5", FLOAT, 0x3fc0_0000),
        ("2", FLOAT, 0x4000_0000),
        ("1.5", DOUBLE, 0x3ff8_0000_0000_0000),
        ("{ type: f64, value: 1.5 }", DOUBLE, 0x3ff8_0000_0000_0000),
    ];
    for (written, ty, expected) in cases {
        let run = prepare(&format!("v: {written}"), &[parameter("v", ty.clone())]);
        assert_eq!(run.0.values, [expected], "{written} as {}", ty.describe());
    }
    let unknown = Parameter { name: None, ty: None, role: Role::Named };
    assert_eq!(prepare("arg1: { type: f32, value: 1.5 }", &[unknown]).0.values, [0x3fc0_0000]);
}

#[test]
fn every_fill() {
    let ints = |fill: &str| {
        let run = prepare(&format!("A: {{ type: i32, count: 5, fill: {fill} }}"), &[parameter("A", pointer(INT))]);
        i32s(bytes("A", &run))
    };
    assert_eq!(ints("zero"), [0; 5]);
    assert_eq!(ints("index"), [0, 1, 2, 3, 4]);
    assert_eq!(ints("{ modulo: 3 }"), [0, 1, 2, 0, 1]);
    assert_eq!(ints("{ constant: -7 }"), [-7; 5]);
    let random = ints("{ random: { seed: 1, below: 1000 } }");
    assert_ne!(random, ints("{ random: { seed: 2, below: 1000 } }"));
    let run = prepare("A: { type: f32, count: 3, fill: index }", &[parameter("A", pointer(FLOAT))]);
    assert_eq!(f32s(bytes("A", &run)), [0.0, 1.0, 2.0]);
    let run = prepare("A: { type: f32, values: [2, 0.5, -1] }", &[parameter("A", pointer(FLOAT))]);
    assert_eq!(f32s(bytes("A", &run)), [2.0, 0.5, -1.0]);
    let run = prepare("A: { bytes: 3, fill: index }", &[parameter("A", pointer(FLOAT))]);
    assert_eq!(bytes("A", &run), [0, 1, 2]);
}

#[test]
fn offsets_and_shared_arrays() {
    let parameters = [parameter("A", pointer(FLOAT)), parameter("B", pointer(FLOAT)), parameter("C", pointer(FLOAT))];
    let text = "C: { same-as: B, at: 4 }\nB: { same-as: A, at: 40 }\nA: { type: f32, count: 100, offset: 4 }";
    let run = prepare(text, &parameters);
    let start = address("A", &run);
    assert_eq!(start % BUFFER_ALIGNMENT, 4);
    assert_eq!(run.0.values, [start, start + 40, start + 44]);
    assert_eq!(run.0.arrays.len(), 1);
}

#[test]
fn pointers_to_pointers() {
    let rows = [parameter("rows", pointer(pointer(INT)))];
    let run = prepare("rows: { pointers: [{ type: i32, values: [7] }, null, { same-as: 'rows[0]' }] }", &rows);
    let first = address("rows[0]", &run);
    assert_eq!(run.0.values, [address("rows", &run)]);
    assert_eq!(u64s(bytes("rows", &run)), [first, 0, first]);

    let run = prepare("rows: { pointers: { type: i32, count: 3, fill: index }, count: 2 }", &rows);
    assert_eq!(u64s(bytes("rows", &run)), [address("rows[0]", &run), address("rows[1]", &run)]);
    assert_eq!(i32s(bytes("rows[1]", &run)), [3, 4, 5], "rows go on where the one before ends");
}

#[test]
fn structures() {
    let bodies = [parameter("bodies", pointer(body()))];
    let text = "bodies:
  struct:
    mass: { type: f32, fill: index }
    next: chain
    at: { type: f32, fill: index }
    at[2]: 9
  count: 3";
    let run = prepare(text, &bodies);
    let (contents, start) = (bytes("bodies", &run), address("bodies", &run));
    let of = |index: usize, bytes: std::ops::Range<usize>| &contents[32 * index..][bytes];
    for (index, next) in [start + 32, start + 64, 0].into_iter().enumerate() {
        assert_eq!(f32s(of(index, 0..4)), [index as f32]);
        assert_eq!(u64s(of(index, 8..16)), [next]);
        assert_eq!(f32s(of(index, 16..28)), [3.0 * index as f32, 3.0 * index as f32 + 1.0, 9.0]);
    }

    // The same without knowing anything of the source.
    let unknown = [Parameter { name: None, ty: None, role: Role::Named }];
    let text = "arg1:
  struct:
    0: { type: f32, fill: index }
    8: chain
    16: { type: f32, fill: index, length: 3 }
    24: { type: f32, value: 9 }
  count: 3
  bytes: 32";
    let again = prepare(text, &unknown);
    assert_eq!(bytes("arg1", &again), contents);
}

#[test]
fn pointers_in_structures_share_one_array() {
    let field = SourceType::Struct {
        name: "field".to_owned(),
        members: vec![member("n", 0, INT), member("data", 8, pointer(DOUBLE))],
        size: 16,
    };
    let parameters = [parameter("p", pointer(field.clone())), parameter("q", reference(field))];
    let text = "p: { struct: { n: 5, data: { type: f64, count: 5, fill: index } }, count: 2 }
q: { struct: { data: { same-as: p->data, at: 8 } } }";
    let run = prepare(text, &parameters);
    let data = address("p->data", &run);
    assert_eq!(u64s(bytes("p", &run)), [5, data, 5, data]);
    assert_eq!(u64s(bytes("q", &run)), [0, data + 8]);
}

#[test]
fn variables_of_the_module() {
    let globals = [parameter("limit", INT), parameter("table", array(FLOAT, 4)), parameter("data", pointer(FLOAT))];
    let text = "globals:
  limit: -2
  table: { type: f32, values: [1, 2] }
  data: { type: f32, count: 3, fill: index }";
    let mut memory = Memory::default();
    let prepared = parse(text).prepare_globals(&globals, &mut memory).expect("all of them fit");
    let of = |name: &str| &prepared.contents.iter().find(|(other, _)| other == name).expect("described").1;
    assert_eq!(of("limit"), &(-2i32).to_le_bytes());
    assert_eq!(f32s(of("table")), [1.0, 2.0]);
    assert_eq!(u64s(of("data")), [memory.address(prepared.arrays[0].buffer)]);
    assert_eq!(f32s(memory.contents(prepared.arrays[0].buffer)), [0.0, 1.0, 2.0]);

    let error = |text: &str| parse(text).prepare_globals(&globals, &mut Memory::default()).expect_err(text).to_string();
    assert_eq!(error("globals: { x: 1 }"), "args.yaml: there is no 'x' here: there are limit, table, data");
    assert_eq!(error("globals:\n  table: { type: f32, count: 5 }"), "args.yaml:2:3: 'table' has 16 bytes, not 20");
}

// Comparison.

#[test]
fn the_first_difference_is_reported() {
    let parameters = [parameter("A", pointer(FLOAT)), parameter("bodies", pointer(body()))];
    let text = "A: { type: f32, count: 10, fill: index }\nbodies: { struct: { mass: 1.5 }, count: 4 }";
    let (prepared, before) = prepare(text, &parameters);
    assert_eq!(difference((&before, &prepared.arrays), (&before.clone(), &prepared.arrays)), None);

    let [a, bodies] = [prepared.arrays[0].buffer, prepared.arrays[1].buffer];
    let mut after = before.clone();
    after.contents_mut(bodies)[32 + 20..32 + 24].copy_from_slice(&2.5f32.to_le_bytes());
    after.contents_mut(bodies)[96] ^= 1;
    let reported =
        difference((&before, &prepared.arrays), (&after, &prepared.arrays)).expect("they differ").to_string();
    assert_eq!(reported, "bodies[1].at[1] is 0.0 in one and 2.5 in the other; 2 elements differ in all");

    after.contents_mut(a)[8..12].copy_from_slice(&(-0.0f32).to_le_bytes());
    let first = difference((&before, &prepared.arrays), (&after, &prepared.arrays)).expect("they differ");
    assert_eq!((first.array.as_str(), first.index, first.elements), ("A", 2, 3));
    assert_eq!((first.left.as_str(), first.right.as_str()), ("2.0", "-0.0"));
}

#[test]
fn numbers_that_look_the_same_are_distinguished() {
    let (prepared, mut left) = prepare("A: { type: f32, count: 2 }", &[parameter("A", pointer(FLOAT))]);
    let mut right = left.clone();
    let a = prepared.arrays[0].buffer;
    left.contents_mut(a)[..4].copy_from_slice(&0x7fc0_0000u32.to_le_bytes());
    right.contents_mut(a)[..4].copy_from_slice(&0x7fc0_0001u32.to_le_bytes());
    let first = difference((&left, &prepared.arrays), (&right, &prepared.arrays)).expect("they differ");
    assert_eq!((first.left.as_str(), first.right.as_str()), ("NaN (0x7fc00000)", "NaN (0x7fc00001)"));

    right.contents_mut(a)[..4].copy_from_slice(&0x8000_0000u32.to_le_bytes());
    left.contents_mut(a)[..4].fill(0);
    let first = difference((&left, &prepared.arrays), (&right, &prepared.arrays)).expect("zero has two forms");
    assert_eq!((first.left.as_str(), first.right.as_str()), ("0.0", "-0.0"));
}

// Types of the source, from modules that clang makes.

const TYPES: &[&str] = &["-g", "-Xclang", "-debug-info-kind=constructor"];

fn llvm_tool(name: &str) -> PathBuf {
    let llvm = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-19".to_owned());
    Path::new(&llvm).join("bin").join(name)
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What `read` says of the device module and the kernel of a source text; `file` has the ending of its language.
fn with_kernel<R>(
    file: &str,
    source: &str,
    flags: &[&str],
    passes: Option<&str>,
    read: impl for<'a> FnOnce(&Module<'a>, FunctionValue<'a>) -> R,
) -> R {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [input, output] = [folder.path().join(file), folder.path().join("module.bc")];
    std::fs::write(&input, source).expect("the folder can be written to");
    let device = "-O2 -fopenmp -fopenmp-targets=nvptx64 --offload-arch=sm_90 -nogpulib --offload-device-only \
                  -emit-llvm -Xclang -disable-llvm-passes -c";
    let mut clang = Command::new(llvm_tool("clang"));
    succeed(clang.args(device.split_whitespace()).args(flags).arg(&input).arg("-o").arg(&output));
    if let Some(passes) = passes {
        let mut opt = Command::new(llvm_tool("opt"));
        succeed(opt.arg(passes).arg(&output).arg("-o").arg(&output));
    }
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_file(&output).expect("a module");
    let module = context.create_module_from_ir(buffer).expect("a module");
    let is_kernel = |name: &str| name.starts_with("__omp_offloading_");
    let kernel = module
        .get_functions()
        .find(|f| f.get_linkage() != Linkage::Internal && is_kernel(&f.get_name().to_string_lossy()))
        .filter(|f| f.count_basic_blocks() > 0)
        .expect("a kernel");
    read(&module, kernel)
}

fn parameters_of(file: &str, source: &str, flags: &[&str]) -> Vec<Parameter> {
    with_kernel(file, source, flags, None, |module, kernel| source_types::parameters(module, kernel, Origin::Region))
}

#[test]
fn scalars_of_the_source() {
    let source = "
typedef const unsigned short word;
enum colour { red, green };
void f(int n, char c, signed char s, unsigned char u, _Bool b, word w, long l, unsigned long ul, float x, double d,
       enum colour e, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    y[i] = c + s + u + b + w + l + ul + x + d + e;
}";
    let mut found = parameters_of("scalars.c", source, TYPES);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    let integer = |bits, signed| SourceType::Integer { bits, signed };
    let expected = [
        parameter("b", integer(1, false)),
        parameter("c", integer(8, true)),
        parameter("d", DOUBLE),
        parameter("e", integer(32, false)),
        parameter("l", integer(64, true)),
        parameter("n", INT),
        parameter("s", integer(8, true)),
        parameter("u", integer(8, false)),
        parameter("ul", integer(64, false)),
        parameter("w", integer(16, false)),
        parameter("x", FLOAT),
        parameter("y", pointer(DOUBLE)),
    ];
    assert_eq!(found, expected);
}

const POINTERS: &str = "
float f(int n, const float *restrict x, float **rows, double (*A)[16], void *raw) {
  float total = 0, table[10];
#pragma omp target teams distribute parallel for reduction(+ : total) map(tofrom : total)
  for (int i = 0; i < n; ++i)
    total += x[i] + rows[i][0] + A[i][1] + *(float *)raw + table[i];
  return total;
}";

fn pointers_expected() -> Vec<Parameter> {
    vec![
        parameter("n", INT),
        parameter("total", reference(FLOAT)),
        parameter("x", pointer(FLOAT)),
        parameter("rows", pointer(pointer(FLOAT))),
        parameter("A", pointer(array(DOUBLE, 16))),
        parameter("raw", pointer(SourceType::Opaque)),
        parameter("table", reference(array(FLOAT, 10))),
    ]
}

#[test]
fn pointers_and_what_is_shared_with_the_surroundings() {
    assert_eq!(parameters_of("pointers.c", POINTERS, TYPES), pointers_expected());
}

#[test]
fn types_survive_optimisation() {
    let gone =
        |module: &Module<'_>| module.get_functions().all(|f| !f.get_name().to_string_lossy().ends_with("_debug__"));
    with_kernel("pointers.c", POINTERS, TYPES, Some("-O2"), |module, kernel| {
        assert!(gone(module), "the function that knows the types is expected to be inlined");
        assert_eq!(source_types::parameters(module, kernel, Origin::Region), pointers_expected());
    });
}

#[test]
fn extents_of_variable_length_arrays_go_by_position() {
    let source = "
void f(int n, int m, float A[n][m], float y[n]) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      y[i] += A[i][j];
}";
    let found = parameters_of("extents.c", source, TYPES);
    let extent = Parameter { name: None, ty: Some(EXTENT), role: Role::Extent };
    let y = parameter("y", pointer(FLOAT));
    let a = parameter("A", pointer(FLOAT));
    let expected = [parameter("n", INT), parameter("m", INT), extent.clone(), y, extent.clone(), extent, a];
    assert_eq!(found, expected);

    let filled = parse("arg6: 7").fill_defaults(&found, &Defaults::default()).expect("all types are known");
    let keys: Vec<&str> = filled.arguments.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["n", "m", "arg3", "y", "arg5", "arg6", "A"]);
    assert_eq!(filled.arguments[4].1, Argument::Integer(400));
    assert_eq!(filled.arguments[5].1, Argument::Integer(7));
}

#[test]
fn structures_of_the_source() {
    let source = "
struct node { float value; unsigned flag : 1; union { int a; float b; }; struct node *next; struct node *pair[2]; };
void f(int n, struct node *list, float *y) {
  struct node first = list[0];
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    y[i] = list[i].next->value + first.a;
}";
    let found = parameters_of("structures.c", source, TYPES);
    let this = |levels| pointer(SourceType::Enclosing { name: "node".to_owned(), levels });
    let union =
        SourceType::Struct { name: String::new(), members: vec![member("a", 0, INT), member("b", 0, FLOAT)], size: 4 };
    let node = SourceType::Struct {
        name: "node".to_owned(),
        members: vec![
            member("value", 0, FLOAT),
            member("", 8, union),
            member("next", 16, this(0)),
            member("pair", 24, array(this(0), 2)),
        ],
        size: 40,
    };
    assert!(found.contains(&parameter("list", pointer(node.clone()))), "{found:?}");
    assert!(found.contains(&parameter("first", reference(node))), "{found:?}");

    let filled = parse("").fill_defaults(&found, &Defaults::default()).expect("all types are known");
    let Some((_, Argument::Structures(list))) = filled.arguments.iter().find(|(key, _)| key == "list") else {
        panic!("structures are expected: {filled:?}");
    };
    let keys: Vec<FieldKey> = list.fields.iter().map(|(key, _)| key.clone()).collect();
    assert_eq!(keys, ["value", "a", "next", "pair[0]", "pair[1]"].map(|name| FieldKey::Path(name.to_owned())));
    assert_eq!(list.count, 1024);
    assert!(list.fields[2..].iter().all(|(_, field)| *field == Field::Chain));
    let run = prepare("", &found);
    let (contents, start) = (u64s(bytes("list", &run)), address("list", &run));
    assert_eq!(contents[2], start + 40);
    assert_eq!(contents[1023 * 5 + 2..][..3], [0, 0, 0]);
}

#[test]
fn classes_and_references() {
    let source = "
struct base { int n; };
struct derived : base { double *data; derived *const &self; static int shared; };
template <typename T> void f(int n, T &d, const float &scale) {
#pragma omp target teams distribute parallel for map(tofrom : d)
  for (int i = 0; i < n; ++i)
    d.data[i] *= scale;
}
template void f<derived>(int, derived &, const float &);";
    let found = parameters_of("classes.cpp", source, TYPES);
    let base = SourceType::Struct { name: "base".to_owned(), members: vec![member("n", 0, INT)], size: 4 };
    let this = pointer(SourceType::Enclosing { name: "derived".to_owned(), levels: 0 });
    let derived = SourceType::Struct {
        name: "derived".to_owned(),
        members: vec![member("", 0, base), member("data", 8, pointer(DOUBLE)), member("self", 16, reference(this))],
        size: 24,
    };
    assert!(found.contains(&parameter("d", reference(derived))), "{found:?}");
    let run = prepare("d: { struct: { n: 3, data: { type: f64, count: 4 } } }", &found);
    let contents = bytes("d", &run);
    assert_eq!(i32s(&contents[..4]), [3]);
    assert_eq!(u64s(&contents[8..16]), [address("d.data", &run)]);
}

#[test]
fn without_types_in_the_module_nothing_is_guessed() {
    for flags in [&[][..], &["-gline-tables-only"]] {
        let found = parameters_of("pointers.c", POINTERS, flags);
        assert_eq!(found.len(), 7);
        assert!(found.iter().all(|parameter| parameter.ty.is_none()), "{found:?}");
        let error = parse("arg1: 5").prepare(&found, &mut Memory::default()).expect_err("a value is needed");
        assert!(error.to_string().contains("-debug-info-kind=constructor"), "{error}");
    }
}

#[test]
fn functions_are_not_data() {
    let source = "
void f(int n, int (*g)(int), int *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    y[i] = g(i);
}";
    let found = parameters_of("functions.c", source, TYPES);
    let g = found.iter().find(|parameter| parameter.name.as_deref() == Some("g")).expect("a parameter");
    assert_eq!(g.ty, None);
}

#[test]
fn variables_of_a_module_and_their_types() {
    let source = "
#pragma omp declare target
int limit = 5;
float table[2][8];
double *data;
#pragma omp end declare target
void f(int n, float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    y[i] = table[1][i] + limit + data[i];
}";
    for flags in [TYPES, &[]] {
        let globals = with_kernel("globals.c", source, flags, None, |module, _| source_types::globals(module));
        let of =
            |name: &str| globals.iter().find(|global| global.name.as_deref() == Some(name)).expect(name).ty.clone();
        assert_eq!(of("limit"), Some(INT));
        assert_eq!(of("table"), Some(array(array(FLOAT, 8), 2)));
        assert!(matches!(of("data"), Some(SourceType::Pointer(_))));
    }
}

// Defaults.

#[test]
fn defaults_follow_from_types_alone() {
    let parameters = [
        parameter("n", INT),
        parameter("c", SourceType::Integer { bits: 1, signed: false }),
        parameter("alpha", FLOAT),
        parameter("x", pointer(FLOAT)),
        parameter("index", pointer(INT)),
        parameter("rows", pointer(pointer(FLOAT))),
        parameter("cube", pointer(pointer(pointer(FLOAT)))),
        parameter("A", pointer(array(DOUBLE, 1000))),
        parameter("table", reference(array(FLOAT, 10))),
        parameter("total", reference(FLOAT)),
        parameter("half", pointer(SourceType::Float { bits: 16 })),
        parameter("raw", pointer(SourceType::Opaque)),
    ];
    let run = prepare("", &parameters);
    assert_eq!(run.0.values[..3], [100, 1, u64::from(1.5f32.to_bits())]);
    let floats = f32s(bytes("x", &run));
    assert_eq!((floats.len(), floats[232], floats[233]), (1 << 16, 232.0, 0.0));
    let integers = i32s(bytes("index", &run));
    assert_eq!((integers.len(), integers.iter().max()), (1 << 16, Some(&42)));
    assert_eq!(u64s(bytes("rows", &run)).len(), 256);
    assert_eq!(bytes("rows[255]", &run).len(), 4 * 4096);
    assert_ne!(bytes("rows[1]", &run), bytes("rows[2]", &run), "rows can be distinguished");
    assert_eq!(bytes("cube[127][127]", &run).len(), 4 * 128);
    assert_eq!(bytes("A", &run).len(), 8 * 1000 * 200, "twice as many rows as the default integer counts");
    assert_eq!(bytes("table", &run).len(), 40);
    assert_eq!(f32s(bytes("total", &run)), [1.5]);
    assert_eq!(bytes("half", &run).len(), 2 << 16);
    assert_eq!(bytes("raw", &run).len(), 8 << 16);
}

#[test]
fn defaults_can_be_printed_and_read_back() {
    let levels = |levels| pointer(SourceType::Enclosing { name: "owner".to_owned(), levels });
    let item = SourceType::Struct { name: "item".to_owned(), members: vec![member("owner", 0, levels(1))], size: 8 };
    let owner = SourceType::Struct {
        name: "owner".to_owned(),
        members: vec![
            member("items", 0, pointer(item)),
            member("first", 8, body()),
            member("weights", 40, pointer(FLOAT)),
        ],
        size: 48,
    };
    let parameters = [parameter("owners", pointer(owner.clone())), parameter("one", reference(owner))];
    let filled = parse("").fill_defaults(&parameters, &Defaults::default()).expect("all types are known");
    let again = parse(&filled.to_yaml());
    assert_eq!(again, filled);

    let run = prepare(&filled.to_yaml(), &parameters);
    assert_eq!(u64s(bytes("owners->items", &run)), [address("owners", &run); 1024], "items know their owner");
    assert_eq!(u64s(bytes("one.items", &run)), [address("one", &run); 1024]);
    assert_eq!(u64s(bytes("one", &run))[2], 0, "what lies inside of another structure has no next one");
    assert_eq!(u64s(bytes("one", &run))[5], address("one.weights", &run));
    let (prepared, memory) = prepare("", &parameters);
    assert_eq!(prepared.values, run.0.values);
    assert_eq!(difference((&memory, &prepared.arrays), (&run.1, &prepared.arrays)), None);
}

#[test]
fn defaults_can_be_chosen() {
    let parameters = [
        parameter("n", INT),
        parameter("c", SourceType::Integer { bits: 8, signed: true }),
        parameter("x", pointer(FLOAT)),
    ];
    let defaults = Defaults { integer: 1000, count: 10, ..Defaults::default() };
    let filled = parse("launch: { teams: 2 }").fill_defaults(&parameters, &defaults).expect("all types are known");
    assert_eq!(filled.launch.and_then(|launch| launch.teams).map(Extent::count), Some(2));
    let run = prepare(&filled.to_yaml(), &parameters);
    assert_eq!(run.0.values[..2], [1000, 127], "no more than the type can hold");
    assert_eq!(bytes("x", &run).len(), 40);
}

#[test]
fn parameters_with_reserved_and_repeated_names_go_by_position() {
    let parameters = [parameter("launch", INT), parameter("n", INT), parameter("n", INT)];
    let filled = parse("").fill_defaults(&parameters, &Defaults::default()).expect("all types are known");
    let keys: Vec<&str> = filled.arguments.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["arg1", "n", "arg3"]);
    assert_eq!(prepare("arg1: 1\nn: 2\narg3: 3", &parameters).0.values, [1, 2, 3]);
}
