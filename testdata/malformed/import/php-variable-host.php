<?php
$m = new Memcached();
$m->addServer($host, 11211);
