/* hiredis through a router: hiredis HOST PORT. Prints what went wrong, and ends with 1. */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static redisContext *context;

static redisReply *expect(redisReply *reply, int type, const char *what) {
  if (!reply || reply->type != type) {
    fprintf(stderr, "%s: %s\n", what, !reply ? context->errstr : reply->type == REDIS_REPLY_ERROR ? reply->str : "another type");
    exit(1);
  }
  return reply;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  context = redisConnect(argv[1], atoi(argv[2]));
  if (!context || context->err) return 1;
  for (int i = 0; i < 100; ++i) freeReplyObject(expect(redisCommand(context, "SET key:%d %b", i, "a\0b", (size_t)3), REDIS_REPLY_STATUS, "SET"));
  for (int i = 0; i < 1000; ++i) redisAppendCommand(context, "GET key:%d", i % 100);
  for (int i = 0; i < 1000; ++i) {
    redisReply *reply = NULL;
    if (redisGetReply(context, (void **)&reply) != REDIS_OK) return 1;
    expect(reply, REDIS_REPLY_STRING, "GET");
    if (reply->len != 3 || memcmp(reply->str, "a\0b", 3) != 0) return 1;
    freeReplyObject(reply);
  }
  redisReply *many = expect(redisCommand(context, "MGET key:1 nope key:2"), REDIS_REPLY_ARRAY, "MGET");
  if (many->elements != 3 || many->element[1]->type != REDIS_REPLY_NIL) return 1;
  freeReplyObject(many);
  freeReplyObject(expect(redisCommand(context, "MULTI"), REDIS_REPLY_STATUS, "MULTI"));
  freeReplyObject(expect(redisCommand(context, "INCR n"), REDIS_REPLY_STATUS, "INCR"));
  redisReply *done = expect(redisCommand(context, "EXEC"), REDIS_REPLY_ARRAY, "EXEC");
  if (done->elements != 1 || done->element[0]->integer != 1) return 1;
  freeReplyObject(done);
  freeReplyObject(expect(redisCommand(context, "NOPE"), REDIS_REPLY_ERROR, "NOPE"));
  freeReplyObject(expect(redisCommand(context, "PING"), REDIS_REPLY_STATUS, "PING"));
  redisFree(context);
  puts("fine");
  return 0;
}
