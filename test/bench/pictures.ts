/**
 * `npm run bench pictures [pictures]` (figures W2 to W4): what sizes of pictures cost, of photos with the detail of
 * real ones: five sizes of one; asking again; what others notice while a hundred are made; and what a phone loads of a
 * page with ten. Judge it on an idle machine.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { openDb } from "../../db/open";
import * as posts from "../../db/posts/posts";
import { srcset } from "../../src/client/pictures";
import { fillWithPosts, reader } from "../load/content";
import { processorTime } from "../load/generator";
import { visitors } from "../load/visitors";
import { launch } from "../support/browser";
import { atMost, conclude, exactly } from "../support/figures";
import { median, percentile, rounded } from "../support/measures";
import { startService, temporaryFolder } from "../support/processes";

const made = Number(Bun.argv[2] ?? 100);
const widths = [320, 640, 960, 1600, 2560];
const [width, height] = [3_000, 2_000];
const photoBytes = 2_000_000;
const perSecond = 50;
const webp = { accept: "image/avif,image/webp,*/*;q=0.8" };

/**
 * Noise whose every octave is equally strong, as in photos, with as much contrast as gives two megabytes in the quality
 * of cameras.
 */
async function photo(): Promise<Uint8Array<ArrayBuffer>> {
  const raw = { width, height, channels: 3 as const };
  let picture = Buffer.alloc(width * height * 3, 128);
  for (let step = 512; step >= 1; step /= 2) {
    const noise = { type: "gaussian" as const, mean: 128, sigma: 30 };
    const size = { width: Math.ceil(width / step), height: Math.ceil(height / step) };
    const octave = await sharp({ create: { ...size, channels: 3, background: "#000", noise } })
      .png()
      .toBuffer();
    const input = await sharp(octave).resize({ width, height, fit: "fill" }).png({ compressionLevel: 1 }).toBuffer();
    const blended = sharp(picture, { raw }).composite([{ input, blend: "soft-light" }]);
    picture = await blended.removeAlpha().raw().toBuffer();
  }
  for (let contrast = 1; ; contrast *= 0.97) {
    const shown = sharp(picture, { raw }).linear(contrast, 128 * (1 - contrast));
    const bytes = await shown.jpeg({ quality: 90 }).toBuffer();
    if (bytes.length <= photoBytes) return new Uint8Array(bytes);
  }
}

using folder = temporaryFolder();
const keys = await fillWithPosts(folder.path);
const service = await startService(folder.path, { LOG_LEVEL: "error" });
const headers = { "x-api-key": keys[0] ?? "", "content-type": "application/json" };
const api = (path: string, body: object) =>
  fetch(`${service.url}/api/v1/storage/${path}`, { method: "POST", headers, body: JSON.stringify(body) });

/** Uploads a photo. Returns its path. */
async function upload(body: Uint8Array<ArrayBuffer>, n: number): Promise<string> {
  const filename = `photo-${n}.jpeg`;
  const answer = await api("upload", { filename, mimeType: "image/jpeg", size: body.length });
  const { data } = (await answer.json()) as { data: { uploadUrl: string; _meta: { reservationId: string } } };
  const put = await fetch(data.uploadUrl, { method: "PUT", body });
  const done = await api(`uploads/${data._meta.reservationId}/complete`, {});
  if (!put.ok || !done.ok) throw new Error(`The upload was answered ${put.status} and ${done.status}`);
  return `/media/${data._meta.reservationId}/${filename}`;
}

/** Puts them into a published post, so that everyone may see them. */
async function publish(paths: string[]): Promise<void> {
  const db = await openDb(join(folder.path, "postroom.sqlite"));
  const content = paths.map((path) => `![](${path})`).join("\n\n");
  const now = new Date();
  await posts.save(
    db,
    { slug: `photos-${paths.length}`, title: "Photos", content, published: true, publishedAt: now },
    now,
  );
  await db.close();
}

const redirectOf = async (path: string) => {
  const answer = await fetch(service.url + path, { headers: webp, redirect: "manual" });
  return answer.headers.get("location") ?? `answered ${answer.status}`;
};
const isMade = async (path: string) => (await redirectOf(path)).includes("/variants/");

/** Asks until the sizes are made: whoever waits for two seconds gets the file as it came. */
async function makeAll(paths: string[]): Promise<number> {
  const begun = performance.now();
  const all = Promise.all(
    paths.map(async (path) => {
      while (!(await isMade(path))) await Bun.sleep(20);
    }),
  );
  await all;
  return performance.now() - begun;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** The bytes that a phone of 390 pixels, two to each, loads for a page with these photos, with and without sizes. */
async function loadedBy(paths: string[], hasSizes: boolean): Promise<number> {
  const browser = await launch();
  const images = paths.map((path) => {
    const source = hasSizes ? srcset({ url: service.url + path, width, height }) : { src: service.url + path };
    return `<img ${Object.entries(source)
      .map(([name, value]) => `${name}="${value}"`)
      .join(" ")}>`;
  });
  const html = `<meta name=viewport content="width=device-width"><style>img{width:100%}</style>${images.join("")}`;
  const site = Bun.serve({ port: 0, fetch: () => new Response(html, { headers: { "content-type": "text/html" } }) });
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  let bytes = 0;
  const sizes: Promise<void>[] = [];
  page.on("response", (response) => {
    if (response.status() !== 200 || !response.headers()["content-type"]?.startsWith("image/")) return;
    sizes.push(response.body().then((body) => void (bytes += body.length)));
  });
  await page.goto(site.url.href, { waitUntil: "load" });
  await Promise.all(sizes);
  await context.close();
  await browser.close();
  await site.stop(true);
  if (sizes.length !== paths.length) throw new Error(`The page loaded ${sizes.length} pictures`);
  return bytes;
}

/** The process that makes the sizes (Linux). */
function makerOf(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const pids = readdirSync(tasks).flatMap((task) => readFileSync(`${tasks}/${task}/children`, "utf8").split(" "));
  const isMaker = (child: string) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("pictures/child");
  return Number(pids.filter(Boolean).find(isMaker));
}

/** The most memory that a process has had, in megabytes (Linux). */
const peakOf = (pid: number) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

try {
  const body = await photo();
  console.log(`photos of ${width} × ${height}, ${rounded(body.length / 1e6)} MB each`);
  const count = Math.max(10, Math.ceil(made / widths.length));
  const paths: string[] = [];
  for (let n = 0; n < count + 3; n++) paths.push(await upload(body, n));
  await publish(paths);
  const [first = "", second = "", third = "", ...rest] = paths;
  const sizesOf = (path: string) => widths.map((each) => `${path}?w=${each}`);

  await makeAll([`${first}?w=320`]); // the process that makes them is running
  const maker = makerOf(service.pid);
  const before = await processorTime(maker);
  const fiveSizes = [await makeAll(sizesOf(second)), await makeAll(sizesOf(third))];
  const worked = ((await processorTime(maker)) - before) / 2_000;
  const bare = await timed(async () => {
    for (const each of widths) await sharp(body).resize({ width: each }).webp({ quality: 78, effort: 2 }).toBuffer();
  });
  console.log(
    `five sizes: ${fiveSizes.map(rounded).join(" and ")} ms, of processor ${rounded(worked)} ms; sharp alone ${rounded(bare)} ms`,
  );

  const [again, file]: [number[], number[]] = [[], []];
  for (let n = 0; n < 300; n++) {
    again.push(await timed(() => redirectOf(`${second}?w=960`)));
    file.push(await timed(() => redirectOf(second)));
  }
  console.log(`asking again: median ${rounded(median(again))} ms, the file ${rounded(median(file))} ms`);

  const ask = reader(service.url, keys);
  const wanted = rest.flatMap(sizesOf).slice(0, made);
  const [alone, beside]: [number[], number[]] = [[], []];
  let failed = 0;
  let making = 0;
  const measure = async (times: number[]) => {
    const crowd = await visitors(ask, perSecond, 1);
    times.push(...crowd.times);
    failed += crowd.times.length - (crowd.statuses["200"] ?? 0);
  };
  await measure([]); // warms up
  while (wanted.length) {
    await measure(alone); // in turns, because others may use the machine
    let isMaking = true;
    const some = makeAll(wanted.splice(0, 10)).finally(() => (isMaking = false));
    while (isMaking) await measure(beside);
    making += await some;
  }
  console.log(`${made} sizes in ${rounded(making / 1_000)} s`);
  const [p99Alone, p99Beside] = [percentile(alone, 0.99), percentile(beside, 0.99)];
  console.log(`p99 of a keyed list: ${rounded(p99Alone)} ms alone, ${rounded(p99Beside)} ms beside`);

  const ten = rest.slice(0, 10);
  const asCame = await loadedBy(ten, false);
  await makeAll(ten.map((path) => `${path}?w=960`));
  const sized = await loadedBy(ten, true);
  console.log(`ten photos at 390 px, 2×: ${rounded(asCame / 1e6)} MB as they came, ${rounded(sized / 1e6)} MB`);
  conclude([
    atMost("W2", "five sizes of a photo, ms", 1_500, Math.min(...fiveSizes)),
    atMost("W2", "the same, ms of processor", 1_500, worked),
    atMost("W2", "the same, of what sharp alone takes", 1.5, Math.min(...fiveSizes) / bare),
    atMost("W2", "asking again, ms beyond the file as it came", 1, median(again) - median(file)),
    atMost("W2", "megabytes of the process that makes them", 1_000, peakOf(makerOf(service.pid))),
    exactly("W3", "requests that failed meanwhile", 0, failed),
    atMost("W3", `p99 while ${made} are made, of that alone`, 2, p99Beside / p99Alone),
    atMost("W4", "ten photos on a phone, MB", 1, sized / 1e6),
  ]);
} finally {
  await service.end();
}
