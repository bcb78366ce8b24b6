#!/bin/sh
# compile.sh COMPILER ARGUMENT...: the compiler, asked by way of ccache; CMake calls it for every file.
# Objects are the same wherever the source and the build folder lie.
export CCACHE_BASEDIR="${0%/tools/compile.sh}" CCACHE_NOHASHDIR=1
# A precompiled header differs from one compilation to the next. What it was made of does not: ccache takes its hash,
# which lies beside it, for the header.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_PCH_EXTSUM=1
# How much memory the compiler takes changes nothing of what it makes.
export CCACHE_IGNOREOPTIONS="--param=ggc-*"
case $* in
  *" -x c++-header "*.gch\ *) ;;
  *) exec ccache "$@" ;;
esac

for argument in "$@"; do
  [ "$before" != -o ] || header=$argument
  before=$argument
done

# preprocess OPTIONS ARGUMENT...: what the preprocessor makes of the same arguments, to standard output.
preprocess() {
  options=$1
  shift
  for argument in "$@"; do
    shift
    case $before in
      -o | -MF | -MT) ;;
      *)
        case $argument in
          -o | -MF | -MT | -MD | -c) ;;
          *) set -- "$@" "$argument" ;;
        esac
        ;;
    esac
    before=$argument
  done
  "$@" $options
}

# The compiler recognises a file in a precompiled header by all its bytes, and includes it a second time if they differ.
# ccache ignores comments, so it is given the bytes of every file as well.
bytes=$(mktemp)
trap 'rm -f "$bytes"' EXIT
preprocess -M "$@" | sed -e 's/^[^ ]*: *//' -e 's/\\$//' | xargs cat | sha256sum >"$bytes"
CCACHE_EXTRAFILES=$bytes ccache "$@" || exit
preprocess "-E -P -dD" "$@" | sha256sum >"$header.sum"
