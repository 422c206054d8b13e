/* Launches run by a function of the host, such as a simulator: one at a time, in the calling thread.
 *
 * The function is in Python. It may take any time, holds no lock but the GIL, and checks periodically whether it should
 * end (weft_simulation_ends): at the end of the program, or when the wait for the launch was interrupted.
 */
#include "internal.h"

#include <stdlib.h>

enum { MESSAGE_BYTES = 512 };

struct weft_simulation {
    weft_simulate_function *function;
    weft_lock lock; /* guards `running` */
    const weft_command *running;
    _Atomic uint32_t interrupted; /* the wait for the running launch was interrupted: it must end */
    weft_simulation *next;
};

static _Atomic(weft_simulation *) simulations;

int weft_pool_simulate(weft_pool *pool, uintptr_t function) {
    weft_simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation)
        return -1;
    simulation->function = (weft_simulate_function *)function;
    simulation->next = atomic_load(&simulations);
    while (!atomic_compare_exchange_weak(&simulations, &simulation->next, simulation))
        ;
    pool->simulation = simulation;
    return 0;
}

int weft_simulation_ends(const weft_command *command) {
    return weft_is_stopping() || atomic_load(&command->pool->simulation->interrupted);
}

static void set_running(weft_simulation *simulation, const weft_command *command) {
    weft_lock_acquire(&simulation->lock);
    simulation->running = command;
    atomic_store(&simulation->interrupted, 0);
    weft_lock_release(&simulation->lock);
}

/* Called when a wait for `target` has been interrupted: ends the running launch if it is the target, or an earlier
 * command of the same queue. */
void weft_simulation_interrupt(weft_simulation *simulation, const weft_command *target) {
    weft_lock_acquire(&simulation->lock);
    const weft_command *running = simulation->running;
    if (running && (running == target || (running->queue == target->queue && running->sequence <= target->sequence)))
        atomic_store(&simulation->interrupted, 1);
    weft_lock_release(&simulation->lock);
}

void weft_simulation_run(weft_simulation *simulation, weft_command *command, weft_thread *self) {
    char message[MESSAGE_BYTES] = "";
    weft_simulated launch = {command, command->function, &command->launch, command->args, command->args_bytes,
                             command->local_bytes, message, sizeof message, command->queue->memories};
    set_running(simulation, command);
    atomic_store_explicit(&self->running, command, memory_order_relaxed);
    weft_thread *guarded = weft_guard();
    int64_t took_ns = simulation->function(&launch);
    atomic_store_explicit(&self->running, NULL, memory_order_relaxed);
    set_running(simulation, NULL);
    if (took_ns >= 0) {
        command->device_ns = (uint64_t)took_ns;
    } else {
        atomic_store(&command->error, OUT_OF_RESOURCES);
        if (took_ns == WEFT_INTERRUPTED)
            atomic_store(&self->interrupted, 1);
        else if (message[0] && !weft_is_stopping())
            weft_tell_failure(command, message);
    }
    weft_unguard(guarded);
}

/* In the child of a fork. */
void weft_simulations_reset(void) {
    for (weft_simulation *simulation = atomic_load(&simulations); simulation; simulation = simulation->next) {
        simulation->running = NULL;
        atomic_store(&simulation->lock.state, 0);
        atomic_store(&simulation->interrupted, 0);
    }
}
