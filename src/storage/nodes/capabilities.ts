import { type Fix, fixOf, type Place } from "./fixes";
import { corsPrefix, isFine, needed } from "./probe";

/** Something that a node can or cannot do. */
export type Capability = {
  check: string;
  /** The statement that is true if the check passes. */
  title: string;
  /** What the last probe found; undefined if it did not get that far. */
  found: string | undefined;
  state: "fine" | "broken" | "flawed" | "unknown";
  /** What is wrong, and what to do about it. */
  fix?: Fix | undefined;
};

const titles: Record<string, string> = {
  bucket: "Bucket exists",
  initiate: "Uploads can be started",
  put: "Signed uploads work",
  length: "Upload size limit is enforced",
  cut: "Interrupted uploads are discarded",
  list: "Uploaded parts are listed",
  complete: "Uploads can be completed",
  stat: "Stored size matches",
  delete: "Objects can be deleted",
  clock: "Clock is in sync",
  room: "There is space for 8 MiB",
};

type Probed = Place & { probe: Record<string, string> | null };

/** What the last probe of a node found, in the order of an upload. @param origins those whose pages upload */
export function capabilitiesOf(node: Probed, origins: readonly string[]): Capability[] {
  const { bucket, initiate, put, length, cut, list, ...rest } = titles;
  const pages = Object.fromEntries(
    origins.map((origin) => [corsPrefix + origin, `Browser uploads from ${origin} are allowed (CORS)`]),
  );
  const inOrder = { bucket, initiate, put, length, cut, ...pages, list, ...rest };
  const reached = Object.entries(inOrder).filter(([check]) => check !== "room" || node.probe?.room);
  return reached.map(([check, title = check]) => {
    const result = node.probe?.[check];
    const state = stateOf(check, result);
    const isWrong = state === "broken" || state === "flawed";
    return {
      check,
      title,
      found: result,
      state,
      fix: isWrong && result ? fixOf(check, result, node, origins) : undefined,
    };
  });
}

/** Broken: uploads do not work. Flawed: they work, but not in every way. */
function stateOf(check: string, result: string | undefined): Capability["state"] {
  if (result === undefined) return "unknown";
  if (isFine(check, result)) return "fine";
  return needed.some((name) => name === check) ? "broken" : "flawed";
}
