import type { ApiKey } from "../../../db/access/keys/api-keys";
import type { Scope } from "../../../db/schema/scopes";
import { CopyButton } from "../../components/buttons";
import { ErrorLine, errorOf, type FieldError } from "../../components/forms/field-errors";
import { Choice, Field, type Input } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { paths } from "../../paths";
import { DialogFooter } from "../dialog";

const path = paths.apiKeys;

export const scopeLabels: Record<Scope, string> = {
  "content:read": "read posts, projects and the newsletter archive",
  "settings:read": "read public settings",
  "files:read": "list and download files",
  "files:write": "upload and delete files",
  "newsletter:read": "read subscribers",
  "newsletter:write": "read, add, change and erase subscribers",
  visitors: "pass on forms and views from your own server; limits and statistics count them for each visitor",
};

/** What was typed into the form of a new key. */
type KeyFormValues = {
  name: string;
  days: string;
  networks: string;
  maxBytes: string;
  types: string;
  folder: string;
  scopes: readonly Scope[];
};

type NewKeyProps = {
  frame: Frame;
  once: string;
  inputs: Record<"name" | "networks" | "types" | "folder", Input>;
  values: KeyFormValues;
  /** The address that this request came from. */
  address: string;
  errors?: FieldError[];
};

/** @param once a one-time form token: sending the form again generates no second key */
export const NewKeyForm = ({ frame, once, inputs, values, address, errors = [] }: NewKeyProps) => (
  <Form action={path} token={frame.token} class="stack">
    <input type="hidden" name="once" value={once} />
    <input type="hidden" name="limited" value="yes" />
    <Field {...inputs.name} value={values.name} errors={errors} autocomplete="off" autofocus />
    <Scopes chosen={values.scopes} errors={errors} />
    <Choice
      name="days"
      label="Expires"
      value={values.days}
      options={[
        ["", "Never"],
        ["30", "In 30 days"],
        ["90", "In 90 days"],
        ["365", "In a year"],
      ]}
      hint="Requests with an expired key fail (401). You and the owner get an email 14 and 3 days before."
    />
    <Field
      {...inputs.networks}
      value={values.networks}
      errors={errors}
      autocomplete="off"
      hint={
        <>
          Only requests from these networks are accepted, such as <span class="mono">203.0.113.0/24</span>. Leave it
          empty to accept all. Your own address is <span class="mono">{address}</span>.
        </>
      }
    />
    <Uploads inputs={inputs} values={values} errors={errors} />
    <DialogFooter cancel={path}>Generate key</DialogFooter>
  </Form>
);

/** What the key may upload, if it may upload at all. */
const Uploads = ({ inputs, values, errors }: Pick<NewKeyProps, "inputs" | "values"> & { errors: FieldError[] }) => (
  <fieldset class="stack">
    <legend>Limits for uploads</legend>
    <Choice
      name="maxBytes"
      label="Largest file"
      value={values.maxBytes}
      options={[
        ["", "No limit"],
        ["1000000", "1 MB"],
        ["10000000", "10 MB"],
        ["100000000", "100 MB"],
        ["1000000000", "1 GB"],
        ["10000000000", "10 GB"],
      ]}
      errors={errors}
    />
    <Field {...inputs.types} value={values.types} errors={errors} autocomplete="off" />
    <Field {...inputs.folder} value={values.folder} errors={errors} autocomplete="off" />
  </fieldset>
);

const Scopes = ({ chosen, errors }: { chosen: readonly Scope[]; errors: FieldError[] }) => {
  const error = errorOf(errors, "scopes", "Scopes");
  return (
    <fieldset class="stack" id="f-scopes" aria-describedby={error ? "f-scopes-error" : undefined}>
      <legend>Scopes</legend>
      <div class="checks-grid">
        {Object.entries(scopeLabels).map(([scope, label]) => (
          <div class="check">
            <input
              type="checkbox"
              id={`f-${scope}`}
              name="scopes"
              value={scope}
              checked={chosen.some((each) => each === scope)}
            />
            <label for={`f-${scope}`}>
              <span class="mono">{scope}</span>
              <span class="hint">{label}</span>
            </label>
          </div>
        ))}
      </div>
      {error && <ErrorLine id="f-scopes-error" error={error} />}
    </fieldset>
  );
};

/** `scopes` are those that count: without its own, a key has those of before there were any. */
type NewKeyViewProps = {
  secret: string;
  row: ApiKey;
  baseUrl: string;
  scopes: readonly Scope[];
  /** Whether it is a page, on which the key has the focus. A dialog has it itself, so that its title is read aloud. */
  isPage: boolean;
};

/** The key, shown this once (spec part 3). */
export const NewKey = ({ secret, row, baseUrl, scopes, isPage }: NewKeyViewProps) => (
  <div class="stack" data-after={`#more-${row.id}`}>
    <div class="note">
      <Icon name="triangle-alert" />
      <p id="only-time">
        This is the only time the key for “<strong>{row.name}</strong>” is shown. If you lose it, generate a new one.
      </p>
    </div>
    <div class="field">
      <label for="new-key">API key</label>
      <div class="secret">
        <input
          class="input"
          id="new-key"
          value={secret}
          readonly
          autocomplete="off"
          spellcheck="false"
          size="44"
          aria-describedby="only-time"
          data-secret
          autofocus={isPage}
        />
        <CopyButton from="new-key" class="btn primary" />
      </div>
    </div>
    <TryIt baseUrl={baseUrl} scopes={scopes} secret={secret} />
    <footer>
      <a class="btn" href={path} data-close>
        I have saved the key
      </a>
    </footer>
  </div>
);

/** A request that answers at once, for the first of these scopes that a key has. */
const firstRequests: [Scope, string][] = [
  ["content:read", "/api/v1/posts?limit=5"],
  ["settings:read", "/api/v1/settings"],
  ["files:read", "/api/v1/storage/files?limit=5"],
  ["files:write", "/api/v1/storage/uploads?limit=5"],
  ["newsletter:read", "/api/v1/subscribers?limit=5"],
  ["newsletter:write", "/api/v1/subscribers?limit=5"],
];

type TryItProps = { baseUrl: string; scopes: readonly Scope[]; secret: string };

/** The key stays in the environment, so this code can be shared as it is. */
function TryIt({ baseUrl, scopes, secret }: TryItProps) {
  const [, request] = firstRequests.find(([scope]) => scopes.includes(scope)) ?? [];
  const url = baseUrl + request;
  return (
    <section class="try" aria-labelledby="try-title">
      <h3 id="try-title">Try it</h3>
      <div class="tabs">
        <details name="try" open>
          <summary>.env</summary>
          <div class="secret">
            <input
              class="input"
              id="new-key-line"
              aria-label="Line for .env"
              value={`POSTROOM_KEY=${secret}`}
              readonly
              autocomplete="off"
              spellcheck="false"
              data-secret
            />
            <CopyButton from="new-key-line" />
          </div>
        </details>
        {request && (
          <>
            <details name="try">
              <summary>curl</summary>
              <pre tabindex="0">{`curl -H "x-api-key: $POSTROOM_KEY" \\\n  "${url}"`}</pre>
            </details>
            <details name="try">
              <summary>TypeScript</summary>
              <pre tabindex="0">
                {`const response = await fetch(\n  "${url}",\n  { headers: { "x-api-key": process.env.POSTROOM_KEY! } },\n);\nconst { success, data, error } = await response.json();`}
              </pre>
            </details>
          </>
        )}
      </div>
      <p class="hint">
        Use it on servers only, never in browser code. <a href="/docs/keys">More about keys</a>
      </p>
    </section>
  );
}
