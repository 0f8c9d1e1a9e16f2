import { exactLine, line } from "../platform/text/schemas";

/** The URL of a page, or empty: never javascript:, data: or the like. */
export const link = exactLine({ max: 2_000 }).refine(
  (text) => !text || /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
  "must be an http(s) URL",
);

/** The URL of an image, on the site or elsewhere, or empty. */
export const image = exactLine({ max: 2_000 }).refine(
  (text) => !text || /^\/(?![/\\])/.test(text) || /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
  "must be a path starting with / or an http(s) URL",
);

/**
 * The URL of a cover as written in a post's file, or empty: on the site or elsewhere, also relative to the file, which
 * the site may understand. Never javascript:, data: or the like, and no host hidden behind slashes.
 */
export const cover = exactLine({ max: 2_000 }).refine(
  (text) => !/^([a-z][a-z\d+.-]*:|[/\\]{2})/i.test(text) || /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
  "must be a path or an http(s) URL",
);

/** One entry of the tech stack. */
export const techEntry = line({ min: 1, max: 50 });

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the fields that are not undefined: for missing ones the database keeps its value or uses a default. */
export const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
