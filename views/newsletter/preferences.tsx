import type { Language } from "../../db/settings/rules";
import { Options } from "../components/forms/fields";
import { zoneOptions } from "../components/time";
import type { Child } from "../jsx/jsx-runtime";
import { ownNames } from "../languages/names";
import type { Translator } from "../languages/translator";
import { PublicLayout } from "../public-layout";
import { LinkButton, Masked } from "./link-page";

/** What the last press of a button did, or why it did nothing. */
export const noticeNames = ["saved", "paused", "resumed", "sent", "capped"] as const;
export type Notice = (typeof noticeNames)[number];
type Topic = { slug: string; name: string; sentence: string; isTicked: boolean };

type PreferencesView = {
  t: Translator;
  home: string;
  /** The link's own URL, to which all forms post. */
  action: string;
  email: string;
  since: Date;
  topics: Topic[];
  language: Language;
  /** "" is the site's; undefined if no email depends on it. */
  timeZone: string | undefined;
  pausedUntil: Date | null;
  /** Whether the address is suppressed. */
  isStopped: boolean;
  /** The parameters of the link. */
  search: string;
  notice?: Notice | undefined;
  /** The most characters of a name. */
  maxName: number;
};

const day: Intl.DateTimeFormatOptions = { day: "numeric", month: "long", year: "numeric" };
const month: Intl.DateTimeFormatOptions = { month: "long", year: "numeric" };

/** The page of one's own: reading, a break, leaving, and what is stored, each a form that works without a script. */
export const PreferencesPage = (view: PreferencesView) => {
  const { t, home, email, since, notice, isStopped, search } = view;
  const told = notice && noticeText(view, notice);
  return (
    <PublicLayout root={t.root} title={t("prefs.title")} extras={["preferences.css"]}>
      <h1>{t("prefs.title")}</h1>
      <p class="muted">{t.rich("prefs.for", { address: <Masked email={email} />, date: t.date(since, month) })}</p>
      {told && (
        <p class="notice" role="status">
          {told}
        </p>
      )}
      {isStopped && <Stopped t={t} email={email} search={search} />}
      <Reading {...view} />
      <Break {...view} />
      <Part title={t("prefs.leave")} text={t("prefs.leave.text")}>
        <Press {...view} does="leave">
          {t("email.leave.all")}
        </Press>
      </Part>
      <Part title={t("prefs.stored")} text={t("prefs.stored.text")}>
        <Press {...view} does="record">
          {t("prefs.stored.button")}
        </Press>
      </Part>
      <p class="back">
        <a href={home}>{t("back", { host: new URL(home).host })}</a>
      </p>
    </PublicLayout>
  );
};

function noticeText({ t, email, pausedUntil, isStopped }: PreferencesView, notice: Notice): Child {
  if (isStopped) return undefined; // nothing comes, whatever they chose
  if (notice === "saved") return t("prefs.saved");
  if (notice === "paused") return pausedUntil ? t("prefs.paused", { date: t.date(pausedUntil, day) }) : undefined;
  if (notice === "resumed") return pausedUntil ? undefined : t("prefs.resumed");
  return notice === "sent"
    ? t.rich("prefs.stored.sent", { address: <Masked email={email} /> })
    : t("prefs.stored.capped");
}

/** That nothing is sent to a suppressed address; the button lifts what its owner may lift. */
const Stopped = ({ t, email, search }: { t: Translator; email: string; search: string }) => (
  <>
    <p class="notice">{t.rich("prefs.stopped", { address: <Masked email={email} /> })}</p>
    <LinkButton action={`/api/newsletter/subscribe-again${search}`}>{t("subscribe.again")}</LinkButton>
  </>
);

const Part = ({ title, text, children }: { title: string; text: string; children?: Child }) => (
  <section>
    <h2>{title}</h2>
    <p class="muted">{text}</p>
    {children}
  </section>
);

/** A form of one button. */
const Press = ({ action, does, children }: { action: string; does: string; children?: Child }) => (
  <form method="post" action={action}>
    <button type="submit" name="do" value={does}>
      {children}
    </button>
  </form>
);

const Reading = ({ t, action, topics, language, timeZone, maxName }: PreferencesView) => (
  <form method="post" action={action} class="reading">
    {topics.length > 0 && (
      <fieldset>
        <legend>{t("prefs.topics")}</legend>
        <input type="hidden" name="offered" value={topics.map(({ slug }) => slug).join(",")} />
        {topics.map(({ slug, name, sentence, isTicked }) => (
          <label class="topic">
            <input type="checkbox" name="topics" value={slug} checked={isTicked} />
            <span>
              <strong>{name}</strong>
              {sentence && <small class="muted">{sentence}</small>}
            </span>
          </label>
        ))}
      </fieldset>
    )}
    <div class="pair">
      <div>
        <label for="name">{t("prefs.name")}</label>
        <input id="name" name="name" autocomplete="name" maxlength={maxName} aria-describedby="name-hint" />
        <small class="muted" id="name-hint">
          {t("prefs.name.hint")}
        </small>
      </div>
      <div>
        <label for="language">{t("prefs.language")}</label>
        <select id="language" name="language">
          {Object.entries(ownNames).map(([code, name]) => (
            <option value={code} selected={code === language} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {timeZone !== undefined && <ZoneOfPerson t={t} zone={timeZone} />}
    </div>
    <button type="submit" name="do" value="save" class="main-act">
      {t("prefs.save")}
    </button>
  </form>
);

const ZoneOfPerson = ({ t, zone }: { t: Translator; zone: string }) => (
  <div>
    <label for="time-zone">{t("prefs.zone")}</label>
    <select id="time-zone" name="timeZone" aria-describedby="zone-hint">
      <Options of={[["", t("prefs.zone.site")], ...zoneOptions(zone)]} value={zone} />
    </select>
    <small class="muted" id="zone-hint">
      {t("prefs.zone.hint")}
    </small>
  </div>
);

const monthsOffered = [1, 2, 3];

const Break = ({ t, action, pausedUntil }: PreferencesView) => (
  <section>
    <h2>{t("prefs.break")}</h2>
    <p class="muted">{pausedUntil ? t("prefs.paused", { date: t.date(pausedUntil, day) }) : t("prefs.break.text")}</p>
    <form method="post" action={action} class="months">
      {pausedUntil ? (
        <button type="submit" name="do" value="resume">
          {t("prefs.resume")}
        </button>
      ) : (
        <>
          <input type="hidden" name="do" value="pause" />
          {monthsOffered.map((count) => (
            <button type="submit" name="months" value={String(count)}>
              {t("prefs.break.months", { count })}
            </button>
          ))}
        </>
      )}
    </form>
  </section>
);

type AbsentView = Pick<PreferencesView, "t" | "home" | "email"> & { search: string };

/** For someone who has left, or has not confirmed yet: their choices wait until they subscribe. */
export const NoPreferencesPage = ({ t, home, email, search }: AbsentView) => (
  <PublicLayout root={t.root} title={t("prefs.title")}>
    <h1>{t("absent.title")}</h1>
    <p>{t.rich("already.text", { address: <Masked email={email} /> })}</p>
    <LinkButton action={`/api/newsletter/subscribe-again${search}`}>{t("subscribe.again")}</LinkButton>
    <p class="back">
      <a href={home}>{t("back", { host: new URL(home).host })}</a>
    </p>
  </PublicLayout>
);

/** The link to what is stored works for an hour. */
export const OldRecordPage = ({ t, home }: Pick<PreferencesView, "t" | "home">) => (
  <PublicLayout root={t.root} title={t("prefs.stored")}>
    <h1>{t("expired.title")}</h1>
    <p>{t("record.expired")}</p>
    <p class="back">
      <a href={home}>{t("back", { host: new URL(home).host })}</a>
    </p>
  </PublicLayout>
);
