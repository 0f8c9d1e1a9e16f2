import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import { errorOf, type FieldError } from "../../../components/forms/field-errors";
import type { Input } from "../../../components/forms/fields";
import { Icon } from "../../../components/icon";
import type { JSX } from "../../../jsx/jsx-runtime";
import { ViewButtons } from "../../posts/editor/tools";
import { InboxLine, type InboxWords, WebChoices } from "../question";
import { path, titleOf } from "../state";
import { Checks, type CheckView } from "./checks";
import type { EnvelopeView } from "./envelope";

/* What is beside the text of a broadcast: its checks, how recipients see it, and where else it goes. */

const views = [
  ["wide", "Wide", "html"],
  ["narrow", "Narrow", "html"],
  ["dark", "Dark", "html&night=1"],
  ["text", "Plain text", "text"],
  ["page", "Web page", "page"],
] as const;

type Previewed = {
  id: string;
  title: string;
  /** What an inbox shows. */ inbox: JSX.Element;
  /** The field for a subscriber. */ input: Input;
};

/**
 * The email as recipients will see it. A radio button chooses which frame is shown, so this works without scripts and
 * with arrow keys. A hidden frame does not load.
 */
const Stage = ({ id, title, inbox, input }: Previewed) => (
  <section class="stage" data-pane="preview" aria-label="Preview">
    <header>
      <fieldset class="segments">
        <legend class="sr">Preview</legend>
        {views.map(([view, label]) => (
          <label>
            <input type="radio" name="view" id={`view-${view}`} value={view} checked={view === "wide"} />
            {label}
          </label>
        ))}
      </fieldset>
      <AsReader id={id} input={input} />
    </header>
    {inbox}
    {views.map(([view, label, query]) => (
      <iframe
        class={view}
        name={`preview-${view}`}
        src={`${path}/${id}/preview?as=${query}`}
        sandbox={view === "page" ? "allow-same-origin" : ""}
        loading="lazy"
        title={`${label}: ${title}`}
        tabindex="0"
      />
    ))}
  </section>
);

/** The wide view with a subscriber's values, instead of the fallbacks. */
const AsReader = ({ id, input }: Pick<Previewed, "id" | "input">) => (
  <form class="filter" method="get" action={`${path}/${id}/preview`} target="preview-wide">
    <label class="sr" for="preview-as">
      Preview as this subscriber
    </label>
    <input class="input" id="preview-as" name="for" type="email" maxlength={input.maxlength} placeholder="As anyone" />
  </form>
);

/** Where else it can be read, where replies go, and a test. */
const Details = ({ archive, replyTo, sequence, testTo, inputs, errors }: PanelView) => (
  <section class="about" data-pane="details" aria-label="Details">
    {!sequence && <WebChoices value={archive} form="broadcast-form" />}
    <TestField to={testTo} input={inputs.testTo} errors={errors} />
    <dl class="facts">
      <dt>Replies go to</dt>
      <dd>{replyTo ?? "the sender’s address"}</dd>
    </dl>
  </section>
);

type TestProps = { to: string; input: Input; errors?: FieldError[] | undefined };

/** Sends a test to oneself, or to a few others. The text is saved first. */
const TestField = ({ to, input, errors = [] }: TestProps) => {
  const error = errorOf(errors, "testTo", "The list of addresses");
  return (
    <div class="field">
      <label for="testTo">Send a test to</label>
      <div class="joined">
        <input
          class="input"
          id="testTo"
          name="testTo"
          form="broadcast-form"
          value={to}
          maxlength={input.maxlength}
          autocomplete="off"
          aria-describedby={error ? "test-hint testTo-error" : "test-hint"}
          aria-invalid={error ? "true" : undefined}
          {...(error && { "data-focus": true })}
        />
        <button type="submit" form="broadcast-form" class="btn" id="send-test" name="do" value="test">
          Send test
        </button>
      </div>
      <p class="hint" id="test-hint">
        Up to five addresses, separated by commas. The subject starts with [Test].
      </p>
      {error && (
        <p class="error" id="testTo-error">
          <Icon name="circle-alert" />
          {error}
        </p>
      )}
    </div>
  );
};

export type PanelView = EnvelopeView & {
  broadcast: Broadcast;
  archive: Broadcast["archive"];
  checks: CheckView[];
  /** The checks that passed. */
  passed: string[];
  /** What an inbox shows of the saved text. */
  inbox: InboxWords;
  /** The recipients of the test. */
  testTo: string;
  replyTo: string | undefined;
  errors?: FieldError[] | undefined;
};

export const panes = ["checks", "preview", "details"] as const;
type View = "write" | (typeof panes)[number];

/** What is shown at first on a narrow screen: the text, or what has to be corrected. */
export const firstView = ({ errors = [] }: PanelView): View =>
  errors.some(({ field }) => field === "testTo") ? "details" : "write";

/** What is beside the text on a wide screen: the checks at first, then what was chosen last in this browser. */
export const Beside = ({ current, ...view }: PanelView & { current: View }) => (
  <div class="beside">
    <div class="row">
      <ViewButtons
        id="beside"
        label="Beside the text"
        views={panes}
        current={current === "details" ? current : "checks"}
      />
    </div>
    <Checks {...view} />
    <Stage
      input={view.inputs.for}
      id={view.broadcast.id}
      title={titleOf(view.broadcast)}
      inbox={<InboxLine {...view.inbox} id="inbox-line" />}
    />
    <Details {...view} />
  </div>
);
