# From lines `kernel size kernel-seconds whole-seconds predicted-kernel predicted-transfers`, the table of scripts/gpu-check model on standard
# output, and with comma-separated values in the file `csv`.
function digits(number) { return number >= 100 ? sprintf("%.0f", number) : number >= 1 ? sprintf("%.2f", number) : sprintf("%.3f", number) }
function error(predicted, measured) { return 100 * (predicted > measured ? predicted - measured : measured - predicted) / measured }
BEGIN {
  print "| kernel | size | kernel, measured ms | predicted ms | ratio | transfers, measured ms | predicted ms | ratio |"
  print "|---|---|---|---|---|---|---|---|"
  print "kernel,size,kernel_measured_s,kernel_predicted_s,transfers_measured_s,transfers_predicted_s" >csv
}
{
  transfers = $4 - $3
  printf "| %s | %d | %s | %s | %.2f |", $1, $2, digits($3 * 1e3), digits($5 * 1e3), $5 / $3
  kernels++
  sum_of_kernels += error($5, $3)
  logs += log($5 / $3) > 0 ? log($5 / $3) : -log($5 / $3)
  # The clock's steps and other programs can hide a short transfer.
  if (transfers > 0) {
    printf " %s | %s | %.2f |\n", digits(transfers * 1e3), digits($6 * 1e3), $6 / transfers
    with_transfers++
    sum_of_transfers += error($6, transfers)
  } else {
    printf " less than the spread | %s | |\n", digits($6 * 1e3)
  }
  printf "%s,%d,%.9f,%.9f,%.9f,%.9f\n", $1, $2, $3, $5, transfers, $6 >csv
}
END {
  if (kernels) {
    printf "\nMean absolute percentage error: kernels %.0f %%", sum_of_kernels / kernels
    if (with_transfers) printf ", transfers %.0f %%", sum_of_transfers / with_transfers
    printf "; kernels are off by a factor of %.2f (geometric mean), of %d.\n", exp(logs / kernels), kernels
  }
}
