import { Icon } from "../icon";
import { type ListState, listUrl } from "../list";

type ExportsProps = { state: ListState; formats: readonly ("csv" | "json")[] };

/** Links to files of what the list shows. */
export const Exports = ({ state, formats }: ExportsProps) => (
  <div class="row" id="exports">
    {formats.map((format, at) => (
      <a class="btn" href={listUrl({ ...state, path: `${state.path}/export.${format}` }, {})}>
        {at === 0 && <Icon name="download" />}
        {at === 0 ? `Export ${format.toUpperCase()}` : format.toUpperCase()}
      </a>
    ))}
  </div>
);

/** Sent with the list, so that the files always match it. */
export const FreshExports = (props: ExportsProps) => (
  <hx-partial hx-target="#exports" hx-swap="outerHTML">
    <Exports {...props} />
  </hx-partial>
);
