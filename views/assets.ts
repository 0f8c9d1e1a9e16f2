import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const types = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
} as const;

/** Every static file there is: its name in a page, and where it lies. Nothing else can be asked for. */
const files = {
  "public.css": "public/public.css",
  "docs.css": "public/docs.css",
};

export type AssetName = keyof typeof files;
export type Asset = { url: string; path: string; type: string };

/** By name. The URL carries a hash of the content, so browsers may keep it for ever. */
export const assets = Object.fromEntries(
  Object.entries(files).map(([name, file]) => {
    const path = join(root, file);
    const hash = createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 10);
    const [base = "", extension = ""] = name.split(/\.(?=[^.]+$)/);
    return [name, { path, type: types[extension as keyof typeof types], url: `/assets/${base}.${hash}.${extension}` }];
  }),
) as Record<AssetName, Asset>;

export const asset = (name: AssetName): string => assets[name].url;
