import type { AuditEvent } from "../../db/audit";
import { plural } from "../components/list";
import { type Names, Who } from "../components/who";
import { auditLabel } from "./audit-labels";

/** Who did it, by name. */
export const Actor = (who: { actor: string; names: Names }) => (
  <strong>
    <Who {...who} />
  </strong>
);

type Told = Pick<AuditEvent, "actor" | "action" | "target" | "details">;

/** What was done, behind the actor's name: "reordered the project Balcony". */
export function AuditText({ event: { actor, action, target, details } }: { event: Told }) {
  const known: Record<string, string> = { ...details, ...(target && { target }) };
  const texts = auditLabel(action, actor === target).map((text) => text.split(/\{([\w-]+(?::[\w ]+)?)\}/));
  const parts = texts.find((pieces) => namesIn(pieces).every((name) => known[name])) ?? [];
  return <>{parts.map((part, at) => (at % 2 ? <Value of={part} known={known} /> : part))}</>;
}

const namesIn = (pieces: string[]) => pieces.filter((_, at) => at % 2).map((piece) => piece.split(":")[0] ?? "");

function Value({ of, known }: { of: string; known: Record<string, string> }) {
  const [name = "", noun] = of.split(":");
  const value = known[name] ?? "";
  if (noun) return <>{plural(Number(value), noun)}</>;
  return name === "target" ? <strong class="wrap">{value}</strong> : <bdi>{value}</bdi>;
}
