//! The constants that the device side plants in its module for the host to read.

use inkwell::module::{Linkage, Module};
use ipda_models::hash::fnv1a;

/// Plants a text, with a zero behind it.
pub(super) fn plant_text(module: &Module<'_>, prefix: &str, text: &str) {
    plant_bytes(module, prefix, &[text.as_bytes(), &[0]].concat());
}

/// Plants a constant in a device module.
pub(super) fn plant_bytes(module: &Module<'_>, prefix: &str, bytes: &[u8]) {
    // The name follows the content: equal constants of several files merge, different ones do not clash.
    let value = module.get_context().const_string(bytes, false);
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    const DEVICE_GLOBAL_MEMORY: u16 = 1;
    let space = (!triple.starts_with("x86")).then(|| DEVICE_GLOBAL_MEMORY.into());
    let global = module.add_global(value.get_type(), space, &format!("{prefix}{:016x}", fnv1a(bytes)));
    global.set_initializer(&value);
    global.set_constant(true);
    global.set_linkage(Linkage::WeakODR);
}
