import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { codeInBody, meansFull } from "./errors";

/** A PUT whose bytes are written one by one: fetch() sends all of them, and reports an early response as an error. */
type RawPut = {
  socket: Socket;
  /** The socket's event upon which the head may be written. */
  opened: "connect" | "secureConnect";
  /** The request up to its body. The server closes the connection after its response. */
  head: string;
};

/** @param headers lines in addition to the length, each ending with CRLF */
function rawPut(url: string, size: number, headers = ""): RawPut {
  const { hostname, port, pathname, search, host, protocol } = new URL(url);
  const isTls = protocol === "https:";
  const to = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || (isTls ? 443 : 80) };
  return {
    socket: isTls ? connectTls({ ...to, ...(!isIP(to.host) && { servername: to.host }) }) : connect(to),
    opened: isTls ? "secureConnect" : "connect",
    head: `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${size}\r\n${headers}Connection: close\r\n\r\n`,
  };
}

type CutOff = {
  /** The number of bytes that the URL was signed for. */
  size: number;
  /** The number that is sent. */
  sent: number;
  /** Header lines, each ending with CRLF. */
  headers?: string;
  /** Milliseconds until the connection is closed if the server does not close it. */
  deadline: number;
};

/**
 * PUTs only the first bytes to a signed URL and ends the connection, like a client that is killed. Resolves when the
 * server has closed it too, so it has decided by then what to keep. @throws if the server cannot be reached
 */
export function cutOff(url: string, { size, sent, headers, deadline }: CutOff): Promise<void> {
  const { socket, opened, head } = rawPut(url, size, headers);
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => socket.destroy(), deadline);
    let isOpen = false;
    socket.on(opened, () => {
      isOpen = true;
      socket.end(Buffer.concat([Buffer.from(head), Buffer.alloc(sent, "a")]));
    });
    socket.on("data", () => {}); // otherwise its end is never seen
    socket.on("error", (error) => isOpen || reject(error));
    socket.on("close", () => {
      clearTimeout(timeout);
      resolve();
    });
  });
}

/** The bytes were accepted, or how the server rejected them. A failed connection says nothing about the space. */
export type Offered = { outcome: "taken" } | { outcome: "refused"; code: string } | { outcome: "unavailable" };

type Offer = {
  /** The number of bytes that the URL was signed for. */
  size: number;
  /** Only announces the size, and sends nothing. */
  isOnlyAnnounced?: boolean;
  /** Milliseconds within which the server must accept some bytes, or respond. */
  deadline: number;
};

const chunk = Buffer.alloc(256 * 1024);
const continueTimeoutMs = 1_000; // many servers never respond to "Expect"
const maxResponseBytes = 16 * 1024;

/**
 * PUTs zeros to a signed URL and listens meanwhile: a server without space responds before it has read everything,
 * which fetch() would report as a broken connection.
 */
export function offer(url: string, { size, isOnlyAnnounced = false, deadline }: Offer): Promise<Offered> {
  const { socket, opened, head } = rawPut(url, size, "Expect: 100-continue\r\n");
  return new Promise((resolve) => {
    let received = "";
    let left = size;
    let isSending = false;
    const end = (offered: Offered) => {
      clearTimeout(waiting);
      clearTimeout(timeout);
      socket.destroy();
      resolve(offered);
    };
    const begin = () => {
      if (isOnlyAnnounced) return end({ outcome: "taken" });
      if (!isSending) send();
    };
    function send(): void {
      isSending = true;
      timeout.refresh();
      while (left > 0) {
        const bytes = left < chunk.length ? chunk.subarray(0, left) : chunk;
        left -= bytes.length;
        if (!socket.write(bytes)) return;
      }
    }
    const timeout = setTimeout(() => end({ outcome: "unavailable" }), deadline); // begins anew when bytes are taken, not when any come
    let waiting: Timer | undefined; // for the server to ask for the bytes
    socket.on(opened, () => {
      socket.write(head);
      waiting = setTimeout(begin, continueTimeoutMs);
    });
    socket.on("drain", () => isSending && send());
    socket.on("data", (data) => {
      received = (received + data.toString("latin1")).slice(0, maxResponseBytes);
      const outcome = outcomeIn(received);
      if (outcome) return end(outcome);
      if (/^HTTP\/1\.1 100/.test(received) && !isOnlyAnnounced) begin();
    });
    socket.on("error", () => end(left < size ? closed : { outcome: "unavailable" }));
    socket.on("close", () => end(outcomeIn(received, true) ?? (left < size ? closed : { outcome: "unavailable" })));
  });
}

const closed: Offered = { outcome: "refused", code: "Closed" };

/** Returns how the server responded, once it has responded completely: with its error code, if that is a short word. */
function outcomeIn(received: string, isAll = false): Offered | undefined {
  const text = received.replace(/^HTTP\/1\.1 100[^\r]*\r\n(?:[^\r]+\r\n)*\r\n/, "");
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1]);
  if (!status) return;
  if (status < 300) return { outcome: "taken" };
  const code = codeInBody(text);
  if (!code && !isAll && !/\r\n\r\n[\s\S]*<\/Error>/.test(text) && text.length < maxResponseBytes) return;
  return status >= 500 && status !== 507 && !meansFull(code ?? "")
    ? { outcome: "unavailable" }
    : { outcome: "refused", code: code ?? `Status${status}` };
}
