import { maxTextLength } from "../../../db/contact/conversation";
import type { Db } from "../../../db/engine/open";
import { fold } from "../../../db/lib/fold";
import { joinNames } from "../../../db/lib/text";
import { addByHand, edit, type Obstacle, personToCorrect, type Refusal } from "../../../db/newsletter/edit";
import { type Field, type FieldValue, maxFieldText } from "../../../db/newsletter/field-values";
import { allFields, type FieldChange } from "../../../db/newsletter/fields";
import { knownOf as knownAbout, type KnownOfPerson, nothingKnown } from "../../../db/newsletter/by-row";
import * as subscriberList from "../../../db/newsletter/list";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { maxTags } from "../../../db/newsletter/tags";
import { openTopics } from "../../../db/newsletter/topics";
import { knownOf, overviewOf } from "../../../db/people/overview";
import { placesOf } from "../../../db/sequences/report";
import { Confirm } from "../../../views/components/confirm";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { FormState, Input, Option } from "../../../views/components/forms/fields";
import type { Frame } from "../../../views/components/frame";
import { zoneOptions } from "../../../views/components/time";
import { EditSubscriberForm, NewSubscriberForm, SubscriberPage } from "../../../views/dashboard/newsletter/subscriber";
import { sameAsSite } from "../../../views/languages/names";
import { field, inputOf, inputsOf } from "../../fields/field";
import { ManagedSubscriberFields, SubscriberTags } from "../../fields/subscriber";
import { line } from "../../platform/text/schemas";
import { unsubscribeLink } from "../../security/links";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { search, timelineIn } from "../list-query";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { notThere, seeOther, show, showDialog, subscriberPageBefore } from "../responses";
import { readField } from "./labels";
import { changeOne, doneWith, path } from "./subscribers";

/** The address identifies the person, so it cannot be changed. */
const Details = ManagedSubscriberFields.omit({ email: true });
const NewSubscriber = ManagedSubscriberFields.omit({ timeZone: true }).extend(SubscriberTags.shape);
/** `hadTags`: those that the form showed. What others change in the meantime stays. */
const EditedSubscriber = Details.extend({ ...SubscriberTags.shape, hadTags: SubscriberTags.shape.tags.catch([]) });
const newInputs = inputsOf(NewSubscriber);
const editInputs = inputsOf(EditedSubscriber.omit({ hadTags: true }));

/** `/dashboard/newsletter/new` and `/dashboard/newsletter/:id`: adds a subscriber, shows one, edits and deletes. */
export const subscriberDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/new", ({ request, query }) => askForNew(deps, request, query))
    .post("/", ({ request, body }) => addOne(deps, request, body))
    .get("/:id", ({ request, params: { id }, query }) => showOne(deps, request, id, query))
    .post("/:id/reactivate", ({ request, params: { id } }) => changeOne(deps, request, id, "reactivate"))
    .post("/:id/unsubscribe", ({ request, params: { id } }) => changeOne(deps, request, id, "unsubscribe"))
    .get("/:id/edit", ({ request, params: { id } }) => askForDetails(deps, request, id))
    .post("/:id/edit", ({ request, params: { id }, body }) => saveDetails(deps, request, id, body))
    .get("/:id/delete", ({ request, params: { id } }) => askToDelete(deps, request, id))
    .post("/:id/delete", ({ request, params: { id } }) => changeOne(deps, request, id, "delete"));

/** Shows one subscriber and everything that happened. */
async function showOne(deps: Deps, request: Request, id: string, query: Record<string, unknown>) {
  const [frame, subscriber] = await Promise.all([frameOf(deps, request), subscriberList.byId(deps.db, id)]);
  if (!subscriber) return notThere(frame, "This subscriber has been deleted.", path);
  const { most, ...timeline } = timelineIn(query);
  const overview = await overviewOf(deps.db, await knownOf(deps.db, subscriber), most);
  const sequences = await placesOf(deps.db, subscriber.row);
  const link = unsubscribeLink(deps.config, subscriber.email);
  const view = { frame, subscriber, overview, sequences, unsubscribeLink: link, ...timeline, longest: maxTextLength };
  const content = <SubscriberPage {...view} />;
  return show({ frame, title: subscriber.name ?? subscriber.email }, content);
}

const alreadyDeleted = (deps: Deps, request: Request) =>
  doneWith(deps, request, { kind: "good", text: "Already deleted." });

/** Asks before one subscriber is deleted. */
async function askToDelete(deps: Deps, request: Request, id: string) {
  const [frame, subscriber] = await Promise.all([frameOf(deps, request), subscriberList.byId(deps.db, id)]);
  if (!subscriber) return alreadyDeleted(deps, request);
  return showDialog(request, {
    frame,
    title: `Delete ${subscriber.email}?`,
    children: (
      <Confirm
        frame={frame}
        action={`${path}/${id}/delete`}
        verb="Delete subscriber"
        cancel={subscriberPageBefore(request) ?? path}
      >
        <p>
          The address and what is known about the person will be permanently deleted. The person can subscribe again. To
          keep the record without sending email, unsubscribe instead. This cannot be undone.
        </p>
      </Confirm>
    ),
  });
}

/** Shows the form of a new subscriber: with an address, or with what is known about someone whose address is wrong. */
async function askForNew(deps: Deps, request: Request, { email, instead }: Record<string, unknown>) {
  const wrong = await personInstead(deps, request, instead);
  if (wrong instanceof Response) return wrong;
  const prefilled = wrong && {
    name: wrong.name ?? "",
    language: wrong.language ?? "",
    tags: joinNames((await knownTo(deps.db, wrong)).tags),
  };
  return newForm(deps, request, { inputs: newInputs, values: { email: search.parse(email), ...prefilled } }, wrong);
}

/** Returns whose address is wrong, if the form says it of someone, or the response if no one is added instead. */
async function personInstead(deps: Deps, request: Request, id: unknown): Promise<Subscriber | Response | undefined> {
  if (typeof id !== "string" || !id) return undefined;
  const person = await deps.db.read((orm) => personToCorrect(orm, id));
  return typeof person === "string" ? notAdded(request, id, person) : person;
}

const obstacles: Record<Obstacle, string> = {
  unsubscribed: "this person has unsubscribed",
  suppressed: "this person is suppressed, and not because of the address",
  pending: "this person has not confirmed the subscription",
  paused: "this person has paused your emails",
  deleted: "the subscriber with the wrong address has been deleted",
};

function notAdded(request: Request, id: string, obstacle: Obstacle): Response {
  const text = `No address was added: ${obstacles[obstacle]}. Ask the person to subscribe with the right one.`;
  return seeOther(request, obstacle === "deleted" ? path : `${path}/${id}`, { kind: "bad", text });
}

const knownTo = async (db: Db, { row }: Subscriber): Promise<KnownOfPerson> =>
  (await db.read((orm) => knownAbout(orm, [row]))).get(row) ?? nothingKnown;

async function newForm(deps: Deps, request: Request, form: FormState, instead?: Subscriber) {
  const frame = await frameOf(deps, request);
  const title = instead ? "Add the right address" : "Add subscriber";
  const children = <NewSubscriberForm frame={frame} form={form} instead={instead} />;
  return showDialog(request, { frame, title, status: form.errors ? 422 : 200, children });
}

const refusals: Record<Refusal, string> = {
  active: "This address is already subscribed.",
  unsubscribed: "This address has unsubscribed. If this person asked you to, reactivate it in the list.",
  erased: "What was stored under this address was erased. Its owner can subscribe again with the form.",
};

/** Adds one subscriber by hand, unless the address already exists. Never reactivates anyone. */
async function addOne(deps: Deps, request: Request, body: unknown) {
  const values = textFields.parse(body);
  const { input, errors } = readForm(NewSubscriber, { tags: "", ...values });
  const wrong = await personInstead(deps, request, values.instead);
  if (wrong instanceof Response) return wrong;
  if (errors) return newForm(deps, request, { inputs: newInputs, values, errors }, wrong);
  const how = { ...actorOf(request), welcome: values.welcome === "yes" };
  const added = await addByHand(deps.db, { ...input, instead: wrong?.id }, how, deps.now());
  if ("obstacle" in added) return notAdded(request, values.instead ?? "", added.obstacle);
  if ("refusal" in added) {
    const refused = [{ field: "email", message: refusals[added.refusal] }];
    return newForm(deps, request, { inputs: newInputs, values, errors: refused }, wrong);
  }
  const text = addedText(input.email, added.isSuppressed) + noPlaceFor(added);
  if (!wrong) return doneWith(deps, request, { kind: "good", text });
  return seeOther(request, `${path}/${wrong.id}`, { kind: "good", text: `${text} Delete this one if it is wrong.` });
}

const addedText = (email: string, isSuppressed: boolean) =>
  isSuppressed
    ? `${email} added. The address is suppressed, so it gets no email until the suppression is lifted.`
    : `${email} added.`;

const noPlaceFor = ({ leftOut }: { leftOut: string[] }) =>
  leftOut.length ? ` A site can have ${maxTags} tags, so there was no place for: ${joinNames(leftOut)}.` : "";

/** Shows the form with a subscriber's details. */
async function askForDetails(deps: Deps, request: Request, id: string) {
  const [frame, subscriber] = await Promise.all([frameOf(deps, request), subscriberList.byId(deps.db, id)]);
  if (!subscriber) return alreadyDeleted(deps, request);
  const profile = await knownTo(deps.db, subscriber);
  const names = joinNames(profile.tags);
  const details = Details.keyof().options.map((name) => [name, subscriber[name] ?? ""]);
  const values = { ...Object.fromEntries(details), tags: names, hadTags: names, ...knownValues(profile) };
  return editForm(deps, request, frame, { subscriber, offered: await knownInputs(deps.db), values });
}

type Editing = Omit<FormState, "inputs"> & { subscriber: Subscriber; offered: KnownInputs };

async function editForm(deps: Deps, request: Request, frame: Frame, { subscriber, offered, ...typed }: Editing) {
  const isCorrectable = typeof (await deps.db.read((orm) => personToCorrect(orm, subscriber.id))) !== "string";
  const zones: Option[] = [["", sameAsSite], ...zoneOptions(subscriber.timeZone ?? "")];
  const inputs = { ...editInputs, timeZone: { ...editInputs.timeZone, options: zones }, ...offered.inputs };
  const form = { inputs, ...typed };
  const view = { frame, form, subscriber, topics: offered.topics, isCorrectable };
  const children = <EditSubscriberForm {...view} />;
  return showDialog(request, { frame, title: `Edit ${subscriber.email}`, status: typed.errors ? 422 : 200, children });
}

/** Saves them, and returns to the subscriber's page. */
async function saveDetails(deps: Deps, request: Request, id: string, body: unknown) {
  const values = textFields.parse(body);
  const { input, errors = [] } = readForm(EditedSubscriber, { tags: values.hadTags ?? "", hadTags: "", ...values });
  const offered = await knownInputs(deps.db);
  const { topics, fields, errors: fieldErrors } = knownIn(offered, values);
  if (!input || fieldErrors.length) {
    const [frame, subscriber] = await Promise.all([frameOf(deps, request), subscriberList.byId(deps.db, id)]);
    if (!subscriber) return alreadyDeleted(deps, request);
    return editForm(deps, request, frame, { subscriber, offered, values, errors: [...errors, ...fieldErrors] });
  }
  const { tags: add, hadTags: remove, ...details } = input;
  const tags = { add: without(add, remove), remove: without(remove, add) };
  const edited = await edit(deps.db, { id, details, tags, topics, fields }, actorOf(request), deps.now());
  if (!edited) return alreadyDeleted(deps, request);
  return seeOther(request, `${path}/${id}`, { kind: "good", text: `${edited.email} saved.${noPlaceFor(edited)}` });
}

/** The names that are not among the others, however they are written. */
function without(names: string[], others: string[]): string[] {
  const keys = new Set(others.map(fold));
  return names.filter((name) => !keys.has(fold(name)));
}

/* The topics and fields of one subscriber, in the form that managers edit. */

const [topicPrefix, fieldPrefix] = ["topic-", "field-"];

/** What the form asks besides the details, and the values that it begins with. */
async function knownInputs(db: Db) {
  const [topics, fields] = await db.read(async (orm) => [await openTopics(orm), await allFields(orm)] as const);
  return { topics, fields, inputs: Object.fromEntries(fields.map((field) => [nameOf(field), inputFor(field)])) };
}
type KnownInputs = Awaited<ReturnType<typeof knownInputs>>;

const nameOf = ({ key }: Field) => `${fieldPrefix}${key}`;

function inputFor(about: Field): Input {
  const { name: label, type, options } = about;
  const name = nameOf(about);
  const optional = `${label} (optional)`; // the others say so by "Not known"
  if (type === "boolean") return { name, label, options: [none, ["yes", "Yes"], ["no", "No"]] };
  if (type === "choice") return { name, label, options: [none, ...(options ?? []).map(pairOf)] };
  if (type === "date") return { name, label: optional, type: "date" };
  return inputOf(name, field(line({ max: maxFieldText }), { label: optional }));
}
const none = ["", "Not known"] as const;
const pairOf = ({ name }: { name: string }) => [name, name] as const;

/** The values as the form has them. */
function knownValues({ topics, fields }: KnownOfPerson): Record<string, string> {
  const values = Object.fromEntries(fields.map(({ field, value }) => [nameOf(field), textOf(value)]));
  for (const { slug, chosen } of topics) if (chosen) values[topicPrefix + slug] = "yes";
  values.hadTopics = topics.flatMap(({ slug, chosen }) => (chosen ? slug : [])).join(",");
  return values;
}

const textOf = (value: FieldValue) => (typeof value === "boolean" ? (value ? "yes" : "no") : String(value));

/** What was typed. What others changed in the meantime stays: only topics that the form showed otherwise change. */
function knownIn({ topics, fields }: KnownInputs, values: Record<string, string>) {
  const had = new Set((values.hadTopics ?? "").split(","));
  const isTicked = (slug: string) => values[topicPrefix + slug] === "yes";
  const changed = topics.filter(({ slug }) => isTicked(slug) !== had.has(slug)).map(({ slug }) => slug);
  const read = fields
    .filter((field) => nameOf(field) in values)
    .map((field) => readField(field, values[nameOf(field)], nameOf(field)));
  const errors: FieldError[] = read.flatMap((one) => ("error" in one ? one.error : []));
  const list: FieldChange["values"] = read.flatMap((one) => ("error" in one ? [] : one));
  return {
    topics: { add: changed.filter(isTicked), remove: changed.filter((slug) => !isTicked(slug)) },
    fields: list,
    errors,
  };
}
