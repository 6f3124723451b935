#!/usr/bin/env bash
# same-result.sh PLUGIN PREFIX COMMAND...: runs a compile command without and with the plugin and compares the two results byte for
# byte. What the compiler says in the run with the plugin goes to standard error. PREFIX begins the names of the results. Launches do not decide, and copy as
# their clauses say.
set -euo pipefail
export IPDA_DECISION=off IPDA_MAPS=off

plugin=$1 prefix=$2
shift 2
# The option of both runs: a file's own name can be in its debug information.
compile() { "$@" -o "$prefix.result"; }
compile "$@" 2>/dev/null
mv "$prefix.result" "$prefix.without"
compile "$@" "-fpass-plugin=$plugin"
mv "$prefix.result" "$prefix.with"
cmp "$prefix.without" "$prefix.with"
