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
  // What passes is not told: to describe it takes longer than to find out
  const options = JSON.stringify({ runOnly: onlyColours ? colourRules : tags, rules, resultTypes: ["violations"] });
  const found = (await page.evaluate(`axe.run(${options})`)) as axe.AxeResults;
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html, failureSummary }) => `${id}: ${target} ${html} ${failureSummary}`),
  );
}

/** Pixels that stick out sideways (WCAG 1.4.10). */
export const overflow = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") as Promise<number>;
