// What Swift's runtime exports and the language has no word for.
#ifndef CLARION_CSWIFTRUNTIME_H
#define CLARION_CSWIFTRUNTIME_H

#pragma clang assume_nonnull begin

/// Retains a native Swift object unless its last strong reference has gone. The memory must still be there, which an
/// unowned reference sees to. Safe from any thread.
///
/// Returns the object, or null. Declared in the runtime's HeapObject.h, defined in HeapObject.cpp.
void *_Nullable swift_tryRetain(void *object);

#pragma clang assume_nonnull end

#endif
