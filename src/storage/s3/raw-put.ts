import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A PUT whose bytes are written one by one: fetch() sends all of them, and reports an early response as an error. */
type RawPut = {
  socket: Socket;
  /** The socket's event upon which the head may be written. */
  opened: "connect" | "secureConnect";
  /** The request up to its body. The server closes the connection after its response. */
  head: string;
};

/** @param headers lines in addition to the length, each ending with CRLF */
export function rawPut(url: string, size: number, headers = ""): RawPut {
  const { hostname, port, pathname, search, host, protocol } = new URL(url);
  const isTls = protocol === "https:";
  const to = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || (isTls ? 443 : 80) };
  return {
    socket: isTls ? connectTls({ ...to, ...(!isIP(to.host) && { servername: to.host }) }) : connect(to),
    opened: isTls ? "secureConnect" : "connect",
    head: `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${size}\r\n${headers}Connection: close\r\n\r\n`,
  };
}
