/*
 * Follows what is on the page: the service says what has changed, over one connection that is closed while the page is
 * hidden. Where that does not work, the page asks by itself.
 */

type Followed = {
  /** What it is a part of; undefined: nothing, at the moment. */
  topic: () => string | undefined;
  /** Asks for it again. Returns false if someone is busy with it. */
  refresh: () => boolean;
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

export function follow({ topic, refresh, everyMs }: Followed): void {
  let [isDue, silentMs] = [false, 0];
  const request = () => {
    if (document.hidden || topic() === undefined) return;
    if ("htmx" in window && refresh())
      [isDue, silentMs] = [false, 0]; // on a slow line, it may not be here yet
    else isDue = true;
  };
  all.push((topics) => {
    const own = topic();
    if (own !== undefined && topics.includes(own)) request();
  });
  setInterval(() => {
    if (topic() !== undefined) open();
    silentMs += everyMs;
    if (isDue || silentMs >= (isOpen ? safetyMs : everyMs)) request();
  }, everyMs);
  if (topic() !== undefined) open();
}
