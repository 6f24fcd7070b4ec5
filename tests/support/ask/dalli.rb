# Standard input: {"lists": [{"servers": ["host:port:weight"…], "keys": [base64…]}…]}. Standard output: dalli's version,
# and the index of the server of each key. The ring is dalli's own; no server runs, so all are said to be alive.
require 'base64'
require 'json'
require 'dalli'

Server = Dalli.const_defined?(:Protocol) && Dalli::Protocol.const_defined?(:Binary) ? Dalli::Protocol::Binary : Dalli::Server
answers = JSON.parse($stdin.read)['lists'].map do |list|
  servers = list['servers'].map do |text|
    Server.new(text, {}).tap { |server| server.define_singleton_method(:alive?) { true } }
  end
  index = servers.each_with_index.to_h { |server, number| [server.object_id, number] }
  ring = Dalli::Ring.new(servers, {})
  list['keys'].map { |key| index[ring.server_for_key(Base64.strict_decode64(key)).object_id] }
end
puts JSON.generate('version' => Dalli::VERSION, 'answers' => answers)
