/* libmemcached through a router: libmemcached HOST PORT. Prints what went wrong, and ends with 1. */
#include <libmemcached/memcached.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static memcached_st *client;

static void check(memcached_return_t got, memcached_return_t wanted, const char *what) {
  if (got == wanted) return;
  fprintf(stderr, "%s: %s, %s\n", what, memcached_strerror(client, got), memcached_last_error_message(client));
  exit(1);
}

static void check_value(const char *key, const char *wanted) {
  size_t size;
  uint32_t flags;
  memcached_return_t result;
  char *value = memcached_get(client, key, strlen(key), &size, &flags, &result);
  check(result, MEMCACHED_SUCCESS, key);
  if (size != strlen(wanted) || memcmp(value, wanted, size) != 0) exit(1);
  free(value);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  client = memcached_create(NULL);
  memcached_behavior_set(client, MEMCACHED_BEHAVIOR_SUPPORT_CAS, 1);
  check(memcached_server_add(client, argv[1], (in_port_t)atoi(argv[2])), MEMCACHED_SUCCESS, "server");
  check(memcached_version(client), MEMCACHED_SUCCESS, "version");
  const char *keys[50];
  size_t lengths[50];
  for (int i = 0; i < 50; ++i) {
    char *key = malloc(16), value[16];
    lengths[i] = (size_t)snprintf(key, 16, "key:%d", i);
    const int size = snprintf(value, sizeof value, "%d", i);
    keys[i] = key;
    check(memcached_set(client, key, lengths[i], value, (size_t)size, 0, 7), MEMCACHED_SUCCESS, "set");
  }
  check(memcached_mget(client, keys, lengths, 50), MEMCACHED_SUCCESS, "mget");
  int found = 0;
  uint64_t unique = 0;
  memcached_return_t result;
  for (memcached_result_st *one; (one = memcached_fetch_result(client, NULL, &result)); memcached_result_free(one)) {
    if (memcached_result_flags(one) != 7) exit(1);
    if (strncmp(memcached_result_key_value(one), "key:5", memcached_result_key_length(one)) == 0) unique = memcached_result_cas(one);
    ++found;
  }
  if (found != 50 || unique == 0) {
    fprintf(stderr, "%d found\n", found);
    return 1;
  }
  check(memcached_cas(client, "key:5", 5, "1", 1, 0, 0, unique), MEMCACHED_SUCCESS, "cas");
  check(memcached_cas(client, "key:5", 5, "2", 1, 0, 0, unique), MEMCACHED_DATA_EXISTS, "cas again");
  uint64_t number = 0;
  check(memcached_increment(client, "key:5", 5, 41, &number), MEMCACHED_SUCCESS, "incr");
  check_value("key:5", "42");
  check(memcached_append(client, "key:5", 5, "!", 1, 0, 0), MEMCACHED_SUCCESS, "append");
  check(memcached_touch(client, "key:5", 5, 100), MEMCACHED_SUCCESS, "touch");
  check_value("key:5", "42!");
  check(memcached_add(client, "key:5", 5, "x", 1, 0, 0), MEMCACHED_NOTSTORED, "add");
  check(memcached_delete(client, "key:5", 5, 0), MEMCACHED_SUCCESS, "delete");
  check(memcached_delete(client, "key:5", 5, 0), MEMCACHED_NOTFOUND, "delete again");
  memcached_behavior_set(client, MEMCACHED_BEHAVIOR_NOREPLY, 1);
  check(memcached_set(client, "quiet", 5, "q", 1, 0, 0), MEMCACHED_SUCCESS, "set noreply");
  memcached_behavior_set(client, MEMCACHED_BEHAVIOR_NOREPLY, 0);
  check_value("quiet", "q");
  check(memcached_flush(client, 0), MEMCACHED_SUCCESS, "flush");
  puts("fine");
  return 0;
}
