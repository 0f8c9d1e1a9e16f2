import type { Segment } from "../../../db/broadcasts/audience/segment";
import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { Check, Choice } from "../../components/forms/choices";
import { Field } from "../../components/forms/field";
import { ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { plural } from "../../components/list";
import { date, type Reading } from "../../components/time";
import { DialogFooter } from "../dialog";
import { path } from "./state";

/** The fields as they were typed. */
export type AudienceFields = {
  mode: "all" | "anyOf" | "noneOf";
  /** "" is "no source". */
  sources: string[];
  joinedFrom: string;
  joinedTo: string;
  confirmedOnly: boolean;
  without: string;
};

type AudienceView = {
  frame: Frame;
  broadcast: Broadcast;
  fields: AudienceFields;
  /** The number of matching people; undefined if the fields are not valid. */
  count: number | undefined;
  /** The sources to choose from. */
  sources: string[];
  others: { id: string; subject: string }[];
  errors?: FieldError[] | undefined;
};

const labels = { source: "Sources", joinedFrom: "Joined from", joinedTo: "Joined until", without: "Exclude" };

const modes = [
  ["all", "Any"],
  ["anyOf", "Only these"],
  ["noneOf", "All except these"],
] as const;

/** Which of the active subscribers get it. The number follows every choice, and is counted exactly when it is sent. */
export const AudienceForm = ({ frame, broadcast, fields, count, sources, others, errors = [] }: AudienceView) => (
  <Form action={`${path}/${broadcast.id}/audience`} token={frame.token} class="stack" label="Audience" id="audience">
    <input type="hidden" name="was" value={broadcast.segment} />
    <input type="hidden" name="zone" value={frame.preferences.timeZone} />
    <ErrorSummary errors={errors} labels={labels} scope="a" />
    <Sources fields={fields} sources={sources} errors={errors} />
    <div class="pair">
      <Field
        scope="a"
        name="joinedFrom"
        label={labels.joinedFrom}
        type="date"
        value={fields.joinedFrom}
        errors={errors}
      />
      <Field scope="a" name="joinedTo" label={labels.joinedTo} type="date" value={fields.joinedTo} errors={errors} />
    </div>
    <Check
      scope="a"
      name="confirmedOnly"
      label="Only people who confirmed their address"
      checked={fields.confirmedOnly}
    />
    <Choice
      scope="a"
      name="without"
      label="Exclude people who received"
      value={fields.without}
      options={[["", "No one"], ...others.map(({ id, subject }) => [id, subject || "No subject yet"] as const)]}
    />
    <Counted id={broadcast.id} count={count} />
    <button type="submit" class="btn sm without-script" name="do" value="count">
      Count
    </button>
    <DialogFooter cancel={`${path}/${broadcast.id}`}>Use this audience</DialogFooter>
  </Form>
);

type SourcesProps = Pick<AudienceView, "fields" | "sources"> & { errors: FieldError[] };

const Sources = ({ fields, sources, errors }: SourcesProps) => (
  <fieldset class="stack">
    <legend>Source</legend>
    <div class="segments">
      {modes.map(([mode, label]) => (
        <label>
          <input type="radio" name="mode" value={mode} id={`a-${mode}`} checked={fields.mode === mode} />
          {label}
        </label>
      ))}
    </div>
    <div class="source-list" id="a-source" tabindex="-1">
      {[...sources, ""].map((source, at) => (
        <div class="check">
          <input
            type="checkbox"
            id={`a-source-${at}`}
            name="source"
            value={source}
            checked={fields.sources.includes(source)}
          />
          <label for={`a-source-${at}`}>{source || "No source"}</label>
        </div>
      ))}
    </div>
    {errors.some(({ field }) => field === "source") && (
      <p class="error">{errors.find(({ field }) => field === "source")?.message}</p>
    )}
  </fieldset>
);

/** The number, which follows every change. */
export const Counted = ({ id, count }: { id: string; count: number | undefined }) => (
  <p
    class="counted"
    id="counted"
    role="status"
    hx-post={`${path}/${id}/audience/count`}
    hx-include="#audience"
    hx-trigger="change from:#audience"
    hx-swap="outerHTML"
    hx-sync="this:replace"
  >
    {count === undefined ? (
      "Complete the choices to see how many people that is."
    ) : (
      <>
        <strong>{plural(count, "person", "people")}</strong> {count === 1 ? "gets" : "get"} this email.
      </>
    )}
  </p>
);

const list = new Intl.ListFormat("en", { type: "disjunction" });
const sourcesIn = (sources: (string | null)[]) => list.format(sources.map((source) => source ?? "no source"));

type Words = { reading: Reading; subjectOf: (id: string) => string | undefined };

/** Describes the recipients: "From blog, joined since 1 Oct 2026". Undefined if the segment is not valid. */
export function segmentInWords(segment: Segment | undefined, { reading, subjectOf }: Words): string {
  if (!segment) return "Audience cannot be read";
  const { anyOf, noneOf, joinedFrom, joinedUntil, confirmedOnly, without } = segment;
  const lastDay = joinedUntil && new Date(joinedUntil.getTime() - 1);
  return [
    anyOf ? `From ${sourcesIn(anyOf)}` : "Everyone",
    noneOf && `except those from ${sourcesIn(noneOf)}`,
    joinedFrom && `joined since ${date(joinedFrom, reading)}`,
    lastDay && `joined until ${date(lastDay, reading)}`,
    confirmedOnly && "confirmed only",
    without && `did not get “${subjectOf(without) || "another broadcast"}”`,
  ]
    .filter(Boolean)
    .join(", ");
}
