// PHP's memcached extension: the calls that set a client up, in their order, as PHP source.
//
// Layer: format. Statements, each ended by `;` or a line's `,`; V is one variable, values are literals or
// constants of Memcached:
//
//     V = new Memcached(…)
//     V->setOption(Memcached::OPT_…, VALUE)
//     V->setOptions([Memcached::OPT_… => VALUE, …])         also array(…)
//     V->addServer('HOST', PORT[, WEIGHT])                  HOST: a path for a unix socket, with port 0
//     V->addServers([['HOST', PORT[, WEIGHT]], …])
//     V->resetServerList()
//     Memcached::OPT_… => VALUE
//
// Anything else is refused: what a program computes cannot be told from its text.
#pragma once

#include "format/importer.hpp"

namespace arcwise {

bool is_php_memcached(std::string_view text);
Result<Cluster> import_php_memcached(const Inputs& inputs);

}  // namespace arcwise
