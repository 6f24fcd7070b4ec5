"""A server that does what no real one can be brought to do: it answers reads as a script says."""
import re
import socketserver
import threading

REQUEST = re.compile(rb"(mn\r\n|version\r\n|\*1\r\n\$4\r\nPING\r\n|\*2\r\n\$4\r\nECHO\r\n\$\d+\r\n\S+\r\n)|get (\S+)\r\n|\*2\r\n\$3\r\nGET\r\n\$\d+\r\n(\S+)\r\n")


def own_answer(question):
    """To what the router asks for itself."""
    if question.startswith(b"*2"):
        return question[question.index(b"ECHO") + 6:]
    return {b"mn\r\n": b"ERROR\r\n", b"version\r\n": b"VERSION 1.4.0\r\n"}.get(question, b"+PONG\r\n")


class Scripted:
    """`answer(key)` gives the pieces to send, each by itself; the connection is closed where it gives None."""

    def __init__(self, port, answer):
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                self.request.setsockopt(6, 1, 1)  # TCP_NODELAY: pieces stay pieces
                unread = b""
                try:
                    while more := self.request.recv(1 << 16):
                        unread += more
                        while request := REQUEST.match(unread):
                            unread = unread[request.end():]
                            pieces = [own_answer(request[1])] if request[1] else answer(request[2] or request[3])
                            for piece in pieces:
                                if piece is None:
                                    return
                                self.request.sendall(piece)
                except ConnectionError:
                    pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True
            request_queue_size = 100

        self.server = Server(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
