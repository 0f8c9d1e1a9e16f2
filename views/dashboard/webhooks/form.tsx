import type { Endpoint, EndpointFields } from "../../../db/webhooks/endpoints";
import { CopyButton } from "../../components/buttons";
import { DialogFooter } from "../dialog";
import { ErrorLine, errorOf, ErrorSummary, type FieldError } from "../../components/forms/field-errors";
import { Check, Choice, Field, type Input, labelsOf } from "../../components/forms/fields";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { paths } from "../../paths";
import { bySubject } from "./endpoints";

type EndpointFormProps = {
  frame: Frame;
  action: string;
  cancel: string;
  /** The button's text. */
  verb: string;
  /** What each type of event says. */
  types: Readonly<Record<string, string>>;
  inputs: Record<"name" | "url", Input>;
  values: EndpointFields;
  /** Hidden fields: a one-time token, or the version that is being edited. */
  fields: Record<string, string>;
  errors?: FieldError[];
};

/** The form of an endpoint. */
export const EndpointForm = ({
  frame,
  action,
  cancel,
  verb,
  types,
  inputs,
  values,
  fields,
  errors = [],
}: EndpointFormProps) => (
  <Form action={action} token={frame.token} class="stack" plain>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <ErrorSummary errors={errors} labels={{ ...labelsOf(inputs), events: eventsLabel }} scope="f" />
    <Field {...inputs.name} value={values.name} errors={errors} autofocus />
    <Field {...inputs.url} value={values.url} errors={errors} autocomplete="off" />
    <Events types={types} chosen={values.events} errors={errors} />
    <Check
      name="withPeople"
      label="Include personal data"
      checked={values.withPeople}
      hint="Adds email addresses, names and messages. Only for a receiver that may process them. Without it, calls contain IDs."
    />
    <Verification {...values} />
    <DialogFooter cancel={cancel}>{verb}</DialogFooter>
  </Form>
);

const secondsOffered = [10, 30, 60, 120, 300];

/** What applies to an endpoint that decides about uploads. */
const Verification = ({ verifySeconds = 30, acceptsUnanswered = false }: EndpointFields) => (
  <fieldset class="stack">
    <legend>Verification of uploads</legend>
    <p class="hint">
      Only for <span class="mono">upload.verify</span>: no one sees an upload until this endpoint has accepted it. It
      gets a link to the bytes.
    </p>
    <Choice
      name="verifySeconds"
      label="Time for each answer"
      value={String(verifySeconds)}
      options={[...new Set([...secondsOffered, verifySeconds])]
        .sort((a, b) => a - b)
        .map((seconds) => [String(seconds), `${seconds} seconds`])}
      hint="Without an answer, Postroom asks again for 15 minutes."
    />
    <Check
      name="acceptsUnanswered"
      label="Accept uploads that are not answered"
      checked={acceptsUnanswered}
      hint="Otherwise they are refused and their bytes deleted."
    />
  </fieldset>
);

type EventsProps = { types: EndpointFormProps["types"]; chosen: string[]; errors: FieldError[] };

const eventsLabel = "Events";

const Events = ({ types, chosen, errors }: EventsProps) => {
  const error = errorOf(errors, "events", eventsLabel);
  return (
    <fieldset class="stack" id="f-events" aria-describedby={error ? "f-events-error" : undefined}>
      <legend>{eventsLabel}</legend>
      <p class="hint">
        Select none to receive all events except <span class="mono">upload.verify</span>.
      </p>
      {[...bySubject(Object.keys(types))].map(([subject, those]) => (
        <fieldset>
          <legend>{subject}</legend>
          <div class="checks-grid">
            {those.map((type) => (
              <div class="check">
                <input
                  type="checkbox"
                  id={`f-${type}`}
                  name="events"
                  value={type}
                  checked={chosen.includes(type)}
                  aria-describedby={`code-${type}`}
                />
                <div>
                  <label for={`f-${type}`}>{types[type]}</label>
                  <span class="hint mono" id={`code-${type}`}>
                    {type}
                  </span>
                </div>
              </div>
            ))}
          </div>
        </fieldset>
      ))}
      {error && <ErrorLine id="f-events-error" error={error} />}
    </fieldset>
  );
};

/** The secret, shown this once. */
export const NewSecret = ({
  secret,
  endpoint,
  isRotation,
}: {
  secret: string;
  endpoint: Endpoint;
  isRotation: boolean;
}) => (
  <div class="stack">
    <div class="note">
      <Icon name="triangle-alert" />
      <p id="only-time">
        This is the only time the signing secret of “<strong>{endpoint.name}</strong>” is shown. If you lose it, replace
        it.
        {isRotation && " For 24 hours, calls are signed with the previous secret too."}
      </p>
    </div>
    <div class="field">
      <label for="new-secret">Signing secret</label>
      <div class="secret">
        <input
          class="input"
          id="new-secret"
          value={secret}
          readonly
          autocomplete="off"
          spellcheck="false"
          size="50"
          aria-describedby="only-time"
          data-secret
          autofocus
        />
        <CopyButton from="new-secret" class="btn primary" />
      </div>
    </div>
    <footer>
      <a class="btn" href={`${paths.webhooks}/${endpoint.id}`} data-close>
        I have saved the secret
      </a>
    </footer>
  </div>
);
