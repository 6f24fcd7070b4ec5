// ioredis through a router: ioredis.js PORT PASSWORD. Ends with 1 where an answer is not what it must be.
'use strict';
const assert = require('assert');
const Redis = require('ioredis');

async function main() {
  const client = new Redis({ port: Number(process.argv[2]), password: process.argv[3] || undefined, connectionName: 'shop', maxRetriesPerRequest: 1 });
  client.on('error', (error) => { throw error; });
  await client.flushall();
  const keys = Array.from({ length: 50 }, (_, i) => `key:${i}`);
  await client.mset(Object.fromEntries(keys.map((key, i) => [key, i])));
  assert.deepStrictEqual(await client.mget(keys), keys.map((_, i) => String(i)));
  const pipe = client.pipeline();
  for (let i = 0; i < 200; ++i) pipe.hset(`h${i}`, 'f', i);
  assert((await pipe.exec()).every(([error, value]) => error === null && value === 1));
  assert.deepStrictEqual(await client.hgetall('h7'), { f: '7' });
  assert.deepStrictEqual(await client.multi().incr('n').incr('n').exec(), [[null, 1], [null, 2]]);
  await client.watch('n');
  await client.set('n', 5);
  assert.strictEqual(await client.multi().incr('n').exec(), null);
  const found = [];
  for await (const page of client.scanStream({ match: 'key:*', count: 10 })) found.push(...page);
  assert.deepStrictEqual(found.sort(), keys.slice().sort());
  client.defineCommand('twice', { numberOfKeys: 1, lua: "return redis.call('GET', KEYS[1]) * 2" });
  assert.strictEqual(await client.twice('key:21'), 42);
  assert.strictEqual(await client.client('GETNAME'), 'shop');
  assert.strictEqual(await client.del(keys), 50);
  await assert.rejects(client.subscribe('x'), /not routed/);
  assert.strictEqual(await client.ping(), 'PONG');
  await client.quit();
  process.stdout.write('fine\n');
}

main().catch((error) => { process.stderr.write(`${error.stack}\n`); process.exit(1); });
