#include "layer/relay.h"

#include <gtest/gtest.h>

#include "layer/chain.h"
#include "layer/tables.h"
#include "qmpi.h"

namespace qmpi {
namespace {

// Who was called, and with which id.
char called;
int called_id;

template <char kName>
int Function(QMPI_Context, int tool_id, MPI_Comm, int* size) {
    called = kName;
    called_id = tool_id;
    *size = kName;
    return MPI_SUCCESS;
}

template <char kName>
const auto kFunction = reinterpret_cast<QMPI_Function>(&Function<kName>);

char Call(QMPI_Link link) {
    int size = 0;
    called = '-';
    called_id = -1;
    reinterpret_cast<QMPI_Comm_size_t*>(link.function)(QMPI_Context{}, link.tool_id, MPI_Comm(),
                                                       &size);
    return called == size && called_id == link.tool_id ? called : '!';
}

TEST(Relay, TellsByTheIdWhoIsNext) {
    const int row = RowOf(MPI_COMM_SIZE_T);
    const QMPI_Function own = kFunction<'a'>;
    const QMPI_Link same = Relayed(row, own, {own, 5});
    const QMPI_Link other = Relayed(row, own, {kFunction<'b'>, 63});
    const QMPI_Link end = Relayed(row, own, {kFunction<'m'>, 0});
    EXPECT_EQ(same.function, other.function);
    EXPECT_EQ(same.function, end.function);
    EXPECT_NE(same.function, own);
    EXPECT_EQ(Call(same), 'a');
    EXPECT_EQ(Call(other), 'b');
    EXPECT_EQ(Call(end), 'm');

    // Beyond what a relay holds, and for a second tool, links lead straight on.
    EXPECT_EQ(Relayed(row, own, {own, 64}).function, own);
    EXPECT_EQ(Relayed(row, kFunction<'b'>, {own, 5}).function, own);
    EXPECT_EQ(Relayed(row, nullptr, {own, 5}).function, own);
    EXPECT_EQ(Relayed(qmpi_pcontrol_row, own, {own, 5}).function, own);

    // Links that a tool keeps lead to what an id stands for now.
    RenewRelay(row, 5, kFunction<'c'>);
    EXPECT_EQ(Call(same), 'c');
    RenewRelay(row, 63, own);
    EXPECT_EQ(Call(other), 'a');
    RenewRelay(row, 5, own);
    EXPECT_EQ(Call(same), 'a');
    RenewRelay(row, 7, kFunction<'c'>);
    EXPECT_EQ(Call(Relayed(row, own, {kFunction<'d'>, 7})), 'd') << "7 was not known yet";
    EXPECT_EQ(Call(end), 'm');
}

}  // namespace
}  // namespace qmpi
