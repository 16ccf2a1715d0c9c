# Copies of the library under the sanitizers, with assertions on, for the unit tests: stiction_asan (AddressSanitizer and
# UndefinedBehaviorSanitizer) and stiction_…_tsan of the core (ThreadSanitizer). Not instrumented are the decompositions of
# stiction_algebra, which are Eigen's code, and the tests themselves: compiled once, they are linked to the library as it is and
# again to its copy.
set(instrumented -g1 -UNDEBUG -D_GLIBCXX_ASSERTIONS -fno-omit-frame-pointer -fno-sanitize-recover=all
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)   # GCC guesses wrongly about instrumented code
set(STICTION_ASAN -fsanitize=address,undefined)
set(STICTION_TSAN -fsanitize=thread)
if(STICTION_FUZZ)
  list(APPEND instrumented -fsanitize=fuzzer-no-link)   # counts what is reached
endif()

add_library(stiction_asan SHARED)
foreach(room ${STICTION_ROOMS})
  set(optimised -O1)
  if(NOT room IN_LIST STICTION_CORE)   # only the core computes for long; the others compile faster with less
    set(optimised -Og)
  endif()
  stiction_room(${room} _asan "" ${optimised} ${instrumented} ${STICTION_ASAN}
    # Half of the compile time goes into these; what they find in accesses to memory AddressSanitizer sees anyway.
    -fno-sanitize=null,alignment,pointer-overflow,object-size,vptr
    # Otherwise Eigen would allocate differently from the installed Pinocchio and the tests, and each free the other's memory.
    -DEIGEN_MALLOC_ALREADY_ALIGNED=1)
  target_link_libraries(stiction_asan PRIVATE stiction_${room}_asan)
endforeach()
target_include_directories(stiction_asan PUBLIC include)
target_link_libraries(stiction_asan PUBLIC Eigen3::Eigen)
# The copy calls its own instances of templates, which are instrumented, not those of the tests.
target_link_options(stiction_asan PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map
  LINKER:-Bsymbolic INTERFACE ${STICTION_ASAN})

# What is used from many threads there: all_sticking and closure.
foreach(room ${STICTION_CORE})
  stiction_room(${room} _tsan
    "/(ask|proof)/(couplings|friction_well|impact|mlcp|mode_solver|motion_proof|polygon|propositions|region|sliding|steps)"
    -O1 ${instrumented} ${STICTION_TSAN})
endforeach()
list(TRANSFORM STICTION_CORE_TARGETS APPEND _tsan OUTPUT_VARIABLE STICTION_TSAN_TARGETS)

# The sanitizers of older compilers do not cope with the address-space randomisation of newer kernels.
execute_process(COMMAND setarch -R true RESULT_VARIABLE no_setarch ERROR_QUIET)
set(STICTION_FIXED_ADDRESSES)
if(NOT no_setarch)
  set(STICTION_FIXED_ADDRESSES setarch -R)
endif()
