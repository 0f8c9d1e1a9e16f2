import { z } from "zod";
import { maxTextLength } from "../../../db/contact/conversation";
import type { Message } from "../../../db/contact/messages";
import * as snippets from "../../../db/contact/snippets";
import type { FormState } from "../../../views/components/forms/fields";
import type { Notice } from "../../../views/components/frame";
import { SnippetForm, SnippetList, snippetsPath } from "../../../views/dashboard/contact/snippets";
import { translator } from "../../../views/languages/translator";
import { fieldsIn, filled, nobody } from "../../broadcasts/letter/merge-fields";
import { field, inputsOf } from "../../fields/field";
import { line, lines } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { frameOf, isPartial, pages } from "../pages";
import { forManagers } from "../permissions";
import { seeOther, show, showDialog, urlBefore } from "../responses";

const path = snippetsPath;

export const replyText = field(lines({ min: 1, max: maxTextLength }), { label: "Reply" });

const SnippetFields = z.object({
  name: field(line({ min: 1, max: 60 }), { label: "Name" }),
  text: field(lines({ min: 1, max: 5_000 }), {
    label: "Text",
    hint: "{name} becomes the name of the person you write to, {email} their address.",
  }),
});
const inputs = inputsOf(SnippetFields);

/** The texts that managers insert into replies. */
export const snippetsDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request }) => showList(deps, request))
    .get("/new", ({ request }) => newSnippet(deps, request, {}))
    .post("/", ({ request, body }) => save(deps, request, body))
    .get("/:id", ({ request, params: { id } }) => edit(deps, request, id))
    .post("/:id", ({ request, params: { id }, body }) => save(deps, request, body, id))
    .post("/:id/delete", ({ request, params: { id } }) => remove(deps, request, id));

/** The text of a snippet for who wrote a message. */
export const filledSnippet = ({ text }: snippets.SnippetText, { name, email }: Pick<Message, "name" | "email">) =>
  text
    .split("\n")
    .map((part) => filled(fieldsIn(part, translator("en")), { ...nobody, name, email }))
    .join("\n");

async function showList(deps: Deps, request: Request) {
  const [frame, rows] = await Promise.all([frameOf(deps, request), snippets.list(deps.db)]);
  return show({ frame, title: "Snippets" }, <SnippetList frame={frame} rows={rows} />);
}

/** Asks for a new snippet. @param values what it begins with */
export const newSnippet = (deps: Deps, request: Request, values: Record<string, string>) =>
  form(deps, request, { inputs, values });

async function form(deps: Deps, request: Request, state: FormState, id?: string) {
  const frame = await frameOf(deps, request);
  const children = <SnippetForm frame={frame} id={id} form={state} />;
  const title = id ? "Edit snippet" : "New snippet";
  return showDialog(request, { frame, title, status: state.errors ? 422 : 200, children });
}

async function edit(deps: Deps, request: Request, id: string) {
  const snippet = await snippets.byId(deps.db, id);
  if (!snippet) return back(request, { kind: "bad", text: "This snippet has been deleted." });
  const { name, text } = snippet;
  return form(deps, request, { inputs, values: { name, text } }, id);
}

async function save(deps: Deps, request: Request, body: unknown, id?: string) {
  const values = textFields.parse(body);
  const { input, errors } = readForm(SnippetFields, values);
  if (errors) return form(deps, request, { inputs, values, errors }, id);
  const by = actorOf(request);
  const snippet = id
    ? await snippets.change(deps.db, { id, ...input }, by, deps.now())
    : await snippets.add(deps.db, input, by, deps.now());
  if (snippet) return back(request, { kind: "good", text: `Snippet “${snippet.name}” saved.` });
  if (id) return back(request, { kind: "bad", text: "This snippet has been deleted." });
  const message = `is one too many: there are ${snippets.maxSnippets} snippets. Delete one of them first.`;
  return form(deps, request, { inputs, values, errors: [{ field: "name", message }] });
}

/** Deletes a snippet, which can be undone. */
async function remove(deps: Deps, request: Request, id: string) {
  const snippet = await snippets.remove(deps.db, id, actorOf(request), deps.now());
  if (!snippet) return back(request, { kind: "good", text: "This snippet had already been deleted." });
  const { name, text } = snippet;
  return back(request, {
    kind: "good",
    text: `Snippet “${name}” deleted.`,
    undo: { action: path, fields: { name, text } },
  });
}

/** To the message that was open, or to the list. */
function back(request: Request, notice: Notice) {
  const { pathname } = urlBefore(request);
  const isReading = isPartial(request) && /^\/dashboard\/contact\/[\w-]+$/.test(pathname) && pathname !== path;
  return seeOther(request, isReading ? pathname : path, notice);
}
