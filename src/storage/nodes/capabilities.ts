import { fixOf } from "./fixes";
import type { Fix, Place } from "./fix";
import { isFine, needed } from "./probe";

/** One thing that a node can do, or cannot. */
export type Capability = {
  check: string;
  /** What is true when all is well. */
  title: string;
  /** What the last probe found; undefined when it did not get that far. */
  found: string | undefined;
  state: "fine" | "broken" | "flawed" | "unknown";
  /** What is wrong, and what to do about it. */
  fix?: Fix | undefined;
};

const titles: Record<string, string> = {
  bucket: "The bucket is there",
  initiate: "An upload can be opened",
  put: "Five bytes arrive by a signed URL",
  length: "A sixth byte is refused",
  list: "What arrived is listed",
  complete: "The upload can be completed",
  stat: "The object has the size that was sent",
  delete: "The object can be removed",
  clock: "The clocks agree",
  room: "There is room for 8 MiB",
};

type Probed = Place & { probe: Record<string, string> | null };

/** What the last probe of a node found, in the order of an upload. @param origins those whose pages upload */
export function capabilitiesOf(node: Probed, origins: readonly string[]): Capability[] {
  const { bucket, initiate, put, length, list, ...rest } = titles;
  const pages = Object.fromEntries(origins.map((origin) => [`cors ${origin}`, `Pages of ${origin} may upload`]));
  const inOrder = { bucket, initiate, put, length, ...pages, list, ...rest };
  const reached = Object.entries(inOrder).filter(([check]) => check !== "room" || node.probe?.room);
  return reached.map(([check, title = check]) => {
    const found = node.probe?.[check];
    const state = stateOf(check, found);
    const isWrong = state === "broken" || state === "flawed";
    return { check, title, found, state, fix: isWrong && found ? fixOf(check, found, node, origins) : undefined };
  });
}

/** Broken: uploads do not work. Flawed: they do, but not in every way. */
function stateOf(check: string, found: string | undefined): Capability["state"] {
  if (found === undefined) return "unknown";
  if (isFine(check, found)) return "fine";
  return needed.some((name) => name === check) ? "broken" : "flawed";
}
