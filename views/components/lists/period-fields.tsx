import { Icon } from "../icon";
import type { ListState } from "../list";

/** Hidden until wanted, or in use. The fields stay the same elements while a date is typed. */
export const PeriodFields = ({
  label,
  query: { from = "", to = "" },
}: {
  label: string;
  query: ListState["query"];
}) => (
  <div class="filter" id="filter-period">
    <details class="period" open={from !== "" || to !== ""}>
      <summary class="btn">
        {label}
        <Icon name="chevron-down" />
      </summary>
      <div class="row">
        <label for="filter-from">From</label>
        <input class="input" type="date" id="filter-from" name="from" value={from} hx-preserve />
        <label for="filter-to">to</label>
        <input class="input" type="date" id="filter-to" name="to" value={to} hx-preserve />
      </div>
    </details>
  </div>
);
