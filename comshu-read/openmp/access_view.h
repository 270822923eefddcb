// Views of reads and writes.
#ifndef COMSHU_READ_OPENMP_ACCESS_VIEW_H_
#define COMSHU_READ_OPENMP_ACCESS_VIEW_H_

namespace comshu::read {

// The bits of a value mean what the variable's declaration says: an integer (types 1, 2, logicals 7) or a
// real (3, 4; both parts of a complex 5, 6). An access without a value, or of another type, has neither.
constexpr const char* kAccessViewSql[] = {
    R"(CREATE MACRO dbg_real(bits, exponent_bits, fraction_bits) AS (
SELECT CASE
    WHEN b IS NULL THEN NULL
    WHEN e = (1 << exponent_bits) - 1 AND f = 0 THEN s * 'infinity'::DOUBLE
    WHEN e = (1 << exponent_bits) - 1 THEN 'nan'::DOUBLE
    WHEN e = 0 THEN s * f::DOUBLE
        * pow(2.0::DOUBLE, 2 - (1 << (exponent_bits - 1)) - fraction_bits)
    ELSE s * (f + (1::UBIGINT << fraction_bits))::DOUBLE
        * pow(2.0::DOUBLE, e::INTEGER + 1 - (1 << (exponent_bits - 1)) - fraction_bits) END
FROM (SELECT bits AS b, (bits >> fraction_bits) & ((1 << exponent_bits) - 1)::UBIGINT AS e,
    bits & ((1::UBIGINT << fraction_bits) - 1)::UBIGINT AS f,
    CASE WHEN (bits >> (exponent_bits + fraction_bits)) & 1::UBIGINT = 1 THEN -1.0::DOUBLE
        ELSE 1.0::DOUBLE END AS s)))",
    R"(CREATE MACRO dbg_integer(bits, size) AS CASE
    WHEN size = 4 AND bits > 2147483647 THEN bits::BIGINT - 4294967296
    WHEN size = 8 AND bits > 9223372036854775807
        THEN (bits::HUGEINT - 18446744073709551616::HUGEINT)::BIGINT
    ELSE bits::BIGINT END)",
    R"(CREATE VIEW dbg_access AS
SELECT rank, process_id, thread, time_ns, source, name, kind, address, bytes,
    CASE WHEN value_kind = 'bits' AND type IN (1, 2, 7) THEN dbg_integer(value, bytes) END
        AS integer_value,
    CASE WHEN value_kind <> 'bits' THEN NULL
        WHEN type IN (3, 5) THEN dbg_real(value & 4294967295, 8, 23)
        WHEN type IN (4, 6) THEN dbg_real(value, 11, 52) END AS real_value,
    CASE WHEN value_kind <> 'bits' THEN NULL
        WHEN type = 5 THEN dbg_real(value >> 32, 8, 23)
        WHEN type = 6 THEN dbg_real(value_high, 11, 52) END AS imaginary_value,
    CASE WHEN value_kind <> 'none' THEN value END AS value,
    CASE WHEN value_kind = 'bits' THEN value_high END AS value_high, value_kind, variable, construct,
    span_id
FROM (SELECT a.rank, a.process_id, a.thread, a.time_ns,
        p.file || coalesce(':' || p.line, '') AS source, v.name,
        ['read', 'write begin', 'write end'][a.kind + 1] AS kind, a.address, a.bytes, a.value,
        a.value_high, ['none', 'bits', 'hash'][a.value_kind + 1] AS value_kind, v.type, a.variable,
        a.construct, a.span_id
    FROM omp_access a
    LEFT JOIN dbg_place() p ON p.process_id = a.process_id AND p.construct = a.construct
    LEFT JOIN (SELECT process_id, construct, any_value(name) AS name,
            any_value(try_cast(regexp_extract(context, '\*vtype=([0-9]+)', 1) AS INTEGER)) AS type
        FROM omp_construct GROUP BY ALL) v
        ON v.process_id = a.process_id AND v.construct = a.variable))",
};

}  // namespace comshu::read

#endif  // COMSHU_READ_OPENMP_ACCESS_VIEW_H_
