#pragma once

/// A program that links this target ends before its libraries start, with one line and status 1, where the limit on its
/// address space (`ulimit -v`) is under 1 GiB: OpenBLAS 0.3.29 and Swift's thread pool wait for ever for memory there.
///
/// Linux alone; a shared library cannot link it.
