import type { AssetName } from "../assets";
import type { Child } from "../jsx/jsx-runtime";
import { Crumb, Shell } from "../dashboard/shell";
import { Form } from "./forms/form";
import type { Frame } from "./frame";

export type DialogProps = {
  title: string;
  frame: Frame;
  dismiss?: "freely" | "by-button";
  /** Where a page of its own leads back to. */
  back?: { href: string; text: string };
  /** Style sheets that the page around it has, and a page of its own needs too. */
  extras?: AssetName[];
  children?: Child;
};

/** A question or a small form, as a fragment for `#dialog`: app.ts opens it. */
export const Dialog = ({ title, dismiss = "freely", children }: DialogProps) => (
  <dialog class="dialog" aria-labelledby="dialog-title" data-dismiss={dismiss}>
    <div class="body">
      <h2 id="dialog-title" tabindex="-1">
        {title}
      </h2>
      {children}
    </div>
    <p class="sr" role="status" />
  </dialog>
);

/** The same as a page of its own, when JavaScript is off or the link is opened so. */
export const DialogPage = ({ title, frame, back, extras, children }: DialogProps) => (
  <Shell frame={frame} title={title} extras={extras}>
    {back && <Crumb href={back.href}>{back.text}</Crumb>}
    <section class="card sheet">
      <div class="body">
        <h1 id="head">{title}</h1>
        {children}
      </div>
    </section>
  </Shell>
);

type FooterProps = { cancel: string; tone?: "primary" | "danger"; children?: Child };

/** The end of a small form: the way out, and what it does. */
export const DialogFooter = ({ cancel, tone = "primary", children }: FooterProps) => (
  <footer>
    <a class="btn" href={cancel} data-close>
      Cancel
    </a>
    <button type="submit" class={`btn ${tone}`}>
      {children}
    </button>
  </footer>
);

type ConfirmProps = {
  frame: Frame;
  action: string;
  /** Says what happens: "Delete 214 subscribers". */
  verb: string;
  cancel: string;
  /** Says what the other button does, where "Cancel" would be ambiguous. */
  dismiss?: string;
  fields?: Record<string, string | string[]>;
  /** More than a hundred rows: the number is typed. */
  typed?: number | undefined;
  error?: string | undefined;
  children?: Child;
};

/** The question before something that cannot be undone. Cancel comes first and has the focus. */
export const Confirm = ({
  frame,
  action,
  verb,
  cancel,
  dismiss = "Cancel",
  fields = {},
  typed,
  error,
  children,
}: ConfirmProps) => (
  <Form action={action} token={frame.token} class="stack">
    {children}
    <input type="hidden" name="confirmed" value="yes" />
    {Object.entries(fields).flatMap(([name, values]) =>
      [values].flat().map((value) => <input type="hidden" name={name} value={value} />),
    )}
    {typed && (
      <div class="field">
        <label for="confirm-number">Enter {typed.toLocaleString("en-GB")} to confirm</label>
        <input
          class="input"
          id="confirm-number"
          name="typed"
          inputmode="numeric"
          autocomplete="off"
          required
          aria-invalid={error ? "true" : undefined}
          aria-describedby={error ? "confirm-error" : undefined}
        />
        {error && (
          <p class="error" id="confirm-error">
            {error}
          </p>
        )}
      </div>
    )}
    <footer>
      <a class="btn" href={cancel} data-close data-focus>
        {dismiss}
      </a>
      <button type="submit" class="btn danger">
        {verb}
      </button>
    </footer>
  </Form>
);
