import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "..");
const types = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
} as const;

/** All static files: their names in pages, and where they are. Nothing else can be requested. */
const files = {
  "public.css": "public/public.css",
  "preferences.css": "public/preferences.css",
  "archive.css": "public/archive.css",
  "docs.css": "public/docs.css",
  "docs.js": "public/docs.ts",
  "early.js": "public/early.ts",
  "app.css": "public/app.css",
  "app.js": "public/app.ts",
  "storage.css": "public/storage.css",
  "storage.js": "public/storage.ts",
  "library.js": "public/library.ts",
  "contact.js": "public/contact.ts",
  "brand.js": "public/brand.ts",
  "poll.js": "public/poll.ts",
  "content.css": "public/content.css",
  "editor.css": "public/editor.css",
  "posts.css": "public/posts.css",
  "order.js": "public/order.ts",
  "calendar.css": "public/calendar.css",
  "calendar.js": "public/calendar.ts",
  "editor.js": "public/editor.ts",
  "mdx.js": "public/editor/mdx.ts",
  "link.js": "public/editor/link.ts",
  "broadcasts.css": "public/broadcasts.css",
  "composer.js": "public/broadcasts/composer.ts",
  "progress.js": "public/broadcasts/progress.ts",
  "pictures.js": "public/editor/pictures.ts",
  "door.css": "public/signed-out.css",
  "door.js": "public/signed-out.ts",
  "webauthn.js": "node_modules/@simplewebauthn/browser/dist/bundle/index.umd.min.js",
  "htmx.js": "node_modules/htmx.org/dist/htmx.min.js",
  "icons.svg": "public/icons.svg",
  "favicon.svg": "public/favicon.svg",
  "figtree.woff2": "node_modules/@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2",
  "newsreader.woff2": "node_modules/@fontsource/newsreader/files/newsreader-latin-500-normal.woff2",
  "plex-mono.woff2": "node_modules/@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2",
};

export type AssetName = keyof typeof files;
export type Asset = {
  readonly url: string;
  path: string;
  type: string;
  /** Whether the file is already as it is served. */
  isBuilt: boolean;
};

/** In the executable: the last parts of their URLs. Built they are when the executable is (src/boot/build.ts). */
const builtNames = Bun.isStandaloneExecutable ? readdirSync(join(root, "assets")) : [];

const read = (file: string) => readFileSync(join(root, file));
const typescript = new Bun.Transpiler({ loader: "ts" });
/** Matches `@import "./app/fonts.css";`, which is replaced by that file when the style sheet is served. */
export const cssImport = /^@import "(\.[^"]+)";\n/gm;
const fonts = Object.values(files).filter((file) => file.endsWith(".woff2"));

/** Returns the files that a style sheet or script imports, those of packages included, by their path from the root. */
function importsOf(file: string, text: string): string[] {
  if (file.endsWith(".css")) return [...text.matchAll(cssImport)].map(([, path = ""]) => join(dirname(file), path));
  if (!/\.(ts|js|mjs|cjs)$/.test(file)) return [];
  return typescript
    .scanImports(text)
    .map(({ path }) => relative(root, Bun.resolveSync(path, join(root, dirname(file)))));
}

/**
 * The inputs of a served file: style sheets contain the fonts' URLs, scripts the modules they import. If any of them
 * changes, the file changes.
 */
function partsOf(file: string, parts = new Set<string>()): Set<string> {
  parts.add(file);
  if (file.endsWith(".css")) for (const font of fonts) parts.add(font);
  const imports = importsOf(file, read(file).toString());
  for (const part of imports) if (!parts.has(part)) partsOf(part, parts);
  return parts;
}

function hash(file: string): string {
  const digest = createHash("sha256");
  for (const part of partsOf(file)) digest.update(read(part));
  return digest.digest("hex").slice(0, 10);
}

function assetOf(name: string, file: string): Asset {
  const [base = "", extension = ""] = name.split(/\.(?=[^.]+$)/);
  const type = types[extension as keyof typeof types];
  const builtName = builtNames.find((built) => built.startsWith(`${base}.`) && built.endsWith(`.${extension}`));
  if (builtName) return { path: join(root, "assets", builtName), type, isBuilt: true, url: `/assets/${builtName}` };
  let url: string | undefined;
  return {
    path: join(root, file),
    type,
    isBuilt: false,
    get url() {
      return (url ??= `/assets/${base}.${hash(file)}.${extension}`);
    },
  };
}

/**
 * The URL of an asset by name. It contains a hash of the content, so browsers may cache it forever. It is computed on
 * first use, so that a start need not read all files.
 */
export const assets = Object.fromEntries(
  Object.entries(files).map(([name, file]) => [name, assetOf(name, file)]),
) as Record<AssetName, Asset>;

export const asset = (name: AssetName): string => assets[name].url;
