<?php
$m = new Memcached();
foreach ($servers as $s) { $m->addServer("10.0.0.1", 11211); }
