import { z } from "zod";
import { brandKeys, welcomeKeys } from "../../db/settings/rules";
import * as files from "../../db/storage/files";
import type { Deps } from "./deps";
import { sentFields } from "./form-input";

/*
 * Without script, a picture is chosen on a page of its own, to which a form sends what was typed in it. That page sends
 * everything back to the form, which is shown again with the picture: nothing is saved, and nothing is stored.
 */

/** The IDs of fields that take a picture. */
const wanted = [
  "cover-image",
  "content",
  "project-imageUrl",
  "project-description",
  `welcome-${welcomeKeys.text}`,
  `brand-${brandKeys.logo}`,
] as const;
type Wanted = (typeof wanted)[number];
export const PictureField = z.enum(wanted).catch("cover-image");

/** Each of them: a picture's URL, or a text at whose end it is put; and the folder for new pictures. */
export const pictureFields: Record<Wanted, { name: string; isText: boolean; folder: string }> = {
  "cover-image": { name: "coverImage", isText: false, folder: "covers" },
  content: { name: "content", isText: true, folder: "posts" },
  "project-imageUrl": { name: "imageUrl", isText: false, folder: "projects" },
  "project-description": { name: "description", isText: true, folder: "projects" },
  [`welcome-${welcomeKeys.text}` as const]: { name: welcomeKeys.text, isText: true, folder: "emails" },
  [`brand-${brandKeys.logo}` as const]: { name: brandKeys.logo, isText: false, folder: "brand" },
};

const Choice = z.object({ picture: z.string().max(100), pictureFor: PictureField });

/**
 * Returns the fields of a form that comes back from the choice, with the picture in its field; undefined if that is not
 * where the form comes from. Without a picture, nobody chose one.
 */
export async function withChosenPicture({ db }: Pick<Deps, "db">, body: unknown) {
  const { data } = Choice.safeParse(body);
  if (!data) return undefined;
  const fields = sentFields(body);
  const file = data.picture && (await files.findStored(db, data.picture));
  if (!file) return fields;
  const { name, isText } = pictureFields[data.pictureFor];
  const url = files.mediaPath(file);
  return { ...fields, [name]: isText ? withPicture(String(fields[name] ?? ""), url, file.alt ?? "") : url };
}

/** Puts a picture below a text, as public/editor/pictures.ts puts it where the caret is. */
function withPicture(text: string, url: string, alt: string): string {
  const before = text.replace(/\r\n?/g, "\n");
  const gap = before === "" || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const words = alt.replace(/[\\[\]{}<`*_]/g, "\\$&");
  return `${before}${gap}![${words}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})\n`;
}
