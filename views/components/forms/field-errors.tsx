import { fieldSentence } from "./field-sentence";

/** A schema's message, or a sentence: pages show it with `fieldSentence`. */
export type FieldError = { field: string; message: string };

/** Returns the error below a field; undefined if there is none. */
export function errorOf(errors: FieldError[], field: string, label: string): string | undefined {
  const error = errors.find((one) => one.field === field);
  return error && fieldSentence(label, error.message);
}

/** Two or more errors get a summary that links to the fields (WCAG 3.3.1). */
export const ErrorSummary = ({
  errors,
  labels,
  scope = "f",
  idOf = (field) => `${scope}-${field}`,
}: {
  errors: FieldError[];
  labels: Readonly<Record<string, string>>;
  scope?: string;
  idOf?: (field: string) => string;
}) =>
  errors.length < 2 ? null : (
    <div class="errors" role="alert" tabindex="-1" data-focus>
      <h2>Please correct {errors.length} fields</h2>
      <ul>
        {errors.map(({ field, message }) => (
          <li>
            <a href={`#${idOf(field)}`}>{fieldSentence(labels[field] ?? "This field", message)}</a>
          </li>
        ))}
      </ul>
    </div>
  );
