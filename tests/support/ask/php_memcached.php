<?php
// Standard input: {"lists": [{"code": a file that sets up $m, "keys": [base64…]}…]}. Standard output: the extension's version, and
// the server of each key, "host:port" or a path.
function server_of(Memcached $m, string $key): string
{
    $server = $m->getServerByKey($key);
    return $server ? $server['host'] . ($server['port'] ? ":$server[port]" : '') : $m->getResultMessage();
}

$answers = [];
foreach (json_decode(stream_get_contents(STDIN), true)['lists'] as $list) {
    include $list['code'];
    $answers[] = array_map(fn ($key) => server_of($m, base64_decode($key)), $list['keys']);
}
echo json_encode(['version' => phpversion('memcached'), 'answers' => $answers]);
