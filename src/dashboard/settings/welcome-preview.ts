import * as references from "../../../db/storage/references";
import type { WelcomeWords } from "../../../db/settings/rules";
import type { Deps } from "../deps";
import { type Check, problemChecks } from "../../broadcasts/letter/checks";
import { readPart } from "../../broadcasts/letter/part";
import { readSite } from "../../emails/site";
import { welcome } from "../../emails/welcome";
import { draftPictures, framed } from "../draft-preview";

const maxPictures = 20;

async function partOf(deps: Deps, text: string) {
  const { t, siteUrl } = await readSite(deps);
  return readPart(text, "text", { t, siteUrl, base: deps.config.BLOG_URL });
}

/** What prevents saving a text, and what is worth knowing about it. */
export async function problemsOf(deps: Deps, text: string): Promise<{ blocker?: string; checks: Check[] }> {
  if (!text.trim()) return { checks: [] };
  const { nodes, files, problems } = await partOf(deps, text);
  const checks = problemChecks(problems);
  if (!nodes.length) return { blocker: "Readers would see nothing of this text. Write some words.", checks };
  if (files.length > maxPictures) return { blocker: `Use at most ${maxPictures} files from Storage.`, checks };
  for (const file of files)
    if (!(await references.isPublic(deps.db, file.split("/")[2] ?? "", deps.now())))
      return { blocker: `Readers cannot see ${file} until a published post or project uses it.`, checks };
  return { checks };
}

/** The email to an imaginary subscriber, for a frame. @param error why the text cannot be saved */
export async function previewOf(deps: Deps, words: WelcomeWords, error?: string) {
  if (error) return framed("text/plain", `The words cannot be saved: ${error}`, [], 422);
  const [site, { files }] = await Promise.all([readSite(deps), partOf(deps, words.text)]);
  const { look, origins } = await draftPictures(deps, files.slice(0, maxPictures));
  const wanted = { words, site, unsubscribeUrl: "#", at: deps.now(), look };
  const { html } = await welcome(deps, "reader@example.com", wanted);
  return framed("text/html", html, origins);
}
