<?php
$m = new Memcached();
$m->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_CONSISTENT);  // "ketama", says the manual
$m->addServers([['10.0.0.1', 11211], ['10.0.0.2', 11211], ['10.0.0.3', 11211]]);
