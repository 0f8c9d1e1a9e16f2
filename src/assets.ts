import { Elysia } from "elysia";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type Asset, assets } from "../views/assets";

const byUrl = new Map<string, Asset>(Object.values(assets).map((asset) => [asset.url, asset]));

/** Serves the files of views/assets.ts, and nothing else: a URL is looked up, never turned into a path. */
export const staticAssets = () => {
  const compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  const bytes = (asset: Asset, encoding: "br" | "gzip" | "identity") => {
    const key = `${encoding} ${asset.url}`;
    const known = compressed.get(key) ?? compress(asset, encoding);
    compressed.set(key, known);
    return known;
  };

  return new Elysia({ prefix: "/assets" }).get("/:name", async ({ request, params, set }) => {
    const asset = byUrl.get(`/assets/${params.name}`);
    if (!asset) {
      set.status = 404;
      return new Response(null, { status: 404, headers: { "x-unrouted": "1" } });
    }
    const accepted = request.headers.get("accept-encoding") ?? "";
    const encoding =
      asset.type === "font/woff2"
        ? "identity"
        : accepted.includes("br")
          ? "br"
          : accepted.includes("gzip")
            ? "gzip"
            : "identity";
    return new Response(await bytes(asset, encoding), {
      headers: {
        "content-type": asset.type,
        "cache-control": "public, max-age=31536000, immutable",
        vary: "Accept-Encoding",
        ...(encoding !== "identity" && { "content-encoding": encoding }),
      },
    });
  });
};

async function compress({ path }: Asset, encoding: "br" | "gzip" | "identity") {
  const plain = await Bun.file(path).bytes();
  if (encoding === "identity") return plain;
  return new Uint8Array(encoding === "br" ? brotliCompressSync(plain) : gzipSync(plain));
}
