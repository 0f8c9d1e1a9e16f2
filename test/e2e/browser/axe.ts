import type { Page } from "playwright-core";
import axe from "axe-core";
import { settled } from "./stage";

/** As whom a page is looked at: in both colour schemes, on a desk and on a telephone. */
export const looks = [
  { colorScheme: "light", viewport: { width: 1280, height: 860 } },
  { colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  { colorScheme: "light", viewport: { width: 390, height: 844 } },
  { colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const;

/** The two of them that differ most. */
export const extremes = [looks[0], looks[3]] as const;

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules among these that ask about colours (axe's category cat.color). */
const colourRules = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** After a dozen rows of a list the others are of the same kinds: most of axe's time would go to them. */
const manyAlike = JSON.stringify({ exclude: [["tr[role=row]:nth-child(n + 13)"]] });

/**
 * What axe finds wrong on a page, in words, when nothing moves on it any more. Injected by the debugger, so the CSP stays
 * on. In forced colours the system chooses them, and axe does not know which.
 *
 * @param onlyColours for a page that was looked at in the other colour scheme: nothing else differs
 */
export async function violations(page: Page, onlyColours = false): Promise<string[]> {
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  await settled(page);
  const isForced = (await page.evaluate("matchMedia('(forced-colors: active)').matches")) as boolean;
  const rules = { "color-contrast": { enabled: !isForced } };
  const iframes = false; // those of ours run no script: axe would wait half a second for each to answer
  // What passes is not told: to describe it takes longer than to find out
  const options = JSON.stringify({
    runOnly: onlyColours ? colourRules : tags,
    rules,
    resultTypes: ["violations"],
    iframes,
  });
  const found = (await page.evaluate(`axe.run(${manyAlike}, ${options})`)) as axe.AxeResults;
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html, failureSummary }) => `${id}: ${target} ${html} ${failureSummary}`),
  );
}

/** One look after the other, each with one thing changed: a page is laid out anew as seldom as can be. */
const inTurn = [looks[0], looks[1], looks[3], looks[2]];
type Look = { colorScheme: "light" | "dark"; viewport: { width: number; height: number }; forcedColors?: "active" };
const nameOf = ({ colorScheme, viewport, forcedColors }: Look) =>
  `${colorScheme}, ${viewport.width} px${forcedColors ? ", forced colours" : ""}`;

/**
 * What axe finds on a page as it stands now, and what sticks out of it, in every one of these looks. A dark look differs
 * from the light one of its width by its colours alone: only they are asked about. The page is wide and light afterwards.
 */
export async function flaws(page: Page, wanted: readonly Look[] = inTurn): Promise<string[]> {
  const found: string[] = [];
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
  return found;
}

/** Pixels that stick out sideways (WCAG 1.4.10). */
export const overflow = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") as Promise<number>;
