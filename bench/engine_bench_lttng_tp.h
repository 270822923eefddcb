// The events of engine_bench_lttng.cpp: what a call of the engine benchmark carries.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER comshu_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "engine_bench_lttng_tp.h"

#if !defined(COMSHU_BENCH_ENGINE_BENCH_LTTNG_TP_H_) || \
    defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define COMSHU_BENCH_ENGINE_BENCH_LTTNG_TP_H_

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(comshu_bench, instant, LTTNG_UST_TP_ARGS(uint64_t, name, double, value),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, name, name)
                                                   lttng_ust_field_float(double, value, value)))

LTTNG_UST_TRACEPOINT_EVENT(
    comshu_bench, call_begin,
    LTTNG_UST_TP_ARGS(uint64_t, caller, uint64_t, comm, uint64_t, bytes, uint64_t, request, int32_t,
                      tag, int32_t, peer, int32_t, world_peer, int32_t, function),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, caller, caller) lttng_ust_field_integer(
        uint64_t, comm, comm) lttng_ust_field_integer(uint64_t, bytes, bytes)
                            lttng_ust_field_integer(uint64_t, request, request)
                                lttng_ust_field_integer(int32_t, tag, tag)
                                    lttng_ust_field_integer(int32_t, peer, peer)
                                        lttng_ust_field_integer(int32_t, world_peer, world_peer)
                                            lttng_ust_field_integer(int32_t, function, function)))

LTTNG_UST_TRACEPOINT_EVENT(comshu_bench, call_end, LTTNG_UST_TP_ARGS(int32_t, function),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int32_t, function,
                                                                       function)))

#endif

#include <lttng/tracepoint-event.h>
