/* Whether the DuckDB that the build found is the one the header describes, and has Parquet inside:
 * a query, then a table written to a Parquet file and read back, with sums known by construction. */

#include <inttypes.h>
#include <stdio.h>

#include "duckdb.h"

static int Run(duckdb_connection connection, const char* sql, int64_t expected) {
    duckdb_result result;
    int64_t value = -1;
    int failed = duckdb_query(connection, sql, &result) == DuckDBError;
    if (failed) {
        fprintf(stderr, "%s: %s\n", sql, duckdb_result_error(&result));
    } else {
        value = duckdb_value_int64(&result, 0, 0);
        failed = value != expected;
        if (failed) fprintf(stderr, "%s: %" PRId64 ", not %" PRId64 "\n", sql, value, expected);
    }
    duckdb_destroy_result(&result);
    return failed;
}

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: duckdb_check FILE.parquet\n");
        return 2;
    }
    printf("DuckDB %s\n", duckdb_library_version());
    duckdb_database database;
    duckdb_connection connection;
    if (duckdb_open(NULL, &database) == DuckDBError) return 1;
    if (duckdb_connect(database, &connection) == DuckDBError) return 1;

    char write[4096];
    char read[4096];
    snprintf(
        write, sizeof write,
        "COPY (SELECT range AS i, range %% 7 AS j FROM range(100000)) TO '%s' (FORMAT parquet)",
        argv[1]);
    snprintf(read, sizeof read, "SELECT sum(i + j)::BIGINT FROM read_parquet('%s')", argv[1]);

    int failed = Run(connection, "SELECT 42", 42);
    failed |= Run(connection, write, 100000);
    /* 0 + ... + 99,999, and 14,285 times 0 + ... + 6, and 0 + ... + 4 of the last part of a seven */
    failed |= Run(connection, read, INT64_C(4999950000) + 14285 * 21 + 10);

    duckdb_disconnect(&connection);
    duckdb_close(&database);
    return failed;
}
