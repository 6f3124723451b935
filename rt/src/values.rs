//! The values of the leaves that machines have.

use std::collections::BTreeMap;

use ipda_models::closed::machine_values;
use ipda_models::form::Leaf;
use ipda_models::predict::Machines;
use ipda_models::table::Prediction;

/// Of certain machines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Values {
    /// The machines' names.
    pub(crate) names: String,
    of_leaves: BTreeMap<String, f64>,
}

impl Values {
    /// # Errors
    /// If a description lacks what a prediction needs, in words.
    pub(crate) fn new(machines: &Machines) -> Result<Values, String> {
        let Machines { gpu, cpu, link } = machines;
        let names = format!("{}, {}, {}", gpu.name, cpu.name, link.name);
        Ok(Values { names, of_leaves: machine_values(machines).map_err(|error| error.to_string())? })
    }

    pub(crate) fn get(&self, key: &str) -> Option<f64> {
        self.of_leaves.get(key).copied()
    }

    /// What a prediction keeps for launches.
    ///
    /// # Errors
    /// If it has a leaf without a value, in words.
    pub(crate) fn prepare(&self, prediction: &Prediction) -> Result<Vec<f64>, String> {
        prediction.prepared(|key| self.get(key)).ok_or_else(|| {
            let is_unknown = |leaf: &&Leaf| matches!(leaf, Leaf::Machine(key) if self.get(key).is_none());
            let leaf = prediction.form.leaves().iter().find(is_unknown).map(Leaf::to_string).unwrap_or_default();
            format!("its prediction needs {leaf}, which this libipda_rt.so does not know")
        })
    }
}
