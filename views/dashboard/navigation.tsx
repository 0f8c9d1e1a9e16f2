import { Form } from "../components/forms/form";
import type { Frame } from "../components/frame";
import { Icon } from "../components/icon";
import { number } from "../components/list";
import { paths } from "../paths";

type Link = { path: string; label: string; icon: string; key: string; count?: number; loud?: boolean };

const groups = ({ counts, manager }: Frame): [name: string, links: Link[]][] => [
  [
    "Inbox",
    [
      { path: paths.overview, label: "Overview", icon: "layout-dashboard", key: "o" },
      { path: paths.newsletter, label: "Newsletter", icon: "users", key: "n", count: counts.active },
      { path: paths.broadcasts, label: "Broadcasts", icon: "megaphone", key: "b" },
      { path: paths.suppressions, label: "Suppressions", icon: "shield-alert", key: "u" },
      { path: paths.contact, label: "Contact", icon: "inbox", key: "c", count: counts.unread, loud: true },
      { path: paths.mails, label: "Emails", icon: "send", key: "e", count: counts.failedMails, loud: true },
    ],
  ],
  [
    "Content",
    [
      { path: paths.posts, label: "Posts", icon: "file-text", key: "p" },
      { path: paths.projects, label: "Projects", icon: "layers", key: "r" },
      { path: paths.storage, label: "Storage", icon: "hard-drive", key: "s" },
    ],
  ],
  [
    "Access",
    [
      { path: paths.apiKeys, label: "API keys", icon: "key-round", key: "k" },
      { path: paths.webhooks, label: "Webhooks", icon: "webhook", key: "w" },
      { path: paths.audit, label: "Audit log", icon: "scroll-text", key: "l" },
      ...(manager.role === "owner" ? [{ path: paths.managers, label: "Managers", icon: "user-cog", key: "m" }] : []),
      { path: paths.settings, label: "Settings", icon: "settings", key: "," },
    ],
  ],
];

const isCurrent = (frame: Frame, path: string) =>
  path === paths.overview ? frame.path === path : frame.path === path || frame.path.startsWith(`${path}/`);

/** The pages in the navigation that this manager may open. */
export const pagesFor = (frame: Frame): Link[] => groups(frame).flatMap(([, links]) => links);

/** The main navigation. The keys in `data-key` follow a g (see shortcuts.tsx). */
export const Navigation = ({ frame }: { frame: Frame }) => (
  <div class="navs">
    {groups(frame).map(([name, links]) => (
      <nav class="nav" aria-label={name}>
        {links.map(({ path, label, icon, key, ...figure }) => (
          <a href={path} aria-current={isCurrent(frame, path) ? "page" : undefined} data-key={key}>
            <Icon name={icon} />
            {label}
            {figure.count !== undefined && <Count link={key} {...figure} />}
          </a>
        ))}
      </nav>
    ))}
  </div>
);

/** The count beside a link. */
const Count = ({ link, count = 0, loud }: Pick<Link, "count" | "loud"> & { link: string }) => (
  <span class={loud ? "count loud" : "count"} id={`count-${link}`} hidden={count === 0}>
    {number(count)}
  </span>
);

/** The current counts, for a page of which htmx changes only the list. */
export const FreshCounts = ({ frame }: { frame: Frame }) => (
  <>
    {pagesFor(frame)
      .filter(({ count }) => count !== undefined)
      .map((link) => (
        <hx-partial hx-target={`#count-${link.key}`} hx-swap="outerHTML">
          <Count link={link.key} {...link} />
        </hx-partial>
      ))}
  </>
);

/** Who is signed in, and the sign-out button. */
export const Viewer = ({ frame }: { frame: Frame }) => (
  <div class="side-foot">
    <a href={paths.account} aria-current={isCurrent(frame, paths.account) ? "page" : undefined}>
      <span class="hint">Signed in as</span>
      <strong data-manager={frame.manager.id}>{frame.manager.name || frame.manager.email}</strong>
    </a>
    <Form action={paths.signOut} token={frame.token} plain>
      <button type="submit" class="btn quiet sm">
        <Icon name="log-out" />
        Sign out
      </button>
    </Form>
  </div>
);
