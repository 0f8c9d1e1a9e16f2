import { Icon } from "../icon";

/**
 * Turns a field's error into a sentence. Schemas return the end of a sentence that begins with the field's name, as the
 * API shows it: "must be at most 100 characters long". A message with a capital letter is a sentence already.
 *
 * @param label the field's label on the page
 */
export function fieldSentence(label: string, message: string): string {
  if (/^\p{Lu}/u.test(message)) return withFullStop(message);
  const name = label.replace(/ \(optional\)$/, "");
  if (message === "must be a valid email address") return "Enter a valid email address.";
  if (message === "is required") return `Enter ${withArticle(name)}.`;
  const [, max] = /^must be 1 to (\d+) characters long$/.exec(message) ?? [];
  return max
    ? `Enter ${withArticle(name)} (up to ${grouped(max)} characters).`
    : withFullStop(`${name} ${message.replace(/\d{4,}(?= characters)/, grouped)}`);
}

const grouped = (count: string) => Number(count).toLocaleString("en-GB");

/** "a title", "an email address", "your name". A label with more than one capital is a name, and stays as it is. */
function withArticle(label: string): string {
  const name = /^\p{Lu}[^\p{Lu}]+$/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
  if (/^(your|the) /.test(name)) return name;
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

const withFullStop = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** A schema's message, or a sentence: pages show it with `fieldSentence`. */
export type FieldError = { field: string; message: string };

/** Returns the error below a field; undefined if there is none. */
export function errorOf(errors: FieldError[], field: string, label: string): string | undefined {
  const error = errors.find((one) => one.field === field);
  return error && fieldSentence(label, error.message);
}

const focused = { autofocus: true }; // JSX has no such attribute of a div, but HTML has

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
    <div class="errors" role="alert" tabindex="-1" data-focus {...focused}>
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

/** The error of a control, which refers to it by `aria-describedby`. */
export const ErrorLine = ({ id, error }: { id: string; error: string }) => (
  <p class="error" id={id}>
    <Icon name="circle-alert" />
    {error}
  </p>
);
