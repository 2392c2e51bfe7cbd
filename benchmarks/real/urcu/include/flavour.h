/* The flavour of userspace RCU that the build asks for, under the names that all of them share. */
#define _LGPL_SOURCE
#define URCU_API_MAP
#ifdef RCU_BP
#include <urcu/urcu-bp.h>
#elif defined(RCU_QSBR)
#include <urcu/urcu-qsbr.h>
#elif defined(RCU_MB)
#include <urcu/urcu-mb.h>
#else
#include <urcu/urcu-memb.h>
#endif

#include <fencepost.h>

#include "../../threads.h"

/* memb and bp ask the kernel for membarrier: this is one without it, where readers make full barriers. */
FENCEPOST_WITHOUT_MEMBARRIER;
