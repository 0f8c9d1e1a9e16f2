import { rawPut } from "./raw-put";

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
