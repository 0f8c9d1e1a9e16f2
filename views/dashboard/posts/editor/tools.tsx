import { errorOf, type FieldError } from "../../../components/forms/field-errors";
import { Field } from "../../../components/forms/field";
import { Icon } from "../../../components/icon";
import type { Child } from "../../../jsx/jsx-runtime";
import { ChoosePicture } from "../choose-picture";
import { mergeField, Toolbar, tools } from "./toolbar";

type BodyProps = {
  label: string;
  content: string;
  errors: FieldError[];
  hint: Child;
  /** Whether the text may contain merge fields. */
  withFields?: boolean;
};

/** The text field. Tab leaves it, as everywhere; Ctrl and brackets indent. */
export function BodyField({ label, content, errors, hint, withFields = false }: BodyProps) {
  const error = errorOf(errors, "content", label);
  return (
    <div class="field body-field">
      <label for="content">{label}</label>
      <Toolbar tools={withFields ? [...tools, mergeField] : tools} />
      <textarea
        class="input"
        id="content"
        name="content"
        rows="20"
        spellcheck="true"
        aria-describedby={error ? "content-error content-hint" : "content-hint"}
        aria-invalid={error ? "true" : undefined}
      >
        {content}
      </textarea>
      <p class="hint" id="content-hint">
        {hint}
      </p>
      {error && (
        <p class="error" id="content-error">
          <Icon name="circle-alert" />
          {error}
        </p>
      )}
    </div>
  );
}

type CoverProps = { name: string; id: string; label: string; value: string; errors: FieldError[] };

/** An image from Storage, a new upload, or any URL. */
export const CoverField = (field: CoverProps) => (
  <div class="cover">
    <Field {...field} hint="Image from Storage, or a URL" maxlength={2_000} />
    <ChoosePicture id="choose-cover" wanted="cover-image" />
  </div>
);

/** Unsaved text in this browser. The script shows it if there is any. */
export const CopyOffer = () => (
  <div class="note info" id="copy-offer" hidden>
    <Icon name="history" />
    <p>
      This browser has unsaved text from <span data-when />.
    </p>
    <button type="button" class="btn sm" data-copy-choice="restore">
      Restore it
    </button>
    <button type="button" class="btn sm quiet" data-copy-choice="discard">
      Discard
    </button>
  </div>
);
