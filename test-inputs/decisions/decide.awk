# From lines `kernel size device-seconds host-seconds seconds-as-chosen choice predicted-host predicted-device`, the table of scripts/gpu-check decide on
# standard output, and with comma-separated values in the file `csv`.
function digits(number) { return number >= 100 ? sprintf("%.0f", number) : number >= 1 ? sprintf("%.2f", number) : sprintf("%.4f", number) }
function mean(logs) { return sprintf("%.3f", exp(logs / cases)) }
BEGIN {
  print "| kernel | size | device, ms | host, ms | as chosen, ms | choice | over the better one | predicted: device, ms | host, ms |"
  print "|---|---|---|---|---|---|---|---|---|"
  print "kernel,size,device_s,host_s,chosen_s,choice,over_the_better,predicted_device_s,predicted_host_s" >csv
}
{
  better = $3 < $4 ? $3 : $4
  faster = $3 < $4 ? "device" : "host"
  cases++
  chosen += log($5 / better)
  device += log($3 / better)
  host += log($4 / better)
  right += $6 == faster
  most = $5 / better > most ? $5 / better : most
  printf "| %s | %d | %s | %s | %s | %s%s | %.2f | %s | %s |\n", $1, $2, digits($3 * 1e3), digits($4 * 1e3), digits($5 * 1e3), $6,
    $6 == faster ? "" : ", the slower one", $5 / better, digits($8 * 1e3), digits($7 * 1e3)
  printf "%s,%d,%.9f,%.9f,%.9f,%s,%.4f,%.9g,%.9g\n", $1, $2, $3, $4, $5, $6, $5 / better, $8, $7 >csv
}
END {
  if (cases) {
    printf "\nTime over that of the better one, geometric mean of %d: as chosen %s (goal: at most 1.05; worst %.2f), always the device %s, always the host %s. ",
      cases, mean(chosen), most, mean(device), mean(host)
    printf "The choice is the faster one in %d.\n", right
  }
}
