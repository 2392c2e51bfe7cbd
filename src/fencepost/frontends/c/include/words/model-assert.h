/* MODEL_ASSERT, also with NDEBUG. */
#ifndef FENCEPOST_MODEL_ASSERT_H
#define FENCEPOST_MODEL_ASSERT_H

#include <fencepost.h>

#define MODEL_ASSERT(condition) fencepost_assert((condition) ? 1 : 0)

#endif
