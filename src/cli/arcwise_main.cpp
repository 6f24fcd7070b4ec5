#include "cli/run.hpp"

int main(int argc, char** argv) {
  return arcwise::cli::run(argc, argv);
}
