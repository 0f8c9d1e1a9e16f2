import { expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const files = [...new Bun.Glob("{src,db,views,public}/**/*.{ts,tsx}").scanSync(root)].filter(
  (file) => !/\.test\.tsx?$|\btesting\.ts$|-for-tests\.ts$/.test(file),
);
const sources = await Promise.all(
  files.map(async (file) => [file, withoutComments(await Bun.file(join(root, file)).text())] as const),
);

/** An upload to a node that the operator configured, over a socket of its own, which reads while it writes. */
const byHand = "src/storage/s3/raw-put.ts";

/** The mailbox of BOUNCE_MAILBOX: its server is the operator's. */
const mailbox = "src/mailbox/imap.ts";

/** Comments may say anything. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

const filesThatSay = (pattern: RegExp) =>
  sources
    .filter(([, text]) => pattern.test(text))
    .map(([file]) => file)
    .sort();

test("the service calls the email provider, the mailbox and storage nodes, and nothing else (S13)", () => {
  expect(filesThatSay(/\bfetch\(|\bnew (WebSocket|EventSource|XMLHttpRequest)\b|\bsendBeacon\(/)).toEqual([
    "public/docs.ts", // the documentation's own search
    "public/editor/draft.ts", // the browser, to the service; so are the next five
    "public/editor/fields.ts",
    "public/editor/mdx/uploads.ts",
    "public/follow.ts",
    "public/signed-out.ts",
    "public/storage/part.ts", // except for the bytes, which go to a node: the policy lists the nodes
    "public/storage/service.ts",
    "src/cli/doctor.ts", // a command: BASE_URL, the node, the provider and the clocks of these
    "src/cli/program.ts", // a command: the service on this machine
    "src/demo/files.ts", // a command: sample files, to their node
    "src/mail/resend.ts",
    "src/storage/links.ts", // the beginning of a text, from its node
    "src/storage/nodes/probe.ts", // a node that the operator configured; so are the next two
    "src/storage/s3/free-space.ts",
    "src/storage/s3/put-stream.ts", // the parts of a copy, to BACKUP_URL, and of imported files, to a node
    "src/storage/s3/s3.ts", // the sizes of pictures, to the node of their file
    "views/dashboard/access/new-api-key.tsx", // as text: an example for managers
  ]);
  expect(filesThatSay(/(from |import\()"(minio|nodemailer\b)/)).toEqual([
    "src/mail/smtp/session.ts",
    "src/mail/smtp/smtp.ts", // writes the message; the session sends it
    "src/storage/s3/client.ts",
  ]);
  expect(filesThatSay(/^(?!import type).*"(node:)?(http|https|http2|tls|dgram|dns(\/promises)?)"/m)).toEqual([
    "src/cli/doctor.ts", // the addresses of the mail server
    "src/mail/sender-records.ts", // the records of the sender's domain, and where a new target is
    mailbox,
    "src/platform/certificate.ts", // how long those of BASE_URL, BLOG_URL and the nodes are valid
    "src/storage/s3/client.ts",
    byHand,
    "src/webhooks/post.ts",
  ]);
  expect(
    filesThatSay(/Bun\.(connect|udpSocket|dns|listen|sql|redis|s3)\b|\b(createConnection|net\.connect)\(/),
  ).toEqual([]);
});

test("of node:net only addresses are used but for the mailbox and the trial of a node's room, and nothing starts another program or runs text", () => {
  expect(filesThatSay(/import \{[^}]*\bconnect\b[^}]*\} from "node:/)).toEqual([mailbox, byHand]);
  const others = sources.filter(([file]) => ![byHand, mailbox].includes(file));
  const names = others.flatMap(([, text]) => [...text.matchAll(/import (?:type )?\{([^}]*)\} from "node:net"/g)]);
  const used = names.flatMap(([, list = ""]) => list.split(",").map((name) => name.replace("type", "").trim()));
  expect([...new Set(used)].sort()).toEqual(["isIP"]);
  expect(
    filesThatSay(/child_process|worker_threads|node:vm|Bun\.(spawn|spawnSync|\$)|\beval\(|new Function\(/),
  ).toEqual([
    "db/migrations/postgres/generate.ts", // drizzle-kit, for developers: not part of the service
    "db/ops/integrity.ts", // itself, to check a large database
    "db/ops/scrub.ts", // itself, to search for what was erased
    "src/backups/job.ts", // itself, to encrypt a copy
    "src/boot/build.ts", // git, for the revision: not part of the service
    "src/boot/start.ts", // itself, to compile it once
    "src/cli/doctor.ts", // a command: what systemd says of the clock and the unit
    "src/storage/pictures/process.ts", // itself, to read pictures
  ]);
});

test("pages name no other origin: scripts, styles, fonts and pictures are our own", () => {
  const views = sources.filter(([file]) => file.startsWith("views/") && !file.startsWith("views/emails/"));
  const foreign = views.flatMap(([file, text]) =>
    [...text.matchAll(/(?:src|srcset|action|formaction|data)=["'{`]+(?:https?:)?\/\/[^"'`}]*/g)].map(
      ([found]) => `${file}: ${found}`,
    ),
  );
  expect(foreign).toEqual([]);
  expect(views.length).toBeGreaterThan(20);
});
