import { path } from "../state";

const views = [
  ["wide", "Wide", "html"],
  ["narrow", "Narrow", "html"],
  ["dark", "Dark", "html&night=1"],
  ["text", "Plain text", "text"],
  ["page", "Web page", "page"],
] as const;

type Previewed = { id: string; title: string };

/**
 * The email as readers will see it. One of the frames is shown, by the radio button that is chosen: without a script and
 * by arrow keys too. A frame that is not shown does not load.
 */
export const Stage = ({ id, title }: Previewed) => (
  <section class="stage" aria-label="Preview">
    <header>
      <fieldset class="segments">
        <legend class="sr">Preview</legend>
        {views.map(([view, label]) => (
          <label>
            <input type="radio" name="view" id={`view-${view}`} value={view} checked={view === "wide"} />
            {label}
          </label>
        ))}
      </fieldset>
    </header>
    {views.map(([view, label, query]) => (
      <iframe
        class={view}
        src={`${path}/${id}/preview?as=${query}`}
        sandbox={view === "page" ? "allow-same-origin" : ""}
        loading="lazy"
        title={`${label}: ${title}`}
        tabindex="0"
      />
    ))}
  </section>
);
