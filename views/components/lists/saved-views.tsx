import type { SavedView } from "../../../db/saved-views";
import { DialogLink } from "../buttons";
import { paths } from "../../paths";
import { Form } from "../forms/form";
import type { Frame } from "../frame";
import type { ListState } from "../list";

/** The query of a list's URL, without the page, in a fixed order, so that the same view always has the same text. */
export const viewQuery = (query: Record<string, string>): string =>
  String(
    new URLSearchParams(
      Object.entries(query)
        .filter(([name, value]) => name !== "page" && value !== "")
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  );

export const viewUrl = ({ path, query }: Pick<SavedView, "path" | "query">) => (query ? `${path}?${query}` : path);

/**
 * This list's saved views, and the actions on the current one. Links load the whole page, because a view replaces what
 * is typed in the list's fields.
 */
export function SavedViews({ frame, state }: { frame: Frame; state: ListState }) {
  const views = frame.savedViews.filter(({ path }) => path === state.path);
  const query = viewQuery(state.query);
  const currentView = views.find((view) => view.query === query);
  if (views.length === 0 && !query) return null;
  return (
    <nav class="views" aria-label="Saved views">
      {views.map((view) => (
        <a
          class="btn sm"
          href={viewUrl(view)}
          id={`view-${view.id}`}
          aria-current={view === currentView ? "true" : undefined}
        >
          {view.name}
        </a>
      ))}
      {currentView ? <Changes view={currentView} frame={frame} /> : query && <Save path={state.path} query={query} />}
    </nav>
  );
}

const Save = ({ path, query }: { path: string; query: string }) => {
  const href = `${paths.savedViews}/new?${new URLSearchParams({ list: path, query })}`;
  return (
    <DialogLink class="btn quiet sm" id="save-view" href={href} icon="star">
      Save view…
    </DialogLink>
  );
};

const Changes = ({ view: { id, name }, frame }: { view: SavedView; frame: Frame }) => {
  const path = `${paths.savedViews}/${id}`;
  return (
    <>
      <DialogLink class="btn quiet sm" id="rename-view" href={`${path}/rename`} aria-label={`Rename… the view ${name}`}>
        Rename…
      </DialogLink>
      <Form action={`${path}/delete`} token={frame.token}>
        <button type="submit" class="btn quiet sm" id="delete-view" aria-label={`Delete view ${name}`}>
          Delete view
        </button>
      </Form>
    </>
  );
};
