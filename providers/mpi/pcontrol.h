#ifndef COMSHU_PROVIDERS_MPI_PCONTROL_H_
#define COMSHU_PROVIDERS_MPI_PCONTROL_H_

namespace comshu::provider::mpi {

void RegisterPcontrol(int tool_id);

}  // namespace comshu::provider::mpi

#endif  // COMSHU_PROVIDERS_MPI_PCONTROL_H_
