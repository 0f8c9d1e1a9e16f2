import type { JSX } from "../../../jsx/jsx-runtime";
import { path } from "../state";

const views = [
  ["wide", "Wide", "html"],
  ["narrow", "Narrow", "html"],
  ["dark", "Dark", "html&night=1"],
  ["text", "Plain text", "text"],
  ["page", "Web page", "page"],
] as const;

type Previewed = { id: string; title: string; /** What an inbox shows. */ inbox: JSX.Element };

/**
 * The email as recipients will see it. A radio button chooses which frame is shown, so this works without scripts and
 * with arrow keys. A hidden frame does not load.
 */
export const Stage = ({ id, title, inbox }: Previewed) => (
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
      <AsReader id={id} />
    </header>
    {inbox}
    {views.map(([view, label, query]) => (
      <iframe
        class={view}
        name={`preview-${view}`}
        src={`${path}/${id}/preview?as=${query}`}
        sandbox={view === "page" ? "allow-same-origin" : ""}
        loading="lazy"
        title={`${label}: ${title}`}
        tabindex="0"
      />
    ))}
  </section>
);

/** The wide view with a subscriber's values, instead of the fallbacks. */
const AsReader = ({ id }: { id: string }) => (
  <form class="filter" method="get" action={`${path}/${id}/preview`} target="preview-wide">
    <label class="sr" for="preview-as">
      Preview as this subscriber
    </label>
    <input class="input" id="preview-as" name="for" type="email" maxlength="254" placeholder="As anyone" />
  </form>
);
