import type { Frame } from "../../components/frame";
import type { Child } from "../../jsx/jsx-runtime";
import { Appearance } from "./appearance";
import { Mail, type MailView } from "./mail";
import { Head } from "../shell";
import { paths } from "../../paths";
import { SectionForm } from "./section";
import type { SectionView } from "./field";
import { SectionFacts } from "./section-facts";

type PageProps = {
  frame: Frame;
  sections: SectionView[];
  limits: SectionView;
  mail: MailView;
  children?: Child;
};

/** @param children the custom keys */
export const SettingsPage = ({ frame, sections, limits, mail, children }: PageProps) => (
  <>
    <Head
      title="Settings"
      lead={
        <>
          Anyone with an API key can read all values in the first four sections (<code>GET /api/v1/settings</code>).
        </>
      }
    />
    {sections.map((section) => (
      <FieldSection section={section} frame={frame} />
    ))}
    <Section
      id="custom"
      title="Custom keys"
      about="Extra values for your sites. The value of postalAddress is added to the end of emails to subscribers."
    >
      {children}
    </Section>
    <Section id="welcome" title="Welcome email" about="What new subscribers receive.">
      <WelcomeCard />
    </Section>
    <FieldSection section={limits} frame={frame} />
    <Section id="mail" title="Email" about="How emails are sent. Set in environment variables.">
      <Mail mail={mail} frame={frame} />
    </Section>
    <Section
      id="appearance"
      title="Appearance"
      about={
        <>
          Your own view of the dashboard. Other managers are not affected. Your time zone is in{" "}
          <a href={`${paths.account}#times`}>your account</a>.
        </>
      }
    >
      <Appearance frame={frame} />
    </Section>
  </>
);

const WelcomeCard = () => (
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
);

const Section = ({ id, title, about, children }: { id: string; title: string; about: Child; children?: Child }) => (
  <section class="setting" id={id} aria-labelledby={`${id}-title`}>
    <div>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="hint">{about}</p>
    </div>
    {children}
  </section>
);

const FieldSection = ({ section, frame }: { section: SectionView; frame: Frame }) => (
  <Section id={section.id} title={section.title} about={section.about}>
    {section.isForOwners && frame.manager.role !== "owner" ? (
      <SectionFacts section={section} frame={frame} />
    ) : (
      <SectionForm section={section} frame={frame} />
    )}
  </Section>
);
