import { errorOf, type FieldError } from "../../../components/forms/field-errors";
import { Icon } from "../../../components/icon";
import { plural } from "../../../components/list";

export type EnvelopeView = {
  subject: string;
  preheader: string;
  fromName: string;
  /** The sender's address, and the default name. */
  from: { address: string; name: string };
  audience: number;
  audienceWords: string;
  errors?: FieldError[] | undefined;
};

export const labels = {
  subject: "Subject",
  preheader: "Preheader",
  fromName: "From",
  content: "Text",
  archive: "On the web",
};

const limits = { subject: 60, preheader: 150 }; // a longer subject is cut off in most inboxes

/** Recipients, sender and subject: one frame, so the rows inside need none. */
export const Envelope = (view: EnvelopeView) => (
  <div class="envelope">
    <To {...view} />
    <div>
      <label for="fromName">From</label>
      <input
        id="fromName"
        name="fromName"
        value={view.fromName}
        maxlength="60"
        autocomplete="off"
        placeholder={view.from.name}
        aria-describedby="from-address"
      />
      <span class="tail" id="from-address">
        {view.from.address}
      </span>
    </div>
    <Line name="subject" view={view} isRequired />
    <Line name="preheader" view={view} />
    <Errors {...view} />
  </div>
);

/** The recipients. Changing them saves the text first. */
const To = ({ audience, audienceWords }: Pick<EnvelopeView, "audience" | "audienceWords">) => (
  <div id="to">
    <span class="label">To</span>
    <Recipients audience={audience} audienceWords={audienceWords} />
    <span class="tail">
      <button
        type="submit"
        form="broadcast-form"
        class="btn sm quiet"
        id="change-audience"
        name="do"
        value="audience"
        aria-label="Change the audience"
      >
        Change…
      </button>
    </span>
  </div>
);

/** How many recipients, and which. Updated when the text is saved. */
export const Recipients = ({ audience, audienceWords }: Pick<EnvelopeView, "audience" | "audienceWords">) => (
  <div class="value" id="recipients">
    <strong>{plural(audience, "person", "people")}</strong>
    <span class="sub">{audienceWords}</span>
  </div>
);

type LineProps = { name: "subject" | "preheader"; view: EnvelopeView; isRequired?: boolean };

const Line = ({ name, view, isRequired }: LineProps) => {
  const { [name]: text, errors = [] } = view;
  const count = [...text].length;
  const error = errorOf(errors, name, labels[name]);
  return (
    <div>
      <label for={name}>
        {labels[name]}
        <span class={count > limits[name] ? "count warn" : "count"} id={`${name}-count`} data-of={limits[name]}>
          {count} of {limits[name]}
        </span>
      </label>
      <textarea
        id={name}
        class={name}
        name={name}
        rows="1"
        maxlength="150"
        data-one-line
        aria-required={isRequired ? "true" : undefined}
        aria-describedby={error ? `${name}-count ${name}-error` : `${name}-count`}
        aria-invalid={error ? "true" : undefined}
        {...(error && { "data-focus": true })}
      >
        {text}
      </textarea>
    </div>
  );
};

const Errors = ({ errors = [] }: EnvelopeView) => (
  <>
    {(["fromName", "subject", "preheader"] as const).map((name) => {
      const error = errorOf(errors, name, labels[name]);
      return error ? (
        <p class="error" id={`${name}-error`}>
          <Icon name="circle-alert" />
          {error}
        </p>
      ) : null;
    })}
  </>
);
