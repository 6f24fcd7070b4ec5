// Standard input: {"module": "hashring" or "memcached", "lists": [{"servers", "algorithm", "options", "keys": [base64…]}…]}.
// Standard output: the module's version, and the server of each key. NODE_PATH says where the modules are.
'use strict';
const fs = require('fs');
const path = require('path');

const input = JSON.parse(fs.readFileSync(0, 'utf8'));
const Module = require(input.module);
const answers = input.lists.map((list) => {
  const ring = input.module === 'hashring'
    ? new Module(list.servers, list.algorithm, list.options)
    : new Module(list.servers, list.options).HashRing;
  return list.keys.map((key) => ring.get(Buffer.from(key, 'base64').toString('utf8')));
});
const description = path.join(process.env.NODE_PATH, input.module, 'package.json');
const version = JSON.parse(fs.readFileSync(description, 'utf8')).version;
process.stdout.write(JSON.stringify({ version, answers }));
