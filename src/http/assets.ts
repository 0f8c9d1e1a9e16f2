import { Elysia } from "elysia";
import { type Asset, assets, cssImport } from "../../views/assets";
import { accepts } from "./compression";
import { notRouted } from "./unrouted";
import { dirname, join } from "node:path";

/** Serves the files in views/assets.ts and nothing else: a URL is looked up, never turned into a path. */
export const staticAssets = () => {
  let byUrl: Map<string, Asset> | undefined;
  const find = (url: string) => (byUrl ??= new Map(Object.values(assets).map((asset) => [asset.url, asset]))).get(url);
  const compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  function bytes(asset: Asset, encoding: Encoding) {
    const key = `${encoding} ${asset.url}`;
    const content = compressed.get(key) ?? compress(asset, encoding);
    compressed.set(key, content);
    return content;
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

const typescript = new Bun.Transpiler({ loader: "ts" });

type Encoding = "br" | "gzip" | "identity";

/** Compresses on the first request, so that start-up does not wait for it. */
async function compress(asset: Asset, encoding: Encoding) {
  const plain = await servedBytes(asset);
  if (encoding === "identity") return plain;
  const [{ brotliCompress, gzip }, { promisify }] = await Promise.all([import("node:zlib"), import("node:util")]);
  return new Uint8Array(await promisify(encoding === "br" ? brotliCompress : gzip)(plain)); // off the event loop
}

/**
 * Strips the types of TypeScript, and puts the URLs of the fonts into style sheets. Everything else is served
 * unchanged.
 */
export async function servedBytes({ path, isBuilt }: Asset): Promise<Uint8Array<ArrayBuffer>> {
  if (isBuilt) return Bun.file(path).bytes();
  if (path.endsWith(".ts")) return script(path);
  if (!path.endsWith(".css")) return Bun.file(path).bytes();
  const css = await styleSheet(path);
  return Buffer.from(
    css.replace(/url\("([\w.-]+)"\)/g, (_, name) => `url("${assets[name as keyof typeof assets].url}")`),
  );
}

/** Returns one style sheet with everything it imports, in place. */
async function styleSheet(path: string): Promise<string> {
  const css = await Bun.file(path).text();
  const imported = new Map<string, string>();
  for (const [, name = ""] of css.matchAll(cssImport)) imported.set(name, await styleSheet(join(dirname(path), name)));
  return css.replace(cssImport, (_, name) => imported.get(name) ?? "");
}

/** Bundles a script with its imports in a scope of its own. A script without imports shares the page's scope. */
async function script(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const code = await Bun.file(path).text();
  if (!typescript.scanImports(code).length) return Buffer.from(typescript.transformSync(code));
  const { outputs } = await Bun.build({ entrypoints: [path], target: "browser", format: "iife", minify: true });
  return new Uint8Array(await new Response(outputs[0]).arrayBuffer());
}
