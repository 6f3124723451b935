# Makes the tables of `scripts/gpu-check transform` from samples, lines `PROGRAM VERSION COLUMN SECONDS` among others, and from what the caller sets:
#   csv     the file for the comma-separated table
#   names   the columns, in order
#   same    `PROGRAM/VERSION` of programs that are byte by byte the original
#   WRONG   in the environment: a list of runs that failed
# A cell is the median; least and most beside it tell the spread.
function add(key, seconds,    at) {
  for (at = runs[key]++; at > 0 && sample[key, at - 1] > seconds; at--)
    sample[key, at] = sample[key, at - 1]
  sample[key, at] = seconds
}

function median(key,    half) {
  half = int(runs[key] / 2)
  return runs[key] % 2 ? sample[key, half] : (sample[key, half - 1] + sample[key, half]) / 2
}

# Milliseconds with three digits that count.
function ms(seconds,    value) {
  value = 1000 * seconds
  return sprintf(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
}

function cell(key) {
  if (!runs[key])
    return "-"
  return runs[key] == 1 ? ms(sample[key, 0]) : ms(median(key)) " (" ms(sample[key, 0]) "..." ms(sample[key, runs[key] - 1]) ")"
}

# How many times as fast `key` is as `base`.
function ratio(base, key, digits) {
  return runs[base] && runs[key] && median(key) > 0 ? sprintf("%." digits "f", median(base) / median(key)) : ""
}

function or_dash(text) { return text == "" ? "-" : text }

NF == 4 && $1 != "of" {
  if (!($1 in known)) {
    known[$1] = 1
    programs[++program_count] = $1
  }
  add($1 "," $2 "," $3, $4)
}

function heading(first,    c) {
  printf "| program | %s", first
  for (c = 1; c <= columns; c++)
    printf " | %s", title[column[c]]
  printf " |\n|---|---"
  for (c = 1; c <= columns; c++)
    printf "|---:"
  print "|"
}

END {
  columns = split(names, column, " ")
  split("original transformed by-hand", version, " ")
  title["kernel"] = "kernel"
  title["overall"] = "whole program"
  title["large_kernel"] = "large, kernel"
  title["large_overall"] = "large, whole program"
  title["throughput"] = "20 launches"

  if (ENVIRON["WRONG"] != "")
    printf "## Failed\n\nThe times of these runs are left out:\n\n%s\n", ENVIRON["WRONG"]

  print "## Times as fast as the plain pragma without the plugin's change\n"
  heading("version")
  for (p = 1; p <= program_count; p++)
    for (v = 2; v <= 3; v++) {
      printf "| %s | %s%s", programs[p], version[v], index(same, " " programs[p] "/" version[v] " ") ? ", the same program" : ""
      for (c = 1; c <= columns; c++)
        printf " | %s", or_dash(ratio(programs[p] ",original," column[c], programs[p] "," version[v] "," column[c], 2))
      print " |"
    }

  print "\n## Times in milliseconds: median (least...most)\n"
  heading("version")
  for (p = 1; p <= program_count; p++)
    for (v = 1; v <= 3; v++) {
      printf "| %s | %s", programs[p], version[v]
      for (c = 1; c <= columns; c++)
        printf " | %s", cell(programs[p] "," version[v] "," column[c])
      print " |"
    }

  print "\n## The expert's clause left out, and found again\n"
  print "Speed of the kernels as a part of that with the clause written by hand.\n"
  print "| program | without the clause | transformed | large, without the clause | large, transformed |\n|---|---:|---:|---:|---:|"
  for (p = 1; p <= program_count; p++) {
    printf "| %s", programs[p]
    for (c = 1; c <= 3; c += 2)
      for (v = 1; v <= 2; v++)
        printf " | %s", or_dash(ratio(programs[p] ",by-hand," column[c], programs[p] "," version[v] "," column[c], 2))
    print " |"
  }

  printf "benchmark,version" >csv
  for (c = 1; c <= columns; c++)
    printf ",%s_speedup,%s_seconds,%s_least,%s_most,%s_runs", column[c], column[c], column[c], column[c], column[c] >csv
  printf "\n" >csv
  for (p = 1; p <= program_count; p++)
    for (v = 1; v <= 3; v++) {
      printf "%s,%s", programs[p], version[v] >csv
      for (c = 1; c <= columns; c++) {
        key = programs[p] "," version[v] "," column[c]
        if (runs[key])
          printf ",%s,%.6g,%.6g,%.6g,%d", ratio(programs[p] ",original," column[c], key, 3), median(key), sample[key, 0], \
            sample[key, runs[key] - 1], runs[key] >csv
        else
          printf ",,,,,0" >csv
      }
      printf "\n" >csv
    }
}
