//! The judge must find each way in which a graph can be wrong.

use super::check::Findings;
use super::nests::Nest;
use super::runs::{Judged, Places};
use crate::arguments::{Argument, Description};
use crate::batch::GeneratedNest;
use crate::oracle::{Stage, compile};
use ipda::dependences::{Guard, RegionDependences, Relation, Verdict};

const SOURCE: &str = "extern \"C\" __attribute__((global)) void shifted(int n, int *A, int *B) {
  for (int i = 0; i < n; ++i) {
    A[i + 1] = A[i] + 1;
    B[i] = 1000 + i;
  }
}
";

/// What is found where the graph is changed.
fn found(change: impl FnOnce(&mut RegionDependences)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (source, module) = (folder.path().join("shifted.cu"), folder.path().join("shifted.bc"));
    std::fs::write(&source, SOURCE).unwrap();
    compile(&source, Stage::FrontEnd, &module).unwrap();
    let mut judged = Judged::load(&module).unwrap();
    change(&mut judged.regions[0]);
    let description = Description::of_arguments(vec![("n".into(), Argument::Integer(7))]);
    let description = description.fill_defaults(&judged.subject.parameters[0], &Default::default()).unwrap();
    let mut findings = Findings::default();
    judged.run(0, &judged.regions[0], &description, &Places::AsDescribed, &mut findings).unwrap();
    assert!(findings.conflicts > 0);
    findings.wrong.join("\n")
}

fn distances(region: &mut RegionDependences) -> &mut Relation {
    let is_it = |relation: &&mut Relation| matches!(relation, Relation::Distances(_));
    region.pairs.iter_mut().map(|pair| &mut pair.relation).find(is_it).unwrap()
}

#[test]
fn a_right_graph_is_right() {
    assert_eq!(found(|_| {}), "");
}

#[test]
fn pairs_that_are_not_independent_are_found() {
    let wrong = found(|region| *distances(region) = Relation::Independent("so".into()));
    assert!(wrong.contains("said to be independent: so"), "{wrong}");
}

#[test]
fn other_distances_are_found() {
    let wrong = found(|region| {
        let Relation::Distances(vectors) = distances(region) else { unreachable!() };
        vectors.iter_mut().for_each(|vector| vector.steps[0].distance = Some("2".into()));
    });
    assert!(wrong.contains("no vector of the pair"), "{wrong}");
    let wrong = found(|region| {
        let Relation::Distances(vectors) = distances(region) else { unreachable!() };
        vectors.iter_mut().for_each(|vector| vector.excluded_if = Some(vec!["[n] - 7".into()]));
    });
    assert!(wrong.contains("said to be excluded by [n] - 7"), "{wrong}");
}

#[test]
fn missing_edges_are_found() {
    assert!(found(|region| region.edges.clear()).contains("no Flow edge"));
    let guard = |condition: &str| Some(Guard { conditions: vec![condition.into()], ..Guard::default() });
    let with = |condition: &'static str| {
        move |region: &mut RegionDependences| {
            region.edges.iter_mut().filter(|edge| edge.certain).for_each(|edge| edge.guard = guard(condition));
        }
    };
    assert!(found(with("[n] - 7")).contains("a guard, which holds"));
    assert_eq!(found(with("[n] - 8")), "");
}

#[test]
fn loops_that_are_not_parallel_are_found() {
    assert!(found(|region| region.loops[0].verdict = Verdict::Parallel).contains("called parallel;"));
    let disjoint = Guard { disjoint: vec![(0, 1)], ..Guard::default() };
    let wrong = found(|region| region.loops[0].verdict = Verdict::Guarded(disjoint));
    assert!(wrong.contains("under its guard, which holds"), "{wrong}");
    let wrong = found(|region| region.loops[0].private = vec![0, 1]);
    assert!(wrong.contains("is said to be private"), "{wrong}");
}

#[test]
fn stores_that_are_not_in_the_graph_are_found() {
    let wrong = found(|region| {
        let last = region.accesses.len() - 1;
        region.accesses.truncate(last);
        region.pairs.retain(|pair| pair.second != last);
        region.edges.retain(|edge| edge.source != last && edge.sink != last);
    });
    assert!(wrong.contains("not in the graph: store of 4 bytes"), "{wrong}");
}

#[test]
fn nests_are_made_smaller_whatever_type_their_loops_count_in() {
    let parallel = |index: &str| {
        let head = format!("#pragma omp target teams distribute parallel for\n  for ({index} i");
        let nests = (1..200).map(Nest::from_seed).filter(move |nest| nest.text().contains(&head));
        nests.map(|nest| nest.smaller().len()).sum::<usize>()
    };
    assert!(parallel("int") > 0);
    assert!(parallel("long") > 0);
}
