//! The processor's settings for floating point, around a prediction.
//!
//! A program may have asked for signals where a number is divided by 0, for another rounding, or may look at the flags that arithmetic leaves:
//! a prediction, which divides before it chooses, must neither end the program nor be noticed.

use crate::ir::Value;
use inkwell::module::Module;

/// IR in front of a prediction and behind it, and what that declares.
pub(super) struct Calm {
    pub declarations: &'static str,
    /// In the function's first block.
    pub room: &'static str,
    pub before: &'static str,
    pub after: &'static str,
}

/// Whether code that is compiled like a function may use the registers in which numbers of floating point are passed.
pub(crate) fn has_floating_point(module: &Module<'_>, like: Value) -> bool {
    let features = like.text_attribute("target-features").unwrap_or_default();
    let lacking: &[&str] = match architecture(&module.get_triple().as_str().to_string_lossy()) {
        "x86_64" => &["-sse", "-sse2", "+soft-float"],
        "aarch64" => &["-fp-armv8"],
        "powerpc64" | "powerpc64le" => &["-hard-float"],
        _ => &[],
    };
    !features.split(',').any(|feature| lacking.contains(&feature))
}

fn architecture(triple: &str) -> &str {
    triple.split('-').next().unwrap_or_default()
}

/// For an architecture; nothing where it is not known how.
pub(super) fn of_target(triple: &str) -> Calm {
    match architecture(triple) {
        "x86_64" => X86_64,
        "aarch64" => AARCH64,
        "powerpc64" | "powerpc64le" => POWER,
        _ => Calm { declarations: "", room: "\n", before: "\n", after: "\n" },
    }
}

// The control register's value after reset: no signals, to the nearest.
const X86_64: Calm = Calm {
    declarations: "\
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
@ipda.calm = private unnamed_addr constant i32 8064, align 4
",
    room: "
  %settings = alloca i32, align 4
",
    before: "
  call void @llvm.x86.sse.stmxcsr(ptr %settings)
  call void @llvm.x86.sse.ldmxcsr(ptr @ipda.calm)
",
    after: "
  call void @llvm.x86.sse.ldmxcsr(ptr %settings)
",
};

const AARCH64: Calm = Calm {
    declarations: "\
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
declare i64 @llvm.aarch64.get.fpsr()
declare void @llvm.aarch64.set.fpsr(i64)
",
    room: "\n",
    before: "
  %settings = call i64 @llvm.aarch64.get.fpcr()
  %flags = call i64 @llvm.aarch64.get.fpsr()
  call void @llvm.aarch64.set.fpcr(i64 0)
",
    after: "
  call void @llvm.aarch64.set.fpsr(i64 %flags)
  call void @llvm.aarch64.set.fpcr(i64 %settings)
",
};

const POWER: Calm = Calm {
    declarations: "\
declare double @llvm.ppc.setflm(double)
",
    room: "\n",
    before: "
  %settings = call double @llvm.ppc.setflm(double 0.0)
",
    after: "
  %ignored.settings = call double @llvm.ppc.setflm(double %settings)
",
};
