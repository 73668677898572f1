// What asmjit finds as stderr: a variable of the library's own, since its code was not compiled to
// look into another library.
#include <cstdio>

extern "C" {
extern FILE* __real_stderr;
FILE* __wrap_stderr;

// Before all variables of the library, whose constructors may already print.
__attribute__((constructor(101))) static void find_stderr() { __wrap_stderr = __real_stderr; }
}
