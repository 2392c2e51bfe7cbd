/* For programs written for Dartagnan: the same words as for GenMC. */
#include <genmc.h>
