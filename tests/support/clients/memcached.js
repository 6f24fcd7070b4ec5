// npm memcached through a router: memcached.js PORT. Ends with 1 where an answer is not what it must be.
'use strict';
const assert = require('assert');
const { promisify } = require('util');
const Memcached = require('memcached');

async function main() {
  const client = new Memcached(`127.0.0.1:${process.argv[2]}`, { poolSize: 100, retries: 0 });
  const call = (name, ...words) => promisify(client[name].bind(client))(...words);
  const keys = Array.from({ length: 50 }, (_, i) => `key:${i}`);
  await Promise.all(keys.map((key, i) => call('set', key, i, 0)));
  const found = await call('getMulti', [...keys, 'nope']);
  assert.deepStrictEqual(found, Object.fromEntries(keys.map((key, i) => [key, i])));
  const { cas } = await call('gets', 'key:5');
  assert.strictEqual(await call('cas', 'key:5', 'x', cas, 0), true);
  assert.strictEqual(await call('get', 'key:5'), 'x');
  assert.strictEqual(await call('incr', 'key:6', 3), 9);
  assert.strictEqual(await call('append', 'key:5', 'y'), true);
  assert.strictEqual(await call('get', 'key:5'), 'xy');
  assert.strictEqual(await call('touch', 'key:5', 100), true);
  assert.strictEqual(await call('del', 'key:5'), true);
  assert.strictEqual(await call('get', 'key:5'), undefined);
  await call('set', 'object', { a: [1, 'ü'] }, 0);
  assert.deepStrictEqual(await call('get', 'object'), { a: [1, 'ü'] });
  assert.strictEqual((await call('version'))[0].version.startsWith('1.6'), true);
  assert((await call('stats'))[0].server.includes('127.0.0.1'));
  await call('flush');
  assert.strictEqual(await call('get', 'object'), undefined);
  client.end();
  process.stdout.write('fine\n');
}

main().catch((error) => { process.stderr.write(`${error.stack || error}\n`); process.exit(1); });
