/**
 * Returns the response to HEAD: the headers of GET, with the length of its body if that is known (RFC 9110, section
 * 9.3.2).
 */
export async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  const length = await lengthOf(response.body);
  if (length !== undefined && status !== 204 && status !== 304) headers.set("content-length", String(length));
  return new Response(null, { status, headers });
}

const maxMeasuredBytes = 2 ** 20;

/** Returns undefined above a megabyte, because the whole of an export would have to be generated to know its length. */
async function lengthOf(body: Response["body"]): Promise<number | undefined> {
  const reader = body?.getReader();
  let length = 0;
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    length += chunk.value.byteLength;
    if (length > maxMeasuredBytes) break;
  }
  await reader?.cancel();
  return length > maxMeasuredBytes ? undefined : length;
}
