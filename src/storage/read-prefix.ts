/** The first bytes of an answer, `most` of them at the most: what a node sends beyond that is not taken. */
export async function beginning({ body }: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (body)
    for await (const chunk of body) {
      chunks.push(chunk);
      if ((size += chunk.length) >= most) break;
    }
  return Buffer.concat(chunks).subarray(0, most);
}
