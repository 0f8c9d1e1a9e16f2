import type { CDPSession, Page } from "playwright-core";
import { settled } from "./stage";

/** Minified, because every page has to parse it. */
const source = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

/** The looks of a page: both colour schemes, on a desktop and a phone. */
export const looks = [
  { colorScheme: "light", viewport: { width: 1280, height: 860 } },
  { colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  { colorScheme: "light", viewport: { width: 390, height: 844 } },
  { colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const;

/** The two that differ most. */
export const extremes = [looks[0], looks[3]] as const;

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules among these about colours (axe's category cat.color). */
const colourRules = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** After a dozen rows of a list, the others are of the same kind: most of axe's time would go to them. */
const manyAlike = JSON.stringify({ exclude: [["tr[role=row]:nth-child(n + 13)"]] });

/**
 * Returns axe's findings on a page, in words, once nothing moves. Injected by the debugger, so that the CSP stays on.
 * In forced colours the system chooses them, and axe does not know which.
 *
 * @param onlyColours for a page already checked in the other colour scheme, because nothing else differs
 */
export async function violations(page: Page, onlyColours = false): Promise<string[]> {
  if ((await page.evaluate("typeof axe")) === "undefined") await inject(page, `${source};0`);
  await settled(page);
  const options = JSON.stringify({
    runOnly: onlyColours ? colourRules : tags,
    preload: { assets: ["media"] }, // parsing the style sheets again is for a rule that is not among these
    resultTypes: ["violations"], // passing rules are not reported: describing them takes longer than checking
    iframes: false, // ours run no script, so axe would wait half a second for each
  });
  return (await page.evaluate(`(async () => {
    const rules = { "color-contrast": { enabled: !matchMedia("(forced-colors: active)").matches } };
    const { violations } = await axe.run(${manyAlike}, { ...${options}, rules });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html, failureSummary }) => id + ": " + target + " " + html + " " + failureSummary));
  })()`)) as string[];
}

/** Playwright's own `evaluate` takes several times as long for a text of this size; Firefox has no other. */
async function inject(page: Page, expression: string): Promise<void> {
  if (process.env.FIREFOX_PATH) await page.evaluate(expression);
  else await (await debuggeeOf(page)).send("Runtime.evaluate", { expression });
}

const debuggees = new WeakMap<Page, Promise<CDPSession>>();
function debuggeeOf(page: Page): Promise<CDPSession> {
  const debuggee = debuggees.get(page) ?? page.context().newCDPSession(page);
  debuggees.set(page, debuggee);
  return debuggee;
}

/** One look after the other, each with one change, so that a page is laid out as rarely as possible. */
const inTurn = [looks[0], looks[1], looks[3], looks[2]];
type Look = { colorScheme: "light" | "dark"; viewport: { width: number; height: number }; forcedColors?: "active" };
const nameOf = ({ colorScheme, viewport, forcedColors }: Look) =>
  `${colorScheme}, ${viewport.width} px${forcedColors ? ", forced colours" : ""}`;

/**
 * Ends transitions at once, until it is called again. Otherwise a change of colours, which every element inherits in
 * turn, is laid out a hundred times: a third of the processor time of a look.
 */
const toggleTransitions = `{
  const sheet = (globalThis.stillSheet ??= new CSSStyleSheet());
  sheet.replaceSync("*, ::before, ::after, ::backdrop { transition: none !important }");
  document.body.getBoundingClientRect(); // what has changed until here has arrived
  const others = document.adoptedStyleSheets.filter((each) => each !== sheet);
  document.adoptedStyleSheets = document.adoptedStyleSheets.includes(sheet) ? others : [...others, sheet];
}`;

/**
 * Returns axe's findings, and what overflows, in each of these looks. A dark look differs from the light one of the
 * same width only in colours, so only those are checked. Afterwards the page is wide and light.
 */
export async function flaws(page: Page, wanted: readonly Look[] = inTurn): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(toggleTransitions);
  for (const look of wanted) {
    // To the same colours and places, without the way there
    await page.emulateMedia({
      colorScheme: look.colorScheme,
      forcedColors: look.forcedColors ?? null,
      reducedMotion: "reduce",
    });
    await page.setViewportSize(look.viewport);
    found.push(...(await violations(page, look.colorScheme === "dark")).map((words) => `${nameOf(look)}: ${words}`));
    const over = await overflow(page);
    if (over > 0) found.push(`${nameOf(look)}: ${over} px too wide`);
  }
  await page.emulateMedia({ colorScheme: "light", forcedColors: null, reducedMotion: null });
  await page.setViewportSize(looks[0].viewport);
  await page.evaluate(toggleTransitions);
  return found;
}

/** Pixels of horizontal overflow (WCAG 1.4.10). */
export const overflow = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") as Promise<number>;
