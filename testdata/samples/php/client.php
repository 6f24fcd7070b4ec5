<?php
$client = new Memcached();
$client->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_CONSISTENT);
$client->addServers([
    ['10.0.0.1', 11211],
    ['10.0.0.2', 11211],
    ['10.0.0.3', 11211],
]);
$client->setOption(Memcached::OPT_HASH, Memcached::HASH_MD5);
