#!/bin/sh
# run.sh TARGET CORPUS SECONDS [OPTIONS]: runs a fuzz target over its kept inputs, then on new ones. OPTIONS go to libFuzzer. Results stay beside
# the target: inputs that reach new code in NAME.found, the input of a failure in NAME.crash-*.
set -eu
target=$1 corpus=$2 seconds=$3
shift 3
mkdir -p "$target.found"
# libFuzzer's exit code for a failure is 77, which Meson takes for a skipped test.
options="-error_exitcode=1 -timeout_exitcode=1 -timeout=20 -rss_limit_mb=4096 -max_len=1024 -print_final_stats=1 -verbosity=0 -artifact_prefix=$target."
"$target" $options -runs=0 "$corpus"
exec "$target" $options -max_total_time="$seconds" "$@" "$target.found" "$corpus"
