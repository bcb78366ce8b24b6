# failures.awk: passes on what tests print, less the tests of GoogleTest that passed in silence. What is left of a long
# log is what went wrong: a crash still shows which test had begun.
/^\[ RUN      \]/ {
  begun = $0
  next
}
/^\[       OK \]/ || /^\[----------\]/ || /^$/ {
  if (/OK/) begun = ""
  next
}
{
  if (begun != "") print begun
  begun = ""
  print
  fflush()
}
END {
  if (begun != "") print begun
}
