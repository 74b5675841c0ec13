#ifndef CLARION_CNATS_SHIM_H
#define CLARION_CNATS_SHIM_H

#include <nats/nats.h>

#endif
