import { CopyButton } from "../../components/buttons";
import { Badge } from "../../components/badge";
import { Choice } from "../../components/forms/fields";
import { OnTheServer } from "../../components/help";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { Head } from "../shell";
import { SectionFacts, SectionForm, type SectionView } from "./section";

export const Appearance = ({ frame }: { frame: Frame }) => (
  <section class="setting" id="appearance" aria-label="Appearance">
    <AppearanceForm frame={frame} />
    <p class="hint">
      Your time zone is in <a href={`${paths.account}#times`}>your account</a>.
    </p>
  </section>
);

/** Without htmx, because the theme applies to the whole page. */
const AppearanceForm = ({ frame }: { frame: Frame }) => (
  <Form action={`${paths.settings}/appearance`} token={frame.token} label="Appearance" class="card" plain guard>
    <div class="body">
      <div class="pair">
        <Choice
          name="theme"
          label="Theme"
          value={frame.preferences.theme}
          options={[
            ["system", "System"],
            ["light", "Light"],
            ["dark", "Dark"],
          ]}
        />
        <Choice
          name="density"
          label="Density"
          value={frame.preferences.density}
          options={[
            ["compact", "Compact"],
            ["comfortable", "Comfortable"],
          ]}
        />
        <Choice
          name="shortcuts"
          label="Keyboard shortcuts"
          value={frame.preferences.shortcuts}
          options={[
            ["on", "On"],
            ["off", "Off"],
          ]}
        />
        <Choice
          name="firstSteps"
          label="First steps on Overview"
          value={frame.preferences.firstSteps}
          options={[
            ["shown", "Show until they are done"],
            ["hidden", "Hide"],
          ]}
        />
      </div>
      <div class="save">
        <button type="submit" class="btn" id="save-appearance">
          Save
        </button>
      </div>
    </div>
  </Form>
);

/** `provider` is undefined while emails are only logged. */
type MailView = { provider: string | undefined; from: string; owner: string | undefined; recipient: string };

/** @param requested a test email has just been requested */
export const Mail = ({ mail, frame, requested }: { mail: MailView; frame: Frame; requested?: boolean }) => (
  <Form action={`${paths.settings}/test-mail`} token={frame.token} id="form-mail" label="Email" class="card">
    <div class="body">
      <dl class="facts">
        <dt>Provider</dt>
        <dd>
          {mail.provider ? <Badge tone="good">{mail.provider}</Badge> : <Badge tone="warn">Not configured</Badge>}
          {!mail.provider && <span class="hint"> Emails are logged, not sent.</span>}
        </dd>
        <dt>From</dt>
        <dd>{mail.from}</dd>
        <dt>Notifications to</dt>
        <dd>{mail.owner ?? <span class="none">None. Set an email address under Site, Owner.</span>}</dd>
      </dl>
      {frame.manager.role === "owner" && <SetUpLink />}
      <OnTheServer>
        <p>
          Set <code>MAILER_API_KEY</code> to a key of Resend or the URL of a mail server, and <code>MAIL_FROM</code> to
          the sender, in the environment of the service. Then restart it.
        </p>
      </OnTheServer>
      <div class="save">
        {!mail.provider && frame.manager.role === "owner" && (
          <a class="btn primary" href={paths.installation}>
            Connect a provider
          </a>
        )}
        <button type="submit" class="btn" id="send-test">
          Send test email
        </button>
        <p class="hint">
          To {mail.recipient}
          {requested && ". Sending… "}
          {requested && <a href={`${paths.mails}?kind=test`}>View in Emails</a>}
        </p>
      </div>
    </div>
  </Form>
);

const SetUpLink = () => (
  <p>
    Provider, sender, storage, backups and the address of your site are under <a href={paths.installation}>Set up</a>.
  </p>
);

/** `posts` is undefined while no one has said where they are read. */
type AddressesView = { site: string; posts: string | undefined; maySetUp: boolean };

export const Addresses = (view: AddressesView) => (
  <Section id="server" title="Addresses" about="Where your sites are.">
    <AddressCard {...view} />
  </Section>
);

const AddressCard = ({ site, posts, maySetUp }: AddressesView) => (
  <div class="card">
    <div class="body">
      <dl class="facts">
        <dt>Postroom</dt>
        <dd class="wrap">{site}</dd>
        <dt>Posts</dt>
        <dd class="wrap">
          {posts ?? (
            <span class="none">
              Not set. Links to posts lead to pages that do not exist. Enter the URL of a post under{" "}
              <a href="#site">Site</a>.
            </span>
          )}
        </dd>
      </dl>
      <p>
        {maySetUp ? (
          <>
            Change the address of your site, and allow forms of other sites, under{" "}
            <a href={`${paths.installation}#site`}>Set up</a>.
          </>
        ) : (
          "Owners change the address of your site, and allow forms of other sites, under Set up."
        )}
      </p>
      <OnTheServer>
        <p>
          Set <code>BASE_URL</code>, <code>BLOG_URL</code> and <code>CORS_ORIGINS</code> in the environment of the
          service. Then restart it.
        </p>
      </OnTheServer>
    </div>
  </div>
);

/** One of the pages of Settings. `anchors` are its parts, by which earlier addresses of the one long page named them. */
export type SettingsTab = { href: string; title: string; anchors: string[] };

type FrameProps = { tabs: SettingsTab[]; here: string; title: string; lead: string; children?: Child };

/** A page of Settings, beside links to the others. */
export const SettingsFrame = ({ tabs, here, title, lead, children }: FrameProps) => (
  <div class="settings">
    <nav class="settings-nav" aria-label="Settings">
      {tabs.map((tab) => (
        <a href={tab.href} aria-current={tab.href === here ? "page" : undefined}>
          {tab.title}
          {tab.href !== here && tab.anchors.map((id) => <span id={id} />)}
        </a>
      ))}
    </nav>
    <div>
      <Head title={title} lead={lead} />
      {children}
    </div>
  </div>
);

export const brandPath = `${paths.settings}/brand`;

const samples = [
  ["email", "An email to subscribers"],
  ["page", "Its page in the archive"],
] as const;

/** What readers see of the brand. The frames show what is saved; brand.js lets them follow what is typed. */
export const BrandPreview = () => (
  <section class="brand-look" id="brand-look" aria-labelledby="brand-look-title">
    <header>
      <h2 id="brand-look-title">As readers see it</h2>
      <fieldset class="segments">
        <legend class="sr">Screens</legend>
        <label>
          <input type="radio" name="screens" value="light" checked />
          Light
        </label>
        <label>
          <input type="radio" name="screens" value="dark" id="brand-dark" />
          Dark
        </label>
      </fieldset>
    </header>
    {["", "&night=1"].map((night) =>
      samples.map(([as, label]) => (
        <iframe
          class={night ? `${as} dark` : as}
          src={`${brandPath}/preview?as=${as}${night}`}
          sandbox={as === "page" ? "allow-same-origin" : ""}
          title={night ? `${label}, dark` : label}
          tabindex="0"
        />
      )),
    )}
  </section>
);

export const CustomSection = ({ children }: { children?: Child }) => (
  <Section
    id="custom"
    title="Custom keys"
    about="Extra values for your sites, read by API keys that may read settings."
  >
    {children}
  </Section>
);

export const MailSection = (view: { mail: MailView; frame: Frame }) => (
  <>
    <Section id="mail" title="Email provider">
      <Mail {...view} />
    </Section>
    <Section id="emails" title="What is sent" about="The emails themselves, and what became of each.">
      <ul class="card lines">
        <Line title="Welcome email" href={paths.welcome} frame={view.frame}>
          Its subject, its text and the links below it.
        </Line>
        <Line title="Brand" href={`${paths.settings}/brand`} frame={view.frame}>
          Its logo and colour.
        </Line>
        <Line title="Emails" href={paths.mails} frame={view.frame}>
          Each single email with its status; broadcasts have reports of their own.
        </Line>
      </ul>
    </Section>
  </>
);

type LineProps = { title: string; href: string; frame: Frame; children?: Child };

/** What is on a page of its own. The whole row opens it. */
export const Line = ({ title, href, frame, children }: LineProps) => (
  <li class="row spread opens">
    <span>
      {frame.may(href) ? <a href={href}>{title}</a> : <strong>{title}</strong>}
      <span class="sub">{children}</span>
    </span>
    {frame.may(href) && <Icon name="chevron-right" />}
  </li>
);

export const WelcomeSection = () => (
  <Section id="welcome" title="Welcome email" about="What new subscribers receive.">
    <div class="card">
      <div class="body">
        <p>The subject, the text and the links below it.</p>
        <div class="save">
          <a class="btn" href={paths.welcome} id="edit-welcome">
            Edit and preview
          </a>
        </div>
      </div>
    </div>
  </Section>
);

type SignUpFormView = {
  /** The page with the form that is there from the beginning. */
  page: string;
  html: string;
  /** The origin of the site, where forms are always accepted. */
  origin: string;
  maySetUp: boolean;
};

export const SignUpFormSection = ({ page, html, origin, maySetUp }: SignUpFormView) => (
  <Section id="form" title="Sign-up form" about="Where people subscribe.">
    <div class="card">
      <div class="body">
        <p class="wrap">
          A page with a form is ready: <a href={page}>{page}</a>. Link to it, or put the form on a page of your own:
        </p>
        <pre tabindex="0" id="sign-up-html">
          {html}
        </pre>
        <p class="wrap">
          Only forms on {origin} and on the sites{" "}
          {maySetUp ? (
            <>
              allowed under <a href={`${paths.installation}#CORS_ORIGINS`}>Set up</a>
            </>
          ) : (
            "that an owner allowed under Set up"
          )}{" "}
          are accepted.
        </p>
        <div class="save">
          <CopyButton from="sign-up-html" />
        </div>
      </div>
    </div>
  </Section>
);

type SectionProps = { id: string; title: string; about?: Child; children?: Child };

export const Section = ({ id, title, about, children }: SectionProps) => (
  <section class="setting" id={id} aria-labelledby={`${id}-title`}>
    <div>
      <h2 id={`${id}-title`}>{title}</h2>
      {about && <p class="hint">{about}</p>}
    </div>
    {children}
  </section>
);

export const FieldSection = ({ section, frame }: { section: SectionView; frame: Frame }) => (
  <Section id={section.id} title={section.title} about={section.about}>
    {section.isForOwners && frame.manager.role !== "owner" ? (
      <SectionFacts section={section} frame={frame} />
    ) : (
      <SectionForm section={section} frame={frame} />
    )}
  </Section>
);
