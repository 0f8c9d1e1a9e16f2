import { Badge } from "../../components/badge";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { date, exact } from "../../components/time";
import { paths } from "../../paths";

export type RuleView = {
  /** Since when the rule is on; undefined if it is off. */
  since: Date | undefined;
  /** The managers who still have to set something up, and their deadlines. */
  due: { email: string; dueAt: Date }[];
};

const account = paths.account;

/** Above every page for a manager who has to set up two-step verification or a passkey. */
export const TwoFactorDue = ({ frame: { twoFactorDueAt, now, preferences } }: { frame: Frame }) =>
  twoFactorDueAt ? (
    <section class={twoFactorDueAt <= now ? "note bad due" : "note due"} aria-label="Sign-in security">
      <Icon name="shield-alert" />
      <p>
        {twoFactorDueAt <= now
          ? "Your account needs two-step verification or a passkey. Until it has one, only your account page is open to you."
          : `Your account needs two-step verification or a passkey by ${exact(twoFactorDueAt, preferences)}. After that, only your account page is open to you until it has one.`}{" "}
        <a href={`${account}/second-step`}>Set up two-step verification</a> or{" "}
        <a href={`${account}#passkeys`}>add a passkey</a>.
      </p>
    </section>
  ) : null;

/** Turns the rule on and off, and shows who is overdue. For owners. */
export const TwoFactorRule = ({ frame, rule: { since, due } }: { frame: Frame; rule: RuleView }) => (
  <section class="card" aria-labelledby="two-step">
    <header>
      <h2 id="two-step">Required sign-in security</h2>
      {since ? <Badge tone="good">Required</Badge> : <Badge tone="off">Optional</Badge>}
    </header>
    <div class="body">
      <p>
        {since
          ? `Every manager needs two-step verification or a passkey, since ${date(since, frame.preferences)}.`
          : "Two-step verification and passkeys are each manager’s choice."}
      </p>
      <p class="hint">
        {since ? "Managers without either have" : "If you require one of them, managers without either get"} 7 days to
        set one up. After that, they can open only their account page until they do, and a password alone no longer
        signs in anyone who has a passkey. A manager who loses theirs needs a new link from the server’s administrator.
      </p>
      {due.length > 0 && <StillDue frame={frame} due={due} />}
      <Form action={`${paths.managers}/two-step`} token={frame.token} plain>
        <input type="hidden" name="required" value={since ? "off" : "on"} />
        <button type="submit" class="btn">
          {since ? "Make it optional" : "Require it for every manager"}
        </button>
      </Form>
    </div>
  </section>
);

const StillDue = ({ frame, due }: { frame: Frame; due: RuleView["due"] }) => (
  <ul class="lines" aria-label="Not set up yet">
    {due.map(({ email, dueAt }) => (
      <li class="row">
        <strong>{email}</strong>
        <span class="sub">
          {dueAt <= frame.now ? "not set up; account page only" : "not set up; due"}{" "}
          {dueAt > frame.now && exact(dueAt, frame.preferences)}
        </span>
      </li>
    ))}
  </ul>
);
