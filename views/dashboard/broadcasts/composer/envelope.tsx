import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { errorOf, type FieldError } from "../../../components/forms/field-errors";
import type { Input } from "../../../components/forms/fields";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { plural } from "../../../components/list";
import { Time } from "../../../components/time";
import { ConflictPage, type Typed } from "../../posts/editor/conflict";
import { onTheWeb } from "../question";
import { path, titleOf } from "../state";

export type EnvelopeView = {
  subject: string;
  preheader: string;
  fromName: string;
  /** The sender's address, and the default name. */
  from: { address: string; name: string };
  audience: number;
  audienceWords: string;
  /** The sequence whose email it is: its people come one by one. */
  sequence?: { id: string; name: string } | undefined;
  errors?: FieldError[] | undefined;
  inputs: Record<"subject" | "preheader" | "fromName" | "testTo" | "for", Input>;
};

export const labels = {
  subject: "Subject",
  preheader: "Preview line",
  fromName: "From",
  content: "Text",
  archive: "On the web",
};

const limits = { subject: 60, preheader: 150 }; // a longer subject is cut off in most inboxes

/** Recipients, sender and subject: one frame, so the rows inside need none. */
export const Envelope = (view: EnvelopeView) => (
  <div class="envelope">
    {view.sequence ? <ToSequence name={view.sequence.name} /> : <To {...view} />}
    <div>
      <label for="fromName">From</label>
      <input
        id="fromName"
        name="fromName"
        value={view.fromName}
        maxlength={view.inputs.fromName.maxlength}
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
        class="btn sm"
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

const ToSequence = ({ name }: { name: string }) => (
  <div id="to">
    <span class="label">To</span>
    <div class="value" id="recipients">
      <strong>Everyone who is in the sequence “{name}”</strong>
    </div>
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
        <span
          class={count > limits[name] ? "with-script count warn" : "with-script count"}
          id={`${name}-count`}
          data-of={limits[name]}
        >
          {count} of {limits[name]}
        </span>
      </label>
      <textarea
        id={name}
        class={name}
        name={name}
        rows="1"
        maxlength={view.inputs[name].maxlength}
        data-one-line
        aria-required={isRequired ? "true" : undefined}
        aria-describedby={error ? `${name}-count ${name}-error` : `${name}-count`}
        aria-invalid={error ? "true" : undefined}
        autofocus={name === "subject" && !text && !error}
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

type ConflictProps = { frame: Frame; broadcast: Broadcast; typed: Typed; theirs: Typed };

export const conflictTitle = ({ state }: Broadcast) =>
  state === "draft" ? "Someone else saved this broadcast" : "This broadcast was already confirmed";

/** A broadcast that was confirmed in the meantime can no longer be edited. */
export const ConflictView = ({ frame, broadcast, typed, theirs }: ConflictProps) => (
  <ConflictPage
    frame={frame}
    title={conflictTitle(broadcast)}
    lead={titleOf(broadcast)}
    note={
      <>
        {broadcast.state === "draft" ? "This broadcast was changed " : "This broadcast was confirmed "}
        <Time at={broadcast.updatedAt} clock={frame} />, while you were editing. Your changes are not saved yet. Choose
        how to continue.
      </>
    }
    typed={typed}
    version={broadcast.version}
    action={`${path}/${broadcast.id}`}
    overwrite={broadcast.state === "draft"}
    copy={{ action: `${path}/new`, name: "do", value: "save" }}
    versions={{ theirs: inWords(theirs), yours: inWords(typed), fields: labels }}
  />
);

/** The values as people read them, not as the form sends them. */
const inWords = ({ fields, content }: Typed): Typed => {
  const [, archive] = Object.entries(onTheWeb).find(([value]) => value === fields.archive) ?? [];
  return { fields: { ...fields, archive: archive?.name ?? "" }, content };
};
