<?php
$m = new \Memcached('pool'); // one client
$m->setOptions([Memcached::OPT_DISTRIBUTION => Memcached::DISTRIBUTION_CONSISTENT, \Memcached::OPT_HASH => 1]);
$m->addServers(array(array('10.0.0.1', 11211, 33), ['/tmp/a.sock', 0]));
/* more */ $m->addServer("10.0.0.3", 11212, 67); # the last
$m->setOption(Memcached::OPT_PREFIX_KEY, 'app1:');
Memcached::OPT_LIBKETAMA_COMPATIBLE => true,
