/** Below this, a packet's headers weigh more than compression saves. */
export const minBytes = 1_024;

/** A content coding. */
export type Coding = { name: string; encode: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>> };
type NowCoding = Coding & { encodeNow: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> };

const zstd = { level: 6 };

/** Best first. A page of fifty rows is a fifth smaller with zstd than with gzip, in half the time. */
const codings: NowCoding[] = [
  {
    name: "zstd",
    encode: async (bytes) => new Uint8Array(await Bun.zstdCompress(bytes, zstd)),
    encodeNow: (bytes) => new Uint8Array(Bun.zstdCompressSync(bytes, zstd)),
  },
  { name: "gzip", encode: gzip, encodeNow: (bytes) => Bun.gzipSync(bytes) },
];

/** Compresses in another thread. */
async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const [zlib, { promisify }] = await Promise.all([import("node:zlib"), import("node:util")]);
  return new Uint8Array(await promisify(zlib.gzip)(bytes));
}

/** Whether an Accept-Encoding names this coding and does not exclude it with q=0 (RFC 9110, 12.5.3). */
export const accepts = (accepted: string, coding: string): boolean =>
  accepted.split(",").some((one) => {
    const [name, weight = ""] = one.replace(/\s/g, "").toLowerCase().split(";q=");
    return name === coding && !/^0(\.0*)?$/.test(weight);
  });

/** The best coding that the client accepts. */
export function codingFor({ headers }: Request): NowCoding | undefined {
  const accepted = headers.get("accept-encoding");
  return accepted ? codings.find(({ name }) => accepts(accepted, name)) : undefined;
}

/**
 * Compresses a page in the best coding that the browser accepts. HTML only: prepared JSON and
 * assets have compressed forms already. The form token in a page is masked differently each time, so sizes reveal nothing
 * about it (the BREACH attack).
 */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const isHtml = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  const isPrepared = response.headers.get("vary")?.includes("Accept-Encoding") ?? false; // in the form that was asked for
  const coding = isHtml && !isPrepared ? codingFor(request) : undefined;
  if (!coding) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { status, headers } = response;
  if (bytes.length < minBytes) return new Response(bytes, { status, headers });
  headers.set("content-encoding", coding.name);
  headers.append("vary", "Accept-Encoding");
  headers.delete("content-length");
  return new Response(coding.encodeNow(bytes), { status, headers });
}
