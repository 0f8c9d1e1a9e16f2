import { type Child, jsx, render } from "../jsx/jsx-runtime";
import type { Translator } from "../languages/translator";
import { OwnImage } from "../components/prose";
import type { Input } from "../components/forms/fields";
import { PublicLayout } from "../public-layout";
import { alignmentOf, isLinkField, type LetterNode } from "./letter-tree";

/** A broadcast's text on its page in the archive: with fallbacks instead of names, and without an unsubscribe link. */
export const LetterProse = ({ t, nodes }: { t: Translator; nodes: LetterNode[] }) => (
  <>{nodes.map((node) => dressed(t, node))}</>
);

/** The elements that a page has. All others in a stored tree are dropped, because the tree is not trusted. */
const plainTags = new Set(
  "p h2 h3 h4 h5 h6 blockquote ul hr table thead tbody tr strong em del code br pre th td".split(" "),
);

/** Our own files, which a browser may have in the width that it shows. Signed URLs, as in a preview, have a query. */
const isOwn = (src: string) => /\/media\/[\w-]+\/[^/?#]+$/.test(src);

const picture = ({ src, alt, width, height }: Extract<LetterNode, { tag: "img" }>) => {
  const isSized = typeof width === "number" && typeof height === "number" && isOwn(src);
  return <OwnImage src={src} alt={alt} dimensions={isSized ? { width, height } : undefined} />;
};

function dressed(t: Translator, node: LetterNode): Child {
  if (typeof node === "string") return node;
  if ("field" in node)
    return isLinkField(node.field) ? null : `${node.fallback && (node.before ?? "")}${node.fallback}`;
  if (node.tag === "img") return picture(node);
  const children = node.children.map((child) => dressed(t, child));
  switch (node.tag) {
    case "a":
      return <a href={node.href}>{children}</a>;
    case "p":
      return render(children).trim() && <p>{children}</p>;
    case "ol":
      return jsx("ol", { ...(node.start !== 1 && { start: node.start }), children });
    case "li":
      return (
        <li>
          {node.checked !== undefined && (node.checked ? "☑ " : "☐ ")}
          {children}
        </li>
      );
    case "pre":
      return (
        <pre tabindex="0">
          <code>{children}</code>
        </pre>
      );
    case "table":
      return (
        <div class="scroll" role="region" aria-label={t("archive.table")} tabindex="0">
          <table>{children}</table>
        </div>
      );
    case "th":
    case "td": {
      const align = alignmentOf(node);
      return jsx(node.tag, { ...(align && { class: `to-${align}` }), children });
    }
    default:
      return plainTags.has(node.tag) ? jsx(node.tag, { children }) : children;
  }
}

type Hidden = [name: string, value: string][];
type FormView = { t: Translator; input: Input; label?: string; email?: string; error?: string; hidden?: Hidden };
/** The result of subscribing, or the form again with what is wrong. */
export type SubscribeState = {
  title: string;
  message?: string;
  form?: { email: string; error: string; hidden: Hidden };
};

/** Posts to one of our own pages, so it works without a script and on any page of the archive. */
const SubscribeForm = ({ t, input, label = t("subscribe.label"), email, error, hidden = [] }: FormView) => (
  // Not validated by the browser: Safari refuses domains that are not ASCII, and only we can say what is wrong in the site's language
  <form class="join" method="post" action="/newsletter/subscribe" novalidate>
    <label for="email">{label}</label>
    {error && (
      <p class="error" id="email-error" role="alert">
        {error}
      </p>
    )}
    {hidden.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <span>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="email"
        maxlength={input.maxlength}
        required
        value={email}
        aria-invalid={error ? "true" : undefined}
        aria-describedby={error && "email-error"}
      />
      <button type="submit" class="main-act">
        {t("subscribe")}
      </button>
    </span>
  </form>
);

/** What the archive says about the site. */
export type ArchiveSite = {
  t: Translator;
  title: string;
  description: string;
  /** Beside the date of each broadcast. */
  author?: string | undefined;
  homeUrl: string;
  archiveUrl: string;
  emailInput: Input;
};
type Item = { url: string; subject: string; excerpt: string; sentAt: Date };
type ArchiveView = {
  site: ArchiveSite;
  items: Item[];
  page: number;
  hasMore: boolean;
};

const feed = (site: ArchiveSite) => (
  <link rel="alternate" type="application/rss+xml" title={nameOf(site)} href={`${site.archiveUrl}.xml`} />
);
const nameOf = ({ t, title }: ArchiveSite) => t("archive.name", { site: title });

/** All listed broadcasts, by year. */
export const ArchivePage = ({ site, items, page, hasMore }: ArchiveView) => (
  <PublicLayout
    root={site.t.root}
    title={page > 1 ? site.t("archive.page", { name: nameOf(site), page }) : nameOf(site)}
    robots="all"
    extras={["archive.css"]}
    head={feed(site)}
    isColumn
  >
    <header>
      <p class="muted">
        <a href={site.homeUrl}>{site.title}</a>
      </p>
      <h1>{site.t("newsletter")}</h1>
      {site.description && <p>{site.description}</p>}
      <SubscribeForm t={site.t} input={site.emailInput} />
    </header>
    {items.length === 0 && <p class="muted">{site.t("archive.empty")}</p>}
    {[...Map.groupBy(items, ({ sentAt }) => sentAt.getUTCFullYear())].map(([year, inYear]) => (
      <>
        <h2>{year}</h2>
        <ul class="items">{inYear.map((item) => ArchiveItem({ t: site.t, ...item }))}</ul>
      </>
    ))}
    <nav class="turn" aria-label={site.t("archive.pages")}>
      {page > 1 && (
        <a href={page > 2 ? `?page=${page - 1}` : site.archiveUrl} rel="prev">
          {site.t("archive.newer")}
        </a>
      )}
      {hasMore && (
        <a href={`?page=${page + 1}`} rel="next">
          {site.t("archive.older")}
        </a>
      )}
      <a href={`${site.archiveUrl}.xml`}>RSS</a>
    </nav>
  </PublicLayout>
);

const ArchiveItem = ({ t, url, subject, excerpt, sentAt }: Item & { t: Translator }) => (
  <li>
    <a href={url}>{subject}</a>
    <Day t={t} at={sentAt} options={{ day: "numeric", month: "long" }} />
    {excerpt && <p>{excerpt}</p>}
  </li>
);

type Neighbour = { url: string; subject: string };
type BroadcastView = {
  site: ArchiveSite;
  url: string;
  subject: string;
  excerpt: string;
  sentAt: Date;
  nodes: LetterNode[];
  /** Unlisted ones are for people who have the URL. */
  isListed: boolean;
  older?: Neighbour | undefined;
  newer?: Neighbour | undefined;
};

/** One broadcast, as everyone may read it. */
export const BroadcastPage = ({ site, isListed, older, newer, ...broadcast }: BroadcastView) => (
  <PublicLayout
    root={site.t.root}
    title={`${broadcast.subject} · ${site.title}`}
    robots={isListed ? "all" : "noindex"}
    extras={["archive.css"]}
    head={isListed && <Listed site={site} {...broadcast} />}
    isColumn
  >
    <BroadcastArticle t={site.t} author={site.author} {...broadcast} above={<Home site={site} isListed={isListed} />} />
    <SubscribeForm t={site.t} input={site.emailInput} label={site.t("archive.next")} />
    {(older || newer) && (
      <nav class="turn" aria-label={site.t("archive.others")}>
        {newer && (
          <a href={newer.url} rel="next">
            {site.t("archive.newerOne", { subject: newer.subject })}
          </a>
        )}
        {older && (
          <a href={older.url} rel="prev">
            {site.t("archive.olderOne", { subject: older.subject })}
          </a>
        )}
      </nav>
    )}
  </PublicLayout>
);

const Listed = ({ site, url, excerpt }: Pick<BroadcastView, "site" | "url" | "excerpt">) => (
  <>
    <link rel="canonical" href={url} />
    {excerpt && <meta name="description" content={excerpt} />}
    {feed(site)}
  </>
);

const Home = ({ site, isListed }: Pick<BroadcastView, "site" | "isListed">) => (
  <p class="muted">
    <a href={isListed ? site.archiveUrl : site.homeUrl}>{isListed ? nameOf(site) : site.title}</a>
  </p>
);

type ArticleView = Pick<BroadcastView, "subject" | "sentAt" | "nodes"> & {
  t: Translator;
  author?: string | undefined;
  above?: Child;
};

const BroadcastArticle = ({ t, subject, sentAt, nodes, author, above }: ArticleView) => (
  <article>
    <header>
      {above}
      <h1>{subject}</h1>
      <p class="muted">
        <Day t={t} at={sentAt} options={{ dateStyle: "long" }} />
        {author && ` · ${author}`}
      </p>
    </header>
    <LetterProse t={t} nodes={nodes} />
  </article>
);

export type PreviewView = ArticleView & {
  isNight: boolean | undefined;
  /** For a preview of the brand: the style sheet with colours that are not saved, and the form below the text. */
  brand?: { styles: string; emailInput: Input };
};

/** The web page of a draft, as the composer previews it. */
export const PagePreview = ({ isNight, brand, ...article }: PreviewView) => (
  <PublicLayout
    root={article.t.root}
    title={article.subject}
    extras={["archive.css"]}
    isNight={isNight}
    isColumn
    head={brand && <link rel="stylesheet" href={brand.styles} />}
  >
    <BroadcastArticle {...article} />
    {brand && <SubscribeForm t={article.t} input={brand.emailInput} label={article.t("archive.next")} />}
  </PublicLayout>
);

type SubscribeView = SubscribeState &
  Pick<ArchiveSite, "t" | "archiveUrl" | "emailInput"> & { home: string | undefined };

/** The page that responds to the form, or shows it again. @param home the site it links back to, unless to the archive */
export const SubscribePage = ({ t, archiveUrl, emailInput, home, ...state }: SubscribeView) => (
  <PublicLayout root={t.root} title={t("newsletter")} extras={["archive.css"]}>
    <h1>{state.title}</h1>
    {state.message && <p role="status">{state.message}</p>}
    {state.form && <SubscribeForm t={t} input={emailInput} {...state.form} />}
    <p class="back">
      {home ? <a href={home}>{t("back", { host: new URL(home).host })}</a> : <a href={archiveUrl}>{t("form.back")}</a>}
    </p>
  </PublicLayout>
);

const Day = ({ t, at, options }: { t: Translator; at: Date; options: Intl.DateTimeFormatOptions }) => (
  <time datetime={at.toISOString()}>{t.date(at, options)}</time>
);
