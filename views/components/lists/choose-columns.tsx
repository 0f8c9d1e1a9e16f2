import { detailWords, eachDetail } from "../../../db/newsletter/details";
import { paths } from "../../paths";
import type { Frame } from "../frame";
import { Icon } from "../icon";
import { capitalized } from "../list";
import type { Column } from "./table";

const { name, ...details } = eachDetail((name) => capitalized(detailWords(name)));

/** The columns of the big lists that managers may leave out or add, under their keys. What names a row always stays. */
export const columnChoices = {
  subscribers: { tags: "Tags", ...details, joined: "Joined" },
  posts: { state: "Status", views: "Views", changed: "Changed", published: "Published" },
  broadcasts: { state: "Status", people: "People", trouble: "Trouble", when: "When" },
  emails: { state: "Status", kind: "Type", created: "Created" },
  calls: { state: "Status", answer: "Response", when: "When" },
  suppressions: { reason: "Reason", by: "Added by", since: "Since" },
} satisfies Record<string, Record<string, string>>;

export type ChoosableList = keyof typeof columnChoices;

/** The columns that are shown only if someone chooses them. */
const initiallyHidden: Partial<Record<ChoosableList, readonly string[]>> = {
  subscribers: Object.keys(details).filter((name) => name !== "source"),
  posts: ["changed"],
};

type Chosen = Pick<Frame, "preferences">;

/** Preferences name the columns that differ, so that a new column of ours appears for everyone. */
export const isColumnShown = ({ preferences }: Chosen, list: ChoosableList, key: string): boolean =>
  (preferences.columns[list] ?? []).includes(key) === (initiallyHidden[list] ?? []).includes(key);

/** Returns which columns differ from the initial ones if these are shown. */
export const changedColumns = (list: ChoosableList, chosen: readonly string[]): string[] =>
  Object.keys(columnChoices[list]).filter(
    (key) => chosen.includes(key) === (initiallyHidden[list] ?? []).includes(key),
  );

/** Leaves out the columns that this manager does not want. */
export const shownColumns = <Row,>(frame: Chosen, list: ChoosableList, columns: Column<Row>[]): Column<Row>[] =>
  columns.filter(({ key }) => key === undefined || isColumnShown(frame, list, key));

/** The menu of columns. It works without scripts; with htmx, only the list is replaced. */
export const ChooseColumns = ({ frame, list }: { frame: Frame; list: ChoosableList }) => (
  <>
    <button type="button" class="btn quiet sm" id="choose-columns" popovertarget="menu-columns">
      <Icon name="columns" />
      Columns
    </button>
    <div class="menu choice" id="menu-columns" popover="auto">
      <form
        method="post"
        action={paths.columns}
        aria-label="Columns"
        hx-post={paths.columns}
        hx-target="#list"
        hx-swap="outerHTML"
      >
        <input type="hidden" name="_token" value={frame.token} />
        <input type="hidden" name="list" value={list} />
        <fieldset>
          <legend class="sr">Columns</legend>
          {Object.entries(columnChoices[list]).map(([key, title]) => (
            <label class="check">
              <input
                type="checkbox"
                name="shown"
                value={key}
                id={`column-${key}`}
                checked={isColumnShown(frame, list, key)}
              />
              <span>{title}</span>
            </label>
          ))}
        </fieldset>
        <button type="submit" class="btn sm" id="show-columns">
          Show these columns
        </button>
      </form>
    </div>
  </>
);
