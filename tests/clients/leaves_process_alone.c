/* Starting the driver changes neither signal handlers nor locale, folder or standard streams of the program. */
#include <locale.h>
#include <signal.h>
#include <unistd.h>

#include "client.h"

static void on_interrupt(int signal) { (void)signal; }

int main(void) {
    char before[4096], after[4096];
    struct sigaction interrupt = {.sa_handler = on_interrupt}, pipe_before, now;
    CHECK(setlocale(LC_ALL, "C") && getcwd(before, sizeof before));
    CHECK(!sigaction(SIGINT, &interrupt, NULL) && !sigaction(SIGPIPE, NULL, &pipe_before));
    struct session s = open_session();
    build(&s);
    add_vectors(&s);
    CHECK(!sigaction(SIGINT, NULL, &now) && now.sa_handler == on_interrupt);
    CHECK(!sigaction(SIGPIPE, NULL, &now) && now.sa_handler == pipe_before.sa_handler);
    CHECK(!strcmp(setlocale(LC_CTYPE, NULL), "C") && !strcmp(setlocale(LC_NUMERIC, NULL), "C"));
    CHECK(getcwd(after, sizeof after) && !strcmp(before, after));
    close_session(&s);
    printf("ok\n");
    return 0;
}
