// The record types that this process may write: those of this build, and those that providers from
// elsewhere bring with them.
#ifndef COMSHU_REC_RECORD_SCHEMA_H_
#define COMSHU_REC_RECORD_SCHEMA_H_

#include <string>

#include "comshu/core/layout.h"
#include "comshu/rec/engine.h"

namespace comshu::rec {

// Any thread may look types up.
const core::Schema& RecordSchema();

// Whether the provider brings a schema.
bool HasSchema(const comshu_provider& provider);

// Takes the record types of the provider's range over. False and a reason if its schema is none; the
// caller holds a lock that keeps others from adding.
bool AddToRecordSchema(const comshu_provider& provider, std::string* error);

}  // namespace comshu::rec

#endif  // COMSHU_REC_RECORD_SCHEMA_H_
