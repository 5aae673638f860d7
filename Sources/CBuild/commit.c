#include "CBuild.h"

#include <stddef.h>

#define TEXT(name) #name
#define EXPANDED(name) TEXT(name)

const char *cbuild_commit(void) {
#ifdef CBUILD_COMMIT
  return EXPANDED(CBUILD_COMMIT);
#else
  return NULL;
#endif
}

int cbuild_is_changed(void) {
#ifdef CBUILD_CHANGED
  return 1;
#else
  return 0;
#endif
}
