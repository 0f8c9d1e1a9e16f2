import { type Endpoint, Method } from "./endpoint";
import { type PageInfo, pathOf } from "./shell";

/** The endpoints of a page. */
export type Section = { name: string; description: string; endpoints: Endpoint[] };

type Props = {
  pages: PageInfo[];
  sections: { page: PageInfo; section: Section }[];
  /** The anchor of an endpoint on the single page that these once were. */
  previousAnchor: (endpoint: Endpoint) => string | undefined;
};

/** The start page: what holds for every request, and every page and endpoint. */
export const StartPage = ({ pages, sections, previousAnchor }: Props) => (
  <>
    <Basics />
    <section aria-labelledby="pages">
      <h2 id="pages">Pages</h2>
      <ul class="cards">
        {pages.map((page) => (
          <li>
            <a href={pathOf(page)}>{page.title}</a>
            <p>{page.lead}</p>
          </li>
        ))}
      </ul>
    </section>
    <section aria-labelledby="endpoints" data-moved>
      <h2 id="endpoints">Endpoints</h2>
      {sections.map(({ page, section }) => (
        <>
          <h3 id={section.name}>
            <a href={pathOf(page)}>{page.title}</a>
          </h3>
          <ul class="endpoints">
            {section.endpoints.map((endpoint) => (
              <li id={endpoint.id}>
                <a href={`${pathOf(page)}#${endpoint.id}`}>
                  <Method name={endpoint.method} /> <code>{endpoint.path}</code>
                </a>
                <span id={previousAnchor(endpoint)}>{endpoint.summary}</span>
              </li>
            ))}
          </ul>
        </>
      ))}
    </section>
  </>
);

const Basics = () => (
  <dl class="basics">
    <dt>Responses</dt>
    <dd>
      Every JSON response has the same envelope: <code>success</code>, <code>data</code> and <code>error</code>. On
      failure, <code>error</code> holds a <a href="/docs/errors">code</a> for programs and a <code>message</code> for
      people.
    </dd>
    <dt>Client</dt>
    <dd>
      The TypeScript client is a package that Postroom serves itself: <a href="/docs/client#install">Install</a>.
      Everything works with plain <code>fetch</code>, too, and whole sites are among{" "}
      <a href="/docs/postroom-examples.tgz">the examples</a>.
    </dd>
    <dt>Authentication</dt>
    <dd>
      Paths under <code>/api/v1</code> require the <code>x-api-key</code> header. Create keys in the dashboard. Use them
      on servers only, never in browser code.
    </dd>
    <dt>Rate limits</dt>
    <dd>
      Rate-limited responses carry a <code>RateLimit</code> header with the remaining quota. A 429 response tells you in{" "}
      <code>Retry-After</code> how long to wait. <a href="/docs/limits">All limits</a>
    </dd>
    <dt>Markdown</dt>
    <dd>
      Every page is Markdown, too, with <code>.md</code> at the end of its path. <a href="/llms.txt">llms.txt</a> lists
      them.
    </dd>
    <dt>Help</dt>
    <dd>
      Every response carries <code>X-Request-Id</code>. Quote it when you ask for help.
    </dd>
  </dl>
);
