//! How the library is linked: regions keep pointers into it, so it stays where a shared object that brought it is closed.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for argument in ["-Wl,-z,nodelete", "-Wl,-soname,libipda_rt.so"] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}
