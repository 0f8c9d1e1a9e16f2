import { overviewOf } from "../../../db/people/overview";
import { tracesOf } from "../../../db/people/traces";
import { byEmail } from "../../../db/newsletter/subscribers";
import { FindPerson, PersonPage, PrintPage } from "../../../views/dashboard/people/person";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { field, inputOf } from "../../fields/field";
import { emailAddress } from "../../platform/text/email-address";
import { personJson } from "../../people/person-json";
import { download } from "../download";
import { typed } from "../form-input";
import { frameOf } from "../pages";
import { seeOther, show } from "../responses";

const rowsShown = 10;
const rowsPrinted = 500;

const address = field(emailAddress, { label: "Email address", type: "email" });
const addressInput = inputOf("address", address);

/** Returns the address in the URL; undefined if it is not valid. */
export const addressIn = (given: unknown): string | undefined => address.safeParse(typed(given, "address")).data;

/** Shows everything under an address: the subscriber's page, or a similar one for people who are not on the list. */
export async function showPerson(deps: Deps, request: Request, query: Record<string, unknown>) {
  const email = addressIn(query);
  if (email === undefined) return find(deps, request, typed(query, "address"));
  const subscriber = await byEmail(deps.db, email);
  if (subscriber) return seeOther(request, `${paths.newsletter}/${subscriber.id}`);
  const overview = await overviewOf(deps.db, await tracesOf(deps.db, email), rowsShown);
  const frame = await frameOf(deps, request);
  return show({ frame, title: overview.email }, <PersonPage frame={frame} overview={overview} />);
}

async function find(deps: Deps, request: Request, value: string) {
  const frame = await frameOf(deps, request);
  const errors = value ? [{ field: "address", message: "must be a valid email address" }] : [];
  return show(
    { frame, title: "Find a person", status: value ? 422 : 200 },
    <FindPerson input={addressInput} value={value} errors={errors} />,
  );
}

/** The same with all rows, for printing. */
export async function printPerson(deps: Deps, request: Request, query: Record<string, unknown>) {
  const email = addressIn(query);
  if (email === undefined) return find(deps, request, typed(query, "address"));
  const overview = await overviewOf(deps.db, await tracesOf(deps.db, email), rowsPrinted);
  const frame = await frameOf(deps, request);
  return show({ frame, title: overview.email }, <PrintPage frame={frame} overview={overview} />);
}

/** Exports everything as JSON (docs/people.md). */
export async function exportPerson(deps: Deps, request: Request, query: Record<string, unknown>) {
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
