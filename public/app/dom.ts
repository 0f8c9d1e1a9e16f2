/** What htmx reports about a request. */
export type Context = {
  sourceElement: HTMLElement;
  sourceEvent: Event & { submitter?: HTMLElement | null };
  /** A selector, if the server chose the target. */
  target?: HTMLElement | string;
  request: {
    method: string;
    action: string;
    body: FormData;
    headers: Record<string, string>;
    signal?: AbortSignal;
    /** Milliseconds until htmx aborts the request, if not its default. */
    timeout?: number;
    abort: () => void;
  };
  response?: { status: number; headers: Headers };
  /** How far it has progressed: finally "swapped", unless it failed or redirected. */
  status?: string;
};

export const find = <T extends Element = HTMLElement>(selector: string, within: ParentNode = document) =>
  within.querySelector<T>(selector);
export const findAll = <T extends Element = HTMLElement>(selector: string, within: ParentNode = document) => [
  ...within.querySelectorAll<T>(selector),
];
export const onHtmx = (name: string, listener: (context: Context, event: Event) => void) =>
  addEventListener(`htmx:${name}`, (event) => {
    const { ctx } = event.detail;
    if (ctx) listener(ctx, event);
  });

/** Does something once htmx is there, which runs after our scripts; never, if the page is left before. */
export const whenReady = (begin: () => void) =>
  "htmx" in window ? begin() : addEventListener("DOMContentLoaded", () => "htmx" in window && begin());

/** Whether nothing should move: no one sees it, or would rather not. */
export const isCalm = () => document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Returns the element that an event happened to. */
export const targetOf = ({ target }: Event): Element => (target instanceof Element ? target : document.documentElement);

/** Returns the element that a response goes into, if it is on the page. */
export const destinationOf = ({ target }: Context) => (typeof target === "string" ? find(target) : target);

/** Whether a part of the page refreshes itself, without anyone having done anything (public/poll.ts). */
export const isPoll = ({ sourceElement }: Context): boolean =>
  sourceElement.id === "list" || sourceElement.dataset.poll !== undefined;

/** Keeps in this browser for a year what the server draws pages by (src/dashboard/preferences.ts). */
export function keep(name: "tz" | "rarer-pages", value: string): void {
  document.cookie = `${name}=${value}; path=/dashboard; max-age=31536000; samesite=lax`;
}

/** Announces text to screen readers without showing it. */
export function announce(text: string) {
  const line = document.createElement("p");
  line.className = "sr";
  line.textContent = text;
  (find("dialog[open] [role=status]") ?? find("#toasts"))?.append(line); // content outside a modal dialog is not announced
  setTimeout(() => line.remove(), 4_000);
}
