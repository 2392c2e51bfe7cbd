/* What Concurrency Kit's configure writes, for the machine that the compiler is told. */
#ifndef CK_MD_H
#define CK_MD_H
#define CK_MD_CACHELINE (64)
#define CK_MD_PAGESIZE (4096)
#define CK_MD_RTM_DISABLE
#define CK_MD_LSE_DISABLE
#define CK_MD_POINTER_PACK_DISABLE
#define CK_MD_SSE_DISABLE
#define CK_MD_PPC32_LWSYNC_DISABLE
#define CK_MD_VMA_BITS_UNKNOWN
#if defined(CK_TSO)
#define CK_MD_TSO
#else
#define CK_MD_RMO
#endif
#define CK_VERSION "0"
#define CK_GIT_SHA ""
#endif
