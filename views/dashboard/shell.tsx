import { asset, type AssetName } from "../assets";
import { Form } from "../components/form";
import type { Frame } from "../components/frame";
import { Icon } from "../components/icon";
import { number } from "../components/list";
import { Toast } from "../components/toast";
import type { Child } from "../jsx/jsx-runtime";

/**
 * What htmx may do with an answer: errors never replace what people look at. 409 and 422 are forms that want another
 * look, so they are swapped.
 */
const htmxConfig = JSON.stringify({
  noSwap: [204, 304, 400, 401, 403, 404, 405, 410, 413, 429, "5xx"],
  defaultSwap: "outerHTML",
  history: "reload",
});

type ShellProps = {
  frame: Frame;
  title: string;
  /** Style sheets and scripts that only this page needs. */
  extras?: AssetName[] | undefined;
  children?: Child;
};

/** The room everything in the dashboard happens in: navigation, the page, notices, the dialog. */
export const Shell = ({ frame, title, extras = [], children }: ShellProps) => (
  <html
    lang="en"
    data-theme={frame.preferences.theme === "system" ? undefined : frame.preferences.theme}
    data-density={frame.preferences.density}
    data-shortcuts={frame.preferences.shortcuts}
  >
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <meta name="htmx-config" content={htmxConfig} />
      <Title frame={frame} title={title} />
      <link rel="preload" href={asset("figtree.woff2")} as="font" type="font/woff2" crossorigin="anonymous" />
      <link rel="preload" href={asset("newsreader.woff2")} as="font" type="font/woff2" crossorigin="anonymous" />
      {["app.css" as const, ...extras.filter((name) => name.endsWith(".css"))].map((name) => (
        <link rel="stylesheet" href={asset(name)} />
      ))}
      <link rel="icon" href={asset("favicon.svg")} type="image/svg+xml" />
      {["htmx.js" as const, "app.js" as const, ...extras.filter((name) => name.endsWith(".js"))].map((name) => (
        <script src={asset(name)} defer />
      ))}
    </head>
    <body class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <button type="button" class="btn quiet icon-only" popovertarget="side" aria-label="Menu">
          <Icon name="menu" />
        </button>
        <Brand />
      </header>
      <header class="side" id="side" popover="auto">
        <Brand />
        <Navigation frame={frame} />
        <SideFoot frame={frame} />
      </header>
      <main class="main" id="main" tabindex="-1">
        {children}
      </main>
      <div class="toasts" id="toasts" role="status" aria-live="polite">
        {frame.notices.map((notice) => (
          <Toast notice={notice} token={frame.token} />
        ))}
      </div>
      <div id="dialog" />
      <ShortcutHelp />
    </body>
  </html>
);

const Title = ({ frame, title }: ShellProps) => (
  <title>
    {frame.counts.unread > 0 && frame.path.startsWith("/dashboard/contact") ? `(${frame.counts.unread}) ` : ""}
    {title} · {frame.siteTitle}
  </title>
);

/** What else changes when htmx changes only the list: the title, and the figures beside the navigation. */
export const Surroundings = ({ frame, title }: ShellProps) => (
  <>
    <Title frame={frame} title={title} />
    {groups(frame)
      .flatMap(([, links]) => links)
      .filter(({ count }) => count !== undefined)
      .map((link) => (
        <hx-partial hx-target={`#count-${link.key}`} hx-swap="outerHTML">
          <Count link={link.key} {...link} />
        </hx-partial>
      ))}
  </>
);

const Brand = () => (
  <a class="brand" href="/dashboard">
    Postroom
  </a>
);

type Link = { path: string; label: string; icon: string; key: string; count?: number; loud?: boolean };

const groups = ({ counts, manager }: Frame): [name: string, links: Link[]][] => [
  [
    "Inbox",
    [
      { path: "/dashboard", label: "Overview", icon: "layout-dashboard", key: "o" },
      { path: "/dashboard/newsletter", label: "Newsletter", icon: "users", key: "n", count: counts.active },
      { path: "/dashboard/contact", label: "Contact", icon: "inbox", key: "c", count: counts.unread, loud: true },
      { path: "/dashboard/outbox", label: "Emails", icon: "send", key: "e", count: counts.failedMails, loud: true },
    ],
  ],
  [
    "Content",
    [
      { path: "/dashboard/posts", label: "Posts", icon: "file-text", key: "p" },
      { path: "/dashboard/projects", label: "Projects", icon: "layers", key: "r" },
      { path: "/dashboard/storage", label: "Storage", icon: "hard-drive", key: "s" },
    ],
  ],
  [
    "Access",
    [
      { path: "/dashboard/api-keys", label: "API keys", icon: "key-round", key: "k" },
      { path: "/dashboard/audit", label: "Audit log", icon: "scroll-text", key: "l" },
      ...(manager.role === "owner"
        ? [{ path: "/dashboard/managers", label: "Managers", icon: "user-cog", key: "m" }]
        : []),
      { path: "/dashboard/settings", label: "Settings", icon: "settings", key: "," },
    ],
  ],
];

const isCurrent = (frame: Frame, path: string) =>
  path === "/dashboard" ? frame.path === path : frame.path === path || frame.path.startsWith(`${path}/`);

const Navigation = ({ frame }: { frame: Frame }) => (
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

/** The figure of the link with this key. */
const Count = ({ link, count = 0, loud }: Pick<Link, "count" | "loud"> & { link: string }) => (
  <span class={loud ? "count loud" : "count"} id={`count-${link}`} hidden={count === 0}>
    {number(count)}
  </span>
);

const SideFoot = ({ frame }: { frame: Frame }) => (
  <div class="side-foot">
    <a href="/dashboard/account" aria-current={isCurrent(frame, "/dashboard/account") ? "page" : undefined}>
      <span class="hint">Signed in as</span>
      <strong data-manager={frame.manager.id}>{frame.manager.name || frame.manager.email}</strong>
    </a>
    <Form action="/dashboard/sign-out" token={frame.token} plain>
      <button type="submit" class="btn quiet sm">
        <Icon name="log-out" />
        Sign out
      </button>
    </Form>
  </div>
);

/** Title, a sentence, and the page's actions. */
export const Head = ({ title, lead, children }: { title: string; lead?: Child; children?: Child }) => (
  <div class="head">
    <div>
      <h1>{title}</h1>
      {lead && <p>{lead}</p>}
    </div>
    {children && <div class="actions">{children}</div>}
  </div>
);

const shortcuts: [keys: string, meaning: string][] = [
  ["/", "Search"],
  ["j k", "Next and previous row"],
  ["x", "Select the row"],
  ["Enter", "Open"],
  ["r", "Reply to the message"],
  ["y", "Archive it, or back to the inbox"],
  ["u", "Mark it unread"],
  ["#", "Delete it"],
  ["g o", "Overview"],
  ["g n", "Newsletter"],
  ["g c", "Contact"],
  ["g e", "Emails"],
  ["g p", "Posts"],
  ["g r", "Projects"],
  ["g s", "Storage"],
  ["g k", "API keys"],
  ["g l", "Audit log"],
  ["g m", "Managers"],
  ["g ,", "Settings"],
  ["Esc", "Close, or leave the search"],
  ["?", "This help"],
];

const ShortcutHelp = () => (
  <dialog class="dialog" id="shortcuts" aria-labelledby="shortcuts-title">
    <form method="dialog" class="body">
      <h2 id="shortcuts-title">Keyboard shortcuts</h2>
      <dl class="keys">
        {shortcuts.map(([keys, meaning]) => (
          <div>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">They can be switched off in Settings, under Appearance.</p>
      <footer>
        <button type="submit" class="btn">
          Close
        </button>
      </footer>
    </form>
  </dialog>
);
