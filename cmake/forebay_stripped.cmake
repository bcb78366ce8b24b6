# forebay_stripped(COMPONENT FILE OPTION...): what was installed as FILE, absolute or below the prefix, loses its debug
# information, unless FOREBAY_INSTALL_DEBUG is on. `cmake --install --strip` leaves static libraries as they are, which
# are most of it. Its time is kept, so that the next call of --install finds it up to date.
include_guard()
option(FOREBAY_INSTALL_DEBUG "Install with debug information" OFF)

function(forebay_stripped component file)
  if(NOT FOREBAY_INSTALL_DEBUG AND CMAKE_STRIP)
    cmake_path(IS_ABSOLUTE file is_absolute)
    if(NOT is_absolute)
      set(file "\${CMAKE_INSTALL_PREFIX}/${file}")
    endif()
    install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" -p ${ARGN} \"\$ENV{DESTDIR}${file}\"
      COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
  endif()
endfunction()
