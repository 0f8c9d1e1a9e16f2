import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A connection to a server that can be cut and mended, or become silent. */
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
  const listen = (port: number) => new Promise<void>((listening) => listener.listen(port, "127.0.0.1", listening));
  await listen(0);
  const ownPort = (listener.address() as AddressInfo).port;
  const through = Object.assign(new URL(server), { hostname: "127.0.0.1", port: String(ownPort) });

  return {
    url: through.href,
    /** Connections end, and no new one is made. */
    cut() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
    /** New connections are made again. */
    mend: () => listen(ownPort),
    /** Nothing that is sent from now on arrives. */
    goDead() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
  };
}
