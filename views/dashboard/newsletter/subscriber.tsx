import { Fact } from "../../components/fact";
import { type DetailName, detailNames } from "../../../db/newsletter/details";
import { statusElsewhere, statusOf } from "../../../db/newsletter/rules";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import type { Overview } from "../../../db/people/overview";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { exact, Time } from "../../components/time";
import { DetailFacts, State } from "./subscribers";
import { suppressionReasons } from "../suppressions/suppressions";
import { Crumb, Head } from "../shell";
import { paths } from "../../paths";
import { LinkedNames, number, plural } from "../../components/list";
import { FieldValues, Timeline, type TimelineView, Topics, Write } from "../people/person";
import { personPath, StoredData } from "../people/stored";
import { CopyButton, DialogLink } from "../../components/buttons";
import type { Topic } from "../../../db/newsletter/topics";
import { DialogFooter } from "../dialog";
import { Icon } from "../../components/icon";
import { Menu, MenuLink } from "../../components/lists/row-actions";
import { Check, Fields, type FormState } from "../../components/forms/fields";
import type { placesOf } from "../../../db/sequences/report";
import { path } from "../sequences/sequences";

type SubscriberView = TimelineView & {
  frame: Frame;
  subscriber: Subscriber;
  overview: Overview;
  sequences: SequenceOfPerson[];
  unsubscribeLink: string;
};

/** One subscriber: the history, and beside it the details. On a narrow screen, who they are stands before it. */
export const SubscriberPage = (view: SubscriberView) => {
  const { frame, subscriber, overview } = view;
  return (
    <>
      <Crumb href={paths.newsletter}>Subscribers</Crumb>
      <Head
        title={subscriber.name ?? subscriber.email}
        lead={
          <span class="sender">
            <State subscriber={subscriber} />
            {subscriber.name ? <span id="person-email">{subscriber.email}</span> : "No name"}
            {subscriber.name && <CopyButton from="person-email" class="btn quiet sm" id="copy-email" />}
          </span>
        }
      >
        <Actions frame={frame} subscriber={subscriber} overview={overview} />
      </Head>
      <WhySuppressed frame={frame} suppression={overview.suppression} />
      <div class="with-known">
        <div class="known first">
          <Details {...view} />
        </div>
        <Timeline {...view} href={`${paths.newsletter}/${subscriber.id}`} />
        <div class="known">
          <Subscription {...view} />
          <StoredData frame={frame} overview={overview} />
        </div>
      </div>
    </>
  );
};

type SubscriberProps = Pick<SubscriberView, "frame" | "subscriber">;

/** The form of a new subscriber, with what is known about this one. */
const rightAddress = (id: string) => `${paths.newsletter}/new?instead=${id}`;

const Actions = ({
  frame,
  subscriber,
  subscriber: { id, state },
  overview,
}: SubscriberProps & Pick<SubscriberView, "overview">) => (
  <>
    {statusOf(subscriber) === "pending" && <PendingActions frame={frame} id={id} />}
    <DialogLink id="edit" href={`${paths.newsletter}/${id}/edit`} icon="pencil">
      Edit
    </DialogLink>
    <Write overview={overview} isFirst={statusOf(subscriber) !== "pending"} />
    <Menu id="person" label="More actions for this person">
      {state === "unsubscribed" ? (
        <Form action={`${paths.newsletter}/${id}/reactivate`} token={frame.token} plain>
          <button type="submit" class="btn quiet" title="Only if they asked you to">
            <Icon name="refresh-cw" />
            Reactivate
          </button>
        </Form>
      ) : (
        <Form action={`${paths.newsletter}/${id}/unsubscribe`} token={frame.token} plain>
          <button type="submit" class="btn quiet">
            <Icon name="ban" />
            Unsubscribe
          </button>
        </Form>
      )}
      {statusElsewhere(subscriber, overview.suppression?.reason) === "active" && (
        <MenuLink id="right-address" href={rightAddress(id)} icon="mail">
          Correct address…
        </MenuLink>
      )}
      <MenuLink id="delete" href={`${paths.newsletter}/${id}/delete`} hotkey="#" icon="trash-2">
        Delete…
      </MenuLink>
      {frame.manager.role === "owner" && (
        <a class="btn quiet" id="erase" href={personPath(overview.email, "/erase")}>
          <Icon name="fingerprint" />
          Erase all data…
        </a>
      )}
    </Menu>
  </>
);

type SuppressedProps = { frame: Frame; suppression: Overview["suppression"] };

/** Why someone gets nothing, where it is said that they do not, and the way to undo it. */
const WhySuppressed = ({ frame, suppression }: SuppressedProps) =>
  suppression ? (
    <div class="notes">
      <div class="note" id="suppression">
        <Icon name="shield-alert" />
        <p>
          Suppressed, so no newsletter email goes to this address.{" "}
          <strong>{suppressionReasons[suppression.reason]}</strong>
          {suppression.detail && `: ${suppression.detail}`} (<Time at={suppression.createdAt} clock={frame} />)
        </p>
        <Form action={`${paths.suppressions}/bulk`} token={frame.token}>
          <input type="hidden" name="ids" value={suppression.hash} />
          <button type="submit" class="btn sm" name="do" value="lift" id="lift">
            Lift suppression…
          </button>
        </Form>
      </div>
    </div>
  ) : null;

/** What managers can do about someone who has not confirmed yet. */
const PendingActions = ({ frame, id }: { frame: Frame; id: string }) => (
  <Form action={`${paths.newsletter}/bulk`} token={frame.token} class="row" label="Pending">
    <input type="hidden" name="ids" value={id} />
    <button type="submit" class="btn primary" name="do" value="remind">
      Send link again
    </button>
    <button type="submit" class="btn quiet" name="do" value="confirm">
      Confirm…
    </button>
  </Form>
);

/** To the people who have the tag. */
const linkOf = (tag: string) => ({ name: tag, href: `${paths.newsletter}?tag=${encodeURIComponent(tag)}` });

const reading: readonly DetailName[] = ["language", "timeZone"];

/** "2 and 3 emails of sequences (1 reported as delivered)" */
const receivedInWords = ({ total, steps, delivered }: SubscriberView["overview"]["received"]) =>
  `${number(total - steps)}${steps ? ` and ${plural(steps, "email")} of sequences` : ""} (${number(delivered)} reported as delivered)`;

/** In the order in which one asks: what they are called, what they read, what else is known. */
const Details = (view: SubscriberView) => {
  const { frame, subscriber, overview, sequences } = view;
  const { received, profile } = overview;
  return (
    <>
      <section aria-labelledby="tags-title">
        <h2 id="tags-title">Tags</h2>
        <div class="row">
          {profile.tags.length ? (
            <LinkedNames links={profile.tags.map(linkOf)} areChips />
          ) : (
            <span class="none">None</span>
          )}
          <DialogLink id="change-tags" class="btn quiet sm" href={`${paths.newsletter}/${subscriber.id}/edit`}>
            Edit tags
          </DialogLink>
        </div>
      </section>
      <section aria-labelledby="facts-title">
        <h2 id="facts-title">Reads</h2>
        <dl class="facts">
          <Topics profile={profile} />
          <DetailFacts subscriber={subscriber} names={reading} />
          <Fact name="Broadcasts">
            {received.total === 0 ? <span class="none">None</span> : receivedInWords(received)}
          </Fact>
          {sequences.length > 0 && <SequencesOfPerson frame={frame} sequences={sequences} />}
        </dl>
      </section>
      {profile.fields.length > 0 && (
        <section aria-labelledby="fields-title">
          <h2 id="fields-title">Fields</h2>
          <dl class="facts">
            <FieldValues profile={profile} />
          </dl>
        </section>
      )}
    </>
  );
};

/** How they came, and whether they get anything. */
const Subscription = ({ frame, subscriber, unsubscribeLink }: SubscriberView) => (
  <section aria-labelledby="consent-title">
    <h2 id="consent-title">Subscription</h2>
    <dl class="facts">
      <DetailFacts
        subscriber={subscriber}
        names={detailNames.filter((name) => name !== "name" && !reading.includes(name))}
      />
      {subscriber.consentNote && <Fact name="Consent">{subscriber.consentNote}</Fact>}
      <Moments frame={frame} subscriber={subscriber} />
    </dl>
    <UnsubscribeLink url={unsubscribeLink} />
  </section>
);

/** When what happened to the subscription. */
const Moments = ({ frame, subscriber }: SubscriberProps) => (
  <>
    {subscriber.pausedUntil && (
      <Fact name="Paused until">
        <Time at={subscriber.pausedUntil} clock={frame} />
      </Fact>
    )}
    {subscriber.confirmedAt && (
      <Fact name="Confirmed">
        <Time at={subscriber.confirmedAt} clock={frame} />
      </Fact>
    )}
    <Fact name="Joined">
      <Time at={subscriber.createdAt} clock={frame} />
    </Fact>
    {subscriber.state === "unsubscribed" && subscriber.unsubscribedAt && (
      <Fact name="Unsubscribed">
        <Time at={subscriber.unsubscribedAt} clock={frame} />
      </Fact>
    )}
  </>
);

const UnsubscribeLink = ({ url }: { url: string }) => (
  <div class="field">
    <label for="unsubscribe-link">Unsubscribe link</label>
    <div class="secret">
      <input class="input" id="unsubscribe-link" value={url} readonly />
      <CopyButton from="unsubscribe-link" />
    </div>
    <p class="hint">Anyone with this link can unsubscribe this person. Do not share it.</p>
  </div>
);

type FormProps = { frame: Frame; form: FormState };

/** Adds one subscriber by hand. @param instead whose address is wrong */
export const NewSubscriberForm = ({ frame, form, instead }: FormProps & { instead?: Subscriber | undefined }) => (
  <Form action={paths.newsletter} token={frame.token} class="stack">
    {instead && (
      <>
        <p class="hint">
          Instead of {instead.email}, with the same name, language, time zone, tags, topics and fields.{" "}
          {instead.suppressedAt
            ? "The wrong one is suppressed, so it gets no emails. Delete it afterwards."
            : "Both get your emails until you delete the wrong one."}
        </p>
        <input type="hidden" name="instead" value={instead.id} />
      </>
    )}
    <Fields scope="new" {...form} values={{ source: "dashboard", ...form.values }} />
    <Check
      scope="new"
      name="welcome"
      label="Send the welcome email"
      checked={form.values?.welcome === "yes"}
      hint="Only add people who asked you to."
    />
    <DialogFooter cancel={instead ? `${paths.newsletter}/${instead.id}` : paths.newsletter}>
      Add subscriber
    </DialogFooter>
  </Form>
);

/** Edits a subscriber. The address identifies the person, so it cannot be changed. */
type EditProps = FormProps & { subscriber: Subscriber; topics: Topic[]; isCorrectable: boolean };

export const EditSubscriberForm = ({ frame, form, subscriber: { id }, topics, isCorrectable }: EditProps) => (
  <Form action={`${paths.newsletter}/${id}/edit`} token={frame.token} class="stack">
    <p class="hint">
      An address that is wrong cannot be corrected: it is what the person agreed to.{" "}
      {isCorrectable ? (
        <>
          <DialogLink class={undefined} id="add-right" href={rightAddress(id)}>
            Add the right one
          </DialogLink>
          , and delete this one.
        </>
      ) : (
        "Ask the person to subscribe with the right one."
      )}
    </p>
    <Fields scope="edit" {...form} />
    <input type="hidden" name="hadTags" value={form.values?.hadTags ?? ""} />
    {topics.length > 0 && (
      <fieldset>
        <legend>Topics</legend>
        <input type="hidden" name="hadTopics" value={form.values?.hadTopics ?? ""} />
        {topics.map(({ slug, name }) => (
          <Check scope="edit" name={`topic-${slug}`} label={name} checked={form.values?.[`topic-${slug}`] === "yes"} />
        ))}
        <p class="hint">A topic that the person left is put back by that person alone.</p>
      </fieldset>
    )}
    <DialogFooter cancel={`${paths.newsletter}/${id}`}>Save</DialogFooter>
  </Form>
);

/** A sequence that someone began, and where they are in it. */
type SequenceOfPerson = Awaited<ReturnType<typeof placesOf>>[number];

const stopped: Record<string, string> = {
  left: "stopped: unsubscribed (reactivating does not resume it)",
  suppressed: "stopped: suppressed",
  topic: "stopped: left the topic",
  refused: "stopped: the provider refused an email",
  late: "stopped: too late",
  ended: "stopped: the sequence ended",
};

/** The sequences that someone began, the latest first. */
const SequencesOfPerson = ({ frame, sequences }: { frame: Frame; sequences: SequenceOfPerson[] }) => (
  <Fact name="Sequences">
    {sequences.map((place) => (
      <span class="sub">
        <a href={`${path}/${place.id}`}>{place.name}</a>, <Where frame={frame} place={place} />
      </span>
    ))}
  </Fact>
);

const Where = ({ frame, place: { state, reason, dueAt, endedAt } }: { frame: Frame; place: SequenceOfPerson }) => {
  if (state === "stopped") return <>{stopped[reason ?? ""] ?? "stopped"}</>;
  if (state === "held") return <>paused</>;
  if (state === "claimed") return <>an email is on its way</>;
  if (state === "waiting" && dueAt) return <>next email {exact(dueAt, frame.preferences)}</>;
  return <>finished {endedAt && <Time at={endedAt} clock={frame} />}</>;
};
