# cmake --install: static libraries, headers and a package file for find_package(forebay).
