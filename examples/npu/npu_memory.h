/* A simulated device's memory, which the host cannot touch: the addresses that Frit gets are mapped
   without any access, and the device's own code sees the same bytes elsewhere.

     void* x = npu_allocate(bytes);          what tensors on the device hold
     *(float*)x = 1;                         faults: this is the host
     *(float*)npu_view(x) = 1;               what the device's arithmetic units do

   It stands for what a real device has behind its driver: 256 MB, given out in blocks. C99 or C++,
   for Linux. Include it first. */
#ifndef NPU_MEMORY_H_
#define NPU_MEMORY_H_

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NPU_MEMORY_BYTES ((size_t)256 << 20)
#define NPU_MEMORY_BLOCK ((size_t)64)

/* Free memory is a list of gaps in rising order, which lies in the device's memory itself. */
typedef struct npu_gap {
  size_t bytes;
  struct npu_gap* next;
} npu_gap;

typedef struct npu_memory {
  char *host, *device; /* the same pages */
  npu_gap* gaps;
  pthread_mutex_t mutex;
} npu_memory;

static npu_memory npu_ram = {NULL, NULL, NULL, PTHREAD_MUTEX_INITIALIZER};

/* 0 where the system gives no memory. The caller holds the lock. */
static inline int npu_open_memory(void) {
  if (npu_ram.host != NULL) return 1;
  const int file = (int)syscall(SYS_memfd_create, "npu", 0);
  if (file < 0 || ftruncate(file, (off_t)NPU_MEMORY_BYTES) != 0) return 0;
  void* host = mmap(NULL, NPU_MEMORY_BYTES, PROT_NONE, MAP_SHARED, file, 0);
  void* device = mmap(NULL, NPU_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (host == MAP_FAILED || device == MAP_FAILED) return 0;
  npu_ram.host = (char*)host;
  npu_ram.device = (char*)device;
  npu_ram.gaps = (npu_gap*)device;
  npu_ram.gaps->bytes = NPU_MEMORY_BYTES;
  npu_ram.gaps->next = NULL;
  return 1;
}

static inline size_t npu_block_bytes(int64_t bytes) {
  const size_t blocks = ((size_t)bytes + NPU_MEMORY_BLOCK - 1) / NPU_MEMORY_BLOCK;
  return (blocks > 0 ? blocks : 1) * NPU_MEMORY_BLOCK;
}

/* Where the device finds what the host calls by this address. */
static inline void* npu_view(const void* host) {
  return npu_ram.device + ((const char*)host - npu_ram.host);
}

/* Null where there is no room. */
static inline void* npu_allocate(int64_t bytes) {
  const size_t wanted = npu_block_bytes(bytes);
  void* found = NULL;
  pthread_mutex_lock(&npu_ram.mutex);
  for (npu_gap** at = &npu_ram.gaps; npu_open_memory() && *at != NULL; at = &(*at)->next) {
    npu_gap* gap = *at;
    if (gap->bytes < wanted) continue;
    if (gap->bytes == wanted) {
      *at = gap->next;
    } else {
      npu_gap* rest = (npu_gap*)((char*)gap + wanted);
      rest->bytes = gap->bytes - wanted;
      rest->next = gap->next;
      *at = rest;
    }
    found = npu_ram.host + ((char*)gap - npu_ram.device);
    break;
  }
  pthread_mutex_unlock(&npu_ram.mutex);
  return found;
}

static inline void npu_deallocate(void* host, int64_t bytes) {
  npu_gap* gap = (npu_gap*)npu_view(host);
  pthread_mutex_lock(&npu_ram.mutex);
  npu_gap *before = NULL, *after = npu_ram.gaps;
  while (after != NULL && after < gap) {
    before = after;
    after = after->next;
  }
  gap->bytes = npu_block_bytes(bytes);
  gap->next = after;
  if (after != NULL && (char*)gap + gap->bytes == (char*)after) {
    gap->bytes += after->bytes;
    gap->next = after->next;
  }
  if (before == NULL) {
    npu_ram.gaps = gap;
  } else if ((char*)before + before->bytes == (char*)gap) {
    before->bytes += gap->bytes;
    before->next = gap->next;
  } else {
    before->next = gap;
  }
  pthread_mutex_unlock(&npu_ram.mutex);
}

static inline void npu_copy_in(void* to, const void* host, int64_t bytes) {
  memcpy(npu_view(to), host, (size_t)bytes);
}

static inline void npu_copy_out(void* host, const void* from, int64_t bytes) {
  memcpy(host, npu_view(from), (size_t)bytes);
}

#endif /* NPU_MEMORY_H_ */
