import { z } from "zod";
import { mediaPath, thumbnailOf } from "../../../db/storage/files";
import { findPictures } from "../../../db/storage/files-list";
import { PictureChoice, PictureForForm, Pictures, PicturesPage } from "../../../views/dashboard/posts/pictures";
import { path } from "../../../views/dashboard/posts/state";
import { fragment } from "../../http/response";
import { PictureField, pictureFields } from "../chosen-picture";
import type { Deps } from "../deps";
import { sentFields } from "../form-input";
import { search } from "../list-query";
import { frameOf, isPartial, pages } from "../pages";
import { forEditors } from "../permissions";
import { notThere, show, showDialog } from "../responses";
import { openToNodes } from "../storage/pages";

const Choice = z.object({ for: PictureField, q: search });
type Choice = z.infer<typeof Choice>;

/** Where the choice without JavaScript goes back to: a form that takes a picture. */
const Waiting = Choice.pick({ for: true }).extend({
  back: z
    .string()
    .regex(/^\/dashboard\/(?:(?:posts|projects|broadcasts)\/[\w-]{1,40}|projects|settings\/(?:welcome|brand))$/),
});

/** The choice of a picture in Storage, for any field that takes one. Nothing here changes anything. */
export const pictureChoice = (deps: Deps) =>
  pages(path, deps, forEditors)
    .get("/pictures", ({ request, query }) => choice(deps, request, Choice.parse(query)))
    .post("/pictures", ({ request, query, body }) => choiceForForm(deps, request, query, body));

const title = "Choose a picture";
const maxPictures = 24; // at a time

async function viewOf({ db }: Deps, { for: wanted, q }: Choice) {
  const files = await findPictures(db, q, maxPictures + 1);
  const { isText, folder } = pictureFields[wanted];
  const pictures = files
    .slice(0, maxPictures)
    .map((file) => ({ ...file, address: mediaPath(file), thumbnail: thumbnailOf(file) }));
  return { wanted, isText, folder, q, pictures, isMore: files.length > maxPictures };
}

async function choice(deps: Deps, request: Request, query: Choice) {
  const view = await viewOf(deps, query);
  const isSearch = isPartial(request) && request.headers.get("hx-target")?.endsWith("#pictures");
  if (isSearch) return fragment(<Pictures {...view} />);
  await openToNodes(deps, request);
  const frame = await frameOf(deps, request);
  if (isPartial(request)) return showDialog(request, { frame, title, children: <PictureChoice {...view} /> });
  return show({ frame, title, extras: ["editor.css"] }, <PicturesPage {...view} />);
}

/** The choice for a form that was sent here without JavaScript, with all that was typed in it. */
async function choiceForForm(deps: Deps, request: Request, query: unknown, body: unknown) {
  const frame = await frameOf(deps, request);
  const { data: waiting } = Waiting.safeParse(query);
  if (!waiting) return notThere(frame, "This form takes no picture.", path);
  const { _token, picture, pictureSearch = "", ...sent } = sentFields(body);
  const fields = Object.entries(sent).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const form = { back: waiting.back, token: frame.token, fields: Object.fromEntries(fields) };
  const view = await viewOf(deps, { for: waiting.for, q: search.parse(pictureSearch) });
  await openToNodes(deps, request);
  return show({ frame, title, extras: ["editor.css"] }, <PictureForForm {...view} form={form} />);
}
