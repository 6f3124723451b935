//! An explanation for programs.

use ipda_models::report::{Location, Report};
use serde_json::{Value, json};

use super::place::Place;
use super::subject::Subject;
use crate::findings::Finding;
use crate::select::cost::Cost;
use crate::select::totals::Totals;
use crate::select::values::Values;

/// The version of the document: readers can rely on the meaning of keys while it stays.
const VERSION: u32 = 1;

/// The document: what is at the place, and what there is to do about its regions.
pub fn document(place: &Place, records: &[Value], findings: &[Finding]) -> Value {
    let mut at = json!({ "file": place.file, "line": place.line });
    if let Some(column) = place.column {
        at["column"] = column.into();
    }
    json!({
        "ipda_explain": VERSION,
        "place": at,
        "subjects": records,
        "actions": findings.iter().map(action).collect::<Vec<Value>>(),
    })
}

fn action(Finding { action, function, fix }: &Finding) -> Value {
    let mut value = json!({
        "place": place(&action.location),
        "function": function,
        "state": action.state.name(),
        "rule": action.rule.name(),
        "action": action.text,
    });
    let optional = [("worth", &action.worth), ("in_source", &action.in_source)];
    for (key, text) in optional.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?))) {
        value[key] = text.clone().into();
    }
    if let Some(fix) = fix {
        value["fix"] = fix.diff.clone().into();
    }
    value
}

fn place(location: &Location) -> Value {
    let mut place = json!({ "file": location.file, "line": location.line });
    if location.column > 0 {
        place["column"] = location.column.into();
    }
    place
}

impl Subject<'_> {
    /// What is known of it; none of what is reported with something else.
    pub fn record(&self, report: &Report, values: &Values) -> Option<Value> {
        let mut value = match self {
            Subject::Region(region, _) => {
                let totals = Totals::of_region(region, report, &values.afresh());
                json!({
                    "kind": "region",
                    "function": region.function,
                    "mode": crate::words::mode_name(region.mode),
                    "accesses": totals.accesses(),
                    "excess": totals.sectors.excess,
                    "of": totals.sectors.all,
                })
            }
            Subject::Access(group) => {
                let access = group.accesses[0];
                let values = &values.afresh();
                let cost = Cost::of(access, group.region, &report.hardware, values);
                let written = Cost::as_written(access, group.region, &report.hardware, values);
                json!({
                    "kind": "access",
                    "name": group.name(),
                    "alike": group.alike,
                    "function": group.region.function,
                    "array": access.object,
                    "bytes": access.bytes,
                    "class": cost.class.name(),
                    "class_as_written": written.class.name(),
                    "stride": access.stride.text,
                    "address": access.address,
                    "needed": cost.needed,
                    "least": cost.least,
                    "runs": cost.runs,
                    "excess": cost.excess(),
                    "what_helps": group.what_helps(&cost, values),
                })
            }
            Subject::Loop(each, region, _) => json!({
                "kind": "loop",
                "name": crate::words::loop_name(each),
                "function": region.function,
                "trips": each.trips.value,
                "schedule": each.schedule.as_ref().map(ipda_models::report::Schedule::sentence),
            }),
            Subject::Branch(branch, region, _) => json!({
                "kind": "branch",
                "function": region.function,
                "lanes": branch.lanes.name(),
                "where": branch.lanes.text(),
            }),
            Subject::Reject(reject) => json!({ "kind": "reject", "name": reject.name, "reason": reject.reason }),
            Subject::Change(_) | Subject::Obstacle(..) => return None,
        };
        value["target"] = report.target.clone().into();
        if let Some(location) = self.location() {
            value["place"] = place(location);
        }
        let fields = value.as_object_mut()?;
        fields.retain(|_, field| !field.is_null() && field.as_array().is_none_or(|list| !list.is_empty()));
        Some(value)
    }
}
