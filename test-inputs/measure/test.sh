#!/usr/bin/env bash
# Tests scripts/gpu-check on a machine without a GPU: test.sh results, test.sh decide, test.sh bundle
#   results  all programs in all versions, small, for the host as an offload target; some kernels whose times are predicted,
#            and all that have published times
#   decide   the arithmetic of its table of choices, and two kernels whose launches choose between the host and the host as an offload target
#   bundle   that a bundle unpacks, is small enough, finds its libraries, and does without a GPU what it should; with a driver that only
#            pretends to have one: that the right images are chosen and that wrong results are found
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
gpu_check=$here/../../scripts/gpu-check
llvm=${LLVM_SYS_191_PREFIX:-/usr/lib/llvm-19}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}

# expect TEXT FILE
expect() { grep -qF -- "$1" "$2" || failed "no «$1» in $2: $(<"$2")"; }

results() {
  "$gpu_check" transform --host-target --output "$work/table.md"
  local versions times
  expect 'no measurement of a GPU' "$work/table.md"
  versions=$(wc -l <"$work/table.csv")
  ((versions == 1 + 3 * $(find "$here" -name '*.c' -exec grep -l 'include "measure.h"' {} + | wc -l))) ||
    failed "$versions lines in the table"
  ! grep -E ',,|,0(,|$)' "$work/table.csv" || failed "cells are empty"

  "$gpu_check" model --host-target --only gemm,2dconv,corr2 --output "$work/model.md"
  expect 'no measurement of a GPU' "$work/model.md"
  expect '- Descriptions: h200, pcie5' "$work/model.md"
  expect 'of 6.' "$work/model.md"
  (($(wc -l <"$work/model.csv") == 7)) || failed "the table of kernels is $(<"$work/model.csv")"
  ! grep -vE '^kernel,|^(gemm|2dconv|corr2),[0-9]+,[0-9.]+,[0-9.]+,-?[0-9.]+,[0-9.]+$' "$work/model.csv" || failed 'cells are no numbers'
  # Predictions of larger kernels are longer.
  awk -F, '$1 == last && !($4 > time) { exit 1 } { last = $1; time = $4 }' "$work/model.csv" || failed "predictions do not grow: $(<"$work/model.csv")"

  "$gpu_check" times --host-target --gpu h100-sxm --output "$work/times.csv"
  expect 'no measurement of a GPU' "$work/times.csv"
  # Each kernel in two sizes.
  times=$(grep -cE '^h100-sxm,[A-Za-z0-9_]+,256,[24]0000,[0-9]+\.[0-9]{9},[0-9]+,[0-9]+$' "$work/times.csv") || true
  ((times == 2 * $(grep -l '^// EXTENTS: ' "$here"/../times/*.c | wc -l))) || failed "the table of times is $(<"$work/times.csv")"
  ! grep -vE '^(#|machine,kernel,block,size,seconds,bytes,flops$|h100-sxm,)' "$work/times.csv" || failed 'lines that belong to no table'
  "$gpu_check" times --host-target --only Stream_ADD,Stream_DOT --output "$work/two.csv"
  [[ $(grep -o '^host-target,[A-Za-z_]*' "$work/two.csv" | sort -u | tr '\n' ' ') == 'host-target,Stream_ADD host-target,Stream_DOT ' ]] ||
    failed "two kernels have $(<"$work/two.csv")"
  "$gpu_check" versions --host-target --only syrk --most 3 --all-sizes --output "$work/versions.md"
  expect 'Regions and sizes: 6.' "$work/versions.md"
  expect 'geometric mean: ' "$work/versions.md"
  # Of two regions in three sizes, three mappings and what is chosen.
  (($(wc -l <"$work/versions.csv") == 25)) || failed "the table of mappings is $(<"$work/versions.csv")"

  # What is left out is found.
  sed '0,/k < n; ++k)/s//k < n - 1; ++k)/' "$here/gemm.c" >"$work/gemm.c"
  "$llvm/bin/clang" -O1 -I"$here" -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu "$work/gemm.c" -o "$work/gemm" -L"$llvm/lib"
  ! LD_LIBRARY_PATH=$llvm/lib "$work/gemm" --size 20 >"$work/out" 2>/dev/null || failed 'a wrong sum passed the check'
  expect 'check wrong' "$work/out"
}

decide() {
  # Over the better one: 1.1 and 4 times, always the device 2 and 1, always the host 1 and 4.
  printf '%s\n' 'one 10 0.002 0.001 0.0011 host 0.001 0.002' 'two 20 0.001 0.004 0.004 host 0.001 0.002' |
    awk -v csv="$work/table.csv" -f "$here/../decisions/decide.awk" >"$work/table.md"
  expect 'geometric mean of 2: as chosen 2.098 (goal: at most 1.05; worst 4.00), always the device 1.414, always the host 2.000. The choice is the faster one in 1.' \
    "$work/table.md"
  expect '| two | 20 | 1.00 | 4.00 | 4.00 | host, the slower one | 4.00 | 2.00 | 1.00 |' "$work/table.md"
  expect 'one,10,0.002000000,0.001000000,0.001100000,host,1.1000,0.002,0.001' "$work/table.csv"

  "$gpu_check" decide --host-target --only 2dconv,3dconv --runs 3 --seconds 1 --output "$work/decide.md"
  expect 'no measurement of a GPU' "$work/decide.md"
  expect 'geometric mean of 6' "$work/decide.md"
  # What is chosen is what is predicted to be faster.
  awk -F, 'NR > 1 && ($6 == "host") == ($9 < $8) && $3 > 0 && $4 > 0 && $5 > 0 { right++ } END { exit !(right == 6 && NR == 7) }' "$work/decide.csv" ||
    failed "wrong choices: $(<"$work/decide.csv")"
  # A program that fails is no case.
  ! "$gpu_check" decide --host-target --only 2dconv --runs 1 --gpu no-such-gpu --output "$work/none.md" 2>"$work/out" || failed 'no prediction passed'
  expect '- 2dconv, size 100: ' "$work/none.md"
}

bundle() {
  "$gpu_check" bundle --only gemm,syrk,Stream_ADD,Polybench_JACOBI_2D --level 0 "$work/bundle.tar.xz"
  local size bundle=$work/ipda-gpu-check capability library
  size=$(stat -c %s "$work/bundle.tar.xz")
  ((size < 70000000)) || failed "the bundle has $size bytes"
  tar -C "$work" -xf "$work/bundle.tar.xz"

  # All from the bundle, but glibc.
  LD_LIBRARY_PATH=$bundle/lib ldd "$bundle/bin/gemm.original" | awk '$2 == "=>" { print $3 }' | while read -r library; do
    [[ $library == "$bundle"/lib/* || $library == */lib[cm].so.6 ]] || failed "$library is not the bundle's"
  done

  unset LD_LIBRARY_PATH
  "$bundle/start" gemm.by-hand --size 20 >"$work/out"
  expect 'check exact' "$work/out"
  # As on a system with an older glibc.
  "$bundle/glibc/ld-linux-x86-64.so.2" --library-path "$bundle/lib:$bundle/glibc" "$bundle/bin/gemm.original" --size 20 >"$work/out"
  expect 'check exact' "$work/out"
  if ! "$bundle/start" device >"$work/out"; then
    (cd "$work" && "$bundle/gpu-check" transform) >"$work/out" || failed 'transform without a GPU'
    expect 'nothing was measured' "$work/out"
    (cd "$work" && "$bundle/gpu-check" model) >"$work/out" || failed 'model without a GPU'
    expect 'nothing was measured' "$work/out"
    (cd "$work" && "$bundle/gpu-check" decide) >"$work/out" || failed 'decide without a GPU'
    expect 'nothing was measured' "$work/out"
    (cd "$work" && "$bundle/gpu-check" times) >"$work/out" || failed 'times without a GPU'
    expect 'nothing was measured' "$work/out"
    [[ ! -e $work/ipda-gpu-times.csv ]] || failed 'times of no GPU'
    [[ ! -e $work/ipda-gpu-decide.md ]] || failed 'choices without a GPU'
    [[ ! -e $work/ipda-gpu-model.md ]] || failed 'predictions without a GPU'
    [[ ! -e $work/ipda-gpu-check.md ]] || failed 'a table without a GPU'
  fi

  mkdir "$work/driver"
  "$llvm/bin/clang" -O1 -shared -fPIC "$here/no-gpu-driver.c" -o "$work/driver/libcuda.so.1" -Wl,-soname,libcuda.so.1
  export LD_LIBRARY_PATH=$work/driver FAKE_LOG=$work/log FAKE_CAPABILITY
  for capability in 70:70 75:70 80:80 89:80 90:90; do
    FAKE_CAPABILITY=${capability%:*}
    rm -f "$FAKE_LOG"
    ! OMP_TARGET_OFFLOAD=MANDATORY "$bundle/start" gemm.original --size 64 >"$work/out" 2>&1 || failed 'kernels that did nothing passed'
    expect 'check wrong' "$work/out"
    expect "image sm ${capability#*:}" "$FAKE_LOG"
    expect launch "$FAKE_LOG"
  done
  FAKE_CAPABILITY=90
  ! "$bundle/gpu-check" transform --only syrk --runs 1 --output "$work/table.md" || failed 'wrong results passed'
  expect 'pretended GPU 0, compute capability 9.0' "$work/table.md"
  expect '- syrk original, size 512: ' "$work/table.md"
  [[ $(wc -l <"$work/table.csv") == 1 ]] || failed 'a table of wrong results'
  ! "$bundle/gpu-check" model --only gemm --runs 1 --gpu h100-sxm --link pcie5 --output "$work/model.md" 2>"$work/out" || failed 'kernels that did nothing passed'
  expect '- gemm, size 600: the host computes something else' "$work/out"
  ! "$bundle/gpu-check" times --output "$work/times.csv" 2>"$work/out" || failed 'kernels that did nothing have times'
  expect '- Stream_ADD in blocks of 1024 threads: the host computes something else' "$work/out"
  expect '- Polybench_JACOBI_2D in blocks of 128 threads: the host computes something else' "$work/out"
  expect 'pretended GPU 0 (compute capability 9.0' "$work/times.csv"
  ! grep -q '^pretended' "$work/times.csv" || failed 'times of kernels that did nothing'
  "$bundle/start" ipda predict "$bundle/reports/gemm.yaml" --region gemm --gpu h100-sxm -D size=600 -D "load4([size])=600" >"$work/out"
  expect 'transfers' "$work/out"
  FAKE_CAPABILITY=120
  ! "$bundle/gpu-check" transform --output "$work/none.md" 2>"$work/out" || failed 'measured without an image'
  expect 'compute capability 12.0' "$work/out"
}

case ${1:-} in
  results | decide | bundle) "$1" ;;
  *) sed -n 's/^# //p' "$0" >&2 && exit 2 ;;
esac
