#ifndef CBUILD_H
#define CBUILD_H

/// The commit that was built, in hexadecimal; NULL where FACEGAUGE_COMMIT did not name one.
const char *cbuild_commit(void);

/// Whether files had changed since that commit.
int cbuild_is_changed(void);

#endif
