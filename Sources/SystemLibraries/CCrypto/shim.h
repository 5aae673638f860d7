#pragma once
// The functions for one digest are there and documented, yet marked as deprecated since OpenSSL 3.
#define OPENSSL_API_COMPAT 10101
#include <openssl/sha.h>
