import { z } from "zod";
import { maxTextLength } from "../../../db/contact/conversation";
import { emailKey } from "../../../db/lib/email-key";
import { byEmail } from "../../../db/newsletter/subscribers";
import { mentionsAddress, tracesOf } from "../../../db/people/traces";
import { byId, erasePerson, latest } from "../../../db/people/erasures";
import { overviewOf } from "../../../db/people/overview";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { ErasePage, Proof, ProofPage } from "../../../views/dashboard/people/erase";
import { FindPerson, PersonPage, PrintPage } from "../../../views/dashboard/people/person";
import { peoplesData } from "../../../views/dashboard/people/stored";
import { paths } from "../../../views/paths";
import { field, inputOf, inputsOf } from "../../fields/field";
import { optional } from "../../http/request-schemas";
import { checkLater, hasFailed } from "../../people/erasure-check";
import { personJson } from "../../people/person-json";
import { erasureLog, prepareDataDir } from "../../platform/data-dir";
import { emailAddress } from "../../platform/text/email-address";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { download } from "../download";
import { readForm, textFields, typed } from "../form-input";
import { timelineIn } from "../list-query";
import { frameOf, isPartial, pages } from "../pages";
import { forManagers, forOwners } from "../permissions";
import { notThere, part, seeOther, show } from "../responses";

const eraseData = "erase a person’s data";

/** `/dashboard/people`: everything under one address, to show, export, print or erase. */
export const peopleDashboard = (deps: Deps) =>
  pages(paths.people, deps, forManagers)
    .get("/", ({ request, query }) => showPerson(deps, request, query))
    .get("/export.json", ({ request, query }) => exportPerson(deps, request, query))
    .get("/print", ({ request, query }) => printPerson(deps, request, query))
    .get("/erasures/:id", ({ request, params: { id } }) => showProof(deps, request, id));

export const personErasure = (deps: Deps) =>
  pages(paths.people, deps, forOwners(eraseData))
    .get("/erase", ({ request, query }) => askToErase(deps, request, query))
    .post("/erase", ({ request, body }) => erase(deps, request, body));

const rowsShown = 10;
const rowsPrinted = 500;

const address = field(emailAddress, { label: "Email address", type: "email" });
const addressInput = inputOf("address", address);

/** Returns the address in the URL; undefined if it is not valid. */
const addressIn = (params: unknown): string | undefined => address.safeParse(typed(params, "address")).data;

/** Shows everything under an address: the subscriber's page, or a similar one for people who are not on the list. */
async function showPerson(deps: Deps, request: Request, query: Record<string, unknown>) {
  const email = addressIn(query);
  if (email === undefined) return find(deps, request, typed(query, "address"));
  const subscriber = await byEmail(deps.db, email);
  if (subscriber) return seeOther(request, `${paths.newsletter}/${subscriber.id}`);
  const { most, ...timeline } = timelineIn(query);
  const overview = await overviewOf(deps.db, await tracesOf(deps.db, email), most);
  const frame = await frameOf(deps, request);
  const content = <PersonPage frame={frame} overview={overview} {...timeline} longest={maxTextLength} />;
  return show({ frame, title: overview.email }, content);
}

async function find(deps: Deps, request: Request, value: string) {
  const [frame, erasures] = await Promise.all([frameOf(deps, request), latest(deps.db, rowsShown)]);
  const errors = value ? [{ field: "address", message: "must be a valid email address" }] : [];
  return show(
    { frame, title: peoplesData, status: value ? 422 : 200 },
    <FindPerson frame={frame} erasures={erasures} input={addressInput} value={value} errors={errors} />,
  );
}

/** The same with all rows, for printing. */
async function printPerson(deps: Deps, request: Request, query: Record<string, unknown>) {
  const email = addressIn(query);
  if (email === undefined) return find(deps, request, typed(query, "address"));
  const overview = await overviewOf(deps.db, await tracesOf(deps.db, email), rowsPrinted);
  const frame = await frameOf(deps, request);
  return show({ frame, title: overview.email }, <PrintPage frame={frame} overview={overview} />);
}

/** Exports everything as JSON (docs/people.md). */
async function exportPerson(deps: Deps, request: Request, query: Record<string, unknown>) {
  const email = addressIn(query);
  if (email === undefined) return find(deps, request, typed(query, "address"));
  const content = personJson(deps.db, await tracesOf(deps.db, email), deps.now());
  return download(
    deps,
    request,
    { name: "person", extension: "json", action: "person.export", target: email },
    content,
  );
}

const Tick = z.literal("yes").optional().catch(undefined);
const Erasing = z.object({
  subscription: Tick,
  messages: Tick,
  suppression: Tick,
  request: field(optional(line({ max: 200 })), {
    label: "Reason (optional)",
    hint: "Stored with the proof. Do not include names or addresses.",
  }),
  typed: field(line({ max: 200 }), { label: "Email address" }),
});
const inputs = inputsOf(Erasing.pick({ request: true, typed: true }));

/** Shows the question, with what is stored. */
const askToErase = (deps: Deps, request: Request, query: Record<string, unknown>) =>
  question(deps, request, addressIn(query));

async function question(
  deps: Deps,
  request: Request,
  email: string | undefined,
  again?: { values: Record<string, string>; errors: FieldError[] },
) {
  if (email === undefined) return seeOther(request, paths.people);
  const frame = await frameOf(deps, request);
  const traces = await tracesOf(deps.db, email);
  const overview = await overviewOf(deps.db, traces, 1);
  const content = (
    <ErasePage frame={frame} overview={overview} inputs={inputs} isManager={traces.isManager} {...again} />
  );
  return show({ frame, title: "Erase a person’s data", status: again ? 422 : 200 }, content);
}

/** Erases, and redirects to the proof. */
async function erase(deps: Deps, request: Request, body: unknown) {
  const values = textFields.parse(body);
  const { data: email } = emailAddress.safeParse(values.address);
  const { input, errors } = readForm(Erasing, values);
  const problems = email === undefined ? [] : (errors ?? problemsOf(email, input));
  if (email === undefined || problems.length || !input)
    return question(deps, request, email, { values, errors: problems });
  const { request: why, typed: _, ...ticks } = input;
  const scope = partsOf(ticks);
  prepareDataDir(deps.config.DATA_DIR);
  const by = { ...actorOf(request), via: "manager" as const };
  const what = { email, scope, request: why };
  const erasure = await erasePerson(deps.db, erasureLog(deps.config), what, by, deps.now());
  checkLater(deps, erasure, email);
  return seeOther(request, `${paths.people}/erasures/${erasure.id}`);
}

type Ticks = Partial<Record<"subscription" | "messages" | "suppression", "yes" | undefined>>;

/** The address can be suppressed only together with the subscription. */
const partsOf = ({ subscription, messages, suppression }: Ticks) => [
  ...(subscription ? ["subscription" as const] : []),
  ...(messages ? ["messages" as const] : []),
  ...(subscription && suppression ? ["suppression" as const] : []),
];

function problemsOf(email: string, input: z.output<typeof Erasing>): FieldError[] {
  const isSame = input.typed.includes("@") && emailKey(input.typed) === emailKey(email);
  return [
    ...(input.subscription || input.messages ? [] : [{ field: "scope", message: "Choose what to erase." }]),
    ...(input.request && mentionsAddress(input.request, email)
      ? [{ field: "request", message: "Leave the address out: the reason is kept." }]
      : []),
    ...(isSame ? [] : [{ field: "typed", message: `Enter ${email} exactly.` }]),
  ];
}

/** Shows the proof of an erasure. */
async function showProof(deps: Deps, request: Request, id: string) {
  const [frame, erasure] = await Promise.all([frameOf(deps, request), byId(deps.db, id)]);
  if (!erasure) return notThere(frame, "This erasure is not in the database.", paths.people);
  const check = { hasFile: deps.db.file !== undefined, hasFailed: hasFailed(deps.db, id) };
  if (isPartial(request)) return part(<Proof frame={frame} erasure={erasure} {...check} />);
  const content = <ProofPage frame={frame} erasure={erasure} {...check} />;
  return show({ frame, title: "Proof of erasure", extras: ["poll.js"] }, content);
}
