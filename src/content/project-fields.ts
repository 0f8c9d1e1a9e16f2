import { line } from "../http/request-schemas";

/** The address of a page, or nothing: never javascript:, data: or the like. */
export const link = line({ max: 2_000 }).refine(
  (text) => !text || /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
  "must be an http or https URL",
);

/** The address of an image, on the site itself or elsewhere, or nothing. */
export const image = line({ max: 2_000 }).refine(
  (text) => !text || /^\/(?![/\\])/.test(text) || /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
  "must be a path that begins with /, or an http or https URL",
);

/**
 * The address of a cover as a file of a post gives it, or nothing: of the site or elsewhere, relative to the file too,
 * for the site may know what that means. Never javascript:, data: or the like, and no host that hides behind slashes.
 */
export const cover = line({ max: 2_000 }).refine(
  (text) => !/^([a-z][a-z\d+.-]*:|[/\\]{2})/i.test(text) || /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
  "must be a path, or an http or https URL",
);

/** One entry of the tech stack. */
export const techEntry = line({ min: 1, max: 50 });
