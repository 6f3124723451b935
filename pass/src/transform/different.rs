//! Arrays that the host's code shows to be different ones, without a test on the device.

use crate::analysis::region::Analysis;
use ipda_llvm::Value;
use ipda_models::report::{ObstacleKind, Reason};
use ipda_symbolic::AtomId;

/// Places where two arrays are allocated that are reported.
const MAX_PLACES: usize = 4;

/// What shows that two objects, which the kernel's arguments lead to, have no byte in common that is written; none where nothing does.
pub(super) fn different_arrays(analysis: &Analysis<'_>, objects: [AtomId; 2], arguments: [Value; 2]) -> Option<Reason> {
    let Analysis { setting, captured, .. } = analysis;
    let (host, kernel) = setting.launches?;
    let capture = |argument| captured.iter().position(|&capture| capture == argument);
    let (first, second) = (capture(arguments[0])?, capture(arguments[1])?);
    if !host.is_read() {
        let step = setting.trace.begin("launches", None);
        step.end(format_args!("{} kernels", host.read()));
    }
    let ground = host.apart(kernel, captured.len(), [first, second])?;
    let [a, b] = objects.map(|object| analysis.object_name(object));
    let shown = match ground.by_restrict {
        true => "as restrict says in the host's code",
        false => "as the host's code shows",
    };
    let text = format!("{a} and {b} are different arrays, {shown}");
    let places = ground.places.iter().take(MAX_PLACES).cloned();
    Some(ObstacleKind::DifferentArrays.reason(text).at(places))
}
