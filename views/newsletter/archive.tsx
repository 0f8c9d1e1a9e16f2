import type { Child } from "../jsx/jsx-runtime";
import { PublicLayout } from "../public-layout";
import { LetterProse } from "./letter-prose";
import type { LetterNode } from "./letter-tree";
import { type SubscribeState, SubscribeForm } from "./subscribe";

/** What the archive says of the site. */
export type ArchiveSite = { title: string; description: string; homeUrl: string; archiveUrl: string };
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
const nameOf = ({ title }: ArchiveSite) => `Newsletter of ${title}`;

/** All broadcasts that were sent to everyone, by year. */
export const ArchivePage = ({ site, items, page, hasMore }: ArchiveView) => (
  <PublicLayout
    title={page > 1 ? `${nameOf(site)}, page ${page}` : nameOf(site)}
    robots="all"
    extras={["archive.css"]}
    head={feed(site)}
    isColumn
  >
    <header>
      <p class="muted">
        <a href={site.homeUrl}>{site.title}</a>
      </p>
      <h1>Newsletter</h1>
      {site.description && <p>{site.description}</p>}
      <SubscribeForm label="Email address" />
    </header>
    {items.length === 0 && <p class="muted">No emails yet. Subscribe to get the first one.</p>}
    {[...Map.groupBy(items, ({ sentAt }) => sentAt.getUTCFullYear())].map(([year, inYear]) => (
      <>
        <h2>{year}</h2>
        <ul class="items">{inYear.map(ArchiveItem)}</ul>
      </>
    ))}
    <nav class="turn" aria-label="Pages">
      {page > 1 && (
        <a href={page > 2 ? `?page=${page - 1}` : site.archiveUrl} rel="prev">
          Newer emails
        </a>
      )}
      {hasMore && (
        <a href={`?page=${page + 1}`} rel="next">
          Older emails
        </a>
      )}
      <a href={`${site.archiveUrl}.xml`}>RSS</a>
    </nav>
  </PublicLayout>
);

const ArchiveItem = ({ url, subject, excerpt, sentAt }: Item) => (
  <li>
    <a href={url}>{subject}</a>
    <Day at={sentAt} options={{ day: "numeric", month: "long" }} />
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
  /** Unlisted ones are for those who know their URL. */
  isListed: boolean;
  older?: Neighbour | undefined;
  newer?: Neighbour | undefined;
};

/** One broadcast, as everyone may read it. */
export const BroadcastPage = ({ site, isListed, older, newer, ...broadcast }: BroadcastView) => (
  <PublicLayout
    title={`${broadcast.subject} · ${site.title}`}
    robots={isListed ? "all" : "noindex"}
    extras={["archive.css"]}
    head={isListed && <Listed site={site} {...broadcast} />}
    isColumn
  >
    <BroadcastArticle {...broadcast} above={<Home site={site} isListed={isListed} />} />
    <SubscribeForm label="Get the next one by email" />
    {(older || newer) && (
      <nav class="turn" aria-label="Other emails">
        {newer && (
          <a href={newer.url} rel="next">
            Newer: {newer.subject}
          </a>
        )}
        {older && (
          <a href={older.url} rel="prev">
            Older: {older.subject}
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

type ArticleView = Pick<BroadcastView, "subject" | "sentAt" | "nodes"> & { above?: Child };

const BroadcastArticle = ({ subject, sentAt, nodes, above }: ArticleView) => (
  <article>
    <header>
      {above}
      <h1>{subject}</h1>
      <p class="muted">
        <Day at={sentAt} options={{ dateStyle: "long" }} />
      </p>
    </header>
    <LetterProse nodes={nodes} />
  </article>
);

/** The page of a draft, as the composer previews it. */
export const PagePreview = ({ isNight, ...article }: ArticleView & { isNight: boolean }) => (
  <PublicLayout title={article.subject} extras={["archive.css"]} isNight={isNight} isColumn>
    <BroadcastArticle {...article} />
  </PublicLayout>
);

/** The page that answers the form, or shows it again. */
export const SubscribePage = ({ site, ...state }: SubscribeState & { site: Pick<ArchiveSite, "archiveUrl"> }) => (
  <PublicLayout title="Newsletter" extras={["archive.css"]}>
    <h1>{state.title}</h1>
    {state.message && <p role="status">{state.message}</p>}
    {state.form && <SubscribeForm label="Email address" {...state.form} />}
    <p class="back">
      <a href={site.archiveUrl}>Back to the newsletter</a>
    </p>
  </PublicLayout>
);

const Day = ({ at, options }: { at: Date; options: Intl.DateTimeFormatOptions }) => (
  <time datetime={at.toISOString()}>{at.toLocaleDateString("en-GB", { ...options, timeZone: "UTC" })}</time>
);
