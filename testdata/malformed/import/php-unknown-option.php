$m->addServer("10.0.0.1", 11211);
$m->setOption(Memcached::OPT_KETAMA, true);
