import type { Frame } from "../../components/frame";
import type { Child } from "../../jsx/jsx-runtime";
import { Appearance, type ZonesView } from "./appearance";
import { Mail, type MailView } from "./mail";
import { Head } from "../shell";
import { SectionForm, type SectionView, SectionFacts } from "./section";

type PageProps = {
  frame: Frame;
  sections: SectionView[];
  limits: SectionView;
  mail: MailView;
  zones: ZonesView;
  children?: Child;
};

/** @param children the custom keys */
export const SettingsPage = ({ frame, sections, limits, mail, zones, children }: PageProps) => (
  <>
    <Head
      title="Settings"
      lead={
        <>
          Whoever has an API key can read every value of the first four sections: <code>GET /api/v1/settings</code>
        </>
      }
    />
    {sections.map((section) => (
      <FieldSection section={section} frame={frame} />
    ))}
    <Section
      id="custom"
      title="Custom keys"
      about="More values for your sites to read. A key named postalAddress stands at the end of welcome mails."
    >
      {children}
    </Section>
    <FieldSection section={limits} frame={frame} />
    <Section id="mail" title="E-mail" about="How mail leaves. These values come from the environment.">
      <Mail mail={mail} frame={frame} />
    </Section>
    <Section id="appearance" title="Appearance" about="How this dashboard looks and behaves for you alone.">
      <Appearance frame={frame} zones={zones} />
    </Section>
  </>
);

const Section = ({ id, title, about, children }: { id: string; title: string; about: string; children?: Child }) => (
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
