// The same event through LTTng-UST, where that is installed.
#ifndef COMSHU_BENCH_ENGINE_BENCH_PEER_H_
#define COMSHU_BENCH_ENGINE_BENCH_PEER_H_

// Prints its lines of the table, or why there are none.
void PrintPeer(double clock_ns);

#endif  // COMSHU_BENCH_ENGINE_BENCH_PEER_H_
