# What Redis' own tests ask of a server's administrator goes to the servers themselves, for a router passes only what applications ask.
# SUITE_SERVERS: their ports. Sourced behind the suite's own client, whose sending it wraps.
namespace eval ::suite {
    variable commands {acl bgrewriteaof bgsave config debug info lastsave latency memory save slowlog swapdb}
    variable own
    array set own {}
    variable direct {}
}

rename ::redis::__dispatch__raw__ ::suite::send

proc ::suite::connect {} {
    variable own
    variable direct
    foreach port [split $::env(SUITE_SERVERS) ,] {
        set handle [redis 127.0.0.1 $port]
        set own([string map {::redis::redisHandle {}} $handle]) 1
        lappend direct $handle
    }
}

# All are told; the first one's answer is taken.
proc ::suite::ask_servers {method argv} {
    variable direct
    if {$direct eq {}} connect
    set answers {}
    foreach handle $direct {
        lappend answers [$handle $method {*}$argv]
    }
    return [lindex $answers 0]
}

proc ::redis::__dispatch__raw__ {id method argv} {
    set ours [expr {![info exists ::suite::own($id)] && $::redis::blocking($id) && !$::redis::deferred($id)
        && ([string tolower $method] in $::suite::commands || [string equal -nocase [lindex $argv 0] kill])}]
    # MEMORY USAGE has a key, and so an owner; what DEBUG PROTOCOL answers is the connection's own.
    if {$ours && [string tolower [lindex $argv 0]] ni {protocol usage}} {
        return [::suite::ask_servers $method $argv]
    }
    return [::suite::send $id $method $argv]
}
