import { z } from "zod";
import { mentionsAddress } from "../../../db/people/address";
import { byId, erasePerson } from "../../../db/people/erasures";
import { overviewOf } from "../../../db/people/overview";
import { tracesOf } from "../../../db/people/traces";
import { emailKey } from "../../../db/lib/email-key";
import { ErasePage, ProofPage } from "../../../views/dashboard/people/erase";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { paths } from "../../../views/paths";
import { erasureLog, prepareDataDir } from "../../platform/data-dir";
import type { Deps } from "../deps";
import { emailAddress } from "../../platform/text/email-address";
import { field, inputsOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";
import { optional } from "../../http/request-schemas";
import { checkLater, hasFailed } from "../../people/erase";
import { actorOf } from "../../security/session/session";
import { readForm } from "../form-input";
import { frameOf } from "../pages";
import { notThere, seeOther, show } from "../responses";
import { addressIn } from "./show";

const Tick = z.literal("yes").optional().catch(undefined);
const Erasing = z.object({
  subscription: Tick,
  messages: Tick,
  suppression: Tick,
  request: field(optional(line({ max: 200 })), {
    label: "Reason (optional)",
    hint: "Kept with the proof. Leave names and addresses out.",
  }),
  typed: field(line({ max: 200 }), { label: "Email address" }),
});
const inputs = inputsOf(Erasing.pick({ request: true, typed: true }));

/** Shows the question, with what is stored. */
export const askToErase = (deps: Deps, request: Request, query: Record<string, unknown>) =>
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
export async function erase(deps: Deps, request: Request, body: unknown) {
  const values = z.record(z.string(), z.string()).catch({}).parse(body);
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
export async function showProof(deps: Deps, request: Request, id: string) {
  const [frame, erasure] = await Promise.all([frameOf(deps, request), byId(deps.db, id)]);
  if (!erasure) return notThere(frame, "This erasure is not in the database.", paths.people);
  const check = { hasFile: deps.db.file !== undefined, hasFailed: hasFailed(deps.db, id) };
  const content = <ProofPage frame={frame} erasure={erasure} {...check} />;
  return show({ frame, title: "Proof of erasure" }, content);
}
