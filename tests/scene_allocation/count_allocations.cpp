// The C library's allocation functions with a counter in front. The dynamic linker lets the executable's versions win
// in every shared library too, so operator new, Eigen and what Pinocchio allocates inside its own library all pass
// here.
#include <atomic>
#include <cerrno>
#include <cstddef>

std::atomic<long> g_allocations{0};

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size)
{
  ++g_allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size)
{
  ++g_allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size)
{
  ++g_allocations;
  return __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size)
{
  ++g_allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size)
{
  ++g_allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
}
