/**
 * `npm run bench editor [KB]` (figure W1): what a typed character costs the editor of texts, in a text of 200 KB: the
 * processor time of the page's thread from the key to the frame that shows it. The times say as much about the machine
 * as about the page, which is why no test checks them.
 */
import type { Page } from "playwright-core";
import { openStage } from "../support/broadcasts/stage";
import { atMost, conclude, type Figure } from "../support/figures";
import { percentile } from "../support/measures";

const [kilobytes = 200] = Bun.argv.slice(2).map(Number).filter(Boolean);
const charactersEach = 100;

const passage = `## Low water

The basin is **empty** twice a day. Then the [harbour master](https://a.example) walks _out_.

- Boots, and a \`knife\`
- [x] Ask

> A quote of some words

<Chart name="tides" days={[1, 2, 3]} />

\`\`\`js
const low = 1;
\`\`\`

| a | b |
|---|--:|
| 1 | 2 |

`;
const content = passage.repeat(Math.ceil((kilobytes * 1_000) / passage.length));

const stage = await openStage();
const { headers } = await stage.owner.submit("/dashboard/posts/new", { title: "A long text", content });
const page = await (await stage.manager()).newPage();
await page.goto(headers.get("location") ?? "");
await page.locator("#preview .prose").waitFor({ state: "attached" });
const debuggee = await page.context().newCDPSession(page);
await debuggee.send("Performance.enable", { timeDomain: "threadTicks" });

/** Milliseconds that the page's thread has worked. */
async function worked(): Promise<number> {
  const { metrics } = await debuggee.send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
}

/** Types in this share of the text. Returns the work for each character. */
async function typeAt(page: Page, share: number): Promise<number[]> {
  await page.evaluate(`(area => {
    const at = area.value.indexOf(" ", Math.floor(area.value.length * ${share}));
    area.mdx.goTo(at < 0 ? area.value.length : at);
  })(document.querySelector("textarea[name=content]"))`);
  await page.waitForTimeout(2_000); // the parser and the preview have finished
  const work: number[] = [];
  for (let i = 0; i < charactersEach; i++) {
    const before = await worked();
    await page.keyboard.press("abcdefg "[i % 8] ?? "a");
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    work.push((await worked()) - before);
  }
  return work;
}

const figures: Figure[] = [];
const places = { start: 0, middle: 0.5, end: 1 };
for (const [place, share] of Object.entries(places)) {
  const work = await typeAt(page, share);
  console.log(`${place}: p50 ${percentile(work, 0.5).toFixed(1)} ms, worst ${Math.max(...work).toFixed(1)} ms`);
  figures.push(atMost("W1", `a character at the ${place} of ${kilobytes} KB: p95, ms`, 16, percentile(work, 0.95)));
}
await stage.close();
conclude(figures);
process.exit(); // the browser goes with it
