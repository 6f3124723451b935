#!/usr/bin/env bash
# The mode `versions` of scripts/gpu-check: each legal mapping of the measuring programs, beside what the plugin predicted of it. Sourced by the
# script, also in a bundle; uses its variables and functions.
#
# shellcheck disable=SC2154 # variables of the script that sources this file

# Beyond, mappings are not looked at: of nests of three loops 64 are legal.
most_screened=100
# As in the plugin's estimate of times: a quarter of the threads that an H100 has at once.
enough_threads=67584
none_has=99999

versions_usage() {
  cat <<'TEXT'
       scripts/gpu-check versions [--output FILE.md] [--only NAME,..] [--runs N] [--seconds S] [--large | --all-sizes] [--most N] [--host-target]
TEXT
}

versions_explanation() {
  cat <<'TEXT'
versions   builds each program of test-inputs/measure once for each legal mapping of its loops to threads (IPDA_VERSION), of each region those --most (12) that
           the plugin predicts to be the best, as written among them, and once as the plugin chooses; times the launches of each region, and writes a
           table in Markdown (ipda-gpu-versions.md, or --output) and one with comma-separated values beside it: predicted and measured gains, and
           how far the choice is from the best one. A cell is the median of the launches of a process, without the region's first: of --runs (5) runs
           of the kernels, fewer but at least 3 where that takes more than --seconds (1). Results must be those of the loops as written, which are
           compared with the host. --large takes the large sizes, --all-sizes both and a quarter of the others, and one more. Where there is no GPU, it says
           so and does nothing. --host-target is as for transform.
TEXT
}

# Programs whose loops have no other legal mapping are left out. $layout/versions.txt tells what each binary PROGRAM.m0 (as written), PROGRAM.m1, ..
# and PROGRAM.chosen has of each region.
build_versions() {
  local measure=$root/test-inputs/measure path=${cuda:+$cuda/bin:}$PATH clock=$layout/lib/libclock.so program
  local reports=$work/versions
  mkdir -p "$layout/bin" "$layout/lib" "$reports"
  "$llvm/bin/clang" -O2 -shared -fPIC "$measure/clock.c" -o "$clock" -ldl

  # screen PROGRAM NUMBER: the report of a mapping; the device's code alone. link PROGRAM BINARY MAPPINGS: a program, and its report.
  cat >"$work/screen" <<SH
#!/usr/bin/env bash
IPDA_VERSION=\$2 IPDA_REPORT="$reports/\$1.\$2.device.yaml" exec "$llvm/bin/clang" -O2 -g -w -fopenmp ${flags[*]@Q} -fpass-plugin="$release/libipda.so" \\
  --offload-device-only -c "$measure/\$1.c" -o "$reports/\$1.\$2.o"
SH
  cat >"$work/link" <<SH
#!/usr/bin/env bash
[[ \$3 == chosen ]] || export IPDA_VERSION=\$3
IPDA_REPORT="$reports/\$1.\$2.yaml" exec "$llvm/bin/clang" -O2 -g -w -fopenmp -fuse-ld=lld ${flags[*]@Q} -fpass-plugin="$release/libipda.so" \\
  -rdynamic -Wl,--strip-all "$measure/\$1.c" -o "$layout/bin/\$1.\$2"
SH
  chmod +x "$work/screen" "$work/link"
  step "looking for the mappings of ${#programs[@]} programs"
  printf "%s $none_has\n" "${programs[@]}" | PATH=$path xargs -P "$(nproc)" -L 1 "$work/screen" >"$work/log" 2>&1 || fail "a program could not be built: $(<"$work/log")"
  for program in "${programs[@]}"; do
    awk -f "$measure/mappings.awk" "$reports/$program.$none_has.device.yaml" |
      awk -F '\t' -v program="$program" -v most="$most_screened" '
        $8 > count { count = $8 }
        END { for (number = 1; number <= count && number <= most; number++) print program, number }'
  done >"$work/numbers"
  PATH=$path xargs -P "$(nproc)" -L 1 "$work/screen" <"$work/numbers" >"$work/log" 2>&1 || fail "a program could not be built: $(<"$work/log")"

  for program in "${programs[@]}"; do
    sed -n "s/^$program //p" "$work/numbers" | while read -r number; do
      awk -f "$measure/mappings.awk" "$reports/$program.$number.device.yaml" | sed "s/^/$number\\t/"
    done | binaries_of "$program"
  done >"$work/binaries"
  step "building $(wc -l <"$work/binaries") binaries"
  PATH=$path xargs -P "$(nproc)" -L 1 "$work/link" <"$work/binaries" >"$work/log" 2>&1 || fail "a program could not be built: $(<"$work/log")"

  while read -r program binary _; do
    awk -f "$measure/mappings.awk" "$reports/$program.$binary.yaml" | awk -F '\t' -v OFS='\t' -v program="$program" -v binary="$binary" '
      # As the plugin leaves them, or with a mapping of that number.
      $2 == "made" || binary == "chosen" || binary == "m0" {
        if ($2 != "made") {
          $3 = $4 = $5 = $6 = "-"
          $7 = "as written"
        }
        print program, binary, $1, $3, $4, $5, $6, $7
      }'
  done <"$work/binaries" | sed 's/\.0\t/\t/g' >"$layout/versions.txt"
  [[ -s $layout/build-info ]] || say_build
}

# binaries_of PROGRAM: of lines of mappings.awk behind the number that was asked for, the binaries to build: PROGRAM NAME MAPPINGS, where
# MAPPINGS are those of IPDA_VERSION, for each region the next best.
binaries_of() {
  awk -F '\t' -v enough="$enough_threads" '
    function slowed(threads) { return threads < enough ? enough / threads : 1 }
    $3 == "made" && $5 > 0 { printf "%s\t%.9g\t%d\n", $2, $5 * slowed($7), $1 }' |
    sort -t $'\t' -k 1,1 -k 2,2g -k 3,3n |
    awk -F '\t' -v program="$1" -v most="$((most - 1))" -v none="$none_has" '
      $1 != last { place = 0; last = $1 }
      ++place <= most {
        mappings[place] = mappings[place] (mappings[place] == "" ? "" : ",") $1 "=" $3
        if (place > count) count = place
      }
      END {
        if (count) print program, "m0", none "\n" program, "chosen", "chosen"
        for (place = 1; place <= count; place++) print program, "m" place, none "," mappings[place]
      }'
}

# measure_versions PROGRAM SIZE: the launches of each of its binaries.
measure_versions() {
  local program=$1 size=$2 binary
  for binary in "${binaries[@]}"; do
    run_program "$program" "$binary" "$size" - - --check "$([[ -z ${results[$program/$size]:-} ]] && echo 1 || echo 0)" --repeats "$runs" --seconds "$seconds" || continue
    # The median of each region's launches but the first.
    sed -n 's/^launch //p' "$work/out" | awk '++seen[$1] > 1' | sort -k 1,1 -k 2,2g |
      awk -v OFS='\t' -v program="$program" -v size="$size" -v binary="$binary" '
        function end_region() {
          if (count) print program, size, binary, region, (value[int((count + 1) / 2)] + value[int(count / 2) + 1]) / 2, count
          count = 0
        }
        $1 != region { end_region(); region = $1 }
        { value[++count] = $2 }
        END { end_region() }' >>"$work/measured"
  done
}

versions() {
  local file=${output:-ipda-gpu-versions.md} at program binaries size of_program title
  if [[ -n $host_target ]]; then
    runs=3
  else
    need_gpu
  fi
  if [[ -z $bundled ]]; then
    if [[ -n $host_target ]]; then use_host_as_target; else use_gpu; fi
    build_tools release
    build_versions
    bring_libraries ln -s
  fi
  [[ -n $host_target ]] || need_image
  [[ -s $layout/versions.txt ]] || { printf 'the bundle has no binaries of versions: bundle --versions makes them\n' >&2 && exit 2; }
  export MEASURE_PRELOAD=$layout/lib/libclock.so
  : >"$work/measured"
  for ((at = 0; at < ${#sizes[@]}; at += 3)); do
    program=${sizes[at]} of_program=("${sizes[@]:at + 1:2}")
    [[ " ${programs[*]} " == *" $program "* ]] || continue
    [[ -z $host_target ]] || of_program=("${small_sizes[@]}")
    if [[ -n $all_sizes ]]; then
      # No multiple of a warp.
      of_program=($((of_program[0] / 4 + 1)) "${of_program[@]}")
    else
      of_program=("${of_program[${#large}]}")
    fi
    # As written first: its results are those of the others.
    mapfile -t binaries < <(awk -F '\t' -v program="$program" '$1 == program && !seen[$2]++ { print $2 }' "$layout/versions.txt")
    for size in "${of_program[@]}"; do
      step "$program $size"
      measure_versions "$program" "$size"
    done
  done
  title="on ${device[0]:-}"
  [[ -z $host_target ]] || title="on the host as an offload target: no measurement of a GPU"
  {
    printf '# Mappings of loops to threads, predicted and measured, %s\n\n' "$title"
    printf "Made by \`scripts/gpu-check versions%s\`, %s.\\n\\n" "${large:+ --large}${all_sizes:+ --all-sizes}" "$(date -u +%F)"
    [[ -n $host_target ]] || printf -- '- GPU: %s, compute capability %s, driver for CUDA %s\n' "${device[@]}"
    printf -- '- Host: %s\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
    printf -- '- Build: ipda %s, %s, images for %s\n' "$(info commit)" "$(info compiler)" "$(info images)"
    cat <<'TEXT'
- measured: from the call of a launch to its return with the data on the device, median without the region's first. Best: of all rows of mappings.
- sectors: that a warp touches, and predicted times as fast as the loops as written, by sectors and threads, both as the report has them: for
  the example sizes of the plugin, not for the measured size.
- chosen: `as built` is the program as the plugin makes it, with its guard; `yes` is the mapping that it takes, asked for by its number.
- Results are those of the loops as written, bit by bit, which are compared with the host.
TEXT
    [[ -z $wrong ]] || printf -- '- Left out, as they failed:\n\n%s' "$wrong"
    printf '\n'
    awk -v csv="$work/versions.csv" -v enough="$enough_threads" -f "${bundled:-$root/test-inputs/measure}/versions.awk" "$layout/versions.txt" "$work/measured"
  } >"$work/versions.md"
  cp "$work/versions.md" "$file"
  cp "$work/versions.csv" "${file%.md}.csv"
  step "written: $file and ${file%.md}.csv"
  [[ -z $wrong ]] || fail_softly
}
