$a->addServer("10.0.0.1", 11211);
$b->addServer("10.0.0.2", 11211);
