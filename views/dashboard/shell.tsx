import { asset, type AssetName } from "../assets";
import type { Frame } from "../components/frame";
import { Icon } from "../components/icon";
import { Toast } from "../components/toast";
import type { Child } from "../jsx/jsx-runtime";
import { FreshCounts, Navigation, Viewer } from "./navigation";
import { TwoFactorDue } from "./access/two-factor-rule";
import { Palette, SearchLink } from "./search/palette";
import { paths } from "../paths";

/**
 * What htmx may do with a response. Errors never replace what people are looking at; 409 and 422 contain a form to
 * correct, so they are swapped in. Without a settle delay, a swap and what app.ts does after it are one step, so no key
 * is pressed in between while nothing has the focus.
 */
const htmxConfig = JSON.stringify({
  noSwap: [204, 304, 400, 401, 403, 404, 405, 410, 413, 429, "5xx"],
  defaultSwap: "outerHTML",
  defaultSettleDelay: 0,
  history: "reload",
});

type ShellProps = {
  frame: Frame;
  title: string;
  /** Style sheets and scripts that only this page needs. */
  extras?: AssetName[] | undefined;
  children?: Child;
};

/** The frame of every page in the dashboard: navigation, content, notices, dialog. */
export const Shell = ({ frame, title, extras = [], children }: ShellProps) => (
  <html
    lang="en"
    data-theme={frame.preferences.theme === "system" ? undefined : frame.preferences.theme}
    data-density={frame.preferences.density}
    data-shortcuts={frame.preferences.shortcuts}
  >
    <Metadata frame={frame} title={title} extras={extras} />
    <body class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <button type="button" class="btn quiet icon-only" popovertarget="side" aria-label="Menu">
          <Icon name="menu" />
        </button>
        <Brand />
        <SearchLink isSmall />
      </header>
      <section class="side" id="side" aria-label="Navigation" popover="auto">
        <Brand />
        <SearchLink />
        <Navigation frame={frame} />
        <Viewer frame={frame} />
      </section>
      <main class="main" id="main" tabindex="-1">
        <TwoFactorDue frame={frame} />
        {children}
      </main>
      <div class="toasts" id="toasts" role="status" aria-live="polite">
        {frame.notices.map((notice) => (
          <Toast notice={notice} token={frame.token} />
        ))}
      </div>
      <div id="dialog" />
      <Palette longest={frame.longestSearch} />
    </body>
  </html>
);

/** Asks for the fonts early: one that comes after the first paint is not shown on that page. */
export const Fonts = () => (
  <>
    <link rel="preload" href={asset("figtree.woff2")} as="font" type="font/woff2" crossorigin="anonymous" />
    <link rel="preload" href={asset("newsreader.woff2")} as="font" type="font/woff2" crossorigin="anonymous" />
  </>
);

const Metadata = ({ frame, title, extras }: { frame: Frame; title: string; extras: AssetName[] }) => (
  <head>
    <meta charset="utf-8" />
    {/* What stays at the lower edge stays above a keyboard on the screen, where browsers can do that */}
    <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    {frame.live && <meta name="live" content={frame.live} />}
    <meta name="htmx-config" content={htmxConfig} />
    <Title frame={frame} title={title} />
    {/* The first paint has the whole page, which is small: parts of it would move when the next arrive. */}
    <link rel="expect" href="#palette" blocking="render" />
    <script src={asset("early.js")} />
    {["app.css" as const, ...extras.filter((name) => name.endsWith(".css"))].map((name) => (
      <link rel="stylesheet" href={asset(name)} />
    ))}
    <Fonts />
    <link rel="icon" href={asset("favicon.svg")} type="image/svg+xml" />
    {/* htmx is last: it processes the page as soon as it runs, after our scripts corrected what it reads. */}
    {["app.js" as const, ...extras.filter((name) => name.endsWith(".js")), "htmx.js" as const].map((name) => (
      <script src={asset(name)} defer />
    ))}
  </head>
);

export const Title = ({ frame, title }: ShellProps) => (
  <title>
    {frame.counts.unread > 0 && frame.path.startsWith(paths.contact) ? `(${frame.counts.unread}) ` : ""}
    {title} · {frame.siteTitle}
  </title>
);

/** What else changes when htmx changes only the list: the title, and the counts in the navigation. */
export const Surroundings = ({ frame, title }: ShellProps) => (
  <>
    <Title frame={frame} title={title} />
    <FreshCounts frame={frame} />
  </>
);

const Brand = () => (
  <a class="brand" href={paths.overview}>
    Postroom
  </a>
);

/** A link back, above a title. */
export const Crumb = ({ href, id, children }: { href: string; id?: string; children?: Child }) => (
  <p class="crumb">
    <a href={href} id={id}>
      <Icon name="arrow-left" />
      <span>{children}</span>
    </a>
    <span class="walk" hidden>
      <a rel="prev" aria-label="Previous" title="Previous (k)">
        <Icon name="chevron-up" />
      </a>
      <a rel="next" aria-label="Next" title="Next (j)">
        <Icon name="chevron-down" />
      </a>
    </span>
  </p>
);

type CreateLinkProps = { id: string; href: string; isDialog?: boolean; children?: Child };

/** Creates what a page lists, in a dialog or on a page of its own; so does the key c. */
export const CreateLink = ({ id, href, isDialog = false, children }: CreateLinkProps) => (
  <a
    class="btn primary"
    id={id}
    href={href}
    hx-get={isDialog ? href : undefined}
    hx-target={isDialog ? "#dialog" : undefined}
    data-hotkey="c"
  >
    <Icon name="plus" />
    {children}
  </a>
);

/**
 * @param isTitleUnseen the title stands in its field
 * @param isFocused the page answers a form, and nothing on it is to be used before it was read
 */
type HeadProps = { title: string; isTitleUnseen?: boolean; isFocused?: boolean; lead?: Child; children?: Child };

/** Title, lead sentence, and the page's actions. */
export const Head = ({ title, isTitleUnseen, isFocused, lead, children }: HeadProps) => (
  <div class="head" id="head">
    <div>
      <h1 class={isTitleUnseen ? "sr" : undefined} {...(isFocused && { tabindex: "-1", autofocus: true })}>
        {title}
      </h1>
      {lead && <p>{lead}</p>}
    </div>
    {children && <div class="actions">{children}</div>}
  </div>
);
