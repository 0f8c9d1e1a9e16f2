/**
 * What the service and the process that reads pictures say to each other: a length, a line of JSON, and the bytes that
 * it announces.
 */
export type Frame<T> = { head: T; bytes: Buffer<ArrayBuffer> };

const headLimit = 4_096;

/** @param head ends up in `Frame.head`, with the length of the bytes */
export function frameOf(head: object, bytes: Uint8Array = new Uint8Array()): Buffer {
  const line = Buffer.from(JSON.stringify({ ...head, length: bytes.length }));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(line.length);
  return Buffer.concat([size, line, bytes]);
}

/**
 * Yields the frames in a stream. @throws if one has more bytes than `maxBytes`, so that the other side cannot fill the
 * memory
 */
export async function* framesIn<T>(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Frame<T>> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let needed = 4;
  for await (const piece of stream) {
    pieces.push(piece);
    size += piece.length;
    while (size >= needed) {
      const all = Buffer.concat(pieces);
      const end = 4 + all.readUInt32LE(0);
      if (end > headLimit) throw new Error("The head of a frame is too long");
      if (all.length < end) needed = end;
      else {
        const head = JSON.parse(all.toString("utf8", 4, end));
        if (!(head.length >= 0 && head.length <= maxBytes)) throw new Error("A frame is too long");
        needed = end + head.length;
        if (all.length >= needed) {
          yield { head, bytes: all.subarray(end, needed) };
          pieces = [all.subarray(needed)];
          size = all.length - needed;
          needed = 4;
          continue;
        }
      }
      pieces = [all];
      break;
    }
  }
}
