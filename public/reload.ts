/*
 * Asks for a part of the page again. Nothing is replaced under a hand: not while a menu or a dialog is open, and not by
 * an answer that was asked for before something was done.
 */
import { type Context, onHtmx } from "./app/dom";

/** How a part of the page is asked for again. */
export type Reloading = {
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
export function isBusy(part: HTMLElement, busy?: string): boolean {
  if (asked.size > 0 || document.querySelector(busy ? `${opened}, ${busy}` : opened)) return true;
  const selection = getSelection();
  return !!selection && !selection.isCollapsed && part.contains(selection.anchorNode);
}

/** Returns whether the answer is shown. If it is not, it is to be asked for again, because by then there may be more. */
export async function reload(part: HTMLElement, how: Reloading): Promise<boolean> {
  const question: Question = { part, after: deeds, ...how };
  questions.set(part, question);
  const { swap } = how;
  await htmx.ajax("GET", how.urlOf(part) ?? "", { source: part, target: `#${part.id}`, swap }).catch(() => undefined);
  questions.delete(part);
  return question.isShown ?? false;
}
