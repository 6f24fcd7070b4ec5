<?php
// Standard input: {"lists": [{"servers": [[host, port, weight]…], "before": [[option, value]…], "after": […], "keys":
// [base64…]}…]}. Standard output: the extension's version, and the index of the server of each key.
$answers = [];
foreach (json_decode(stream_get_contents(STDIN), true)['lists'] as $list) {
    $client = new Memcached();
    $set = function (array $options) use ($client) {
        foreach ($options as [$name, $value]) {
            if (is_string($value)) {  // a constant's name, or a text behind a quote
                $value = $value[0] === "'" ? substr($value, 1) : constant("Memcached::$value");
            }
            if (!$client->setOption(constant("Memcached::$name"), $value)) {
                throw new RuntimeException("$name is refused");
            }
        }
    };
    $set($list['before']);
    if (!$client->addServers($list['servers'])) {
        throw new RuntimeException('servers are refused');
    }
    $set($list['after']);
    $index = [];
    foreach ($list['servers'] as $number => [$host, $port]) {
        $index["$host:$port"] = $number;
    }
    $found = [];
    foreach ($list['keys'] as $key) {
        $server = $client->getServerByKey(base64_decode($key));
        $found[] = $server ? $index["$server[host]:$server[port]"] : $client->getResultMessage();
    }
    $answers[] = $found;
}
echo json_encode(['version' => phpversion('memcached'), 'answers' => $answers]);
