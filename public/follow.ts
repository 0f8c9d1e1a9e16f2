/*
 * Follows what is on the page: the service says what has changed, over one connection that is closed while the page is
 * hidden. Where that does not work, the page asks by itself.
 */
import { type Context, onHtmx } from "./app/dom";

type Followed = Reloading & {
  /** The part that is asked for again, while there is one. */
  part: () => HTMLElement | null;
  /** What it is a part of, or several with spaces between; undefined: nothing, at the moment. */
  topicOf: (part: HTMLElement) => string | undefined;
  everyMs: number;
  /** Whether it says a time that passes, so that it is asked for at its own pace although the service says what changes. */
  isCounting?: (part: HTMLElement) => boolean;
};

/** How often a page asks by itself although it is told. */
const safetyMs = 60_000;

let source: EventSource | undefined;
let isOpen = false;
let toldId = document.querySelector<HTMLMetaElement>("meta[name=live]")?.content ?? "";
let hasEnded = false;
const all: ((topics: string[]) => void)[] = [];

function open() {
  if (source || hasEnded || document.hidden) return;
  source = new EventSource(`/dashboard/live?since=${encodeURIComponent(toldId)}`);
  source.addEventListener("open", () => (isOpen = true));
  source.addEventListener("error", () => (isOpen = false));
  source.addEventListener("changed", ({ data, lastEventId }) => {
    toldId = lastEventId;
    for (const tell of all) tell(data.split(" "));
  });
  source.addEventListener("ended", () => {
    hasEnded = true;
    close();
  });
}

function close() {
  source?.close();
  source = undefined;
  isOpen = false;
}

document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
addEventListener("pagehide", close);

export function follow({ part, topicOf, everyMs, isCounting, ...how }: Followed): void {
  let [isDue, isUnderWay, silentMs] = [false, false, 0];
  const topic = () => {
    const current = part();
    return current ? topicOf(current) : undefined;
  };

  async function request() {
    const current = part();
    if (document.hidden || !current || topicOf(current) === undefined) return;
    isDue = true;
    if (isUnderWay || !("htmx" in window) || isBusy(current, how.busy)) return;
    [isDue, isUnderWay, silentMs] = [false, true, 0];
    const isShown = await reload(current, how);
    isUnderWay = false;
    if (!isShown) isDue = true;
    else if (isDue) void request(); // there was more news on the way
  }

  const ifDue = () => isDue && request();
  for (const name of ["close", "toggle", "focusout", "change"]) addEventListener(name, () => setTimeout(ifDue), true);
  all.push((topics) => {
    const own = topic()?.split(" ") ?? [];
    const isOurs = own.some((each) => topics.includes(each));
    if (isOurs || (own.length > 0 && asked.size > 0)) void request(); // what was asked for may follow more
  });
  setInterval(() => {
    if (topic() !== undefined) open();
    silentMs += everyMs;
    const current = part();
    const patienceMs = isOpen && !(current && isCounting?.(current)) ? safetyMs : everyMs;
    if (!isUnderWay && (isDue || silentMs >= patienceMs)) void request();
  }, everyMs);
  if (topic() !== undefined) open();
}

/*
 * Asks for a part of the page again. Nothing is replaced under a hand: not while a menu or a dialog is open, and not by
 * an answer that was asked for before something was done.
 */

/** How a part of the page is asked for again. */
type Reloading = {
  urlOf: (part: HTMLElement) => string | undefined;
  swap: "outerMorph" | "outerHTML";
  /** What matches while someone is busy with it, besides dialogs and menus. */
  busy?: string;
};

/** A request for a part, how much had been done by hand before it, and whether its answer is on the page. */
type Question = Reloading & { part: HTMLElement; after: number; context?: Context; isShown?: boolean };

const questions = new Map<HTMLElement, Question>();
/** What was asked by hand and has no answer yet. */
const asked = new Set<Context>();
/** How often something was asked by hand, or answered. */
let deeds = 0;

const questionOf = (context: Context): Question | undefined => {
  const question = questions.get(context.sourceElement);
  return question?.context === context ? question : undefined;
};

onHtmx("config:request", (context) => {
  const question = questions.get(context.sourceElement);
  if (question) question.context ??= context;
});
onHtmx("before:request", (context) => {
  if (questionOf(context)) return;
  asked.add(context);
  deeds++;
});
onHtmx("finally:request", (context) => {
  if (asked.delete(context)) deeds++;
});
onHtmx("before:swap", (context, event) => {
  const question = questionOf(context);
  if (!question) return;
  if (question.after !== deeds || isBusy(question.part, question.busy)) event.preventDefault();
  else question.isShown = (context.response?.status ?? 0) < 400;
});

const opened = "dialog[open], [popover]:popover-open";

/** Whether someone is busy with a part of the page: has something open, has asked for something, or has selected a text of it. */
function isBusy(part: HTMLElement, busy?: string): boolean {
  if (asked.size > 0 || document.querySelector(busy ? `${opened}, ${busy}` : opened)) return true;
  const selection = getSelection();
  return !!selection && !selection.isCollapsed && part.contains(selection.anchorNode);
}

/** Returns whether the answer is shown. If it is not, it is to be asked for again, because by then there may be more. */
async function reload(part: HTMLElement, how: Reloading): Promise<boolean> {
  const question: Question = { part, after: deeds, ...how };
  questions.set(part, question);
  const { swap } = how;
  await htmx.ajax("GET", how.urlOf(part) ?? "", { source: part, target: `#${part.id}`, swap }).catch(() => undefined);
  questions.delete(part);
  return question.isShown ?? false;
}
