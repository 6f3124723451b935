//! Why there is no prediction.

use thiserror::Error;

use crate::error::ModelError;
use crate::machine::MachineError;
use crate::summary::MissingValues;

/// Why there is no prediction.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PredictError {
    /// A machine's description lacks something.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Variables have no values.
    #[error(transparent)]
    Missing(#[from] MissingValues),
    /// A model cannot work with its input.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// With these values of variables a region would be or take what nothing is or takes.
    #[error("{function} at {place} has no prediction with these values: {error}")]
    Values {
        /// The region's function.
        function: String,
        /// Where it is.
        place: String,
        /// What cannot be.
        error: ModelError,
    },
    /// There is nothing to predict.
    #[error("{function} at {place} has no prediction: {reason}")]
    Nothing {
        /// The region's function.
        function: String,
        /// Where it is.
        place: String,
        /// Why.
        reason: String,
    },
}
