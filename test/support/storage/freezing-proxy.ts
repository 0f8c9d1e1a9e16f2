import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Where it freezes: in a request whose head is like this, after so many bytes of it or of its response. */
type Point = { request: RegExp; sent?: number; received?: number };

/** What passes, and what does not while it is frozen. */
class Ice {
  private point: Point | undefined;
  private frozen = Promise.withResolvers<Socket>();
  private thawed: PromiseWithResolvers<void> | undefined;

  freezeAt(point: Point): Promise<Socket> {
    this.point = point;
    this.frozen = Promise.withResolvers();
    return this.frozen.promise;
  }

  thaw(): void {
    this.point = undefined;
    this.thawed?.resolve();
    this.thawed = undefined;
  }

  /** Returns what passes the bytes of a client’s connection. */
  passer(client: Socket) {
    const left = { sent: Infinity, received: Infinity };
    return async (direction: "sent" | "received", from: Socket, to: Socket) => {
      for await (const bytes of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (direction === "sent" && this.point?.request.test(bytes.toString("latin1", 0, 2_000)))
          Object.assign(left, { sent: Infinity, received: Infinity, ...this.point });
        const passing = bytes.subarray(0, this.thawed ? 0 : left[direction]);
        left[direction] -= passing.length;
        to.write(passing);
        if (passing.length === bytes.length) continue;
        this.thawed ??= Promise.withResolvers();
        this.frozen.resolve(client);
        await this.thawed.promise;
        left[direction] = Infinity;
        to.write(bytes.subarray(passing.length));
      }
      await this.thawed?.promise;
      to.end();
    };
  }
}

/**
 * Passes bytes to a server and back until it freezes in the middle of a request, as a suspended machine does: from then on
 * nothing passes on any connection, and no end of one, until it thaws.
 */
export async function freezingProxy(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const ice = new Ice();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    const pass = ice.passer(client);
    pass("sent", client, upstream).catch(() => upstream.destroy());
    pass("received", upstream, client).catch(() => client.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves when it has frozen. `closed` resolves once the client has closed that connection, seen after the thaw. */
    freezeAt: (point: Point) => ice.freezeAt(point).then((client) => ({ closed: ended(client) })),
    thaw: () => ice.thaw(),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const ended = (socket: Socket) =>
  socket.readableEnded || socket.closed
    ? Promise.resolve()
    : new Promise<void>((resolve) => socket.once("end", resolve).once("close", () => resolve()));
