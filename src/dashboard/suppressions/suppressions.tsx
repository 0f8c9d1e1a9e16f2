import { z } from "zod";
import * as suppressionList from "../../../db/suppressions/suppressions";
import { Field, type FormState } from "../../../views/components/forms/fields";
import {
  exportFormats,
  NewSuppressionForm,
  SuppressionList,
  SuppressionsHead,
} from "../../../views/dashboard/suppressions/suppressions";
import { paths } from "../../../views/paths";
import { exportSuppressions } from "../../content/csv/suppressions";
import { field, inputOf, inputsOf } from "../../fields/field";
import { SuppressionFields } from "../../fields/subscriber";
import { unsuppress } from "../../mail/provider";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import { bulkActions, bulkBody, selectionOf } from "../bulk-actions";
import type { Deps } from "../deps";
import { download } from "../download";
import { readForm, textFields } from "../form-input";
import { listHandlers } from "../list-handlers";
import { oneOf, pageNumber, perPage, search } from "../list-query";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { seeOther, showDialog, subscriberPageBefore } from "../responses";

const path = paths.suppressions;

/** The list's parameters in the URL. */
const Query = z.object({
  q: search,
  reason: oneOf(["bounce", "complaint", "provider", "manual", "erased", "import"]),
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

const filterOf = ({ q, reason }: Query): suppressionList.SuppressionFilter => ({
  q: q || undefined,
  reason: reason || undefined,
});

const { show, doneWith } = listHandlers({
  path,
  title: "Suppressions",
  Query,
  Head: SuppressionsHead,
  exports: exportFormats,
  async list({ deps: { db }, query, frame, state }) {
    const [rows, all] = await Promise.all([
      suppressionList.list(db, filterOf(query), query),
      suppressionList.count(db),
    ]);
    return <SuppressionList frame={frame} state={state} all={all} per={query.per} {...rows} />;
  },
});

/** `/dashboard/suppressions`: addresses that get no newsletter email. */
export const suppressionsDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => askForNew(deps, request))
    .post("/", ({ request, body }) => addOne(deps, request, body))
    .post("/bulk", ({ request, body }) => liftSelected(deps, request, body), { body: SuppressionBulk })
    .get("/export.csv", ({ request, query }) => csvFile(deps, request, query));

const note = field(line({ min: 1, max: 300 }), { label: "Why" });
const noteInput = inputOf("note", note);
const SuppressionBulk = bulkBody(["lift"]).extend({ note: z.string().optional(), back: z.string().optional() });
type SuppressionBulk = z.output<typeof SuppressionBulk>;

/** The bulk actions on suppressions. */
const suppressionActions = bulkActions<"lift", suppressionList.ListedSuppression>({
  rows: ["suppression", "suppressions"],
  nameOf: ({ email }) => `Suppression of ${email}`,
  noneSelected: "No suppressions selected.",
  tooLate: () => "Already lifted.",
  others: (count) => `${count} could not be lifted.`,
  actions: {
    lift: {
      verb: (rows) => `Lift ${rows}`,
      asks: "always",
      consequence: () =>
        "Newsletter emails will be sent to these addresses again. Only do this if you know that they work and that the people want them: bounces and complaints harm your reputation as a sender.",
      past: "lifted",
      tooLate: "Nothing to lift: already lifted, or the person was erased.",
    },
  },
});

const selected = (bulk: Omit<SuppressionBulk, "do" | "note" | "back">) =>
  selectionOf(bulk, (query) => filterOf(Query.parse(query)));

/** Lifts the selected suppressions, after a question that asks for the reason. */
function liftSelected(deps: Deps, request: Request, bulk: SuppressionBulk) {
  const why = note.safeParse(bulk.note ?? "");
  const asked = why.success ? bulk : { ...bulk, confirmed: undefined };
  const lifted = new Set<string>();
  const person = subscriberPageBefore(request, bulk.back); // on which one suppression is lifted, too
  return suppressionActions.askOrChange(deps, request, asked, {
    apply: (at) =>
      suppressionList.liftSelected(
        deps.db,
        { selection: selected(bulk), why: why.data ?? "", lifted },
        actorOf(request),
        at,
      ),
    async finish(notice) {
      const { text, isDone } = await unsuppress(deps.mail.provider, [...lifted]);
      const kind = isDone ? notice.kind : "bad";
      const said = { ...notice, kind, text: [notice.text, text].filter(Boolean).join(" ") } as const;
      return person ? seeOther(request, person, said) : doneWith(deps, request, said);
    },
    count: () => suppressionList.countSelected(deps.db, selected(bulk)),
    action: `${path}/bulk`,
    cancel: person ?? path,
    more: person ? { back: person } : {},
    children: <Field scope="lift" {...noteInput} value={bulk.note} autocomplete="off" />,
  });
}

const inputs = inputsOf(SuppressionFields);

/** Shows the form of an address to add. */
async function askForNew(deps: Deps, request: Request, form: FormState = { inputs }) {
  const frame = await frameOf(deps, request);
  const children = <NewSuppressionForm frame={frame} form={form} />;
  return showDialog(request, { frame, title: "Suppress address", status: form.errors ? 422 : 200, children });
}

/** Adds one address by hand. */
async function addOne(deps: Deps, request: Request, body: unknown) {
  const values = textFields.parse(body);
  const { input, errors } = readForm(SuppressionFields, values);
  if (errors) return askForNew(deps, request, { inputs, values, errors });
  const { email, detail } = input;
  const by = { ...actorOf(request), via: "manager" as const };
  const isAdded = await suppressionList.add(deps.db, { email, detail }, by, deps.now());
  const text = isAdded ? `${email} suppressed.` : `${email} was already suppressed.`;
  return doneWith(deps, request, { kind: "good", text });
}

/** Exports what the list shows as CSV, all pages of it. */
const csvFile = (deps: Deps, request: Request, params: Record<string, unknown>) =>
  download(
    deps,
    request,
    { name: "suppressions", extension: "csv", action: "suppression.export" },
    exportSuppressions(deps.db, { matching: filterOf(Query.parse(params)) }),
  );
