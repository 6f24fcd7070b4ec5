# Standard input: {"module": "Cache::Memcached" or "Cache::Memcached::Fast", "lists": [{"servers": [[address, weight]…], "options": {…},
# "keys": [base64…]}…]}. Standard output: the module's version, and the server of each key. Cache::Memcached is asked for
# the server alone; the Fast one is all C, so its servers must be running and answer with their address.
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;

my $input = decode_json(do { local $/; <STDIN> });
my $module = $input->{module};
eval "require $module; 1" or die $@;
{
    no warnings qw(redefine once);
    *Cache::Memcached::sock_to_host = sub { return $_[1] };
}

sub server_of {
    my ($client, $key) = @_;
    return $module eq 'Cache::Memcached' ? $client->get_sock($key) : $client->get($key);
}

my @answers;
for my $list (@{$input->{lists}}) {
    my @servers = map { $module eq 'Cache::Memcached' ? [$_->[0], $_->[1]] : {address => $_->[0], weight => $_->[1]} } @{$list->{servers}};
    my $client = $module->new({servers => \@servers, %{$list->{options}}});
    push @answers, [map { server_of($client, decode_base64($_)) } @{$list->{keys}}];
}
print encode_json({version => $module->VERSION, answers => \@answers});
