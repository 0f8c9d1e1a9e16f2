import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A connection to a server that can be cut, or become silent. */
export async function lineTo(server: string) {
  const { hostname, port } = new URL(server);
  const sockets = new Set<Socket>();
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
  const through = Object.assign(new URL(server), {
    hostname: "127.0.0.1",
    port: String((listener.address() as AddressInfo).port),
  });

  return {
    url: through.href,
    /** Connections end, and no new one is made. */
    cut() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
    /** Nothing that is sent from now on arrives. */
    goDead() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
  };
}
