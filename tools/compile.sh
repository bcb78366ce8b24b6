#!/bin/sh
# compile.sh COMPILER ARGUMENT...: the compiler, asked by way of ccache; CMake calls it for every file.
# Objects are the same wherever the source and the build folder lie.
export CCACHE_BASEDIR="${0%/tools/compile.sh}" CCACHE_NOHASHDIR=1
# A precompiled header differs from one compilation to the next. What it was made of does not: ccache takes its hash,
# which lies beside it, for the header.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_PCH_EXTSUM=1
ccache "$@" || exit
case $* in
  *" -x c++-header "*.gch\ *) ;;
  *) exit 0 ;;
esac

# The arguments without those that name what is written.
for argument in "$@"; do
  shift
  case $before in
    -o) header=$argument ;;
    -MF | -MT) ;;
    *)
      case $argument in
        -o | -MF | -MT | -MD | -c) ;;
        *) set -- "$@" "$argument" ;;
      esac
      ;;
  esac
  before=$argument
done
"$@" -E -P -dD | sha256sum >"$header.sum"
