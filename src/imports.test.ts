import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dir, "..");
const code = [...new Bun.Glob("{src,views,db}/**/*.{ts,tsx}").scanSync(root)].filter(
  (file) => !/\.test\.tsx?$/.test(file),
);
const sources = new Map(
  await Promise.all(code.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const)),
);

const rootOf = (file: string, path: string) => (path.startsWith(".") ? normalize(join(dirname(file), path)) : path);

/** What a file imports, including types, as paths from the root or package names. */
const importsIn = (file: string, text: string) =>
  [...text.matchAll(/(?:^import [^"\n]*from|^\} from|^import|\bimport\()\s*"([^"\n]+)"/gm)].map(([, path = ""]) => ({
    file,
    to: rootOf(file, path),
  }));
const imports = code.flatMap((file) => importsIn(file, sources.get(file) ?? ""));

/** What is imported at run time. Types of rows may be imported from db everywhere. */
const atRunTime = code.flatMap((file) =>
  new Bun.Transpiler({ loader: file.endsWith("x") ? "tsx" : "ts" })
    .scanImports(sources.get(file) ?? "")
    .filter(({ path }) => !/^react(\/|$)/.test(path)) // the scanner assumes it for JSX
    .map(({ path, kind }) => ({ file, to: rootOf(file, path), isOnDemand: kind === "dynamic-import" })),
);
/**
 * The floors of the house, from the ground: a folder imports only from its own floor and from those below it, types
 * included. Each folder, and each file beside folders, is named once; the star is what else is there, in db its
 * subjects.
 */
const floors = [
  ["db/async", "db/schema"],
  ["db/engine", "db/migrations"],
  ["db/lib"],
  ["db/events"], // what subjects record for subscribers' histories and for webhooks
  ["src/platform"], // config, log, work loop, the context of a request, texts: it knows no subject
  ["db/*"],
  ["db/ops", "db/people", "db/open.ts"],
  ["views/jsx", "views/assets.ts", "views/paths.ts"],
  ["views/components", "views/languages"],
  ["views/*"],
  ["src/security", "src/telemetry"],
  ["src/http"],
  ["src/fields", "src/storage", "src/mail", "src/webhooks", "src/content", "src/openapi", "src/people"],
  ["src/broadcasts", "src/backups", "src/portable"],
  ["src/alerts", "src/mailbox"],
  ["src/emails"],
  ["src/api", "src/dashboard", "src/feeds", "src/health", "src/demo"],
  ["src/dashboard.ts"],
  ["src/app.tsx"],
  ["src/boot"],
  ["src/cli", "src/cli.ts"],
  ["src/client"], // published alone: nothing here may import it
];

/** Two names deep: a folder, or a file beside folders. */
const folderOf = (file: string) => file.split("/").slice(0, 2).join("/");

/** Counted from the ground; -1 if the folder has none. */
function floorOf(folder: string): number {
  const named = floors.findIndex((names) => names.includes(folder));
  return named >= 0 ? named : floors.findIndex((names) => names.includes(`${dirname(folder)}/*`));
}

const subjects = readdirSync(join(root, "db"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && floorOf(`db/${entry.name}`) === floorOf("db/*"))
  .map(({ name }) => name);

/** The other subjects that a subject may import. */
const neighbours: Record<string, string[] | undefined> = {
  access: ["mail"],
  broadcasts: ["limits", "mail", "newsletter", "suppressions"],
  contact: ["limits", "mail"],
  mail: ["limits", "suppressions"],
  mailbox: ["mail"], // whose emails reports are about
  newsletter: ["limits", "mail", "suppressions"],
  posts: ["broadcasts"], // which go out with a post
  sequences: ["broadcasts", "newsletter"],
  settings: ["limits", "mail"],
  storage: ["settings"], // which are read by others
  webhooks: ["mail", "storage"], // which decide about uploads
};

type Rule = { why: string; from: RegExp; but?: RegExp; may?: RegExp; never?: RegExp; types?: boolean };

const rules: Rule[] = [
  {
    why: "db/ is the domain: it knows its databases and nothing else",
    from: /^db\//,
    may: /^(db(\/|$)|drizzle-orm|bun:sqlite$|node:)/,
  },
  {
    why: "db/engine knows no table but the one of versions",
    from: /^db\/engine\//,
    may: /^(db\/(engine\/|async\/|schema\/versions$)|drizzle-orm|bun(:sqlite)?$|node:)/,
    types: true,
  },
  {
    why: "db/lib knows no table",
    from: /^db\/lib\//,
    may: /^(db\/(engine|lib|async)\/|drizzle-orm|node:)/,
    types: true,
  },
  ...subjects.map((subject) => ({
    why: neighbours[subject]
      ? `db/${subject} knows no other subject but ${neighbours[subject].join(", ")}`
      : `db/${subject} knows no other subject`,
    from: new RegExp(`^db/${subject}/`),
    never: new RegExp(`^db/(?!(${[subject, ...(neighbours[subject] ?? [])].join("|")})/)(${subjects.join("|")})/`),
    types: true,
  })),
  {
    why: "views are functions of their props, and of what figures and statuses mean",
    from: /^views\//,
    but: /^views\/(assets\.ts|jsx\/)/,
    may: /^(views\/|db\/(lib\/time|broadcasts\/(ledger|rules)|newsletter\/(details|rules)|posts\/rules|storage\/picture-widths)$)/,
  },
  {
    why: "what views know of db needs no database",
    from: /^db\/(lib\/time|broadcasts\/(ledger|rules)|newsletter\/(details|rules)|posts\/rules|storage\/picture-widths)\.ts$/,
    may: /^db\/(lib\/time|broadcasts\/rules)$/,
  },
  { why: "views know nothing of src, not even its types", from: /^views\//, never: /^src\//, types: true },
  { why: "views/assets.ts reads files", from: /^views\/assets\.ts$/, may: /^(node:|views\/)/ },
  { why: "the jsx runtime stands on Kita's serializer", from: /^views\/jsx\//, may: /^(views\/jsx\/|@kitajs\/html)/ },
  {
    why: "security knows no feature",
    from: /^src\/security\//,
    never: /^(views(?!\/paths$)|src\/(api|dashboard|cli|openapi))(\/|$)/,
  },
  { why: "the API does not know the dashboard", from: /^src\/api\//, never: /^src\/(dashboard|cli|boot\/serve)/ },
  { why: "the dashboard does not know the API", from: /^src\/dashboard\//, never: /^src\/(api|cli|boot\/serve)/ },
  {
    why: "API features do not know each other",
    from: /^src\/api\//,
    never: /^src\/api\/(?!links\/docs$|envelope$|cursor$|prepared-responses$)/,
  },
  { why: "only src/storage/ speaks to storage servers", from: /^(?!src\/storage\/)/, never: /^minio$/ },
  { why: "only src/mail/ speaks to the mail provider", from: /^(?!src\/mail\/)/, never: /^(nodemailer|resend)(\/|$)/ },
  { why: "only db/ knows the engine", from: /^(?!db\/)/, never: /^(bun:sqlite|drizzle-orm)/ },
  { why: "doubles are for tests", from: /./, never: /^test\// },
  { why: "nobody imports the programs", from: /^(?!src\/cli)/, never: /^src\/cli(\/|$)/ },
  {
    why: "the client is published alone: it imports nothing else",
    from: /^src\/client\//,
    may: /^src\/client\//,
    types: true,
  },
  { why: "no path aliases", from: /./, never: /^(@\/|~\/|#(?!jsx))/ },
];

test("there is something to check", () => {
  expect(code.length).toBeGreaterThan(30);
  expect(imports.length).toBeGreaterThan(100);
});

test.each(rules)("$why", ({ from, but, may, never, types }) => {
  const broken = (types ? imports : atRunTime)
    .filter(({ file }) => from.test(file) && !but?.test(file))
    .filter(({ to }) => (may && !may.test(to)) || never?.test(to))
    .map(({ file, to }) => `${file} imports ${to}`);
  expect(broken).toEqual([]);
});

/** The first circle of imports; undefined if there is none. */
function circleIn(graph: Map<string, string[]>): string[] | undefined {
  const done = new Set<string>();
  const walk = (file: string, way: string[]): string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return;
    for (const to of graph.get(file) ?? []) {
      const circle = walk(to, [...way, file]);
      if (circle) return circle;
    }
    done.add(file);
  };
  return [...graph.keys()].map((file) => walk(file, [])).find(Boolean);
}

const fileOf = (to: string) => [to, `${to}.ts`, `${to}.tsx`, `${to}/index.ts`].find((path) => sources.has(path));

test("no start waits for what is loaded on demand", () => {
  const reached = new Set(["src/boot/serve.ts"]);
  const outside = new Set<string>();
  for (const file of reached)
    for (const { to } of atRunTime.filter((found) => found.file === file && !found.isOnDemand)) {
      const ours = fileOf(to);
      if (ours) reached.add(ours);
      else outside.add(to);
    }
  expect(reached.size).toBeGreaterThan(100);
  expect([...outside].filter((name) => /^node:(net|tls|https?|zlib)$|^(nodemailer|minio|resend)/.test(name))).toEqual(
    [],
  );
  expect([...reached].filter((file) => /^src\/(dashboard|cli)\//.test(file))).toEqual([]);
});

test("no file leads back to itself", () => {
  const graph = new Map(code.map((file) => [file, [] as string[]]));
  for (const { file, to } of imports) graph.get(file)?.push(...[fileOf(to) ?? []].flat());
  expect(circleIn(graph)).toBeUndefined();
  const planted = new Map(Object.entries({ a: ["b"], b: ["c", "d"], d: ["b"] }));
  expect(circleIn(planted)).toEqual(["b", "d", "b"]);
});

/** The imports that lead from one folder to another. */
const betweenFolders = (edges: typeof imports) =>
  edges.flatMap(({ file, to }) => {
    const target = fileOf(to);
    return target && folderOf(target) !== folderOf(file) ? [{ file, to: target }] : [];
  });

const upwards = (edges: typeof imports) =>
  edges
    .filter(({ file, to }) => floorOf(folderOf(to)) > floorOf(folderOf(file)))
    .map(({ file, to }) => `${file} imports ${to}`);

/** Folders that import each other. */
function pairsIn(edges: typeof imports): string[] {
  const arrows = new Set(edges.map(({ file, to }) => `${folderOf(file)} ${folderOf(to)}`));
  return [...arrows].filter((arrow) => {
    const [from = "", to = ""] = arrow.split(" ");
    return from < to && arrows.has(`${to} ${from}`);
  });
}

test("every folder has one floor", () => {
  const folders = [...new Set(code.map(folderOf))];
  expect(folders.filter((folder) => floorOf(folder) < 0)).toEqual([]);
  const named = floors.flat();
  expect(named.filter((name, i) => named.indexOf(name) !== i)).toEqual([]);
  expect(named.filter((name) => !name.endsWith("*") && !folders.includes(name))).toEqual([]);
  expect(floorOf("src/another")).toBe(-1);
});

test("no folder imports from a floor above it", () => {
  const edges = betweenFolders(imports);
  expect(edges.length).toBeGreaterThan(1_000);
  expect(upwards(edges)).toEqual([]);
  const planted = [
    { file: "db/lib/rows.ts", to: "db/mail/outbox.ts" },
    { file: "src/platform/log.ts", to: "db/another/subject.ts" },
    { file: "db/mail/list.ts", to: "db/engine/open.ts" },
  ];
  expect(upwards(planted)).toHaveLength(2);
});

test("no two folders import each other, and none leads back to itself", () => {
  const edges = betweenFolders(imports);
  expect(pairsIn(edges)).toEqual([]);
  const graph = Map.groupBy(edges, ({ file }) => folderOf(file));
  const arrows = [...graph].map(([folder, all]) => [folder, all.map(({ to }) => folderOf(to))] as const);
  expect(circleIn(new Map(arrows))).toBeUndefined();
  const planted = [
    { file: "db/mail/outbox.ts", to: "db/newsletter/list.ts" },
    { file: "db/newsletter/import.ts", to: "db/mail/outbox.ts" },
    { file: "db/newsletter/import.ts", to: "db/audit.ts" },
  ];
  expect(pairsIn(planted)).toEqual(["db/mail db/newsletter"]);
});

test("only src/mail decides whether emails are really sent", () => {
  const reads = /config\.MAILER_API_KEY|\{ MAILER_API_KEY/;
  const readers = [...sources].filter(([file, text]) => !/^src\/(mail\/|platform\/)/.test(file) && reads.test(text));
  expect(readers.map(([file]) => file)).toEqual([]);
  expect(reads.test("const canMail = Boolean(deps.config.MAILER_API_KEY);")).toBe(true);
});

test("a planted violation is found", () => {
  expect(rules[0]?.may?.test("src/config")).toBe(false);
  const planted =
    'import { a } from "../src/a";\nimport type {\n  B,\n} from "../src/b";\nconst c = import("../src/c");';
  expect(importsIn("db/x.ts", planted).map(({ to }) => to)).toEqual(["src/a", "src/b", "src/c"]);
  expect(new Bun.Transpiler({ loader: "ts" }).scanImports('import { a } from "./platform/config"; a();')).toHaveLength(
    1,
  );
  expect(new Bun.Transpiler({ loader: "ts" }).scanImports('import type { A } from "./platform/config";')).toHaveLength(
    0,
  );
});

const filesThatSay = (pattern: RegExp) =>
  code.filter((file) => pattern.test(withoutComments(sources.get(file) ?? ""))).sort();

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");

test("only src/platform/config.ts reads the environment", () => {
  const reading = filesThatSay(/process\.env|Bun\.env|import\.meta\.env/);
  expect(reading).toEqual([
    "src/platform/config.ts",
    "views/dashboard/access/new-api-key.tsx", // as text: an example of how a program reads its key
  ]);
});

test("only these read files of the program, so an executable contains what they read (src/boot/build.ts)", () => {
  expect(filesThatSay(/import\.meta\.(dir|dirname|path|file|filename|url)\b|__dirname|__filename/)).toEqual([
    "db/lib/own-process.ts", // modules of its own, which an executable runs by a command
    "db/migrations/postgres/generate.ts", // for developers
    "db/open.ts", // migrations; so do the next three
    "db/ops/copy/postgres.ts",
    "db/ops/migrate.ts",
    "db/ops/server-facts.ts",
    "src/boot/build.ts", // makes the executable
    "src/boot/compile.ts", // compiles the sources; an executable is compiled
    "src/boot/start.ts",
    "src/cli/program.ts", // the revision of an executable
    "src/demo/fill.ts", // sample posts
    "src/openapi/docs-guides.tsx",
    "src/openapi/packages.ts", // the client and the examples
    "src/security/password.ts", // common passwords
    "views/assets.ts", // styles, scripts and fonts
  ]);
  expect(filesThatSay(/process\.(execPath|argv0)|Bun\.main\b/)).toEqual(["db/lib/own-process.ts", "src/boot/start.ts"]);
});

test("what is loaded on demand is named, so an executable contains it", () => {
  const computed = filesThatSay(/\bimport\((?!")|\brequire(\.resolve)?\((?!")/);
  expect(computed).toEqual(["src/boot/start.ts"]); // what it has compiled
});

test("what runs in a process of its own, an executable can run, too", async () => {
  const started = [...sources.values()].flatMap((text) =>
    [...text.matchAll(/\bcommandOf\("([^"]+)"/g)].map(([, module = ""]) => module),
  );
  const runnable = [...(sources.get("src/cli/run.ts") ?? "").matchAll(/\["([^"]+\.ts)", \(\) => import/g)].map(
    ([, module = ""]) => module,
  );
  expect(started.sort()).toEqual(runnable.sort());
  expect(started.length).toBeGreaterThan(2);
});

const loneEntries = /\baudit\.recordAlone\(|\{[^}]*\brecordAlone\b[^}]*\} from "[./]*(db\/)?audit"/g;

test("only these write an entry to the audit log beside a change, because they change nothing (D40)", () => {
  const timesIn = (file: string) => withoutComments(sources.get(file) ?? "").match(loneEntries)?.length ?? 0;
  const writers = code.flatMap((file) => Array<string>(timesIn(file)).fill(file)).sort();
  expect(writers).toEqual([
    "src/api/files.ts", // a link that is computed, and stored nowhere
    ...["src/cli/content.ts", "src/cli/everything.ts", "src/cli/people.ts"], // exports
    ...["src/cli/subscribers.ts", "src/cli/suppressions.ts"], // exports
    "src/dashboard/access/account.tsx", // a refusal
    "src/dashboard/access/passkeys.ts", // a refusal
    "src/dashboard/access/passwords.ts", // refusals
    "src/dashboard/download.ts", // exports
    "src/dashboard/posts/preview.tsx", // a link that is computed, and stored nowhere
  ]);
  expect('import { record, recordAlone } from "../audit";'.match(loneEntries)).toHaveLength(1);
});

test("only these files vouch for HTML with raw()", () => {
  const vouching = filesThatSay(/(?<!\.)\braw\(/).filter((file) => file !== "views/jsx/jsx-runtime.ts");
  expect(vouching).toEqual([
    "src/openapi/docs-guides.tsx", // guides of ours, from Markdown
    "views/emails/email-layout.tsx", // its own style sheet, because email clients load none
  ]);
});

test("only views/paths.ts spells the paths of the dashboard", () => {
  expect(filesThatSay(/["`]\/dashboard/)).toEqual([
    "src/telemetry/metrics.ts", // an area of requests, not a page
    "views/paths.ts",
  ]);
});

test("no default exports and no barrels", () => {
  expect(filesThatSay(/^export default\b/m)).toEqual([]);
  expect(filesThatSay(/^export (\*|\{[^}]*\}) from\b/m)).toEqual(["views/jsx/jsx-dev-runtime.ts"]);
});

test("no type is switched off, and nothing is left for later", () => {
  expect(filesThatSay(/\bas any\b|: any\b|<any>/)).toEqual([]);
  const loud = code.filter((file) =>
    /@ts-(ignore|expect-error|nocheck)|\b(TODO|FIXME|XXX)\b/.test(sources.get(file) ?? ""),
  );
  expect(loud).toEqual([]);
});

const maxFunctionLines = 50;
const maxHandlerLines = 15;

/** Functions and how many lines each has: the formatter closes them at the indentation they start with. */
function functionsIn(text: string): { name: string; lines: number }[] {
  const lines = text.split("\n");
  return lines.flatMap((line, start) => {
    const isFunction = /(=> [{(]|=>|\)(: [^=]+)? \{)$/.test(line) && !/^\s*(\}|if|for|while|switch|catch)\b/.test(line);
    if (!isFunction || /^\s*\} (else|catch)/.test(line)) return [];
    const indentation = (text: string) => text.length - text.trimStart().length;
    const rest = text
      .trimEnd()
      .split("\n")
      .slice(start + 1);
    const after = rest.findIndex((next) => next.trim() !== "" && indentation(next) <= indentation(line));
    return { name: line.trim(), lines: (after < 0 ? rest.length - 1 : after) + 2 };
  });
}

test("no handler of a route has more than 15 lines: what it does is a function of its own", () => {
  const isHandler = (name: string) => /^(\.(get|post|put|delete|all)\(|(async )?\(\{ ?request)/.test(name);
  const long = code
    .filter((file) => /^src\/(api|dashboard|feeds|health|http|openapi)\//.test(file))
    .flatMap((file) =>
      functionsIn(sources.get(file) ?? "")
        .filter(({ name, lines }) => isHandler(name) && lines > maxHandlerLines)
        .map(({ name, lines }) => `${file}: ${name} ${lines}`),
    );
  expect(long).toEqual([]);
  expect(['.get("/", async ({ request }) => {', "({ request, body }) => {"].every(isHandler)).toBe(true);
});

test("no function has more than 50 lines", () => {
  const long = code.flatMap((file) =>
    functionsIn(sources.get(file) ?? "")
      .filter(({ lines }) => lines > maxFunctionLines)
      .map(({ name, lines }) => `${file}: ${name} ${lines}`),
  );
  expect(long).toEqual([]);
  const planted = `function a() {\n${"  b();\n".repeat(50)}}\n`;
  expect(functionsIn(planted)).toEqual([{ name: "function a() {", lines: 52 }]);
  expect(functionsIn(`const a = () =>\n${"  b()\n".repeat(3)}`)).toEqual([{ name: "const a = () =>", lines: 4 }]);
});

/** Which names are imported from which files. `names` is undefined where a file is imported as a whole. */
function importedNames(file: string, text: string): { to: string; names: string[] | undefined }[] {
  const whole = [...text.matchAll(/\bimport\("([^"\n]+)"\)/g)].map(([, path = ""]) => ({ path, names: undefined }));
  const listed = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from "([^"\n]+)"/gm)].map(
    ([, list = "", path = ""]) => ({
      path,
      names: [...list.matchAll(/(?:^|,)\s*(?:type )?(\w+)/g)].map(([, name = ""]) => name),
    }),
  );
  const spaces = [...text.matchAll(/^import (?:type )?\* as (\w+) from "([^"\n]+)"/gm)].map(
    ([, space = "", path = ""]) => {
      const names = [...text.matchAll(new RegExp(`\\b${space}\\.(\\w+)`, "g"))].map(([, name = ""]) => name);
      const isPassedOn = new RegExp(`[({:,=\\[] *(?:\\.\\.\\.)?${space}\\b(?![.\\w:])|\\b${space}\\[`).test(
        withoutComments(text),
      );
      return { path, names: isPassedOn ? undefined : names };
    },
  );
  return [...whole, ...listed, ...spaces].map(({ path, names }) => ({ to: rootOf(file, path), names }));
}

test("what is exported is imported somewhere", async () => {
  const readers = [...new Bun.Glob("{src,views,db,test,public}/**/*.{ts,tsx}").scanSync(root)];
  const used = await Promise.all(
    readers.map(async (file) => importedNames(file, await Bun.file(join(root, file)).text())),
  );
  // db/migrations imports every file of db/schema as a whole, whatever that exports
  const uses = used.flat().filter(({ to, names }) => names || !to.startsWith("db/schema/"));
  const namesOf = Map.groupBy(uses, ({ to }) => to);
  // Types of the client are published, and for those who use it
  const unused = code.flatMap((file) => {
    const importers = [file, file.replace(/\.tsx?$/, ""), file.replace(/\/index\.ts$/, "")].flatMap(
      (to) => namesOf.get(to) ?? [],
    );
    if (importers.some(({ names }) => !names)) return [];
    const names = new Set(importers.flatMap(({ names = [] }) => names));
    return [
      ...(sources.get(file) ?? "").matchAll(/^export (?:async |abstract )?(?:const|function\*?|class|type) (\w+)/gm),
    ]
      .filter(([text, name = ""]) => !names.has(name) && !(/^src\/client\//.test(file) && /^export type/.test(text)))
      .map(([, name]) => `${file}: ${name}`);
  });
  expect(unused).toEqual([]);
  expect(
    importedNames("db/x.ts", 'import * as a from "./a"; a.b();\nimport {\n  type C,\n  d as e,\n} from "../c";'),
  ).toEqual([
    { to: "c", names: ["C", "d"] },
    { to: "db/a", names: ["b"] },
  ]);
});

test("a route takes what Elysia passes on demand after `params: { … }`, or the compiled program gets none of it", () => {
  // Elysia reads the text of a handler. Minified, that is `({request:a,query:b,params:{id:c}})`, where it finds no query
  const onDemand = /\(\{[^{}()]*\b(?:query|body|headers|cookie|set|server|route|url|path)\b[^{}()]*\bparams: \{/;
  const late = [...sources].flatMap(([file, text]) => (onDemand.test(text) ? [file] : []));
  expect(late).toEqual([]);
});

/** Names that other programs gave: a locale, and options of Uppy. */
const theirs = ["pt_BR", "getChunkSize", "companionEndpoint"];

/** The files and names in backquotes that a comment mentions and that do not exist. */
function missingIn(text: string, { files, names }: { files: string[]; names: Set<string> }): string[] {
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].join("\n");
  const paths = [...comments.matchAll(/(?<![\w./-])[\w-][\w./-]*\.(?:tsx?|md|sql|css)\b/g)].map(([path]) => path);
  const mentioned = [...comments.matchAll(/`([a-z]\w*[A-Z]\w*)`/g)].flatMap(([, name]) => name ?? []);
  return [
    ...paths.filter((path) => !files.some((file) => `/${file}`.endsWith(`/${path}`))),
    ...mentioned.filter((name) => !names.has(name)),
  ];
}

test("a comment names only files and names that exist", () => {
  const files = ["*", "{src,db,views,public,test,docs}/**/*"].flatMap((where) => [
    ...new Bun.Glob(where).scanSync(root),
  ]);
  const own = [...sources.values()].flatMap((text) => withoutComments(text).match(/[A-Za-z_$][\w$]*/g) ?? []);
  const names = new Set([...own, ...theirs]);
  const missing = [...sources].flatMap(([file, text]) =>
    missingIn(text, { files, names }).map((what) => `${file}: ${what}`),
  );
  expect(missing).toEqual([]);
  expect(missingIn("/* as `nameOne` (tables.test.ts) */ // see db/x.ts", { files, names })).toEqual([
    "tables.test.ts",
    "db/x.ts",
    "nameOne",
  ]);
});
