/* Independent forward progress of sub-groups that wait for one another: each has its own stack.
 *
 * A work-group function runs its sub-groups sequentially. If one of them waits, it yields, and the function is called
 * once more, on a new stack, where it continues with the sub-groups that have not run yet. From then on stacks take
 * turns: each runs until its sub-group yields again. When all sub-groups have begun, a stack is given up as soon as its
 * sub-group has reached the next barrier of the work-group. The first stack, that of the thread, outlives the others.
 * So at a barrier it is the only one, and a work-group whose sub-groups never wait uses no other.
 *
 * All stacks of a work-group belong to one thread. More threads would not be faster where all sub-groups but one wait,
 * and accesses to local memory would have to be atomic.
 *
 * The stacks are in the context arena, because the device server cannot allocate memory here. The program's signal
 * handlers may need a larger stack, so they run on the first one (see weft_guard).
 */
/* The C library takes a jump into a stack further down for an error, if it is to check jumps. */
#undef _FORTIFY_SOURCE

#include "sub_groups.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sync.h"

/* A stack whose sub-group waits, or an unused one. */
typedef struct stack {
    jmp_buf where;
    uint64_t *last;     /* INTACT unless the stack has overflowed; NULL for the thread's stack, which has a guard page */
    struct stack *next; /* in the ring of used stacks, or in the list of unused ones */
} stack;

enum { STACK_ALIGNMENT = 64 };
static const uint64_t INTACT = 0x5afe57ac6e57ac6e;

static _Thread_local struct {
    bool running;  /* inside a work-group with several sub-groups */
    bool entering; /* the next call of weft_begin_sub_groups is on a new stack */
    weft_group_function *function;
    const weft_launch *launch;
    const void *args;
    void *local, *context;
    uint64_t place[3];
    const uint32_t *next;
    uint32_t items;
    char *stacks; /* memory of the stacks that have never been used */
    uint64_t stack_bytes;
    stack first, *current, *unused;
    weft_thread *guarded;
} group;

/* Runs the function on a new stack, which is left by a jump. */
static _Noreturn void enter(void) {
    group.entering = true;
    group.function(group.launch, group.args, group.local, group.context, group.place[0], group.place[1],
                   group.place[2]);
    abort();
}

/* Calls `enter` with a stack that ends at `top`. */
static _Noreturn void enter_at(char *top) {
#if defined(__x86_64__)
    __asm__ volatile("movq %0, %%rsp\n\txorl %%ebp, %%ebp\n\tcallq *%1" : : "r"(top), "r"(enter) : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("mov sp, %0\n\tmov x29, xzr\n\tblr %1" : : "r"(top), "r"(enter) : "memory");
#elif defined(__riscv)
    __asm__ volatile("mv sp, %0\n\tjalr %1" : : "r"(top), "r"(enter) : "memory");
#elif defined(__powerpc64__)
    /* A frame for the caller: the end of the back chain, and the area in which the callee saves registers. */
    __asm__ volatile("addi 1, %0, -64\n\tli 0, 0\n\tstd 0, 0(1)\n\tmr 12, %1\n\tmtctr 12\n\tbctrl"
                     : : "b"(top), "r"(enter) : "memory", "r0", "r12", "ctr");
#else
#error "how a stack is entered depends on the processor"
#endif
    __builtin_unreachable();
}

/* Continues on another stack. The compiler computes the size of stacks; if a stack has overflowed, memory is
 * corrupt. */
static void go_on(stack *to) {
    if (group.current->last && *group.current->last != INTACT)
        abort();
    group.current = to;
    _longjmp(to->where, 1);
}

/* Switches to another stack of the ring; returns when the current one is resumed. */
static void switch_to(stack *to) {
    stack *from = group.current;
    if (from == &group.first)
        group.guarded = weft_guard();
    if (!_setjmp(from->where))
        go_on(to);
    if (group.current == &group.first)
        weft_unguard(group.guarded);
}

static stack *new_stack(void) {
    stack *made = group.unused;
    if (made) {
        group.unused = made->next;
        return made;
    }
    /* The structure is at the high end of its stack. */
    uint64_t *last = (uint64_t *)group.stacks;
    group.stacks += group.stack_bytes;
    made = (stack *)((uintptr_t)(group.stacks - sizeof *made) / STACK_ALIGNMENT * STACK_ALIGNMENT);
    *last = INTACT;
    made->last = last;
    return made;
}

/* Switches to a new stack, on which the next sub-groups run; returns when the current one is resumed. */
static void begin_stack(void) {
    stack *from = group.current;
    if (from == &group.first)
        group.guarded = weft_guard();
    if (!_setjmp(from->where)) {
        stack *to = new_stack();
        to->next = from->next;
        from->next = to;
        group.current = to;
        enter_at((char *)to);
    }
    if (group.current == &group.first)
        weft_unguard(group.guarded);
}

int32_t weft_begin_sub_groups(weft_group_function *function, const weft_launch *launch, const void *args, void *local,
                              void *context, uint64_t x, uint64_t y, uint64_t z, const uint32_t *next, uint32_t items,
                              char *stacks, uint64_t stack_bytes) {
    if (group.entering) {
        group.entering = false;
        return 1;
    }
    group.function = function;
    group.launch = launch;
    group.args = args;
    group.local = local;
    group.context = context;
    group.place[0] = x, group.place[1] = y, group.place[2] = z;
    group.next = next;
    group.items = items;
    group.stacks = stacks;
    group.stack_bytes = stack_bytes;
    group.unused = NULL;
    group.current = group.first.next = &group.first;
    group.running = true;
    return 0;
}

void weft_await_sub_groups(void) {
    if (group.current == &group.first) {
        while (group.first.next != &group.first)
            switch_to(group.first.next);
        return;
    }
    stack *self = group.current, *before = self;
    while (before->next != self)
        before = before->next;
    before->next = self->next;
    stack *to = self->next;
    self->next = group.unused;
    group.unused = self;
    go_on(to);
}

void weft_end_sub_groups(void) {
    group.running = false;
}

void weft_yield(void) {
    if (!group.running)
        return;
    if (*group.next < group.items)
        begin_stack();
    else if (group.current->next != group.current)
        switch_to(group.current->next);
    else
        weft_pause(); /* the sub-group may wait for another work-group */
}

uintptr_t weft_sub_groups_function(const char *name) {
    static const struct { const char *name; uintptr_t address; } functions[] = {
        {"weft_begin_sub_groups", (uintptr_t)weft_begin_sub_groups},
        {"weft_await_sub_groups", (uintptr_t)weft_await_sub_groups},
        {"weft_end_sub_groups", (uintptr_t)weft_end_sub_groups},
        {"weft_yield", (uintptr_t)weft_yield},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name))
            return functions[i].address;
    return 0;
}
