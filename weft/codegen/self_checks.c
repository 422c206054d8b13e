/* llvmlite's LLVM is built with assertions. A failed one calls __assert_fail or abort, which would end the user's
 * program. Here the entries of these two functions in the library's own procedure linkage table are replaced by
 * functions that leave the call of LLVM. The objects of an abandoned call are not touched again.
 *
 * Nothing else changes: calls by other libraries, by libc itself (for example when it finds its heap damaged) and by
 * threads that are not inside such a call, and signals from outside end the process as usual.
 */
#define _GNU_SOURCE
#include "self_checks.h"

#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOBAL_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOBAL_DATA = R_AARCH64_GLOB_DAT };
#elif defined(__riscv)
enum { JUMP_SLOT = R_RISCV_JUMP_SLOT, GLOBAL_DATA = R_RISCV_64 };
#else
enum { JUMP_SLOT = -1, GLOBAL_DATA = -1 };
#endif

/* assert.h declares it only if assertions are enabled. */
_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function);

static struct {
    volatile long thread; /* the thread that is inside LLVM, 0 if none */
    jmp_buf leave;
    char found[512];
    uintptr_t library; /* a function of the library whose entries were replaced */
} call;

static _Bool is_inside(void) {
    return call.thread == syscall(SYS_gettid);
}

static _Noreturn void leave(void) {
    call.thread = 0;
    longjmp(call.leave, 1);
}

static _Noreturn void fail_assertion(const char *assertion, const char *file, unsigned line, const char *function) {
    if (is_inside()) {
        const char *slash = strrchr(file, '/');
        snprintf(call.found, sizeof call.found, "%s:%u: %s", slash ? slash + 1 : file, line, assertion);
        leave();
    }
    __assert_fail(assertion, file, line, function);
}

static _Noreturn void end_process(void) {
    if (is_inside())
        leave();
    abort();
}

/* Stores an address in an entry, which may lie in memory that became read-only after loading. */
static void replace(uintptr_t *entry, uintptr_t address) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)entry & ~(page - 1);
    if (__atomic_load_n(entry, __ATOMIC_RELAXED) == address || mprotect((void *)start, page, PROT_READ | PROT_WRITE))
        return;
    __atomic_store_n(entry, address, __ATOMIC_RELEASE);
}

static void replace_entries(const ElfW(Rela) * entries, size_t bytes, const ElfW(Sym) * symbols, const char *names,
                            uintptr_t base) {
    for (size_t i = 0; i < bytes / sizeof *entries; i++) {
        int type = (int)ELF64_R_TYPE(entries[i].r_info);
        if (type != JUMP_SLOT && type != GLOBAL_DATA)
            continue;
        const char *name = names + symbols[ELF64_R_SYM(entries[i].r_info)].st_name;
        uintptr_t *entry = (uintptr_t *)(base + entries[i].r_offset);
        if (!strcmp(name, "__assert_fail"))
            replace(entry, (uintptr_t)fail_assertion);
        else if (!strcmp(name, "abort"))
            replace(entry, (uintptr_t)end_process);
    }
}

/* Returns the address in an entry of the dynamic section; some loaders leave it relative to the load address. */
static const void *address_of(const ElfW(Dyn) * entry, uintptr_t base) {
    return (const void *)(entry->d_un.d_ptr < base ? base + entry->d_un.d_ptr : entry->d_un.d_ptr);
}

/* Replaces the entries of the library that contains the function. */
static int look_at(struct dl_phdr_info *info, size_t size, void *function) {
    (void)size;
    const ElfW(Dyn) *dynamic = NULL;
    _Bool holds = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (uintptr_t)function - start < part->p_memsz)
            holds = 1;
        else if (part->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)start;
    }
    if (!holds || !dynamic)
        return holds;
    const ElfW(Rela) *calls = NULL, *data = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t call_bytes = 0, data_bytes = 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        switch (dynamic->d_tag) {
        case DT_JMPREL: calls = address_of(dynamic, info->dlpi_addr); break;
        case DT_PLTRELSZ: call_bytes = dynamic->d_un.d_val; break;
        case DT_RELA: data = address_of(dynamic, info->dlpi_addr); break;
        case DT_RELASZ: data_bytes = dynamic->d_un.d_val; break;
        case DT_SYMTAB: symbols = address_of(dynamic, info->dlpi_addr); break;
        case DT_STRTAB: names = address_of(dynamic, info->dlpi_addr); break;
        }
    }
    if (symbols && names) {
        if (calls)
            replace_entries(calls, call_bytes, symbols, names, info->dlpi_addr);
        if (data)
            replace_entries(data, data_bytes, symbols, names, info->dlpi_addr);
    }
    return 1;
}

/* Must not be inlined: variables of the caller could be clobbered by the jump back into it. */
static __attribute__((noinline)) int call_inside(uintptr_t function, uintptr_t first, uintptr_t second, uintptr_t third) {
    if (setjmp(call.leave))
        return 1;
    call.thread = syscall(SYS_gettid);
    ((void (*)(uintptr_t, uintptr_t, uintptr_t))function)(first, second, third);
    call.thread = 0;
    return 0;
}

int weft_call_checked(uintptr_t function, uintptr_t first, uintptr_t second, uintptr_t third) {
    if (call.library != function) {
        dl_iterate_phdr(look_at, (void *)function);
        call.library = function;
    }
    call.found[0] = 0;
    return call_inside(function, first, second, third);
}

const char *weft_failed_check(void) {
    return call.found;
}
