//! Reports of older versions, which are read as if they were of this one.

use ipda_models::report::{ConditionRole, Report, SCHEMA_VERSION, Transformation, TransformationState};
use ipda_models::versions::{DeviceVersion, VersionId, VersionState};
use std::path::Path;

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

const OLD: [&str; 9] = [
    "data/swap/before.yaml",
    "data/swap/after.yaml",
    "data/swap/optimised.yaml",
    "data/before/gather.yaml",
    "data/kernel.yaml",
    "data/kinds.yaml",
    "data/folder/collapsed.yaml",
    "predict/gemm.yaml",
    "predict/field.yaml",
];

#[test]
fn old_reports_say_the_same_in_the_new_version() {
    for name in OLD {
        let text = data(name);
        assert!(text.contains("ipda_report: 4") || text.contains("ipda_report: 5"), "{name}");
        let report = Report::from_yaml(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(report.ipda_report, SCHEMA_VERSION);
        let written = report.to_yaml();
        assert!(written.starts_with(&format!("ipda_report: {SCHEMA_VERSION}\n")), "{written}");
        assert_eq!(Report::from_yaml(&written).expect("its own text is read"), report, "{name}");
    }
}

/// What is said of an old report with some of its text changed.
fn refusal(name: &str, from: &str, to: &str) -> String {
    let text = data(name);
    assert!(text.contains(from), "{from}");
    let read = Report::from_yaml(&text.replacen(from, to, 1));
    read.expect_err("a sentence that no plugin wrote").to_string()
}

#[test]
fn sentences_that_no_plugin_wrote_are_reported_with_their_places() {
    let old = "data/swap/before.yaml";
    for (name, from, to, place) in [
        (old, "static, chunk 1: neigh", "static, with chunk 1: neigh", "regions[0].loops[0].schedule: 'static, with"),
        (old, "iteration apart, a warp", "iteration off, a warp", "regions[0].mapping[0]: 'loop "),
        (old, "- signed index arithmetic", "- signed arithmetic", "assumptions[0]: 'signed arithmetic"),
        (old, "- in lane t of a warp,", "- in lane t,", "steps[1]: 'in lane t,"),
        (old, "kind: spmd", "kind: fast", "regions[0].mode: 'fast' is no mode"),
        ("data/kernel.yaml", "text: 0-15", "text: 0..15", "active_lanes: '0..15' is no list of lanes"),
        ("data/kinds.yaml", " and not [[flag]", " && [[flag]", "condition: '[i < [N] - 1] && [[flag] == 0]' is no"),
    ] {
        let refusal = refusal(name, from, to);
        assert!(refusal.contains(place), "{from} -> {to}: {refusal}");
    }
}

#[test]
fn what_became_of_loops_becomes_a_version() {
    let reported = |name: &str| {
        let report = Report::from_yaml(&data(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        report.regions.into_iter().find_map(|region| region.transformation).expect("loops that were changed")
    };
    for name in ["data/swap/optimised.yaml", "predict/gemm.yaml"] {
        let reported = reported(name);
        assert_eq!(
            (reported.state, reported.reasons.len(), reported.versions.len()),
            (TransformationState::Done, 0, 1),
            "{name}"
        );
        assert_eq!(reported.made().next(), reported.versions.first(), "{name}");
    }
    let version = reported("data/swap/optimised.yaml").versions.remove(0);
    assert_eq!((version.id, version.recipe.to_string().as_str()), (VersionId::new(1), "loops j, i fused"));
    assert_eq!(version.guard.first().map(|condition| &condition.text[..]), Some("y and x do not overlap"));
    assert!(version.guard.iter().all(|condition| condition.role.is_none()));
    assert_eq!(version.clause.as_deref(), Some("add collapse(2) to the directive"));
    assert_eq!(version.gain.map(|gain| gain.sectors_after), Some(36.0));
}

/// The old report with loops that were changed, with this instead of its state, and more.
fn with_loops(state: &str) -> Result<Report, String> {
    let text = data("data/swap/optimised.yaml");
    assert!(text.contains("    state: done\n"));
    Report::from_yaml(&text.replacen("    state: done\n", state, 1)).map_err(|error| error.to_string())
}

#[test]
fn reasons_of_old_reports_go_to_the_versions_that_they_are_of() {
    let reported =
        |state: &str| with_loops(state).unwrap_or_else(|error| panic!("{error}")).regions[0].transformation.clone();
    let possible = reported("    state: possible\n    reasons: [{ text: sums come in any order }]\n").expect("loops");
    let version = &possible.versions[0];
    assert_eq!((version.state, version.rests_on.len(), possible.obstacles().count()), (VersionState::Possible, 1, 0));
    let left = reported("    state: left\n    reasons: [{ text: a dependence }]\n").expect("loops");
    let version = &left.versions[0];
    assert_eq!((version.state, version.rests_on.len(), left.obstacles().count()), (VersionState::Left, 0, 1));
    let roles = "[{ for: sizes }, { for: iterations }, { for: own-version }, { for: own-version }]";
    let made = reported(&format!("    state: done\n    roles: {roles}\n")).expect("loops");
    let roles: Vec<_> = made.versions[0].guard.iter().map(|condition| condition.role.clone()).collect();
    assert_eq!(roles[..2], [Some(ConditionRole::Sizes), Some(ConditionRole::Iterations)]);
    let refused = with_loops("    state: done\n    roles: [{ for: sizes }]\n").unwrap_err();
    assert!(refused.contains("regions[0].transformation.roles: 1 for 4 conditions"), "{refused}");
    let refused = with_loops("    state: done\n    roles: none\n").unwrap_err();
    assert!(refused.contains("transformation: 'roles' is no list"), "{refused}");
    let refused = with_loops("    state: done\n    versions: []\n").unwrap_err();
    assert!(refused.contains("transformation.versions: this report is older"), "{refused}");
    let refused = with_loops("    state: done\n    reason: none\n").unwrap_err();
    assert!(refused.contains("reason"), "{refused}");
}

/// A report whose loops were changed, with this of its only version's beside others.
fn with_versions(edit: impl FnOnce(&mut Transformation)) -> Result<Report, String> {
    let mut report = Report::from_yaml(&data("data/swap/optimised.yaml")).expect("a report");
    let reported = report.regions.iter_mut().find_map(|region| region.transformation.as_mut()).expect("loops");
    edit(reported);
    Report::from_yaml(&report.to_yaml()).map_err(|error| error.to_string())
}

#[test]
fn versions_must_fit_together() {
    let other = |reported: &Transformation, state| {
        let id = VersionId::new(2);
        DeviceVersion { id, state, guard: Vec::new(), rests_on: Vec::new(), ..reported.versions[0].clone() }
    };
    let add = |state| with_versions(|reported| reported.versions.push(other(reported, state)));
    assert!(add(VersionState::Made).is_ok() && add(VersionState::Left).is_ok());
    assert!(add(VersionState::Possible).unwrap_err().contains("state: its versions say otherwise"));
    let refused = with_versions(|reported| {
        reported
            .versions
            .push(DeviceVersion { guard: reported.versions[0].guard.clone(), ..other(reported, VersionState::Left) });
    });
    assert!(refused.unwrap_err().contains("versions[1].guard: a version that was left is not tested for"));
    let refused = with_versions(|reported| {
        let steps = reported.versions[0].recipe.steps();
        reported.versions[0].recipe =
            serde_yaml::from_value(serde_yaml::to_value([steps, steps].concat()).unwrap()).unwrap();
    });
    assert!(refused.unwrap_err().contains("versions[0].recipe: loops are fused once"));
    let refused = with_versions(|reported| reported.versions[0].id = VersionId::AS_WRITTEN);
    assert!(refused.unwrap_err().contains("versions[0].id: v0 does not come after v0"));
}

#[test]
fn versions_that_are_not_known_are_reported() {
    let refused = |version: &str| {
        let text = data("data/kernel.yaml").replace("ipda_report: 4", &format!("ipda_report: {version}"));
        Report::from_yaml(&text).expect_err("another version").to_string()
    };
    assert!(refused("3").contains("version 3, this program reads versions 4 to 6"), "{}", refused("3"));
    assert!(refused("7").contains("version 7, this program reads versions 4 to 6"), "{}", refused("7"));
}
