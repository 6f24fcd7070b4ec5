"""A server that does what no real one can be brought to do: it answers reads as a script says."""
import re
import socketserver
import threading

REQUEST = re.compile(rb"(mn\r\n|\*1\r\n\$4\r\nPING\r\n)|get (\S+)\r\n|\*2\r\n\$3\r\nGET\r\n\$\d+\r\n(\S+)\r\n")

GREETINGS = {b"mn\r\n": [b"ERROR\r\n"], b"*1\r\n$4\r\nPING\r\n": [b"+PONG\r\n"]}


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
                            pieces = GREETINGS.get(request[1]) or answer(request[2] or request[3])
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
