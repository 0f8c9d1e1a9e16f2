/*
 * Follows what is on the page: the service says what has changed, over one connection that is closed while the page is
 * hidden. Where that does not work, the page asks by itself.
 */
import { isBusy, reload, type Reloading } from "./reload";

type Followed = Reloading & {
  /** The part that is asked for again, while there is one. */
  part: () => HTMLElement | null;
  /** What it is a part of; undefined: nothing, at the moment. */
  topicOf: (part: HTMLElement) => string | undefined;
  everyMs: number;
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

export function follow({ part, topicOf, everyMs, ...how }: Followed): void {
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
    const own = topic();
    if (own !== undefined && topics.includes(own)) void request();
  });
  setInterval(() => {
    if (topic() !== undefined) open();
    silentMs += everyMs;
    if (!isUnderWay && (isDue || silentMs >= (isOpen ? safetyMs : everyMs))) void request();
  }, everyMs);
  if (topic() !== undefined) open();
}
