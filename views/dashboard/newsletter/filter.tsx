import type { SavedSegment } from "../../../db/newsletter/segments/saved";
import type { FieldError } from "../../components/forms/field-errors";
import { Field, type Input } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { ListLink, listUrl, type ListState, number } from "../../components/list";
import { paths } from "../../paths";
import { type FieldChoice, type SegmentDraft, SegmentFields } from "../segments/filter";

const path = `${paths.newsletter}/filter`;

type FilterFormProps = {
  frame: Frame;
  draft: SegmentDraft;
  /** The ID of the field that gets the focus. */
  focus?: string | undefined;
  fields: readonly FieldChoice[];
  /** The people who match; undefined while a condition is not complete. */
  count: number | undefined;
  /** The list's query besides its conditions. */
  rest: string;
  saved?: SavedSegment | undefined;
  name?: string;
  nameInput: Input;
  errors: FieldError[];
  cancel: string;
};

/** The conditions of the list, with the number of people who match, and a name to keep them under. */
export const FilterForm = (props: FilterFormProps) => {
  const { frame, draft, fields, count, rest, saved, errors, cancel } = props;
  return (
    <Form action={path} token={frame.token} class="stack" label="Filter" id="filter">
      <button type="submit" class="sr" name="do" value="show" tabindex="-1" aria-hidden="true" />
      <input type="hidden" name="rest" value={rest} />
      {saved && <input type="hidden" name="segment" value={saved.id} />}
      {saved && <input type="hidden" name="version" value={String(saved.version)} />}
      <SegmentFields draft={draft} fields={fields} errors={errors} redraw={path} focus={props.focus} />
      <Naming {...props} />
      <footer>
        <CountedPeople count={count} />
        <a class="btn" href={cancel} data-close>
          Cancel
        </a>
        <button type="submit" class="btn without-script" name="do" value="redraw">
          Count
        </button>
        <button type="submit" class="btn primary" name="do" value="show" id="w-show">
          Show these people
        </button>
      </footer>
    </Form>
  );
};

/** The number of people, which follows every change. */
export const CountedPeople = ({ count }: { count: number | undefined }) => (
  <p
    class="counted"
    id="counted"
    role="status"
    hx-post={`${path}/count`}
    hx-target="this"
    hx-include="#filter"
    hx-trigger="change from:#filter"
    hx-swap="outerHTML"
    hx-sync="this:replace"
  >
    {count === undefined ? (
      "Complete the conditions to see how many people that is."
    ) : (
      <>
        <strong>{number(count)}</strong> {count === 1 ? "person" : "people"}, counted now
      </>
    )}
  </p>
);

const Naming = ({ saved, name, nameInput, errors, draft }: FilterFormProps) => (
  <details class="keep" open={errors.some(({ field }) => field === "name") || saved !== undefined}>
    <summary class="btn quiet sm">{saved ? "Change this segment" : "Save as a segment"}</summary>
    <Field
      scope="w"
      {...nameInput}
      value={name || saved?.name || ""}
      errors={errors}
      required={false}
      hint="For every manager: in this list, in broadcasts, and in the API."
      autocomplete="off"
    />
    <p class="row">
      {saved && (
        <button type="submit" class="btn sm" name="do" value="change" id="w-change">
          Save changes
        </button>
      )}
      {!saved && (
        <button type="submit" class="btn sm" name="do" value="save" id="w-save" disabled={!draft.nodes.length}>
          Save segment
        </button>
      )}
      {saved && (
        <button type="submit" class="btn quiet sm" formaction={`${path}/${saved.id}/delete`} id="w-delete" data-plain>
          Delete segment
        </button>
      )}
    </p>
  </details>
);

type SavedProps = { state: ListState; segments: Pick<SavedSegment, "id" | "name">[] };

/** The saved segments, in a menu beside the search, and the way to another. */
export const SegmentMenu = ({ state, segments }: SavedProps) =>
  segments.length ? (
    <>
      <button type="button" class="btn" id="segments-button" popovertarget="segments-menu">
        Segments
        <Icon name="chevron-down" />
      </button>
      <div class="menu names" id="segments-menu" popover="auto">
        {segments.map(({ id, name }) => (
          <a
            class="btn quiet"
            href={listUrl({ path: state.path, query: {} }, { segment: id })}
            aria-current={state.query.segment === id ? "true" : undefined}
          >
            {name}
          </a>
        ))}
        <a class="btn quiet" id="new-segment" href={path} hx-get={path} hx-target="#dialog" hx-push-url="false">
          <Icon name="plus" />
          New segment…
        </a>
      </div>
    </>
  ) : null;

type SentenceProps = {
  frame: Frame;
  state: ListState;
  name: string | undefined;
  sentence: string;
  /** All conditions of the list; undefined if a broadcast with them could have other people. */
  where: string | undefined;
  total: number;
};

/** Whether the list shows all whom its conditions mean, or all of those who get emails. */
const isWhole = ({ query: { q, status } }: ListState) => !q && (!status || status === "active");

/** What the list is filtered by, in words, and the way to a broadcast for these people. */
export const FilterSentence = ({ frame, state, name, sentence, where, total }: SentenceProps) => (
  <>
    <p class="sentence" id="sentence">
      {name && <strong>{name}: </strong>}
      {sentence}{" "}
      <ListLink
        href={listUrl(state, { where: "", segment: "", source: "", language: "", tag: "", from: "", to: "" })}
        id="clear-filter"
      >
        Clear filter
      </ListLink>
    </p>
    {name ? (
      <WriteTo frame={frame} field="segment" value={state.query.segment ?? ""} people="this segment" />
    ) : (
      where &&
      total > 0 &&
      isWhole(state) && <WriteTo frame={frame} field="where" value={where} people="these people" />
    )}
  </>
);

type WriteProps = { frame: Frame; field: "segment" | "where"; value: string; people: string };

const WriteTo = ({ frame, field, value, people }: WriteProps) => (
  <Form action={`${paths.broadcasts}/new`} token={frame.token} plain label="New broadcast">
    <input type="hidden" name={field} value={value} />
    <button type="submit" class="btn sm" id={`write-to-${field}`}>
      <Icon name="mail" />
      Write to {people}
    </button>
  </Form>
);
