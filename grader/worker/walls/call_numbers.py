"""Numbers of the system calls that a worker may make, by architecture.

Those of x86-64 are in daily use; those of aarch64 follow the kernel's generic table.
"""

from __future__ import annotations

from typing import Final

# fmt: off
# Allowed whatever their arguments: reading what is open or may be read, memory, waiting, asking about oneself.
_FREE_X86_64: Final = {
    "read": 0, "write": 1, "readv": 19, "writev": 20, "pread64": 17, "pwrite64": 18, "preadv": 295,
    "pwritev": 296, "lseek": 8, "close": 3, "close_range": 436, "dup": 32, "dup2": 33, "dup3": 292, "pipe": 22,
    "pipe2": 293, "eventfd2": 290, "readlink": 89, "readlinkat": 267, "access": 21, "faccessat": 269,
    "faccessat2": 439, "stat": 4, "lstat": 6, "fstat": 5, "newfstatat": 262, "statx": 332, "statfs": 137,
    "fstatfs": 138, "getdents64": 217, "getcwd": 79, "mmap": 9, "munmap": 11, "mremap": 25, "mprotect": 10,
    "madvise": 28, "mincore": 27, "msync": 26, "brk": 12, "membarrier": 324, "get_mempolicy": 239, "futex": 202,
    "futex_waitv": 449, "set_robust_list": 273, "get_robust_list": 274, "rseq": 334, "set_tid_address": 218,
    "sched_yield": 24, "sched_getaffinity": 204, "sched_getscheduler": 145, "sched_getparam": 143,
    "sched_get_priority_max": 146, "sched_get_priority_min": 147, "getpriority": 140, "rt_sigaction": 13,
    "rt_sigprocmask": 14, "rt_sigreturn": 15, "rt_sigpending": 127, "rt_sigsuspend": 130,
    "rt_sigtimedwait": 128, "sigaltstack": 131, "pause": 34, "restart_syscall": 219, "alarm": 37,
    "getitimer": 36, "setitimer": 38, "poll": 7, "ppoll": 271, "select": 23, "pselect6": 270, "nanosleep": 35,
    "clock_nanosleep": 230, "clock_gettime": 228, "clock_getres": 229, "gettimeofday": 96, "time": 201,
    "times": 100, "getpid": 39, "getppid": 110, "gettid": 186, "getuid": 102, "geteuid": 107, "getgid": 104,
    "getegid": 108, "getresuid": 118, "getresgid": 120, "getgroups": 115, "getpgrp": 111, "getpgid": 121,
    "getsid": 124, "capget": 125, "getrlimit": 97, "getrusage": 98, "getcpu": 309, "getrandom": 318,
    "sysinfo": 99, "uname": 63, "wait4": 61, "waitid": 247, "exit": 60, "exit_group": 231,
}
_FREE_AARCH64: Final = {
    "read": 63, "write": 64, "readv": 65, "writev": 66, "pread64": 67, "pwrite64": 68, "preadv": 69,
    "pwritev": 70, "lseek": 62, "close": 57, "close_range": 436, "dup": 23, "dup3": 24, "pipe2": 59,
    "eventfd2": 19, "readlinkat": 78, "faccessat": 48, "faccessat2": 439, "fstat": 80, "newfstatat": 79,
    "statx": 291, "statfs": 43, "fstatfs": 44, "getdents64": 61, "getcwd": 17, "mmap": 222, "munmap": 215,
    "mremap": 216, "mprotect": 226, "madvise": 233, "mincore": 232, "msync": 227, "brk": 214, "membarrier": 283,
    "get_mempolicy": 236, "futex": 98, "futex_waitv": 449, "set_robust_list": 99, "get_robust_list": 100,
    "rseq": 293, "set_tid_address": 96, "sched_yield": 124, "sched_getaffinity": 123, "sched_getscheduler": 120,
    "sched_getparam": 121, "sched_get_priority_max": 125, "sched_get_priority_min": 126, "getpriority": 141,
    "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "rt_sigpending": 136, "rt_sigsuspend": 133,
    "rt_sigtimedwait": 137, "sigaltstack": 132, "restart_syscall": 128, "getitimer": 102, "setitimer": 103,
    "ppoll": 73, "pselect6": 72, "nanosleep": 101, "clock_nanosleep": 115, "clock_gettime": 113,
    "clock_getres": 114, "gettimeofday": 169, "times": 153, "getpid": 172, "getppid": 173, "gettid": 178,
    "getuid": 174, "geteuid": 175, "getgid": 176, "getegid": 177, "getresuid": 148, "getresgid": 150,
    "getgroups": 158, "getpgid": 155, "getsid": 156, "capget": 90, "getrlimit": 163, "getrusage": 165,
    "getcpu": 168, "getrandom": 278, "sysinfo": 179, "uname": 160, "wait4": 260, "waitid": 95, "exit": 93,
    "exit_group": 94,
}
# Allowed or not by their arguments.
_JUDGED_X86_64: Final = {
    "clone": 56, "clone3": 435, "kill": 62, "tgkill": 234, "ioctl": 16, "fcntl": 72, "prctl": 157,
    "prlimit64": 302, "arch_prctl": 158, "open": 2, "openat": 257,
}
_JUDGED_AARCH64: Final = {
    "clone": 220, "clone3": 435, "kill": 129, "tgkill": 131, "ioctl": 29, "fcntl": 25, "prctl": 167,
    "prlimit64": 261, "openat": 56,
}
# fmt: on

AUDIT_ARCH: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
FREE: Final = {"x86_64": _FREE_X86_64, "aarch64": _FREE_AARCH64}
JUDGED: Final = {"x86_64": _JUDGED_X86_64, "aarch64": _JUDGED_AARCH64}
