import { Form } from "../components/forms/form";
import { type Frame, themes } from "../components/frame";
import { Icon } from "../components/icon";
import { number } from "../components/list";
import { roleTexts } from "../components/roles";
import { Avatar } from "../components/who";
import { paths } from "../paths";
import { peoplesData } from "./people/stored";

type Link = {
  path: string;
  label: string;
  icon: string;
  key: string;
  /** How many things wait there for someone, and what makes them wait. */
  count?: number;
  counts?: "unread" | "failed";
  /** Words by which the palette finds it too. */
  also?: string;
};
type NamedLinks = { name: string; links: Link[] };

const start = ({ counts }: Frame): Link[] => [
  { path: paths.overview, label: "Overview", icon: "layout-dashboard", key: "o" },
  {
    path: paths.contact,
    label: "Inbox",
    icon: "inbox",
    key: "c",
    count: counts.unread,
    counts: "unread",
    also: "contact messages",
  },
];

const work: NamedLinks[] = [
  {
    name: "Audience",
    links: [
      { path: paths.newsletter, label: "Subscribers", icon: "users", key: "n", also: "newsletter" },
      { path: paths.broadcasts, label: "Broadcasts", icon: "megaphone", key: "b" },
      { path: paths.sequences, label: "Sequences", icon: "list", key: "q", also: "automation drip course" },
      { path: paths.suppressions, label: "Suppressions", icon: "shield-alert", key: "u" },
    ],
  },
  {
    name: "Content",
    links: [
      { path: paths.posts, label: "Posts", icon: "file-text", key: "p" },
      { path: paths.projects, label: "Projects", icon: "layers", key: "r" },
      { path: paths.pictures, label: "Pictures", icon: "image", key: "i", also: "library images photos media" },
      { path: paths.calendar, label: "Calendar", icon: "calendar", key: "y", also: "schedule scheduled" },
    ],
  },
];

const system = ({ counts }: Frame): Link[] => [
  { path: paths.storage, label: "Storage", icon: "hard-drive", key: "s", also: "files folders uploads" },
  { path: paths.apiKeys, label: "API keys", icon: "key-round", key: "k" },
  { path: paths.webhooks, label: "Webhooks", icon: "webhook", key: "w", also: "endpoint ping" },
  { path: paths.mails, label: "Emails", icon: "send", key: "e", count: counts.failedMails, counts: "failed" },
  {
    path: paths.people,
    label: peoplesData,
    icon: "fingerprint",
    key: "d",
    also: "find a person export erase erasure delete gdpr privacy proof",
  },
  {
    path: paths.audit,
    label: "Audit log",
    icon: "scroll-text",
    key: "l",
    also: "who changed what a setting history activity",
  },
];

/** Always in sight, whatever is unfolded below: who looks for people or a setting has no other word to look for. */
const last: Link[] = [
  { path: paths.managers, label: "Managers", icon: "user-cog", key: "m", also: "users team roles access" },
  { path: paths.settings, label: "Settings", icon: "settings", key: "," },
];

const isIn = (frame: Frame, path: string) => frame.path === path || frame.path.startsWith(`${path}/`);

/** Whether the page that is open is this one, or one below it that has no entry of its own. */
const isCurrent = (frame: Frame, path: string) =>
  path === paths.overview
    ? frame.path === path
    : isIn(frame, path) && !(path === paths.storage && isIn(frame, paths.pictures));

/** The pages in the navigation that this manager may open. */
export const pagesFor = (frame: Frame): Link[] =>
  [...start(frame), ...work.flatMap(({ links }) => links), ...system(frame), ...last].filter(({ path }) =>
    frame.may(path),
  );

const allowed = ({ may }: Frame, links: Link[]) => links.filter(({ path }) => may(path));

/**
 * The main navigation, by what people do: the rarer pages are folded away, unless one of them is open or this browser
 * had them unfolded. The keys in `data-key` follow a g (see shortcuts.tsx).
 */
export const Navigation = ({ frame }: { frame: Frame }) => (
  <div class="navs">
    <nav class="nav" aria-label="Start">
      <Links frame={frame} links={allowed(frame, start(frame))} />
    </nav>
    {work.map(({ name, links }) => (
      <Group frame={frame} name={name} links={allowed(frame, links)} />
    ))}
    <nav class="nav" aria-label="System">
      <Links frame={frame} links={allowed(frame, last)} />
      <System frame={frame} links={allowed(frame, system(frame))} />
    </nav>
  </div>
);

type LinksProps = { frame: Frame; links: Link[] };

const Group = ({ frame, name, links }: LinksProps & { name: string }) =>
  links.length > 0 ? (
    <nav class="nav named" aria-label={name}>
      <Links frame={frame} links={links} />
    </nav>
  ) : null;

/** Folded away, but for those to whom it is one page of few, and until someone unfolds it (public/app/lists.ts). */
const System = ({ frame, links }: LinksProps) =>
  links.length < 3 ? (
    <Links frame={frame} links={links} />
  ) : (
    <details open={frame.preferences.rarerPages === "unfolded" || links.some(({ path }) => isCurrent(frame, path))}>
      <summary>
        <Icon name="chevron-right" />
        {links.some(({ path }) => path === paths.storage) ? "Storage and system" : "System"}
        <Trouble frame={frame} />
      </summary>
      <Links frame={frame} links={links} />
    </details>
  );

const Links = ({ frame, links }: LinksProps) => (
  <>
    {links.map(({ path, label, icon, key, count, counts }) => (
      <a href={path} aria-current={isCurrent(frame, path) ? "page" : undefined} data-key={key}>
        <Icon name={icon} />
        {label}
        {count !== undefined && <Count link={key} count={count} />}
        {counts && <span class="sr"> {counts}</span>}
      </a>
    ))}
  </>
);

/** How many things wait behind a link; nothing if none do. */
const Count = ({ link, count }: { link: string; count: number }) => (
  <span class="count" id={`count-${link}`} hidden={count === 0}>
    {number(count)}
  </span>
);

/** Says that one of the folded pages has a count. */
const Trouble = ({ frame }: { frame: Frame }) => (
  <span class="dot" id="system-trouble" hidden={!system(frame).some(({ count }) => count)}>
    <span class="sr">: needs attention</span>
  </span>
);

/** The current counts, for a page of which htmx changes only the list. */
export const FreshCounts = ({ frame }: { frame: Frame }) => (
  <>
    {pagesFor(frame).map(
      ({ key, count }) =>
        count !== undefined && (
          <hx-partial hx-target={`#count-${key}`} hx-swap="outerHTML">
            <Count link={key} count={count} />
          </hx-partial>
        ),
    )}
    <hx-partial hx-target="#system-trouble" hx-swap="outerHTML">
      <Trouble frame={frame} />
    </hx-partial>
  </>
);

const menu = "account-menu";

/** Who is signed in; and what concerns only them, in a menu: theme, account, keys, documentation, signing out. */
export const Viewer = ({ frame }: { frame: Frame }) => {
  const { id, name, email, role } = frame.manager;
  return (
    <div class="side-foot">
      <button type="button" id="account" popovertarget={menu}>
        <Avatar name={name || email} tone="plain" />
        <span>
          <span class="sr">Signed in as </span>
          <strong data-manager={id}>{name || email}</strong>
          <span class="sub">{frame.siteTitle}</span>
        </span>
        <Icon name="chevrons-up-down" />
      </button>
      <div class="menu account" id={menu} popover="auto">
        <p>
          {name && <strong>{name}</strong>}
          <span class="sub">
            {email} · {roleTexts[role].name}
          </span>
        </p>
        <Themes frame={frame} />
        <a class="btn quiet" href={paths.account} aria-current={isCurrent(frame, paths.account) ? "page" : undefined}>
          <Icon name="fingerprint" />
          Account and sign-in
        </a>
        <a class="btn quiet with-script" href={paths.shortcuts} hx-target="#dialog">
          <Icon name="keyboard" />
          Keyboard shortcuts
          <kbd aria-hidden="true">?</kbd>
        </a>
        <a class="btn quiet" href="/docs">
          <Icon name="book-open" />
          Documentation
        </a>
        <Form action={paths.signOut} token={frame.token} plain>
          <button type="submit" class="btn quiet">
            <Icon name="log-out" />
            Sign out
          </button>
        </Form>
      </div>
    </div>
  );
};

const themeNames = { system: "System", light: "Light", dark: "Dark" };

const Themes = ({ frame }: { frame: Frame }) => (
  <Form action={paths.theme("system")} token={frame.token} plain>
    <div class="segments" role="group" aria-label="Theme">
      {themes.map((theme) => (
        <button
          type="submit"
          formaction={paths.theme(theme)}
          data-plain
          aria-pressed={theme === frame.preferences.theme ? "true" : "false"}
        >
          {themeNames[theme]}
        </button>
      ))}
    </div>
  </Form>
);
