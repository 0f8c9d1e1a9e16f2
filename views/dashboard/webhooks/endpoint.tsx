import type { Endpoint } from "../../../db/webhooks/endpoints";
import { DialogLink } from "../../components/buttons";
import { Choice } from "../../components/forms/fields";
import { Fact } from "../../components/fact";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Menu } from "../../components/lists/row-actions";
import { exact, Time } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { By } from "../../components/who";
import { paths } from "../../paths";
import { Crumb, Head } from "../shell";
import { type CallDay, Week } from "./week";
import { EndpointState, eventLines } from "./endpoints";

type EndpointView = { frame: Frame; endpoint: Endpoint };

const pathOf = ({ id }: Endpoint) => `${paths.webhooks}/${id}`;

type HeadView = EndpointView & {
  week: { days: CallDay[]; max: number };
  hasFailed: boolean;
  /** The last response that was no success, or why there was none. */
  failure: { status: number | null; error: string | null } | undefined;
};

/** What is above the deliveries of an endpoint. */
export const EndpointHead = (view: HeadView) => (
  <>
    <Crumb href={paths.webhooks}>Webhooks</Crumb>
    <Head
      title={view.endpoint.name}
      lead={
        <>
          <span id="endpoint-state">
            <EndpointState {...view.endpoint} />
          </span>{" "}
          &ensp;<span class="mono">{view.endpoint.url}</span>
        </>
      }
    >
      <Actions {...view} />
    </Head>
    <div id="trouble" class="notes">
      <Trouble {...view} />
    </div>
    <div class="columns">
      <Details {...view} />
      <div id="failed">{view.hasFailed && <Failed {...view} />}</div>
    </div>
  </>
);

/** What above the deliveries changes with them. */
export const FreshEndpoint = (view: HeadView) => (
  <>
    <Fresh id="endpoint-state">
      <EndpointState {...view.endpoint} />
    </Fresh>
    <Fresh id="trouble">
      <Trouble {...view} />
    </Fresh>
    <Fresh id="week">
      <Week {...view.week} dates={view.frame.preferences.dates} />
    </Fresh>
    <Fresh id="failed">{view.hasFailed && <Failed {...view} />}</Fresh>
  </>
);

const Fresh = ({ id, children }: { id: string; children?: Child }) => (
  <hx-partial hx-target={`#${id}`} hx-swap="innerHTML">
    {children}
  </hx-partial>
);

const Actions = ({ frame, endpoint }: EndpointView) => {
  const isOn = endpoint.state === "on";
  return (
    <>
      {isOn ? (
        <Deed frame={frame} endpoint={endpoint} deed="ping" verb="Send ping" icon="send" />
      ) : (
        <Deed frame={frame} endpoint={endpoint} deed="on" verb="Turn on" icon="play" />
      )}
      <a class="btn" id="edit" href={`${pathOf(endpoint)}/edit`}>
        <Icon name="pencil" />
        Edit
      </a>
      <Menu id={endpoint.id} label="More actions for this endpoint">
        {isOn && <Deed frame={frame} endpoint={endpoint} deed="off" verb="Turn off" icon="pause" class="btn quiet" />}
        <Question endpoint={endpoint} deed="remove" verb="Remove" icon="trash-2" />
      </Menu>
    </>
  );
};

type DeedProps = { deed: string; verb: string; icon: string };

const Deed = ({
  frame,
  endpoint,
  deed,
  verb,
  icon,
  class: look = "btn",
}: EndpointView & DeedProps & { class?: string }) => (
  <Form action={`${pathOf(endpoint)}/${deed}`} token={frame.token} plain>
    <button type="submit" class={look}>
      <Icon name={icon} />
      {verb}
    </button>
  </Form>
);

const Question = ({ endpoint, deed, verb, icon }: { endpoint: Endpoint } & DeedProps) => (
  <DialogLink class="btn quiet" id={deed} href={`${pathOf(endpoint)}/${deed}`} icon={icon}>
    {verb}
  </DialogLink>
);

const isInTrouble = ({ state, failingSince }: Endpoint) =>
  state === "broken" || (state === "on" && failingSince !== null);

/** Says since when it has been failing, why, and what happens then. */
const Trouble = ({ frame, endpoint, failure }: HeadView) => {
  const { state, failingSince } = endpoint;
  if (!isInTrouble(endpoint)) return null;
  return (
    <div class="note bad">
      <Icon name="triangle-alert" />
      <p>
        {failingSince && <>No call has succeeded since {exact(failingSince, frame.preferences)}. </>}
        {failure?.status ? `Its last response was ${failure.status}. ` : failure?.error && `${failure.error} `}
        {state === "broken"
          ? "Postroom has stopped calling this endpoint. Waiting deliveries are kept for 30 days. Turn it on once the receiver works again."
          : "After 5 days without a success, Postroom turns the endpoint off and sends you an email."}
        {endpoint.events.includes("upload.verify") &&
          ` Uploads wait for it for 15 minutes and are then ${endpoint.acceptsUnanswered ? "accepted" : "refused"}.`}
      </p>
    </div>
  );
};

/** Beside each other where there is room: how it goes, what is sent, and since when. */
const Details = ({ frame, endpoint, week }: HeadView) => (
  <section class="card" aria-labelledby="facts-title">
    <header>
      <h2 id="facts-title">Details</h2>
      <a class="btn sm" id="rotate" href={`${pathOf(endpoint)}/rotate`}>
        <Icon name="refresh-cw" />
        Replace signing secret…
      </a>
    </header>
    <dl class="body fact-columns">
      <Part name="Last 7 days">
        <div id="week">
          <Week {...week} dates={frame.preferences.dates} />
        </div>
      </Part>
      <Part name="Events">
        {eventLines(endpoint).map((line) => (
          <div>{line}</div>
        ))}
      </Part>
      {endpoint.events.includes("upload.verify") && (
        <Part name="Verification">
          {`${endpoint.verifySeconds} seconds for each answer; uploads without one are `}
          {endpoint.acceptsUnanswered ? "accepted" : "refused"}
        </Part>
      )}
      <Part name="Contents">{endpoint.withPeople ? "IDs and personal data" : "IDs only"}</Part>
      <Part name="Added">
        <Time at={endpoint.createdAt} clock={frame} /> <By actor={endpoint.createdBy} names={frame.names} />
      </Part>
      {endpoint.oldUntil && endpoint.oldUntil > frame.now && (
        <Part name="Previous secret">valid until {exact(endpoint.oldUntil, frame.preferences)}</Part>
      )}
    </dl>
  </section>
);

const Part = (fact: { name: string; children?: Child }) => (
  <div>
    <Fact {...fact} />
  </div>
);

/** What was chosen here stays when what is around it changes. */
const Failed = ({ frame, endpoint }: EndpointView) => (
  <section class="card" id="failed-card" hx-preserve aria-labelledby="failed-title">
    <header>
      <h2 id="failed-title">Failed deliveries</h2>
    </header>
    <div class="body">
      <Form action={`${pathOf(endpoint)}/again`} token={frame.token} class="stack" plain>
        <Choice
          name="hours"
          label="Failed since"
          value="24"
          options={[
            ["1", "1 hour ago"],
            ["24", "1 day ago"],
            ["168", "7 days ago"],
            ["720", "30 days ago"],
          ]}
          hint="Retried ones too. IDs stay the same, so your receiver can skip duplicates."
        />
        <p>
          <button type="submit" class="btn">
            <Icon name="refresh-cw" />
            Send all failed again
          </button>
        </p>
      </Form>
    </div>
  </section>
);
