#ifndef QMPI_LAYER_REPORT_H
#define QMPI_LAYER_REPORT_H

namespace qmpi {

// Writes the MPI, the tools from the outermost to the innermost, and what each intercepts.
void Describe(int file);

}  // namespace qmpi

#endif
