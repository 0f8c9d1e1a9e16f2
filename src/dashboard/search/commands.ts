import { helps } from "../../../views/components/help";
import { fold } from "../../../db/lib/fold";
import type { SavedView } from "../../../db/saved-views";
import { type Frame, type Theme, themes } from "../../../views/components/frame";
import { viewUrl } from "../../../views/components/lists/saved-views";
import { pagesFor } from "../../../views/dashboard/navigation";
import type { Result, ResultGroup } from "../../../views/dashboard/search/results";
import { paths } from "../../../views/paths";
import type { SettingSection } from "../settings/fields";
import { pathOf, settingsPages, type SettingsPage, settingUrl } from "../settings/site-pages";

type Command = Result & {
  also?: string;
  /** The theme it switches to: not offered while that one is in use. */
  theme?: Theme;
};

/* The palette's commands: they open, create or navigate, but never delete. */

const actions: Command[] = [
  { title: "New broadcast", icon: "plus", action: `${paths.broadcasts}/new`, also: "newsletter email write send" },
  { title: "New post", icon: "plus", href: `${paths.posts}/new`, also: "article write" },
  { title: "Add subscriber", icon: "plus", href: `${paths.newsletter}/new`, also: "new person" },
  { title: "New project", icon: "plus", href: `${paths.projects}/new` },
  { title: "Upload files", icon: "upload", href: paths.storage },
  { title: "Restore files from the trash", icon: "trash-2", href: paths.trash, also: "deleted recover undelete bin" },
  { title: "New folder", icon: "folder-plus", href: `${paths.folders}/new` },
  { title: "Import subscribers", icon: "upload", href: paths.newsletterImport, also: "csv" },
  { title: "Import posts", icon: "upload", href: `${paths.posts}/import`, also: "markdown mdx zip" },
  { title: "Suppress address", icon: "ban", href: `${paths.suppressions}/new` },
  { title: "Generate API key", icon: "key-round", href: `${paths.apiKeys}/new`, also: "new" },
  { title: "Add webhook endpoint", icon: "webhook", href: `${paths.webhooks}/new`, also: "new" },
  { title: "Invite manager", icon: "user-cog", href: `${paths.managers}/invite`, also: "new user team access" },
  { title: "Change password", icon: "fingerprint", href: `${paths.account}#password` },
  ...themes.map((theme) => ({
    title: `Use the ${theme} theme`,
    icon: "settings",
    action: paths.theme(theme),
    theme,
    also: "theme appearance mode colour color night",
  })),
];

/** Whether the manager's role includes what a result leads to or does. */
const isAllowed = ({ may }: Frame, result: Result) =>
  "href" in result ? may(result.href) : may(result.action, "POST");

const firstActions = 4; // before anything is typed

/** The actions that match; without words, the most frequent ones. */
export const actionsFor = (frame: Frame, q: string, limit = firstActions): ResultGroup =>
  groupOf(
    { id: "actions", name: "Do" },
    actions.filter((command) => command.theme !== frame.preferences.theme && isAllowed(frame, command)),
    q,
    limit,
  );

const besides: Command[] = [
  { title: "Tags", icon: "tags", href: paths.tags },
  { title: "Welcome email", icon: "mail", href: paths.welcome, also: "settings text" },
  { title: "Set up", icon: "settings", href: paths.installation, also: "provider sender dns environment" },
  { title: "Backups", icon: "settings", href: `${paths.installation}#backups`, also: "copies database restore" },
  { title: "Views of posts", icon: "chart-column", href: paths.postViews, also: "visits chart statistics" },
  { title: "Clicks of projects", icon: "chart-column", href: paths.projectClicks, also: "visits chart statistics" },
  {
    title: "Opens, countries and A/B tests",
    sub: "Not measured, and why",
    icon: "chart-column",
    href: `${paths.postViews}#not-measured`,
    also: "open rate country tracking split analytics location",
  },
  { title: "Open uploads", icon: "upload", href: paths.openUploads },
  { title: "Storage nodes", icon: "hard-drive", href: paths.nodes },
  { title: "Trash of Storage", icon: "trash-2", href: paths.trash },
  {
    title: "Account",
    icon: "fingerprint",
    href: paths.account,
    also: "profile passkeys two-step verification devices",
  },
];

/** The pages that this manager may open, with their keys. */
export const pageResults = (frame: Frame, q: string, limit?: number): ResultGroup =>
  groupOf(
    { id: "pages", name: "Go to" },
    [
      ...pagesFor(frame).map(({ path, label, icon, key, also }) => ({
        title: label,
        icon,
        href: path,
        keys: `g ${key}`,
        ...(also && { also }),
      })),
      ...(q
        ? [...frame.savedViews.map((view) => viewResult(frame, view)), ...besides].filter((row) =>
            isAllowed(frame, row),
          )
        : []),
    ],
    q,
    limit,
  );

/** A view that this manager saved, with the name of its list. */
function viewResult(frame: Frame, view: SavedView) {
  const list = pagesFor(frame).find(({ path }) => path === view.path);
  return { title: view.name, sub: list?.label ?? "View", icon: "star", href: viewUrl(view), also: "saved view" };
}

/** What to suggest if the words found nothing. */
export function suggestionsFor(frame: Frame, q: string): ResultGroup {
  const withQ = (path: string, name = "q") => `${path}?${new URLSearchParams({ [name]: q })}`;
  const ofAddress: Result[] = [
    { title: `Add ${q} as a subscriber`, icon: "plus", href: withQ(`${paths.newsletter}/new`, "email") },
    { title: `Find all data of ${q}`, icon: "users", href: withQ(paths.people, "address") },
  ];
  const rows: Result[] = [
    ...(/^\S+@\S+\.\S+$/.test(q) ? ofAddress : []),
    { title: "Search the emails sent", icon: "send", href: withQ(paths.mails) },
    { title: "Search the audit log", icon: "scroll-text", href: withQ(paths.audit) },
    { title: "Search the trash of Posts", icon: "trash-2", href: `${withQ(paths.posts)}&status=trash` },
    { title: "Search the trash of Storage", icon: "trash-2", href: withQ(paths.trash) },
  ].filter((row) => isAllowed(frame, row));
  return { id: "instead", name: "Try instead", rows, total: rows.length, isMore: false };
}

const contains = (text: string, q: string) => fold(text).includes(fold(q));

type SettingRow = { title: string; sub: string; at: string; also?: string };

/** Settings without a field in a section. */
const otherSettings: SettingRow[] = [
  { title: "Custom keys", sub: "Site", at: "custom" },
  { title: "Welcome email", sub: "Newsletter", at: "welcome", also: "subject text confirmation" },
  { title: "Sign-up form", sub: "Newsletter", at: "form", also: "subscribe page html embed" },
  { title: "Email provider", sub: "Email", at: "mail", also: "test email sender from" },
  { title: "Theme", sub: "Appearance", at: "appearance", also: "mode" },
  { title: "Density", sub: "Appearance", at: "appearance" },
  { title: "Keyboard shortcuts", sub: "Appearance", at: "appearance" },
];

const rowsOf = ({ id, title, fields }: SettingSection): SettingRow[] => [
  { title, sub: "Settings", at: id },
  ...fields.map(({ label, key }) => ({ title: label, sub: title, at: id, also: key })),
];

/** Every word that a page of Settings shows. */
const wordsOn = ({ title, lead, sections, others }: SettingsPage): string =>
  [
    title,
    lead,
    ...sections.flatMap(({ title, about, fields }) => [
      title,
      about,
      ...fields.flatMap(({ label, hint = "", help, options = [] }) => [
        label,
        hint,
        help ? helps[help].text : "",
        ...options.map(([, name]) => name),
      ]),
    ]),
    ...others.flatMap(({ title, words }) => [title, words]),
  ].join(" ");

/** The settings of a page that the words name. */
function settingsOn(page: SettingsPage, q: string): (Result & { also?: string })[] {
  const ids = new Set([...page.sections, ...page.others].map(({ id }) => id));
  return [...page.sections.flatMap(rowsOf), ...otherSettings.filter(({ at }) => ids.has(at))]
    .filter(({ title, also = "" }) => contains(`${title} ${also}`, q))
    .map(({ at, ...row }) => ({ ...row, icon: "settings", href: settingUrl(at) }));
}

/** The pages of Settings on which the words are, but not as the name of a setting. */
export const settingsPagesWith = (frame: Frame, q: string, limit: number) =>
  groupOf(
    { id: "settings-pages", name: "Mentioned in Settings" },
    settingsPages
      .filter((page) => settingsOn(page, q).length === 0)
      .map((page) => ({
        title: page.title,
        sub: "Settings",
        icon: "settings",
        also: wordsOn(page),
        href: pathOf(page.id),
      }))
      .filter((row) => isAllowed(frame, row)),
    q,
    limit,
  );

const accountSettings = [
  { title: "Time zone", at: "times" },
  { title: "Date format", at: "times" },
  { title: "Two-step verification", at: "second-step", also: "2fa totp code" },
  { title: "Passkeys", at: "passkeys" },
].map(({ at, ...rest }) => ({ ...rest, sub: "Account", icon: "settings", href: `${paths.account}#${at}` }));

/** Settings by name. Everyone may see them; the page says who may change them. */
export const settingResults = (frame: Frame, q: string, limit: number) =>
  groupOf(
    { id: "settings", name: "Settings" },
    [...settingsPages.flatMap((page) => settingsOn(page, q)), ...accountSettings].filter((row) =>
      isAllowed(frame, row),
    ),
    q,
    limit,
  );

/**
 * The rows that contain each of the words, in any order, or all rows if there are none; `also` are words that find a row
 * without being in it.
 */
function groupOf(
  { id, name }: Pick<ResultGroup, "id" | "name">,
  rows: (Result & { also?: string })[],
  q: string,
  limit = rows.length,
): ResultGroup {
  const wanted = fold(q);
  const words = wanted.split(/\s+/);
  const begins = ({ title }: Result) => Number(fold(title).startsWith(wanted));
  const matching = rows
    .filter(({ title, also = "" }) => words.every((word) => contains(`${title} ${also}`, word)))
    .sort((a, b) => begins(b) - begins(a));
  return { id, name, rows: matching.slice(0, limit), total: matching.length, isMore: false };
}
