import type { Child } from "../jsx/jsx-runtime";
import { Form } from "./forms/form";
import type { Frame } from "./frame";

type ConfirmProps = {
  frame: Frame;
  action: string;
  /** The action: "Delete 214 subscribers". */
  verb: string;
  cancel: string;
  /** The other button's text, where "Cancel" would be ambiguous. */
  dismiss?: string;
  fields?: Record<string, string | string[]>;
  /** Above a hundred rows, their number must be typed. */
  typed?: number | undefined;
  error?: string | undefined;
  /** Nothing is lost by it, so its button is an ordinary one. */
  isHarmless?: boolean;
  /** The answer is a whole page. */
  isPlain?: boolean;
  children?: Child;
};

/** The question before something irreversible, or with a wide effect. Cancel comes first and has the focus. */
export const Confirm = ({
  frame,
  action,
  verb,
  cancel,
  dismiss = "Cancel",
  fields = {},
  typed,
  error,
  isHarmless = false,
  isPlain = false,
  children,
}: ConfirmProps) => (
  <Form action={action} token={frame.token} class="stack" plain={isPlain}>
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
      <button type="submit" class={isHarmless ? "btn primary" : "btn danger"}>
        {verb}
      </button>
    </footer>
  </Form>
);
