//! Tables there and back, whole and damaged.

use ipda_models::form::{Leaf, Num, record};
use ipda_models::table::{
    Allowed, Carried, Forbidden, MachineNames, Prediction, Reading, Seconds, Table, TableError, UNREAD, Version,
};
use ipda_models::versions::VersionId;
use ipda_symbolic::Signedness;
use proptest::prelude::*;

fn table() -> Table {
    let (form, ()) = record(|| {
        let n = Num::leaf(Leaf::Captured("n".into()));
        // One that tables spell out.
        let rate = Num::leaf(Leaf::Machine("gpu.rate".into()));
        let transfers = n * 1e-10;
        let host = n * 1e-9 / Num::leaf(Leaf::HostThreads);
        let devices = [n / rate + 1e-5 + transfers, n / rate + transfers];
        Ok::<_, ()>(([vec![host, transfers, host * 2.0, Num::ONE, Num::ZERO], devices.into()].concat(), ()))
    })
    .expect("nothing fails");
    Table {
        function: "f".into(),
        file: "f.c".into(),
        line: 3,
        kernel: "__omp_offloading_1_2_f_l3".into(),
        on_host: Ok(Allowed { entries: vec![1, 2] }),
        versions: vec![
            version(0, "as written", &[]),
            version(1, "loops i and j fused", &["n is positive", "m is positive"]),
            version(4, "in tiles", &[]),
        ],
        machines: MachineNames { gpu: "h200".into(), cpu: "generic".into(), link: "pcie".into() },
        prediction: Ok(Prediction {
            form,
            versions: vec![VersionId::new(0), VersionId::new(2)],
            captured: vec![Carried { name: "n".into(), entry: 0, reading: Reading::Signed(32) }],
            notes: vec!["loops of which nobody knows take 128 turns".into()],
        }),
    }
}

fn version(number: u8, name: &str, guard: &[&str]) -> Version {
    Version { id: VersionId::new(number), name: name.into(), guard: guard.iter().map(|text| (*text).into()).collect() }
}

fn without_prediction() -> Table {
    Table {
        on_host: Err(Forbidden { name: "NoSection".into(), reason: "no map clause says how much".into() }),
        prediction: Err("its loop counts what it finds in memory".into()),
        ..table()
    }
}

#[test]
fn tables_survive_being_written() {
    for table in [table(), without_prediction()] {
        assert_eq!(Table::from_bytes(&table.to_bytes().bytes), Ok(table));
    }
}

fn in_memory(bytes: u8, signedness: Signedness) -> Reading {
    Reading::Memory { offset: -300, bytes, signedness }
}

/// The table, whose variable is read so from an entry.
fn reading_n(entry: u32, reading: Reading) -> Table {
    let mut table = table();
    table.prediction.as_mut().expect("a prediction").captured[0] = Carried { name: "n".into(), entry, reading };
    table
}

#[test]
fn readings_survive_being_written() {
    let of_memory = [in_memory(1, Signedness::Unsigned), in_memory(8, Signedness::Signed)];
    for reading in [Reading::Natural(64), Reading::Size, Reading::Trips, Reading::Double].into_iter().chain(of_memory) {
        let table = reading_n(255, reading);
        assert_eq!(Table::from_bytes(&table.to_bytes().bytes), Ok(table));
    }
    // Memory is found through one of the first entries, and no integer is so wide.
    assert_eq!(reading_n(256, in_memory(4, Signedness::Signed)).to_bytes().program, None);
    assert_eq!(reading_n(1, in_memory(16, Signedness::Signed)).to_bytes().program, None);
}

#[test]
fn a_section_holds_several() {
    let linked =
        [&[0, 0][..], &table().to_bytes().bytes, &[0; 5], &without_prediction().to_bytes().bytes, &[0]].concat();
    assert_eq!(Table::all(&linked), [Ok(table()), Ok(without_prediction())]);
    assert_eq!(Table::all(&[]), []);
}

#[test]
fn keys_of_machines_are_numbers_or_spelled_out_in_any_order() {
    let keys = ["link.latency", "gpu.rate", "cpu.fork", "cpu.a", "zone", "link.allocation"];
    let (form, ()) = record(|| {
        let sum = keys.iter().fold(Num::leaf(Leaf::Captured("n".into())), |sum, key| {
            sum * 2.0 + Num::leaf(Leaf::Machine((*key).into())).min(1.0)
        });
        Ok::<_, ()>((vec![sum, sum, sum * 2.0, Num::ONE, sum, sum + 1.0], ()))
    })
    .expect("nothing fails");
    let mut table = table();
    let prediction = table.prediction.as_mut().expect("a prediction");
    (prediction.form, prediction.versions) = (form, vec![VersionId::AS_WRITTEN]);
    assert_eq!(Table::from_bytes(&table.to_bytes().bytes), Ok(table));
}

#[test]
fn other_bytes_are_distinguished() {
    assert_eq!(Table::from_bytes(b"something else that is longer than a header"), Err(TableError::None));
    let bytes = table().to_bytes().bytes;
    let text = String::from_utf8_lossy(&bytes[..14]).replace("10", "11");
    assert_eq!(Table::from_bytes(&[text.as_bytes(), &bytes[14..]].concat()), Err(TableError::Version));
}

#[test]
fn one_damaged_table_hides_no_other() {
    let mut damaged = table().to_bytes().bytes;
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    let linked = [damaged, without_prediction().to_bytes().bytes].concat();
    assert_eq!(Table::all(&linked), [Err(TableError::Damaged), Ok(without_prediction())]);
}

#[test]
fn a_form_whose_variables_are_not_carried_is_left_out() {
    let mut table = table();
    let Ok(prediction) = &mut table.prediction else { panic!("it has one") };
    prediction.captured.clear();
    let bytes = table.to_bytes();
    assert_eq!(bytes.program, None);
    let read = Table::from_bytes(&bytes.bytes).map(|table| table.prediction);
    assert_eq!(read, Ok(Err("its launch does not carry what its prediction needs".into())));
}

#[test]
fn entries_are_read_as_their_types_say() {
    assert_eq!(Reading::Signed(32).number(0x1_ffff_ffff), -1.0);
    assert_eq!(Reading::Natural(32).number(0x1_ffff_ffff), 4_294_967_295.0);
    assert_eq!(Reading::Signed(64).number(u64::MAX), -1.0);
    assert_eq!(Reading::Natural(64).number(u64::MAX), 18_446_744_073_709_551_616.0);
    assert_eq!(Reading::Natural(1).number(3), 1.0);
    assert_eq!(Reading::Float.number(0xdead_beef_0000_0000 | u64::from(1.5_f32.to_bits())), 1.5);
    assert_eq!(Reading::Double.number(2.5_f64.to_bits()), 2.5);
    assert_eq!(Reading::Size.number(1 << 40), 1_099_511_627_776.0);
    assert_eq!(Reading::Size.number(u64::MAX), -1.0);
    assert_eq!(Reading::Trips.number(u64::MAX), 18_446_744_073_709_551_616.0);
    assert_eq!(in_memory(4, Signedness::Signed).number(u64::MAX), -1.0);
    assert_eq!(in_memory(4, Signedness::Unsigned).number(1 << 31), 2_147_483_648.0);
    assert_eq!(in_memory(8, Signedness::Signed).number(1 << 63), UNREAD);
}

#[test]
fn a_prediction_is_prepared_for_machines_that_are_known() {
    let Ok(prediction) = table().prediction else { panic!("it has one") };
    assert_eq!(prediction.prepared(|_| None), None);
    let rate = |key: &str| (key == "gpu.rate").then_some(4e9);
    assert_eq!(prediction.prepared(rate), Some(vec![2.5e-10]));
    let results = prediction.evaluate(rate, &[4_000_000_000], &[], 0, 2.0);
    let n = -294_967_296.0;
    let [kernel, transfers] = [n * 2.5e-10, n * 1e-10];
    let host = n * 1e-9 / 2.0;
    assert_eq!(results, [host, transfers, host * 2.0, 1.0, 0.0, kernel + 1e-5 + transfers, kernel + transfers]);
    let seconds = prediction.seconds(&results).expect("all are there");
    assert_eq!((seconds.host, seconds.transfers, seconds.weighed), (results[0], results[1], results[2]));
    assert_eq!((seconds.device, seconds.version), (results[6], VersionId::new(2)));
}

#[test]
fn the_version_that_takes_least_is_taken() {
    let taken = |device: &[f64]| {
        let versions = [VersionId::new(0), VersionId::new(3), VersionId::new(5)];
        Seconds::of(&[&[1.0, 0.5, 2.0, 0.0, 0.0], device].concat(), &versions)
            .map(|seconds| (seconds.version.number(), seconds.device))
    };
    assert_eq!(taken(&[3.0, 2.0, 4.0]), Some((3, 2.0)));
    assert_eq!(taken(&[3.0, 2.0, 1.0]), Some((5, 1.0)));
    // The first of those that take the same, and where a time is no number.
    assert_eq!(taken(&[2.0, 2.0, 2.0]), Some((0, 2.0)));
    assert_eq!(taken(&[3.0, f64::NAN, 2.0]), Some((5, 2.0)));
    assert_eq!(taken(&[f64::NAN, 2.0, 1.0]).map(|(version, _)| version), Some(0));
    assert_eq!(taken(&[]), None);
    assert_eq!(Seconds::of(&[1.0], &[VersionId::new(0)]), None);
}

#[test]
fn versions_are_in_order_and_known() {
    for versions in [vec![], vec![0], vec![0, 0], vec![1, 0], vec![0, 1, 2], vec![0, 64]] {
        let mut table = table();
        let Ok(prediction) = &mut table.prediction else { panic!("it has one") };
        prediction.versions = versions.iter().copied().map(VersionId::new).collect();
        assert!(prediction.program().is_err(), "{versions:?}");
    }
    // One that the table does not name.
    let mut table = table();
    table.versions.pop();
    assert_eq!(Table::from_bytes(&table.to_bytes().bytes), Err(TableError::Damaged));
}

#[test]
fn people_read_it() {
    let text = format!("{:#}", table());
    for line in [
        "region f at f.c:3",
        "  may run on the host unless the device holds data of map entry 1, 2",
        "  on the device, version 0: as written",
        "  on the device, version 1: loops i and j fused, where n is positive, and m is positive",
        "  machines: h200, generic, pcie",
        "  needs n (i32, map entry 0)",
        "  prediction: host, version 0, version 4; 1 steps for the machines, 8 at each launch, of which 1 divide",
        "  325 bytes in the object: 221 of names, 36 of constants, 68 of steps",
        "  assumed: loops of which nobody knows take 128 turns",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    let text = without_prediction().to_string();
    assert!(text.contains("  stays on the device: NoSection: no map clause says how much\n"), "{text}");
    assert!(text.contains("  no prediction: its loop counts what it finds in memory\n"), "{text}");
}

proptest! {
    #[test]
    fn damage_is_found(at in any::<prop::sample::Index>(), bit in 0_u32..8, length in any::<prop::sample::Index>()) {
        let whole = table().to_bytes().bytes;
        let mut changed = whole.clone();
        changed[at.index(whole.len())] ^= 1 << bit;
        prop_assert!(Table::from_bytes(&changed).is_err());
        let _ = Table::all(&changed);
        let cut = &whole[..length.index(whole.len())];
        prop_assert!(Table::from_bytes(cut).is_err());
        let _ = Table::all(cut);
    }
}
