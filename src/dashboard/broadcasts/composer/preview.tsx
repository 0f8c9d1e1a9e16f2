import { brandKeys } from "../../../../db/settings/rules";
import { readPublic } from "../../../../db/settings/settings";
import { z } from "zod";
import { type BroadcastWithContent, letterOf, withContent } from "../../../../db/broadcasts/broadcasts";
import { stillInAudience } from "../../../../db/broadcasts/audience";
import { type WantedValues, withValues } from "../../../../db/newsletter/fields";
import * as subscribers from "../../../../db/newsletter/subscribers";
import { path, titleOf } from "../../../../views/dashboard/broadcasts/state";
import type { Deps } from "../../deps";
import { writeLetter } from "../../../broadcasts/freeze";
import { composeEmail, type Recipient, valuesIn, writeEmails } from "../../../broadcasts/letter/emails";
import { emailPreview, pagePreview } from "../../../broadcasts/letter/letter-preview";
import { inputsOf } from "../../../fields/field";
import { siteTranslator } from "../../../http/site-language";
import { wholeOf } from "../../../mail/provider";
import { draftPictures, framed } from "../../draft-preview";
import { pages } from "../../pages";
import { forManagers } from "../../permissions";

const Wanted = z.object({
  as: z.enum(["html", "text", "page"]).catch("html"),
  night: z.string().optional(),
  for: z.string().max(254).catch("").default(""),
});

export const { for: previewFor } = inputsOf(Wanted.pick({ for: true }));

/** The preview of a broadcast, for the frames of its page. No script runs in it, and its links lead nowhere. */
export const broadcastPreview = (deps: Deps) =>
  pages(path, deps, forManagers).get("/:id/preview", ({ params: { id }, query }) =>
    preview(deps, id, Wanted.parse(query)),
  );

async function preview(deps: Deps, id: string, { as, night, for: email }: z.infer<typeof Wanted>) {
  const broadcast = await withContent(deps.db, id);
  if (!broadcast) return framed("text/plain", "This broadcast was deleted.", [], 404);
  const sent = await frozenEmail(deps, broadcast);
  if (sent && as !== "page") return framed(as === "text" ? "text/plain" : "text/html", wholeOf(sent[as]), []);
  const { written, values, preview, origins } = await writeWithPictures(deps, broadcast);
  const isNight = night === "1" || undefined;
  const reader = await readerOf(deps, email, values);
  if (as === "text") return framed("text/plain", composeEmail(written, reader).text, []);
  if (as === "html") return framed("text/html", emailPreview(written, reader, isNight), origins);
  const t = await siteTranslator(deps.db);
  const { [brandKeys.author]: author } = await readPublic(deps.db);
  const { BASE_URL: siteUrl } = deps.config;
  const draft = { t, subject: titleOf(broadcast), sentAt: deps.now(), author, siteUrl, preview, isNight };
  return framed("text/html", pagePreview(written, draft), ["'self'", ...origins], 200, "allow-same-origin");
}

/** After the confirmation, shows the frozen email, whatever became of the post. */
async function frozenEmail({ db }: Deps, { row, id }: BroadcastWithContent) {
  const stored = await db.read((orm) => letterOf(orm, row));
  return stored?.letter ? writeEmails(stored.letter, [[0, "reader@example.com", null, "preview"]], id)[0] : undefined;
}

/** A subscriber, with the name if an email may use it; undefined for anyone else. */
async function readerOf({ db }: Deps, email: string, values: WantedValues | undefined): Promise<Recipient | undefined> {
  const subscriber = email ? await subscribers.byEmail(db, email) : undefined;
  if (!subscriber) return undefined;
  const [person] = await db.read(async (orm) =>
    withValues(orm, await stillInAudience(orm, [subscriber.row], {}), values),
  );
  return person && { ...person, unsubscribeUrl: "#", preferencesUrl: "#" };
}

/** Writes the email with the pictures of a draft, which are not public yet and may be shown for an hour. */
async function writeWithPictures(deps: Deps, broadcast: BroadcastWithContent) {
  const { written } = await writeLetter(deps, broadcast, deps.now());
  const { preview, origins } = await draftPictures(deps, written.files);
  const withPictures = await writeLetter(deps, broadcast, deps.now(), { preview });
  return { written: withPictures.written, values: valuesIn(withPictures.frozen.letter), preview, origins };
}
