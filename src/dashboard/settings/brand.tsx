import { z } from "zod";
import { brandKeys } from "../../../db/settings/rules";
import { findStored } from "../../../db/storage/files";
import { logoWidths } from "../../../db/storage/picture-widths";
import { idsIn, isPicture, storedLogo } from "../../../db/storage/pictures";
import { brandOf, styleSheetOf } from "../../../views/brand";
import { translator } from "../../../views/languages/translator";
import { brandPath } from "../../../views/dashboard/settings/settings";
import { siteOf } from "../../broadcasts/freeze";
import { archiveUrl } from "../../broadcasts/letter/text";
import { letterOf } from "../../broadcasts/letter/letter";
import { emailPreview, pagePreview } from "../../broadcasts/letter/letter-preview";
import { readSite } from "../../emails/site";
import { defaultWelcome } from "../../emails/welcome";
import { emailInput } from "../../fields/subscriber";
import type { Deps } from "../deps";
import { draftPictures, framed } from "../draft-preview";
import { textFields } from "../form-input";
import { pages } from "../pages";
import { forManagers } from "../permissions";
import { sections } from "./fields";
import { changesIn } from "./section";

const Wanted = z.object({
  as: z.enum(["email", "page"]).catch("email"),
  night: z.literal("1").optional().catch(undefined),
});

/**
 * `/dashboard/settings/brand/preview`: an email and a page of the site for the frames beside the choices. What is typed
 * comes with the URL, and counts as far as it could be saved.
 */
export const brandPreview = (deps: Deps) =>
  pages(brandPath, deps, forManagers)
    .get("/preview", ({ query }) => preview(deps, query))
    .get("/colours", ({ query }) => {
      const accent = typedIn(query)[brandKeys.accent];
      const type = { "content-type": "text/css; charset=utf-8", "cache-control": "no-store" };
      return new Response(styleSheetOf(brandOf(accent)), { headers: type });
    });

function typedIn(query: Record<string, string>): Record<string, string> {
  const section = sections.find(({ id }) => id === "brand");
  const { changes } = section ? changesIn(section, textFields.parse(query)) : { changes: [] };
  return Object.fromEntries(changes.map(({ key, value }) => [key, value]));
}

/** The default words of the welcome email, because every site has them, in its own language. */
async function preview(deps: Deps, query: Record<string, string>) {
  const { as, night } = Wanted.parse(query);
  const typed = typedIn(query);
  const logo = typed[brandKeys.logo];
  if (logo) await problemOfLogo(deps, logo); // it may just have been uploaded
  const [site, { subject, text }] = await Promise.all([siteOf(deps, typed), readSite(deps).then(defaultWelcome)]);
  const content = `${text}\n\n[${new URL(site.blogUrl).host}](${site.blogUrl})`;
  const source = { subject, preheader: "", content, date: deps.now(), browserUrl: archiveUrl(site.url), site };
  const { preview, origins } = await draftPictures(deps, letterOf(source).files);
  const written = letterOf(source, preview);
  const isNight = night === "1";
  if (as === "email") return framed("text/html", emailPreview(written, undefined, isNight), origins);
  const styles = `${brandPath}/colours?${new URLSearchParams({ [brandKeys.accent]: site.brand.fill })}`;
  const { author, url: siteUrl } = site;
  const t = translator(site.language);
  const page = { t, subject, sentAt: deps.now(), author, siteUrl, preview, isNight };
  const html = pagePreview(written, { ...page, brand: { styles, emailInput } });
  return framed("text/html", html, ["'self'"], 200, "allow-same-origin");
}

/** Reads the picture if that has not happened yet, so that its size is known. */
export async function problemOfLogo({ db, storage }: Deps, path: string): Promise<string | undefined> {
  const [id = ""] = idsIn(path);
  const file = await findStored(db, id);
  if (!file) return "This picture is not in Storage. Choose another.";
  const wanted = { width: logoWidths[0], takesWebp: false };
  const canBeShown = isPicture(file) && (await storage.pictureUrl(file, wanted)) && (await storedLogo(db, path));
  return canBeShown ? undefined : "This picture could not be read. Choose a JPEG, PNG or WebP, or try again later.";
}
