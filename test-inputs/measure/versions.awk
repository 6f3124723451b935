# Makes the table of `scripts/gpu-check versions` from two files with tabs between their words:
#   versions.txt  PROGRAM BINARY FUNCTION:LINE SECTORS-BEFORE SECTORS-AFTER THREADS-BEFORE THREADS-AFTER MAPPING
#   measured      PROGRAM SIZE BINARY FUNCTION:LINE SECONDS LAUNCHES
# The caller sets `csv`, the file for the comma-separated table, and `enough`, the threads that hide the latency by the plugin's measure. Mapping and binary m0 are the loops as written; binary `chosen` is what the plugin
# makes of its own accord, whose mapping is marked in the table and whose time counts in the summary.
BEGIN { FS = "\t" }

NR == FNR {
  if ($2 == "chosen") {
    chosen_name[$1, $3] = $8
    chosen_gain[$1, $3] = $5 == "-" ? "" : predicted($4, $5, $6, $7)
    next
  }
  row = ++rows
  program[row] = $1
  binary[row] = $2
  region[row] = $3
  before[row] = $4
  sectors[row] = $5
  gain[row] = $2 == "m0" ? 1 : predicted($4, $5, $6, $7)
  name[row] = $8
  # The loops as written touch what every other mapping is compared with.
  if ($2 != "m0")
    sectors_of_plain[$1, $3] = $4
  next
}

{
  seconds[$1, $2, $3, $4] = $5
  if (!(($1, $2) in known)) {
    known[$1, $2] = 1
    cases[++case_count] = $1 FS $2
  }
}

# Times as fast as the loops as written: by sectors, and where there are fewer threads than hide the latency, by their number as well, which is
# how the plugin screens mappings.
function predicted(sectors_before, sectors_after, threads_before, threads_after) {
  if (sectors_after + 0 <= 0)
    return ""
  return sectors_before / sectors_after * slowed(threads_before) / slowed(threads_after)
}

function slowed(threads) { return threads > 0 && threads < enough ? enough / threads : 1 }

function rank(values, wanted, count,    at, less, same) {
  less = same = 0
  for (at = 1; at <= count; at++) {
    less += values[at] < values[wanted]
    same += values[at] == values[wanted]
  }
  return less + (same + 1) / 2
}

# Spearman's: Pearson's correlation of the ranks, those of equal values being equal.
function correlation(a, b, count,    at, x, y, mx, my, xx, yy, xy) {
  mx = my = (count + 1) / 2
  for (at = 1; at <= count; at++) {
    x = rank(a, at, count) - mx
    y = rank(b, at, count) - my
    xx += x * x
    yy += y * y
    xy += x * y
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : "-"
}

function case_of(program_name, size, where,    row, best, best_row, count, key, time, is_chosen, chosen_time, chosen_row, predictions, times, at_count, over, r) {
  best = 0
  for (row = 1; row <= rows; row++) {
    if (program[row] != program_name || region[row] != where || !((program_name, size, binary[row], where) in seconds))
      continue
    time = seconds[program_name, size, binary[row], where]
    if (!best || time < best) {
      best = time
      best_row = row
    }
    count++
    predictions[count] = -gain[row]
    times[count] = time
    at_count[count] = row
    if (name[row] == chosen_name[program_name, where])
      chosen_row = row
  }
  key = program_name SUBSEP size SUBSEP "chosen" SUBSEP where
  chosen_time = key in seconds ? seconds[key] : ""
  # Where there is one mapping alone, nothing is chosen.
  if (count < 2)
    return
  # The chosen binary is timed too: where its mapping has a row of its own, it is the same code behind the plugin's own guard.
  for (r = 1; r <= count; r++) {
    row = at_count[r]
    is_chosen = row == chosen_row
    line(program_name, size, where, name[row], is_chosen ? "yes" : "no", row_sectors(row), gain[row], times[r], times[r] / best)
  }
  if (chosen_time != "") {
    line(program_name, size, where, chosen_name[program_name, where], "as built", "", chosen_gain[program_name, where], chosen_time, chosen_time / best)
    # A chosen one that is faster than its own row by chance is no worse than the best.
    over = chosen_time > best ? chosen_time / best : 1
    logs += log(over)
    compared++
    right += chosen_row == best_row || over <= 1.03
    if (over > worst) {
      worst = over
      worst_where = program_name " " where ", size " size
    }
    if ((program_name, size, "m0", where) in seconds) {
      plain_logs += log(seconds[program_name, size, "m0", where] / best)
      plain_compared++
    }
  }
  if (count >= 3) {
    r = correlation(predictions, times, count)
    summary = summary sprintf("| %s | %s | %s | %d | %s | %s | %s |\n", program_name, size, where, count, name[best_row], chosen_time == "" ? "-" : sprintf("%.2f", chosen_time / best), r == "-" ? r : sprintf("%.2f", r))
    if (r != "-") {
      correlations += r
      correlated++
    }
  }
}

function row_sectors(row) { return binary[row] != "m0" ? sectors[row] : sectors_of_plain[program[row], region[row]] }

function line(program_name, size, where, mapping, chosen, touched, faster, time, over) {
  table = table sprintf("| %s | %s | %s | %s | %s | %s | %s | %.4g | %.2f |\n", program_name, size, where, mapping, chosen, touched == "" ? "-" : touched, \
    faster == "" ? "-" : sprintf("%.2f", faster), 1000 * time, over)
  printf "%s,%s,%s,\"%s\",%s,%s,%s,%.9f,%.4f\n", program_name, size, where, mapping, chosen, touched, faster == "" ? "" : sprintf("%.4f", faster), time, over >csv
}

END {
  printf "program,size,region,mapping,chosen,sectors,predicted_times_as_fast,seconds,over_best\n" >csv
  for (c = 1; c <= case_count; c++) {
    split(cases[c], word, FS)
    delete seen
    for (row = 1; row <= rows; row++)
      if (program[row] == word[1] && !(region[row] in seen)) {
        seen[region[row]] = 1
        case_of(word[1], word[2], region[row])
      }
  }
  print "## Summary\n"
  if (compared) {
    printf "Regions and sizes: %d. The choice as built is the best mapping, or within 3 %% of it, in %d.\n", compared, right
    printf "Its time over that of the best, geometric mean: %.3f (worst %.2f%s).", exp(logs / compared), worst, (worst > 1 ? ": " worst_where : "")
    if (plain_compared)
      printf " Loops as written, likewise: %.3f.", exp(plain_logs / plain_compared)
    printf "\n"
  }
  if (correlated)
    printf "Rank correlation (Spearman) of predicted and measured times over the mappings of a region, mean of %d: %.2f.\n", correlated, correlations / correlated
  printf "\n| program | size | region | mappings | best mapping | choice as built over best | rank correlation |\n|---|---:|---|---:|---|---:|---:|\n%s", summary
  printf "\n## Mappings\n\n| program | size | region | mapping | chosen | sectors | predicted times as fast | measured ms | over best |\n|---|---:|---|---|---|---:|---:|---:|---:|\n%s", table
}
