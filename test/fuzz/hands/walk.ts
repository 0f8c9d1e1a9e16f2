import { copyFileSync, rmSync } from "node:fs";
import type { Page } from "playwright-core";
import { type Deliver, openStage, settled, type Stage } from "../../support/broadcasts/stage";
import { act, describe, type Step } from "./hand";
import { differences, seenOn, stateOf, type State } from "./state";

export type Task = {
  name: string;
  path: string;
  steps: Step[];
  viewport?: { width: number; height: number };
  /** Whether files are sent to a node, which knows only the real time. */
  uploads?: boolean;
  /** Whether no one is signed in. */
  isVisitor?: boolean;
};
/** How late answers are, in milliseconds, and how many times slower the processor is. */
export type Conditions = { delay: (url: string) => number; slowness: number };
export type Outcome = { state: State; shifts: string[]; complaints: string[]; problem?: string };

/**
 * Runs before the page does. A shift is excused only in the frames after an input, or after a response to it was
 * swapped in. Chromium also reports how the first frame differs from a layout without styles, which no one ever saw.
 */
const observe = `{
  let causes = [];
  const cause = () => {
    const one = { from: performance.now(), to: Infinity };
    causes.push(one);
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => (one.to = performance.now()))));
  };
  for (const type of ["pointerdown", "pointerup", "click", "keydown", "input", "change", "submit", "drop", "dragenter", "toggle", "close", "focusin", "focusout", "htmx:before:swap", "htmx:after:swap", "kept"])
    addEventListener(type, cause, true);
  const { fetch } = globalThis; // what is sent follows an input, such as a drop, and so does the response
  globalThis.fetch = async (...request) => {
    const response = await fetch(...request);
    if (request[1]?.method === "POST") cause();
    return response;
  };
  const at = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  const name = (node) => node && (node.id || node.className || node.parentElement?.className || node.nodeName);
  const isVisible = ({ previousRect, currentRect }) => at(previousRect) !== at(currentRect); // a pixel or more
  new PerformanceObserver((list) => {
    for (const { startTime, value, sources } of list.getEntries())
      if (sources.some(isVisible))
      if (startTime >= (performance.getEntriesByName("first-paint")[0]?.startTime ?? Infinity) && !causes.some(({ from, to }) => startTime >= from - 20 && startTime <= to))
        globalThis.tellShift(Math.round(startTime) + " ms " + value.toFixed(4) + " " + sources.map(({ node, previousRect, currentRect }) => name(node) + " " + at(previousRect) + " → " + at(currentRect)).join("; "));
  }).observe({ type: "layout-shift", buffered: true });
}`;

/** A file that exists everywhere this runs. */
export const someFile = `${import.meta.dir}/tasks.ts`;

const template = { file: "", time: 0, number: 0 };
/** @param time that of the clock when it was filled. What is due a minute later must not become due between two walks. */
export const useTemplate = (file: string, time: number): void => void Object.assign(template, { file, time });

/** Does a task on a copy of the database. Without conditions the hands are patient, and nothing is late. */
export async function walk(task: Task, conditions?: Conditions, expected?: State): Promise<Outcome> {
  const database = `${template.file}.${++template.number}`;
  copyFileSync(template.file, database);
  let underWay = 0;
  const deliver: Deliver = async (answer, request) => {
    underWay++;
    try {
      await Bun.sleep(conditions?.delay(request.url) ?? 0);
      return await answer(request);
    } finally {
      underWay--;
    }
  };
  // The node shares this processor: late, it would count as silent, and the file would be reserved once more
  const deadline = 600_000;
  const stage = await openStage({ deliver, database, deadline, ...(!task.uploads && { time: template.time }) });
  await stage.storage.nodes.open();
  try {
    return await steps(stage, task, () => underWay === 0, conditions, expected);
  } finally {
    await stage.close();
    await stage.db.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
  }
}

async function steps(
  stage: Stage,
  { path, steps, viewport, isVisitor }: Task,
  isIdle: () => boolean,
  conditions?: Conditions,
  expected?: State,
): Promise<Outcome> {
  const context = await stage[isVisitor ? "visitor" : "manager"](viewport ? { viewport } : {});
  // A browser that has been here before: only its first page, and no part that is reloaded later, is in UTC
  await context.addCookies([{ name: "tz", value: "Europe/Berlin", url: `${stage.config.BASE_URL}/dashboard` }]);
  const page = await context.newPage();
  const shifts: string[] = [];
  await page.exposeFunction("tellShift", (said: string) => void shifts.push(said));
  await page.addInitScript(observe);
  await page.addInitScript("delete window.showOpenFilePicker");
  page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined));
  page.on("filechooser", (chooser) => void chooser.setFiles(someFile));
  const devtools = await context.newCDPSession(page);
  if (conditions) await devtools.send("Emulation.setCPUThrottlingRate", { rate: conditions.slowness });
  let problem: string | undefined;
  try {
    if (conditions) await page.goto(path, { waitUntil: "commit" });
    else await page.goto(path);
    for (const step of steps) {
      if (!conditions) await quiet(page, isIdle);
      await act(page, step).catch((error) => {
        throw new Error(`${describe(step)}: ${error.message}`);
      });
    }
    if (expected) await reach(page, stage, expected);
    await quiet(page, isIdle);
  } catch (error) {
    problem = (error as Error).message.split("\n")[0] ?? "";
  }
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 }).catch(() => undefined);
  const state = await stateOf(page, stage).catch((error) => ({ page: [String(error)], database: [] }));
  // What Chromium says because it may not run the script above in a preview
  const complaints = stage.complaints.filter(
    (said) => !/^Blocked script execution in .* frame is sandboxed/.test(said),
  );
  return { state, shifts, complaints, ...(problem !== undefined && { problem }) };
}

const endMs = 120_000; // until the end of a walk counts as wrong

/** Waits until everything is as with patient hands. What is still different then, is in the outcome. */
async function reach(page: Page, stage: Stage, expected: State): Promise<void> {
  for (const end = Date.now() + endMs; Date.now() < end; await Bun.sleep(1_000)) {
    const lines = await seenOn(page).catch(() => undefined); // between two pages
    if (!lines || differences(expected, { ...expected, page: lines }).length) continue;
    const state = await stateOf(page, stage).catch(() => undefined);
    if (state && !differences(expected, state).length) return;
  }
}

const quietMs = 300_000; // until a page counts as one that never rests

/** Waits until the page has loaded, nothing is under way, and nothing was for a moment. */
async function quiet(page: Page, isIdle: () => boolean): Promise<void> {
  const end = Date.now() + quietMs;
  for (let calm = 0; calm < 3; await Bun.sleep(150)) {
    if (Date.now() > end) throw new Error("The page never rests");
    await page.waitForLoadState("load");
    await Promise.race([settled(page).catch(() => undefined), Bun.sleep(quietMs)]);
    const uploading = await page.locator(".up[data-state]:not([data-state=done], [data-state=failed])").count();
    calm = isIdle() && !uploading ? calm + 1 : 0;
  }
}
