//! How the library is linked: regions keep pointers into it, so it stays where a shared object that brought it is closed. And whether it is built
//! for the thread sanitizer, as a test does.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=IPDA_RT_TSAN");
    println!("cargo:rustc-check-cfg=cfg(tsan)");
    if std::env::var_os("IPDA_RT_TSAN").is_some() {
        println!("cargo:rustc-cfg=tsan");
    }
    for argument in ["-Wl,-z,nodelete", "-Wl,-soname,libipda_rt.so"] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}
