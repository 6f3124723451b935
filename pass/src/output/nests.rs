//! What became of the host's versions of collapsed loops, as remarks.

use super::remark::remark;
use crate::common::apply::Apply;
use crate::transform::nested::GivenBack;
use ipda_llvm::Audience;
use ipda_llvm::RemarkKind;

pub(crate) fn report(given: &GivenBack) {
    let (kind, name, text) = match &given.outcome {
        Ok(loops) => {
            let is = if given.apply == Apply::Yes { "is" } else { "could be" };
            let text = format!("the host's version of the collapsed loop {is} a nest of {loops} loops again");
            (RemarkKind::Analysis, "HostNest", text)
        }
        Err(reason) => {
            let text = format!("the host's version of the collapsed loop stays one loop: {reason}");
            (RemarkKind::Missed, "HostNoNest", text)
        }
    };
    remark(given.holder, (kind, Audience::All), name, &text, &given.location);
}
