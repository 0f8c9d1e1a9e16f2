/** Returns the first bytes of a response, at most `maxBytes`. What the node sends beyond that is not read. */
export async function readPrefix({ body }: Response, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (body)
    for await (const chunk of body) {
      chunks.push(chunk);
      if ((size += chunk.length) >= maxBytes) break;
    }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
