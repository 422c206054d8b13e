/* Commands of contexts with copies of buffers in several memories. Before a command runs, a function of the host makes
 * the copies valid that it uses (weft/device/tracked_queue.py).
 *
 * That happens when the command runs, not when it is enqueued: by then its predecessors have ended, and commands that
 * are not ordered with it do not write the memory that it uses. The first thread that runs the command calls the
 * function; other threads of the command wait for it.
 */
#include "internal.h"

enum { MESSAGE_BYTES = 512 };

static weft_access describe(const weft_command *command, char *message) {
    weft_access access = {.memories = command->queue->memories, .dst = command->dst, .src = command->src,
                          .args = command->args, .args_bytes = command->args_bytes, .message = message,
                          .message_bytes = MESSAGE_BYTES};
    switch (command->kind) {
    case KIND_COPY:
        access.kind = WEFT_ACCESS_COPY;
        access.nbytes = command->units;
        break;
    case KIND_COPY_RECT:
        access.kind = WEFT_ACCESS_COPY_RECT;
        access.rect = &command->rect;
        break;
    case KIND_FILL:
        access.kind = WEFT_ACCESS_FILL;
        access.nbytes = command->units * command->args_bytes;
        access.args = command->pattern;
        break;
    case KIND_MIGRATE:
        access.kind = WEFT_ACCESS_MIGRATE;
        access.nbytes = command->src;
        access.mode = (uint32_t)command->function;
        break;
    default:
        access.kind = WEFT_ACCESS_LAUNCH;
    }
    return access;
}

static void settle(weft_command *command, weft_thread *self) {
    char message[MESSAGE_BYTES] = "";
    weft_access access = describe(command, message);
    atomic_store_explicit(&self->running, command, memory_order_relaxed);
    weft_thread *guarded = weft_guard();
    int32_t found = command->queue->settle(&access);
    atomic_store_explicit(&self->running, NULL, memory_order_relaxed);
    if (found > 0) {
        command->kind = KIND_NOTHING;
    } else if (found < 0) {
        atomic_store(&command->error, OUT_OF_RESOURCES);
        if (found == WEFT_INTERRUPTED)
            atomic_store(&self->interrupted, 1);
        else if (message[0] && !weft_is_stopping())
            weft_tell_failure(command, message);
    }
    weft_unguard(guarded);
}

void weft_settle(weft_command *command, weft_thread *self) {
    if (command->pool->simulation && command->kind == KIND_NDRANGE)
        return;
    weft_lock_acquire(&command->settling);
    if (!command->settled) {
        settle(command, self);
        command->settled = true;
    }
    weft_lock_release(&command->settling);
}
