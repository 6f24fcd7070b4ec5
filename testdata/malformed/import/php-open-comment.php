$m->addServer('10.0.0.1', 11211); /* and
