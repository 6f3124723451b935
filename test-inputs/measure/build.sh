#!/usr/bin/env bash
# Builds the measuring programs and packs them: the part of scripts/gpu-check that is not in a bundle. Sourced by it after scripts/setup; uses its
# variables work, layout (the folder to fill, as that of a bundle), programs, versions, chosen_times, host_target, output and level.
#
# shellcheck disable=SC2154 # variables of the scripts that source this file

# Compiles the programs into $layout/bin, with the flags of use_gpu or use_host_as_target, three times each.
build_programs() {
  local program
  mkdir -p "$layout/bin"
  step "building ${#programs[@]} programs in ${#versions[@]} versions"
  cat >"$work/compile" <<SH
#!/usr/bin/env bash
transform=off by_hand=()
case \$2 in
  transformed) transform=on ;;
  by-hand) by_hand=(-DBY_HAND) ;;
esac
IPDA_TRANSFORM=\$transform exec "$llvm/bin/clang" -O2 -fopenmp -fuse-ld=lld ${flags[*]@Q} -fpass-plugin="$release/libipda.so" "\${by_hand[@]}" \\
  "$root/test-inputs/measure/\$1.c" -o "$layout/bin/\$1.\$2"
SH
  chmod +x "$work/compile"
  for program in "${programs[@]}"; do
    printf "$program %s\n" "${versions[@]}"
  done | PATH=${cuda:+$cuda/bin:}$PATH xargs -P "$(nproc)" -L 1 "$work/compile" >"$work/log" 2>&1 ||
    fail "a program could not be built: $(<"$work/log")"
  say_build
  # Programs that the plugin did not change.
  for program in "${programs[@]}"; do
    ! cmp -s "$layout/bin/$program.original" "$layout/bin/$program.transformed" || printf 'same %s/transformed\n' "$program" >>"$layout/build-info"
  done
}

# Compiles the kernels whose times are predicted, with their reports, and brings the program that predicts; in a bundle beside the programs.
build_kernels() {
  local at
  mkdir -p "$layout/bin" "$layout/reports"
  step "building ${#chosen_kernels[@]} kernels"
  cat >"$work/compile-kernel" <<SH
#!/usr/bin/env bash
IPDA_TRANSFORM=off IPDA_REPORT="$layout/reports/\$1.yaml" exec "$llvm/bin/clang" -O2 -g -w -fopenmp -fuse-ld=lld ${flags[*]@Q} -fpass-plugin="$release/libipda.so" \\
  -DINPUT="\"\$1.c\"" -DFUNCTION="\$2" -DARRAYS="\$3" "$root/test-inputs/decisions/run.c" -o "$layout/bin/kernel.\$1" -lm
SH
  chmod +x "$work/compile-kernel"
  for at in "${chosen_kernels[@]}"; do
    printf '%s %s %s\n' "${kernels[@]:at:3}"
  done | PATH=${cuda:+$cuda/bin:}$PATH xargs -P "$(nproc)" -L 1 "$work/compile-kernel" >"$work/log" 2>&1 ||
    fail "a kernel could not be built: $(<"$work/log")"
  cp "$release/ipda" "$layout/bin/"
  mkdir -p "$layout/lib"
  cp "$release/libipda_rt.so" "$layout/lib/"
  say_build
}

# Compiles the kernels that have published times, a program of all of them for each size of block, and writes what is to be run into $layout/times.cases:
# lines `kernel block size bytes flops`.
build_times() {
  local block blocks source from=$root/test-inputs/times
  mkdir -p "$layout/bin" "$work/objects"
  # Kernels that the table has on a host alone run in blocks of 256. For the host as a target: sizes that end soon, and what the table states in proportion.
  awk -F , -v chosen=" ${chosen_times[*]} " -v small="$host_target" '
    !index(chosen, " " $2 " ") { next }
    NR == FNR { has_blocks[$2] = has_blocks[$2] || $1 == "v100"; next }
    $1 != "v100" && has_blocks[$2] { next }
    $1 != "v100" { $3 = 256 }
    !small { print $2, $3, $4, $6, $7 }
    small && $3 == 256 && !($2 in seen) {
      seen[$2]
      for (size = 20000; size <= 40000; size += 20000) print $2, $3, size, int($6 * size / $4), int($7 * size / $4)
    }' "$from/rajaperf-v100.csv" "$from/rajaperf-v100.csv" >"$layout/times.cases"
  mapfile -t blocks < <(cut -d ' ' -f 2 "$layout/times.cases" | sort -nu)
  step "building the kernels of times in ${#blocks[@]} sizes of blocks"
  cat >"$work/compile-times" <<SH
#!/usr/bin/env bash
IPDA_TRANSFORM=off exec "$llvm/bin/clang" -O3 -w -fopenmp ${flags[*]@Q} -fpass-plugin="$release/libipda.so" -DBLOCK="\$2" -c "$from/\$1.c" \
  -o "$work/objects/\$1.\$2.o"
SH
  chmod +x "$work/compile-times"
  for source in "$from"/*.c; do
    source=${source##*/}
    printf "${source%.c} %s\n" "${blocks[@]}"
  done | PATH=${cuda:+$cuda/bin:}$PATH xargs -P "$(nproc)" -L 1 "$work/compile-times" >"$work/log" 2>&1 ||
    fail "a kernel could not be built: $(<"$work/log")"
  for block in "${blocks[@]}"; do
    PATH=${cuda:+$cuda/bin:}$PATH "$llvm/bin/clang" -O3 -fopenmp -fuse-ld=lld "${flags[@]}" "$work/objects"/*."$block.o" -o "$layout/bin/times.$block" -lm \
      >"$work/log" 2>&1 || fail "the kernels could not be linked: $(<"$work/log")"
  done
  say_build
}

# Tells in $layout/build-info what the programs were built from.
say_build() {
  {
    printf 'commit %s\n' "$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)"
    printf 'compiler %s\n' "$("$llvm/bin/clang" --version | head -1)"
    printf 'images %s\n' "${images[*]}"
  } >"$layout/build-info"
}

# LLVM 19's runtime takes machine code in the form that CUDA up to 12 writes. CUDA 13 has the architecture elsewhere in the file's header, and what
# is built with it finds no device (LLVM's issue 159088). Of CUDA 12, PyPI has ptxas, and the linker as a library.
cuda_12_wheels=(nvidia-cuda-nvcc-cu12==12.4.131 nvidia-nvjitlink-cu12==12.4.127)

find_cuda_12() {
  local candidate tool
  while read -r candidate; do
    for tool in ptxas nvlink; do
      "$candidate/bin/$tool" --version 2>/dev/null | grep -q 'release 1[12]\.' || continue 2
    done
    if cuda_works "$candidate"; then
      cuda=$candidate
      return
    fi
  done < <(cuda_candidates)
  cuda=${cuda_cache%/*}/cuda-12.4.131
  [[ -d $cuda/nvvm ]]
}

need_cuda_12() {
  find_cuda_12 && return
  step "no CUDA toolkit of version 12: fetching ${cuda_12_wheels[*]} from PyPI"
  local by_hand="install a CUDA toolkit of version 12 and set CUDA_PATH to it, or let pip reach PyPI for ${cuda_12_wheels[*]}, and start again"
  local unpacked=$work/cuda-12 tree
  python3 -m pip download --disable-pip-version-check --no-deps --only-binary :all: --dest "$unpacked" "${cuda_12_wheels[@]}" >&2 ||
    fail "$by_hand: pip could not."
  printf '%s\0' "$unpacked"/*.whl | xargs -0 -I WHEEL python3 -m zipfile -e WHEEL "$unpacked"
  mkdir -p "${cuda%/*}"
  # Under a temporary name until it is complete.
  tree=$(mktemp -d "$cuda.XXXXXX") || fail "$by_hand: cannot write to $cuda."
  # shellcheck disable=SC2064 # the name as it is now
  trap "rm -rf '$work' '$tree'" EXIT
  chmod 755 "$tree"
  cp -r "$unpacked/nvidia/cuda_nvcc"/{bin,nvvm} "$tree/"
  mkdir "$tree/lib" "$tree/include"
  cp "$unpacked/nvidia/nvjitlink/lib/libnvJitLink.so.12" "$tree/lib/"
  chmod +x "$tree"/bin/*
  "$llvm/bin/clang" -O1 "$root/test-inputs/measure/nvlink.c" -o "$tree/bin/nvlink"
  # clang 19 reads the version from cuda.h alone.
  echo '#define CUDA_VERSION 12040' >"$tree/include/cuda.h"
  mv -T "$tree" "$cuda" 2>/dev/null || { rm -rf "$tree" && [[ -d $cuda/nvvm ]]; } || fail "$by_hand: cannot write to $cuda."
}

# clang's linker wrapper embeds machine code only, and LLVM 19's runtime compiles other code by calling ptxas, which a machine with a driver
# alone lacks. Machine code for sm_XY runs on sm_XZ with Z >= Y, so one image for each X serves all that clang 19 knows.
use_gpu() {
  local image
  need_cuda_12
  ((${#images[@]} > 0)) || images=(sm_70 sm_80 sm_90)
  flags=(--cuda-path="$cuda" --libomptarget-nvptx-bc-path="$llvm/lib" -L"$llvm/lib")
  for image in "${images[@]}"; do flags+=(--offload-arch="$image"); done
}

use_host_as_target() {
  # Device code for a host is changed in tests alone.
  export IPDA_TEST_HOST_SHAPES=1
  images=(x86_64-pc-linux-gnu)
  flags=(-fopenmp-targets=x86_64-pc-linux-gnu -L"$llvm/lib")
}

# Brings what the programs need into $layout: bring COMMAND TO.. with `cp -L` or `ln -s`.
bring_libraries() {
  local library
  mkdir -p "$layout/lib"
  # glibc's own parts and the kernel's are the system's.
  LD_LIBRARY_PATH=$llvm/lib ldd "$llvm/lib/libomptarget.so" | awk '$2 == "=>" { print $3 }' |
    grep -vE '/(libc|libm|libdl|libpthread|librt)\.so' >"$work/libraries"
  echo "$llvm"/lib/libomptarget.so.[0-9]* >>"$work/libraries"
  while read -r library; do "$@" "$library" "$layout/lib/${library##*/}"; done <"$work/libraries"
  # LLVM 19's runtime opens libcuda.so, a name that comes with the toolkit; drivers bring libcuda.so.1. This library of that name has nothing
  # of its own but the need for the other, whose functions dlsym finds behind it.
  "$llvm/bin/clang" -shared -x c /dev/null -o "$work/libcuda.so.1" -Wl,-soname,libcuda.so.1
  "$llvm/bin/clang" -shared -x c /dev/null -o "$layout/lib/libcuda.so" -Wl,-soname,libcuda.so -Wl,--no-as-needed -x none "$work/libcuda.so.1"
  cp "$root/test-inputs/measure/start.sh" "$layout/start"
}

build_device_query() {
  mkdir -p "$layout/bin"
  "$llvm/bin/clang" -O2 "$root/test-inputs/measure/device.c" -o "$layout/bin/device"
}

# The licences of the libraries, where Debian has them.
bring_licences() {
  local package
  command -v dpkg-query >/dev/null || return 0
  mkdir -p "$layout/licences"
  # Debian knows some of them under /lib, which is /usr/lib.
  xargs readlink -f <"$work/libraries" | sed 'p; s,^/usr,,' | { xargs dpkg-query -S 2>/dev/null || true; } | cut -d: -f1 | sort -u |
    while read -r package; do
      [[ ! -f /usr/share/doc/$package/copyright ]] || cp "/usr/share/doc/$package/copyright" "$layout/licences/$package"
    done
}

bundle() {
  local file=${output:-ipda-gpu-check.tar.xz} library
  use_gpu
  build_tools release
  ((${#chosen_kernels[@]} == 0)) || build_kernels
  ((${#chosen_times[@]} == 0)) || build_times
  ((${#programs[@]} == 0)) || build_programs
  [[ -z $with_versions ]] || build_versions
  build_device_query
  bring_libraries cp -L
  bring_licences
  # Tells whether the system's glibc is new enough for all libraries.
  echo 'int main(void) { return 0; }' | "$llvm/bin/clang" -x c - -x none -o "$layout/bin/probe" -Wl,--no-as-needed "$llvm/lib/libLLVM.so.19.1"
  # For systems whose glibc is too old: this one, with what the driver needs of it.
  mkdir -p "$layout/glibc"
  for library in ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1; do
    cp -L "/lib/x86_64-linux-gnu/$library" "$layout/glibc/"
  done
  cp "$root/scripts/gpu-check" "$layout/gpu-check"
  cp "$root/test-inputs/measure/table.awk" "$root/test-inputs/measure"/versions.{sh,awk} "$root/test-inputs/decisions"/{model,decide}.awk "$layout/"
  cat >"$layout/README" <<TEXT
Measuring programs of ipda, with their libraries, for x86-64 Linux with an NVIDIA driver (libcuda.so.1), bash, coreutils, awk, grep and sed.
  ./gpu-check transform          measures and writes ipda-gpu-check.md and ipda-gpu-check.csv
  ./gpu-check model              measures, predicts, and writes ipda-gpu-model.md and ipda-gpu-model.csv
  ./gpu-check decide             lets launches choose between host and device, and writes ipda-gpu-decide.md and ipda-gpu-decide.csv
  ./gpu-check times              times the kernels of test-inputs/times and writes ipda-gpu-times.csv
  ./gpu-check versions           times each mapping of the loops, and writes ipda-gpu-versions.md and ipda-gpu-versions.csv (with bundle --versions)
  ./gpu-check --help             more
  ./start gemm.original --size 1024
Images: ${images[*]} (each also for later minor versions).
TEXT
  step "packing $(du -sm "$layout" | cut -f1) MB"
  tar -C "$work" --owner=0 --group=0 -cf - ipda-gpu-check | xz -T2 -"$level" >"$file.part"
  mv "$file.part" "$file"
  step "made $file: $(($(stat -c %s "$file") / 1000000)) MB"
}
