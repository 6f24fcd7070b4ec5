Memcached::OPT_HASH => Memcached::HASH_SHA1,
