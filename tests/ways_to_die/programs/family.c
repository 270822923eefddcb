// family WAY FOLDER: processes that come from a process: forks, execs, shells, daemons. MPI_Get_version
// may be called in all of them.
#define _GNU_SOURCE
#include <mpi.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "counted.h"

extern char** environ;

static void Calls(int count) {
    int version, subversion, i;
    for (i = 0; i < count; ++i) MPI_Get_version(&version, &subversion);
}

static int Wait(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static int Execute(const char* self, const char* way, const char* folder) {
    execl(self, self, way, folder, (char*)NULL);
    return 95;
}

int main(int count, char** arguments) {
    const char* self = arguments[0];
    const char* way = arguments[1];
    const char* folder = count > 2 ? arguments[2] : NULL;
    pid_t child;
    int i, code = 0;
    if (strcmp(way, "image") == 0) {
        Calls(4);
        return 7;
    }
    if (strncmp(way, "calls-", 6) == 0) {
        Calls(atoi(way + 6));
        return 9;
    }
    if (strncmp(way, "chain-", 6) == 0) {
        char next[20];
        int left = atoi(way + 6);
        Calls(left + 1);
        if (left == 0) return 8;
        snprintf(next, sizeof next, "chain-%d", left - 1);
        if (left % 2 == 0) return Execute(self, next, folder);
        execvp(self, (char*[]){(char*)self, next, (char*)folder, NULL});
        return 96;
    }
    MPI_Init(&count, &arguments);
    Calls(3);
    if (strcmp(way, "fork-exits") == 0) {
        child = fork();
        if (child == 0) exit(5);
        code = Wait(child);
    } else if (strcmp(way, "fork-records") == 0) {
        child = fork();
        if (child == 0) {
            Calls(6);
            exit(5);
        }
        code = Wait(child);
    } else if (strcmp(way, "fork-execs") == 0) {
        child = fork();
        if (child == 0) exit(Execute(self, "image", folder));
        code = Wait(child);
    } else if (strcmp(way, "spawn") == 0) {
        char* words[] = {(char*)self, "image", NULL};
        if (posix_spawn(&child, self, NULL, NULL, words, environ) != 0) return 97;
        code = Wait(child);
    } else if (strcmp(way, "shell") == 0) {
        char line[100] = "";
        FILE* pipe;
        code = system("exit 6") == 6 << 8 ? 0 : 98;
        pipe = popen("echo from a shell", "r");
        if (pipe == NULL || fgets(line, sizeof line, pipe) == NULL) code = 99;
        pclose(pipe);
        printf("%s", line);
    } else if (strcmp(way, "daemon") == 0) {
        child = fork();
        if (child == 0) {
            setsid();
            if (fork() != 0) _exit(0);
            for (i = 0; i < 1000; ++i) close(i);
            Calls(2);
            Mark(folder, "daemon", 0);
            AwaitFile(folder, "go");
            Calls(9);
            Mark(folder, "daemon", 1);
            exit(0);
        }
        code = Wait(child);
        AwaitFile(folder, "daemon.0");
    } else if (strcmp(way, "many") == 0) {
        // Each process has files of its own.
        for (i = 0; i < 1000 && code == 0; ++i) {
            child = fork();
            if (child == 0) {
                Calls(2);
                _exit(0);
            }
            code = Wait(child);
        }
    } else {
        return 93;
    }
    Calls(2);
    MPI_Finalize();
    return code;
}
