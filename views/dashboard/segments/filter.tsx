import { Icon } from "../../components/icon";
import { ErrorLine, ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import type { Child } from "../../jsx/jsx-runtime";

/* The fields of a segment: conditions, and groups of them, in any form. They work without a script. */

/** A condition as it stands in the form: what is not chosen yet is "". */
export type ConditionDraft = { field: string; is: string; of: string[] };
export type GroupDraft = { group: ConditionDraft[] };
export type SegmentDraft = { kind: "all" | "any"; nodes: (ConditionDraft | GroupDraft)[] };

type Options = readonly (readonly [value: string, label: string])[];
/** How a field is entered: some of a list, one of it, a number or a day. */
export type Entry =
  /** `as`: what the chosen value is, if it is no text. */
  | { kind: "some" | "one"; options: Options; as?: "number" | "boolean" }
  | { kind: "days" | "day" | "text" | "number" | "none" };
export type FieldChoice = {
  value: string;
  label: string;
  operators: readonly { value: string; label: string; entry: Entry }[];
};

type Props = {
  draft: SegmentDraft;
  fields: readonly FieldChoice[];
  errors: FieldError[];
  /** Where the form is sent to be drawn anew, when a field or operator was chosen. */
  redraw: string;
  /** The ID of the field that gets the focus. */
  focus?: string | undefined;
};

/** All of the form's fields. */
export const SegmentFields = ({ draft: { kind, nodes }, ...around }: Props) => (
  <div class="conditions">
    <ErrorSummary errors={around.errors} labels={{}} scope="w" />
    {around.errors.map(({ field, message }) => field === "kind" && <ErrorLine id="w-kind-error" error={message} />)}
    {nodes.length > 0 ? (
      <Kind name="w.kind" kind={kind} redraw={around.redraw} />
    ) : (
      <input type="hidden" name="w.kind" value={kind} />
    )}
    {nodes.map((node, at) => (
      <div class="condition-row">
        <span class="joint" aria-hidden="true">
          {at === 0 ? "who" : kind === "all" ? "and" : "or"}
        </span>
        {"group" in node ? (
          <Group at={at} kind={kind === "all" ? "any" : "all"} node={node} {...around} />
        ) : (
          <ConditionFields name={`w.${at}`} condition={node} {...around} />
        )}
      </div>
    ))}
    <p class="row">
      <Step act="add" icon="plus">
        Condition
      </Step>
      <Step act="group" icon="plus">
        Group of conditions
      </Step>
    </p>
  </div>
);

const Step = ({ act, icon, children }: { act: string; icon: "plus"; children?: Child }) => (
  <button type="submit" class="btn quiet sm" name="do" value={act} id={`w-${act.replace(":", "-")}`} formnovalidate>
    <Icon name={icon} />
    {children}
  </button>
);

const Kind = ({ name, kind, redraw }: { name: string; kind: "all" | "any"; redraw: string }) => (
  <fieldset class="row kind">
    <legend class="sr">Which conditions must hold</legend>
    <span>People who match</span>
    <div class="segments">
      {(["all", "any"] as const).map((each) => (
        <label>
          <input type="radio" name={name} value={each} id={`w-${each}`} checked={kind === each} {...redrawn(redraw)} />
          {each}
        </label>
      ))}
    </div>
    <span>of these</span>
  </fieldset>
);

/** Sends the form when this changes, so that the fields that follow fit. */
const redrawn = (url: string) => ({ "hx-post": url, "hx-trigger": "change", "hx-include": "closest form" });

type Around = Omit<Props, "draft">;
type GroupProps = Around & { at: number; kind: "all" | "any"; node: GroupDraft };

const Group = ({ at, kind, node, ...rest }: GroupProps) => (
  <fieldset class="group">
    <legend>{kind} of</legend>
    {node.group.map((condition, inner) => (
      <ConditionFields name={`w.${at}.${inner}`} condition={condition} {...rest} />
    ))}
    <input type="hidden" name={`w.${at}.group`} value="yes" />
    <Step act={`add:${at}`} icon="plus">
      Condition in this group
    </Step>
  </fieldset>
);

type ConditionProps = Around & { name: string; condition: ConditionDraft };

function ConditionFields({ name, condition: { field, is, of }, fields, redraw, errors, focus }: ConditionProps) {
  const choice = fields.find(({ value }) => value === field);
  const operator = choice?.operators.find(({ value }) => value === is) ?? choice?.operators[0];
  const id = name.replaceAll(".", "-");
  const error = errors.find((each) => each.field === `${id.slice(2)}-of` || each.field === `${id.slice(2)}-field`);
  const focused = error && errors.length === 1 ? `w-${error.field}` : focus;
  const focusable = (of: string) => ({ id: of, ...(of === focused && { "data-focus": true }) });
  return (
    <div
      class="condition"
      role="group"
      aria-label={choice ? `${choice.label} condition` : "New condition"}
      aria-describedby={error && `${id}-error`}
    >
      <select class="input" name={`${name}.field`} {...focusable(`${id}-field`)} aria-label="What" {...redrawn(redraw)}>
        {!choice && (
          <option value="" selected>
            Choose…
          </option>
        )}
        {fields.map(({ value, label }) => (
          <option value={value} selected={value === choice?.value}>
            {label}
          </option>
        ))}
      </select>
      {choice && (
        <select class="input" name={`${name}.is`} {...focusable(`${id}-is`)} aria-label="How" {...redrawn(redraw)}>
          {choice.operators.map(({ value, label }) => (
            <option value={value} selected={value === operator?.value}>
              {label}
            </option>
          ))}
        </select>
      )}
      {operator && (
        <Value name={`${name}.of`} own={focusable(`${id}-of`)} entry={operator.entry} of={of} label={choice?.label} />
      )}
      <RemoveButton place={name.slice(2)} id={`${id}-remove`} />
      {error && <ErrorLine id={`${id}-error`} error={error.message} />}
    </div>
  );
}

const RemoveButton = ({ place, id }: { place: string; id: string }) => (
  <button
    type="submit"
    class="btn quiet sm icon-only"
    name="do"
    value={`remove:${place}`}
    id={id}
    aria-label="Remove this condition"
    title="Remove"
    formnovalidate
  >
    <Icon name="x" />
  </button>
);

/** What is filled in until another number is: the condition says it from the beginning. */
export const defaultDays = "30";

/** Its ID, and whether it gets the focus. */
type Own = { id: string; "data-focus"?: boolean };
type ValueProps = { name: string; own: Own; entry: Entry; of: string[]; label: string | undefined };

function Value({ name, own, entry, of, label = "Value" }: ValueProps) {
  switch (entry.kind) {
    case "none":
      return <span class="value" />;
    case "days":
      return (
        <label class="value row" for={own.id}>
          <input class="input" type="number" {...own} name={name} min="1" max="36500" value={of[0] ?? defaultDays} />
          days
        </label>
      );
    case "text":
      return <input class="input value" {...own} name={name} value={of[0] ?? ""} aria-label={label} />;
    case "number":
      return (
        <input
          class="input value"
          type="number"
          step="any"
          {...own}
          name={name}
          value={of[0] ?? ""}
          aria-label={label}
        />
      );
    case "day": {
      const type = of[0]?.includes("T") ? "text" : "date"; // a time, from before days were those of the site
      return <input class="input value" type={type} {...own} name={name} value={of[0] ?? ""} aria-label={label} />;
    }
    case "one":
      return (
        <select class="input value" {...own} name={name} aria-label={label}>
          {entry.options.map(([value, text]) => (
            <option value={value} selected={of.includes(value)}>
              {text}
            </option>
          ))}
        </select>
      );
    case "some":
      return <Some name={name} own={own} options={entry.options} of={of} label={label} />;
  }
}

type SomeProps = { name: string; own: Own; options: Options; of: string[]; label: string };

/** A list to tick some of. */
export const Some = ({ name, own, options, of, label }: SomeProps) => (
  <div class="value source-list" {...own} tabindex="-1" role="group" aria-label={label}>
    {options.map(([value, text], at) => (
      <div class="check">
        <input type="checkbox" id={`${own.id}-${at}`} name={name} value={value} checked={of.includes(value)} />
        <label for={`${own.id}-${at}`}>{text}</label>
      </div>
    ))}
  </div>
);
