import type { Child } from "../../jsx/jsx-runtime";

type FormProps = {
  action: string;
  token: string;
  id?: string;
  class?: string;
  label?: string;
  /** Without htmx: for responses that are files, or lead to another page. */
  plain?: boolean;
  encoding?: "multipart/form-data";
  /** Leaving with unsaved text requires confirmation. */
  guard?: boolean;
  /** The page's script saves what is typed: every ten seconds, soon after typing stops, or only in the browser. */
  autosave?: boolean | "soon" | "browser" | undefined;
  children?: Child;
};

type EnterProps = { name?: string; value?: string; form?: string };

/**
 * What Enter in a field presses: the first button of a form, which would be another one. It is not seen.
 * @param form the ID of the form, whose first button may be above it
 */
export const EnterButton = (button: EnterProps) => (
  <button type="submit" class="sr" tabindex="-1" aria-hidden="true" {...button} />
);

/** A form that changes something. It works without JavaScript, and uses htmx if available. */
export const Form = ({ action, token, id, class: className, label, plain, encoding, children, ...rest }: FormProps) => (
  <form
    method="post"
    action={action}
    id={id}
    class={className}
    aria-label={label}
    enctype={encoding}
    {...(rest.guard && { "data-guard": true })}
    {...(rest.autosave && { "data-autosave": rest.autosave })}
    {...(plain ? {} : { "hx-post": action, "hx-sync": "this:drop", ...(encoding && { "hx-encoding": encoding }) })}
  >
    <input type="hidden" name="_token" value={token} />
    {children}
  </form>
);
