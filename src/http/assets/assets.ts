import { Elysia } from "elysia";
import { type Asset, assets } from "../../../views/assets";
import { accepts } from "../compression";
import { notRouted } from "../unrouted";
import { compress, type Encoding } from "./bytes";

/** Serves the files in views/assets.ts and nothing else: a URL is looked up, never turned into a path. */
export const staticAssets = () => {
  let byUrl: Map<string, Asset> | undefined;
  const find = (url: string) => (byUrl ??= new Map(Object.values(assets).map((asset) => [asset.url, asset]))).get(url);
  const compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  function bytes(asset: Asset, encoding: Encoding) {
    const key = `${encoding} ${asset.url}`;
    const known = compressed.get(key) ?? compress(asset, encoding);
    compressed.set(key, known);
    return known;
  }

  return new Elysia({ prefix: "/assets" }).get("/:name", async ({ request, params }) => {
    const asset = find(`/assets/${params.name}`);
    if (!asset) return notRouted();
    const encoding = encodingFor(asset, request.headers.get("accept-encoding") ?? "");
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

function encodingFor({ type }: Asset, accepted: string): Encoding {
  if (type === "font/woff2") return "identity";
  return accepts(accepted, "br") ? "br" : accepts(accepted, "gzip") ? "gzip" : "identity";
}
