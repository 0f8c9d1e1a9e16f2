import type { Child } from "../../jsx/jsx-runtime";

type FormProps = {
  action: string;
  token: string;
  id?: string;
  class?: string;
  label?: string;
  /** Not through htmx: for answers that are files, or lead to another page. */
  plain?: boolean;
  encoding?: "multipart/form-data";
  /** Leaving with unsaved words asks first. */
  guard?: boolean;
  /** The page's script saves what is typed, before it is sent: every ten seconds, or soon after typing stops. */
  autosave?: boolean | "soon";
  children?: Child;
};

/** A form that changes something: works without JavaScript, and through htmx when it is there. */
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
