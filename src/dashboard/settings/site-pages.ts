import type { SettingsTab } from "../../../views/dashboard/settings/settings";
import { paths } from "../../../views/paths";
import { limits, newsletter, type SettingSection, sections } from "./fields";

/** What stands on a page besides sections with fields: its name, and further words by which the palette finds it. */
type OtherPart = { id: string; title: string; words: string };

export type SettingsPageId = (typeof pageIds)[number];
const pageIds = ["site", "security", "brand", "email", "newsletter", "limits", "appearance"] as const;

export type SettingsPage = {
  id: SettingsPageId;
  title: string;
  lead: string;
  sections: SettingSection[];
  others: OtherPart[];
};

const sectionsNamed = (...ids: string[]) => sections.filter(({ id }) => ids.includes(id));

/** The pages of Settings, in their order: a phone shows the first four, and who looks for people finds theirs there. */
export const settingsPages: SettingsPage[] = [
  {
    id: "site",
    title: "Site",
    lead: "What your sites say about themselves. API keys with access to settings can read this.",
    sections: sectionsNamed("site", "owner", "analytics"),
    others: [
      {
        id: "server",
        title: "Addresses",
        words:
          "where your sites are set on the server postroom posts base blog url environment administrator restart service links lead to pages that do not exist enter the url of a post under site may send the public forms and call what is public allow other sites",
      },
      {
        id: "custom",
        title: "Custom keys",
        words: "extra values for your sites that have no field of their own add key changed none yet",
      },
    ],
  },
  {
    id: "security",
    title: "Access and security",
    lead: "Who gets in, and how.",
    sections: [],
    others: [
      {
        id: "access",
        title: "Access",
        words:
          "each has a page of its own two-step verification change required from everyone since set up yours on your account page managers and roles who has access what each of them can see and do owners invite remove and can require it open API keys what your sites and programs may read and write audit log who signed in and what was changed your account password passkeys and your devices sessions",
      },
    ],
  },
  {
    id: "brand",
    title: "Brand",
    lead: "What readers recognise you by.",
    sections: sectionsNamed("brand"),
    others: [
      {
        id: "brand-look",
        title: "As readers see it",
        words:
          "preview an email to subscribers its page in the archive screens light dark choose or upload a picture image from storage",
      },
    ],
  },
  {
    id: "email",
    title: "Email",
    lead: "How emails are sent, and where notifications go.",
    sections: [],
    others: [
      {
        id: "mail",
        title: "Email provider",
        words:
          "for the server’s administrator postroom under send test email from sender notifications to provider resend smtp not configured logged sent connect set up storage backups address key mail server environment restart none owner",
      },
      {
        id: "emails",
        title: "What is sent",
        words:
          "the emails themselves and what became of each welcome email its subject its text and the links below it brand its logo and colour each single email with its status broadcasts have reports of their own",
      },
    ],
  },
  {
    id: "newsletter",
    title: "Newsletter",
    lead: "How people subscribe, and what they receive first.",
    sections: [newsletter],
    others: [
      {
        id: "welcome",
        title: "Welcome email",
        words: "what new subscribers receive subject text and the links below it preview edit",
      },
      {
        id: "form",
        title: "Sign-up form",
        words:
          "where people subscribe a page with a form is ready link to it or put it on a page of your own html email address type hidden name source value landing required input label button method post action newsletter only forms on the sites that an owner allowed under set up are accepted",
      },
    ],
  },
  {
    id: "limits",
    title: "Limits",
    lead: "How much may happen within an hour.",
    sections: [limits],
    others: [],
  },
  {
    id: "appearance",
    title: "Appearance",
    lead: "Your own view of the dashboard. Other managers are not affected.",
    sections: [],
    others: [
      {
        id: "appearance",
        title: "Appearance",
        words:
          "your time zone is in your account save theme system light dark mode density compact comfortable keyboard shortcuts on off first steps overview show until they are done hide time zone account",
      },
    ],
  },
];

export const pathOf = (id: SettingsPageId) => `${paths.settings}/${id}`;

/** The page that has a section or part. */
export const pageWith = (id: string) =>
  settingsPages.find(
    ({ sections, others }) => sections.some((one) => one.id === id) || others.some((one) => one.id === id),
  );

/** Where a section or part is. */
export const settingUrl = (id: string) => `${pathOf(pageWith(id)?.id ?? "site")}#${id}`;

/** The pages that a role includes, with the sections that earlier addresses of Settings name. */
export const tabsFor = (may: (path: string) => boolean): SettingsTab[] =>
  settingsPages
    .map(({ id, title, sections, others }) => ({
      href: pathOf(id),
      title,
      anchors: [...sections, ...others].map((part) => part.id),
    }))
    .filter(({ href }) => may(href));

/** The same, and what else the environment would say: a page of its own, for owners. */
export const allTabs = (may: (path: string) => boolean): SettingsTab[] => [
  ...tabsFor(may),
  ...(may(paths.installation) ? [{ href: paths.installation, title: "Set up", anchors: [] }] : []),
];
