import { z } from "zod";
import { type NamedSequence, sequenceById } from "../../../db/sequences/sequences";
import { path } from "../../../views/dashboard/sequences/sequences";
import { paths } from "../../../views/paths";
import type { Deps } from "../deps";
import { frameOf } from "../pages";
import { notThere, seeOther } from "../responses";

const Sent = z.object({
  version: z.coerce.number().int().catch(0),
  late: z.enum(["send", "skip", "stop"]).catch("send"),
  people: z.enum(["keep", "go-on"]).optional().catch(undefined),
  reviewed: z.literal("yes").optional().catch(undefined),
});

/** A request about a sequence that exists, as its form was seen. */
export type About = {
  deps: Deps;
  request: Request;
  sequence: NamedSequence;
  /** The sequence as the form that was sent had it. */
  seen: Pick<NamedSequence, "id" | "version">;
  sent: z.output<typeof Sent>;
  body: unknown;
  /** The ID of one of its emails. */
  email: string;
};
type Target = { params: { id: string; email?: string }; body?: unknown };

export async function about(
  deps: Deps,
  request: Request,
  { params: { id, email = "" }, body = {} }: Target,
  handle: (about: About) => Promise<Response>,
): Promise<Response> {
  const sequence = await sequenceById(deps.db, id);
  if (!sequence) return notThere(await frameOf(deps, request), "This sequence was deleted.", path);
  const sent = Sent.parse(body ?? {});
  return handle({ deps, request, sequence, seen: { id, version: sent.version }, sent, body, email });
}

/** Leads to the page of the sequence, with what became of a change. */
export function answer({ request, sequence }: About, result: { outcome: string }, text: string): Response {
  if (result.outcome === "gone") return seeOther(request, path, { kind: "bad", text: "This sequence was deleted." });
  if (result.outcome === "changed") return seeOther(request, paths.sequence(sequence.id), { kind: "good", text });
  const late = "Nothing changed: someone else has changed the sequence. This is how it is now.";
  return seeOther(request, paths.sequence(sequence.id), { kind: "bad", text: late });
}
