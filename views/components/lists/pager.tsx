import { Icon } from "../icon";
import { ListLink, type ListState, listUrl, number, type PageOf } from "../list";

/** Which rows are shown, and links to the others. */
export function Pager({ state, page, per, total, isMore = false }: PageOf & { state: ListState }) {
  const last = isMore ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil(total / per));
  const from = total ? (page - 1) * per + 1 : 0;
  return (
    <nav class="pager" aria-label="Pages">
      <p>
        {number(from)}–{number(isMore ? page * per : Math.min(total, page * per))} of {isMore ? "more than " : ""}
        {number(total)}
      </p>
      {page > 1 && (
        <ListLink
          class="btn sm"
          href={listUrl(state, { page: page === 2 ? "" : String(page - 1) })}
          id="page-previous"
          rel="prev"
        >
          <Icon name="chevron-left" />
          Previous
        </ListLink>
      )}
      {page < last && (
        <ListLink class="btn sm" href={listUrl(state, { page: String(page + 1) })} id="page-next" rel="next">
          Next
          <Icon name="chevron-right" />
        </ListLink>
      )}
    </nav>
  );
}
