"""Servers in network namespaces of their own, each behind a cable that can be pulled: packets on their way then stay with the
kernel that sent them, which sends them again when the cable is back."""
import os
import signal
import subprocess
import sys

from servers import PATH, program

MARK = "ARCWISE_PRIVATE_NETWORK"


def private_network():
    """Starts this script anew with a network and mounts of its own, so that nothing of it is seen outside, or is left behind."""
    if os.environ.get(MARK):
        subprocess.run([program("mount"), "-t", "tmpfs", "none", "/run"], check=True)
        subprocess.run([program("ip"), "link", "set", "lo", "up"], check=True)
        return
    why = ""
    for user in ([], ["--user", "--map-root-user"]):
        command = [program("unshare"), "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", *user]
        tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            sys.stdout.flush()
            os.execve(command[0], [*command, sys.executable, *sys.argv], {**os.environ, MARK: "1", "PATH": PATH})
        why = tried.stderr.strip()
    sys.exit(f"{sys.argv[0]}: network namespaces are needed, and cannot be made: {why}; run it as root, or allow user namespaces")


class Island:
    """A server at 10.77.NUMBER.2, and what befalls it."""

    def __init__(self, number, command, folder):
        self.name, self.address = f"island{number}", f"10.77.{number}.2"
        self.command, self.log = command(self.address), os.path.join(folder, f"{self.name}.log")
        self.link = f"to{number}"
        ip, here, there = program("ip"), self.link, "cable"
        card = f"02:00:00:00:00:{number:02x}"
        for line in (f"netns add {self.name}", f"link add {here} type veth peer name {there} address {card} netns {self.name}",
                     f"addr add 10.77.{number}.1/30 dev {here}", f"link set {here} up",
                     f"-n {self.name} addr add {self.address}/30 dev {there}", f"-n {self.name} link set {there} up",
                     f"-n {self.name} link set lo up",
                     # Else a cable that is back is of no use for a second: the kernel asks for the card no more often.
                     f"neigh add {self.address} lladdr {card} nud permanent dev {here}"):
            subprocess.run([ip, *line.split()], check=True)
        # One that waits for commands: starting one takes longer than some outages.
        self.cable = subprocess.Popen([ip, "-n", self.name, "-batch", "-"], stdin=subprocess.PIPE)
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([program("ip"), "netns", "exec", self.name, *self.command], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def pull_cable(self):
        self._cable("down")

    def plug_cable(self):
        self._cable("up")

    def _cable(self, state):
        self.cable.stdin.write(f"link set cable {state}\n".encode())
        self.cable.stdin.flush()

    def close(self):
        self.cable.stdin.close()
        self.cable.wait()
        self.kill()
        for line in (f"link del {self.link}", f"netns del {self.name}"):
            subprocess.run([program("ip"), *line.split()], check=True)
