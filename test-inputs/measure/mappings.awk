# Reads a report in YAML and prints for each region of the program's own, with tabs between,
#   FUNCTION:LINE  STATE  SECTORS-BEFORE  SECTORS-AFTER  THREADS-BEFORE  THREADS-AFTER  MAPPING  COUNT
# of its first version with another mapping: STATE is `made` where there is code for it, and `plain`, with `as written`, where there is no such
# version. COUNT is the number of legal mappings where one was asked for that is not there, else 0.
BEGIN { OFS = "\t" }

function plain_word(text) {
  gsub(/^['"]|['"]$/, "", text)
  return text
}

function end_version() {
  if (version && names != "" && gain["sectors_after"] != "" && !have) {
    have = 1
    found = state OFS gain["sectors_before"] OFS gain["sectors_after"] OFS gain["threads_before"] OFS gain["threads_after"] OFS \
      names (lanes == "" ? "" : " lanes " lanes)
  }
  version = 0
}

function end_region() {
  end_version()
  # That of measure.h only asks where it runs.
  if (name != "" && name != "main")
    print name ":" line, have ? found : "plain" OFS "-" OFS "-" OFS "-" OFS "-" OFS "as written", count
  name = ""
}

/^- function: / {
  end_region()
  name = plain_word($3)
  line = have = count = 0
}
/^    line: / && !line { line = $2 }
/text: .*[0-9]+ mappings? (is|are) legal, and number/ {
  for (word = 1; word < NF; word++)
    if ($word ~ /^'?[0-9]+$/ && $(word + 1) ~ /^mappings?$/)
      count = plain_word($word) + 0
}
/^  [a-z]/ {
  end_version()
  device_part = 0
}
/^    [a-z]/ {
  end_version()
  device_part = /^    versions:/
}
device_part && /^    - id: / {
  end_version()
  version = 1
  names = lanes = state = step = part = ""
  delete gain
}
version && /^      state: / { state = $2 }
version && /^      - step: / { step = $3 }
version && /^      [a-z]/ { part = $1 }
version && /^        [a-z_]+:/ { list = $1 }
version && part == "recipe:" && step != "promoted" && list == "threads:" && /^        - name: / {
  sub(/^        - name: /, "")
  names = names (names == "" ? "" : " ") plain_word($0)
}
version && part == "recipe:" && list == "lanes:" && /^        - [0-9]+$/ { lanes = lanes (lanes == "" ? "" : "x") $2 }
version && part == "gain:" && /^        (sectors|threads)_/ {
  key = $1
  sub(/:/, "", key)
  gain[key] = $2
}
END { end_region() }
