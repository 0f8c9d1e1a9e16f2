import type { Translator } from "./languages/translator";
import { PublicLayout } from "./public-layout";

type Field = "name" | "email" | "message";
/** What the visitor typed, and the form's hidden fields. */
type ContactValues = Partial<Record<Field | "source" | "website" | "next", string>>;
export type ContactErrors = Partial<Record<Field, string>>;
/** The result of sending a message, or the form again with what is wrong. */
export type ContactState = { title: string; text?: string; values?: ContactValues | undefined; errors?: ContactErrors };

/** The page that responds to a contact form of any of our sites, or shows it again. @param home where it links back to */
export const ContactPage = ({ t, home, ...state }: ContactState & { t: Translator; home: string }) => (
  <PublicLayout root={t.root} title={state.title} extras={["archive.css"]}>
    <h1>{state.title}</h1>
    {state.text && <p role="status">{state.text}</p>}
    {state.values && <ContactForm t={t} values={state.values} errors={state.errors ?? {}} />}
    <p class="back">
      <a href={home}>{t("back", { host: new URL(home).host })}</a>
    </p>
  </PublicLayout>
);

const hidden = ["source", "website", "next"] as const;

const ContactForm = ({ t, values, errors }: { t: Translator; values: ContactValues; errors: ContactErrors }) => (
  // Not validated by the browser: only we can say what is wrong in the site's language
  <form class="join" method="post" action="/contact" novalidate>
    <FieldLabel name="name" label={t("contact.name")} error={errors.name} />
    <input {...attributes("name", errors)} autocomplete="name" value={values.name} />
    <FieldLabel name="email" label={t("subscribe.label")} error={errors.email} />
    <input {...attributes("email", errors)} type="email" autocomplete="email" value={values.email} />
    <FieldLabel name="message" label={t("contact.message")} error={errors.message} />
    <textarea {...attributes("message", errors)}>{values.message}</textarea>
    {hidden.map((name) => values[name] && <input type="hidden" name={name} value={values[name]} />)}
    <button type="submit" class="main-act">
      {t("contact.send")}
    </button>
  </form>
);

const FieldLabel = ({ name, label, error }: { name: Field; label: string; error: string | undefined }) => (
  <>
    <label for={name}>{label}</label>
    {error && (
      <p class="error" id={`${name}-error`} role="alert">
        {error}
      </p>
    )}
  </>
);

const attributes = (name: Field, errors: ContactErrors) => ({
  id: name,
  name,
  required: true,
  "aria-invalid": errors[name] ? ("true" as const) : undefined,
  "aria-describedby": errors[name] && `${name}-error`,
});
