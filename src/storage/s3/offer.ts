import { codeInBody, meansFull } from "./errors";
import { rawPut } from "./raw-put";

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
