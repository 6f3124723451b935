//! The processor's settings for floating point, around a prediction.
//!
//! A program may have asked for signals where a number is divided by 0, for another rounding, or may look at the flags that arithmetic leaves:
//! a prediction, which divides before it chooses, must neither end the program nor be noticed.

/// IR in front of a prediction and behind it, and what that declares.
pub(super) struct Calm {
    pub declarations: &'static str,
    /// In the function's first block.
    pub room: &'static str,
    pub before: &'static str,
    pub after: &'static str,
}

/// For an architecture; nothing where it is not known how.
pub(super) fn of_target(triple: &str) -> Calm {
    match triple.split('-').next().unwrap_or_default() {
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
