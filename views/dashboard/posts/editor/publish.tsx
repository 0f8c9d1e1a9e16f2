import type { Foreseen } from "../../../../db/broadcasts/from-posts/mailings";
import type { Broadcast } from "../../../../db/broadcasts/broadcasts";
import type { Post } from "../../../../db/schema/posts";
import { DialogLink } from "../../../components/buttons";
import { Check, Field, type Input } from "../../../components/forms/fields";
import { ErrorLine, errorOf, type FieldError } from "../../../components/forms/field-errors";
import { Form } from "../../../components/forms/form";
import type { Frame } from "../../../components/frame";
import { Icon } from "../../../components/icon";
import { plural } from "../../../components/list";
import { exact, inBothZones, Time, weekdayOf, zoneInWords } from "../../../components/time";
import type { Child } from "../../../jsx/jsx-runtime";
import { paths } from "../../../paths";
import { type CheckView, Verdicts, WayTo } from "../../broadcasts/composer/checks";
import { Number as TypedNumber } from "../../broadcasts/question";
import { path } from "../state";

/** What a reader would miss, in words. None of it prevents publishing. */
export function checksOf({ excerpt, coverImage, content }: Pick<Post, "excerpt" | "coverImage" | "content">): string[] {
  const prose = content.replace(/```[\s\S]*?(```|$)|`[^`\n]*`/g, "");
  const silent = [...prose.matchAll(/!\[\s*\]\(|<img(?![^<>]*\salt=["{][^"}])[^<>]*>/g)].length;
  return [
    excerpt ? "" : "No excerpt: lists and feeds will show only the title.",
    coverImage ? "" : "No cover picture.",
    content.trim() ? "" : "No text.",
    silent ? `${silent === 1 ? "1 picture" : `${silent} pictures`} without alternative text.` : "",
  ].filter(Boolean);
}

/** Leads to the page of the picture. The post has been saved by then. */
export const SilentCover = ({ id }: { id: string }) => (
  <>
    The cover picture has no alternative text. <a href={`${paths.picture(id)}#f-alt`}>Write it on the picture’s page</a>
    .
  </>
);

type ProblemsProps = { id: string; problems: { line: number; offset: number }[] };

/** The problems that the preview shows too: a blog could not be built with them. */
export const Problems = ({ id, problems: [first, ...others] }: ProblemsProps) => (
  <>
    The text has {plural(others.length + 1, "problem")} that would break your site’s build,{" "}
    {others.length > 0 && "the first "}on{" "}
    <WayTo editor={{ below: `${path}/${id}` }} at={first?.offset}>
      line {first?.line}
    </WayTo>
    . See the preview.
  </>
);

/** When it goes live, or went live. `typed` is a time that the clock of the zone skips or repeats. */
export type Plan = { at: Date; odd?: "skipped" | "repeated" | undefined };

/** The broadcast that goes out with the post, as it would be sent. */
export type NewsletterView = {
  /** Whether the manager's role includes broadcasts. */
  mayChange: boolean;
  /** Whether the manager chose to send it. */
  isChosen: boolean;
  subject: string;
  preheader: string;
  inputs: Record<"subject" | "preheader", Input>;
  /** The draft, once there is one. */
  draft: Broadcast | undefined;
  audience: number;
  audienceWords: string;
  checks: CheckView[];
  fine: string[];
  typed: string;
  maxUntyped: number;
  isSimulated: boolean;
  /** Confirmed with the post, and not started. */
  waiting: Broadcast | undefined;
  /** The last one that was sent. */
  sent: Broadcast | undefined;
};

export type PublishView = {
  frame: Frame;
  post: Pick<Post, "id" | "slug" | "title" | "version" | "publishedAt">;
  status: "draft" | "scheduled" | "published";
  url: string;
  /** The site's time zone, if one is set. */
  siteZone: string | undefined;
  checks: Child[];
  when: "now" | "at";
  day: string;
  time: string;
  /** Undefined: what was entered is not a time. */
  plan: Plan | undefined;
  newsletter: NewsletterView;
  byRule: ByRule;
  errors: FieldError[];
  /** What was just done, such as a test. */
  notice?: string | undefined;
};

const formId = "publish-form";

export const publishTitle = ({ status }: Pick<PublishView, "status">) =>
  ({ draft: "Publish", scheduled: "Change schedule", published: "Change date" })[status];

/** How and when a post is published, and whether it is sent as a newsletter. Nothing happens before its button. */
export const PublishSheet = (view: PublishView) => {
  const { frame, post } = view;
  const action = `${path}/${post.id}/publish`;
  return (
    <Form action={action} token={frame.token} id={formId} class="stack publish" label="Publish">
      <input type="hidden" name="version" value={String(post.version)} />
      <input type="hidden" name="zone" value={frame.preferences.timeZone} />
      <p>
        <strong class="wrap">{post.title}</strong>
      </p>
      <Refused {...view} />
      <div
        class="stack"
        hx-post={action}
        hx-include={`#${formId}`}
        hx-vals='{"do":"show"}'
        hx-trigger="change, input delay:400ms"
        hx-target="#publish-outcome"
        hx-swap="innerMorph"
        hx-sync="this:replace"
      >
        <Times {...view} />
        <Newsletter {...view} />
      </div>
      <div id="publish-outcome">
        <Outcome {...view} />
      </div>
    </Form>
  );
};

const Refused = ({ errors }: PublishView) =>
  errors.length === 0 ? null : (
    <div class="errors" role="alert" tabindex="-1" data-focus>
      <p>
        <strong>Nothing has happened yet</strong>
      </p>
      {errors.map(({ message }) => (
        <p>{message}</p>
      ))}
    </div>
  );

const Times = (view: PublishView) => {
  const { frame, status, when, day, time, errors } = view;
  const error = errorOf(errors, "day", "The time");
  const inputs = (
    <div class="row">
      <input
        class="input"
        type="date"
        name="day"
        value={day}
        aria-label="Day"
        aria-invalid={error ? "true" : undefined}
        data-chooses="when-at"
      />
      <input class="input" type="time" name="time" value={time} aria-label="Time" data-chooses="when-at" />
      <span class="hint">{zoneInWords(frame.preferences.timeZone, frame.now)}</span>
    </div>
  );
  if (status === "published")
    return (
      <div class="field">
        <input type="hidden" name="when" value="at" />
        <span class="label">Publish date</span>
        {inputs}
      </div>
    );
  return (
    <fieldset class="stack">
      <legend>When</legend>
      <div class="choices">
        <label>
          <input type="radio" name="when" value="now" id="when-now" checked={when === "now"} />
          <strong>Now</strong>
          <span class="hint">Readers see it immediately.</span>
        </label>
        <div>
          <input type="radio" name="when" value="at" id="when-at" checked={when === "at"} />
          <label for="when-at">
            <strong>At a time</strong>
          </label>
          {inputs}
        </div>
      </div>
    </fieldset>
  );
};

const Newsletter = ({ frame, newsletter, errors }: PublishView) => {
  const { waiting, sent, isChosen, mayChange } = newsletter;
  if (waiting)
    return (
      <p>
        <Icon name="megaphone" /> Goes out together with the newsletter{" "}
        {mayChange ? (
          <a href={`${paths.broadcasts}/${waiting.id}`}>“{waiting.subject || "Untitled"}”</a>
        ) : (
          `“${waiting.subject || "Untitled"}”`
        )}
        . If you change the time of the post, the newsletter follows.
      </p>
    );
  if (!mayChange) return null;
  return (
    <div class="newsletter stack">
      {sent && (
        <p class="hint">
          This post was sent as a newsletter <Time at={sent.startedAt ?? sent.updatedAt} clock={frame} />, to{" "}
          {plural(sent.claimed, "person", "people")}.
        </p>
      )}
      <Check
        name="send"
        scope="publish"
        checked={isChosen}
        label={<strong>{sent ? "Send it again as a newsletter" : "Also send it as a newsletter"}</strong>}
        hint="Subscribers get the post as an email when it goes live."
      />
      <LetterFields newsletter={newsletter} errors={errors} />
    </div>
  );
};

/** What its inbox line says, who gets it, and a test. Shown once it is chosen. */
const LetterFields = ({ newsletter, errors }: Pick<PublishView, "newsletter" | "errors">) => {
  const { inputs, subject, preheader, draft, audience, audienceWords } = newsletter;
  return (
    <div class="stack letter-fields">
      <Field {...inputs.subject} name="subject" label="Subject" scope="publish" value={subject} errors={errors} />
      <Field
        {...inputs.preheader}
        name="preheader"
        label="Preview line"
        scope="publish"
        value={preheader}
        errors={errors}
        hint="Shown after the subject in the inbox."
      />
      <div class="row spread">
        <p>
          To <strong>{draft ? plural(audience, "person", "people") : "everyone"}</strong>
          {draft && <span class="hint"> {audienceWords}</span>}
        </p>
        <div class="row">
          <button type="submit" class="btn sm" name="do" value="choose" id="publish-choose" formnovalidate>
            Choose recipients…
          </button>
          <button type="submit" class="btn sm" name="do" value="test" id="publish-test" formnovalidate>
            Send me a test
          </button>
        </div>
      </div>
    </div>
  );
};

/** What a reader would miss, which keeps nothing from being published. */
const Missing = ({ checks }: Pick<PublishView, "checks">) =>
  checks.length === 0 ? null : (
    <div class="note">
      <Icon name="triangle-alert" />
      <div>
        <ul class="checks">
          {checks.map((check) => (
            <li>{check}</li>
          ))}
        </ul>
        <p class="hint">You can publish it all the same.</p>
      </div>
    </div>
  );

/** What will happen, in a sentence, and the button that does it. */
export const Outcome = (view: PublishView) => {
  const { frame, post, checks, newsletter, plan, errors, notice } = view;
  const { isChosen, draft, checks: letterChecks, fine, typed, audience, maxUntyped } = newsletter;
  const isBlocked = isChosen && letterChecks.some(({ kind }) => kind === "block");
  const error = plan ? undefined : "Enter a day and a time.";
  return (
    <>
      <Missing checks={checks} />
      {isChosen && letterChecks.length > 0 && (
        <Verdicts
          checks={letterChecks}
          canAccept
          accepted={fine}
          editors={{
            text: draft && { page: `${paths.broadcasts}/${draft.id}` },
            post: { below: `${path}/${post.id}` },
            line: (part) => ({ href: `#publish-${part}` }),
          }}
        />
      )}
      {isChosen && audience > maxUntyped && <TypedNumber audience={audience} typed={typed} errors={errors} />}
      {notice && <p class="hint">{notice}</p>}
      {error && <ErrorLine id="publish-time-error" error="Choose when it goes live." />}
      <footer>
        <p class="sentence" role="status">
          {error ?? sentenceOf(view)}
        </p>
        <a class="btn" href={`${path}/${post.id}`} data-close>
          Cancel
        </a>
        {view.status !== "draft" && (
          <DialogLink href={`${path}/${post.id}/unpublish`}>
            {view.status === "scheduled" ? "Unschedule…" : "Unpublish…"}
          </DialogLink>
        )}
        <button type="submit" class="btn primary" id="publish-now" name="do" value="publish" disabled={isBlocked}>
          {buttonOf(view, frame.now)}
        </button>
      </footer>
    </>
  );
};

const minuteMs = 60_000;

const odd = {
  skipped: " The clock skips the time you entered, so it is an hour later.",
  repeated: " That time occurs twice on this day: it is the earlier one.",
};

/** What happens when the button is pressed. */
function sentenceOf(view: PublishView): string {
  const { plan } = view;
  return plan ? `${postSentence(view, plan)}${plan.odd ? odd[plan.odd] : ""}${letterSentence(view, plan)}` : "";
}

/** In the manager's zone, and in the site's or in UTC. */
function whenOf(at: Date, { frame: { preferences }, siteZone }: PublishView): string {
  if (!siteZone || siteZone === "UTC") return inBothZones(at, preferences);
  const there = `${exact(at, siteZone)} in ${siteZone.split("/").at(-1)?.replaceAll("_", " ")}`;
  return siteZone === preferences.timeZone ? there : `${there}, ${exact(at, preferences)} for you`;
}

/** The day of the week as the manager chose it, "for you" if it is another one at the site. */
function weekdayIn(at: Date, { frame: { preferences }, siteZone }: PublishView): string {
  const own = weekdayOf(at, preferences);
  return own === weekdayOf(at, siteZone ?? preferences) ? own : `${own} for you`;
}

function postSentence(view: PublishView, { at }: Plan): string {
  const { frame, status, url } = view;
  const isAhead = at > frame.now;
  if (status === "published")
    return isAhead
      ? "A future date would take it offline: unpublish it first."
      : `It stays live at ${url}. Its date, ${exact(at, frame.preferences)}, says where it stands in lists and feeds.`;
  if (isAhead) return `Goes live at ${whenOf(at, view)}, at ${url}. That is a ${weekdayIn(at, view)}.`;
  const isDated = frame.now.getTime() - at.getTime() > minuteMs;
  return `Goes live immediately at ${url}${isDated ? `, dated ${exact(at, frame.preferences)}` : ""}.`;
}

/** What a rule of the site makes of the post by itself, if anything. */
export type ByRule = Foreseen | undefined;

export function ruleSentence(byRule: ByRule, { preferences }: Pick<Frame, "preferences">): string {
  if (!byRule) return "";
  if (byRule.becomes === "digest")
    return ` A rule puts it into the weekly digest that goes out at ${exact(byRule.at, preferences)}.`;
  return byRule.becomes === "send"
    ? " A rule sends it as a newsletter 10 minutes later; until then you can stop it."
    : " A rule makes a draft of a newsletter from it.";
}

function letterSentence({ frame, newsletter, byRule }: PublishView, { at }: Plan): string {
  const { isChosen, audience, waiting } = newsletter;
  if (waiting) return " Its newsletter follows.";
  if (!isChosen) return ruleSentence(byRule, frame);
  const people = plural(audience, "person gets", "people get");
  return at > frame.now
    ? ` ${people} it as an email then. Neither goes out without the other.`
    : ` ${people} it as an email a minute later; until then you can stop it.`;
}

function buttonOf({ status, plan, newsletter }: PublishView, now: Date): string {
  const sends = newsletter.isChosen && !newsletter.waiting;
  const isAhead = plan !== undefined && plan.at > now;
  if (status === "published") return sends ? "Save and send" : "Save date";
  if (isAhead && status === "scheduled") return sends ? "Save time, and send then" : "Save time";
  if (isAhead) return sends ? "Schedule both" : "Schedule";
  return sends ? "Publish and send" : status === "scheduled" ? "Publish now" : "Publish";
}
