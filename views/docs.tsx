import { asset } from "./assets";
import { type Endpoint, EndpointArticle, Method } from "./docs-endpoint";

export type Section = { name: string; description: string; endpoints: Endpoint[] };

/** The interface for those who call it: everything on one page, no script, nothing from anywhere else (D42). */
export const DocsPage = ({ sections }: { sections: Section[] }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>Postroom API</title>
      <link rel="icon" href={asset("favicon.svg")} type="image/svg+xml" />
      <link rel="stylesheet" href={asset("docs.css")} />
    </head>
    <body>
      <a class="skip" href="#content">
        Skip to the endpoints
      </a>
      <Contents sections={sections} />
      <main id="content">
        <Introduction />
        {sections.map((section) => (
          <section aria-labelledby={section.name}>
            <h2 id={section.name}>{section.name}</h2>
            <p class="lead">{section.description}</p>
            {section.endpoints.map((endpoint) => (
              <EndpointArticle endpoint={endpoint} />
            ))}
          </section>
        ))}
      </main>
    </body>
  </html>
);

const Contents = ({ sections }: { sections: Section[] }) => (
  <nav aria-label="Endpoints">
    <p class="mark">Postroom</p>
    {sections.map(({ name, endpoints }) => (
      <>
        <p class="group">{name}</p>
        <ul>
          {endpoints.map(({ id, method, path }) => (
            <li>
              <a href={`#${id}`}>
                <Method name={method} /> <span>{path.replace(/^\/api/, "")}</span>
              </a>
            </li>
          ))}
        </ul>
      </>
    ))}
    <p class="group">Machine-readable</p>
    <ul>
      <li>
        <a href="/openapi.json">openapi.json</a>
      </li>
    </ul>
  </nav>
);

const Introduction = () => (
  <header>
    <h1>API reference</h1>
    <p class="lead">
      Newsletter, contact, content and uploads over HTTP. This page and the{" "}
      <a href="/openapi.json">OpenAPI 3.1 document</a> are generated from the routes.
    </p>
    <dl class="basics">
      <dt>Responses</dt>
      <dd>
        Every JSON response has the same envelope: <code>success</code>, <code>data</code> and <code>error</code>. On
        failure, <code>error</code> holds a <code>code</code> for programs and a <code>message</code> for people.
      </dd>
      <dt>Authentication</dt>
      <dd>
        Paths under <code>/api/v1</code> require the <code>x-api-key</code> header. Create keys in the dashboard. Use
        them on servers only, never in browser code.
      </dd>
      <dt>Rate limits</dt>
      <dd>
        Rate-limited responses carry a <code>RateLimit</code> header with the remaining quota. A 429 response tells you
        in <code>Retry-After</code> how long to wait.
      </dd>
      <dt>Help</dt>
      <dd>
        Every response carries <code>X-Request-Id</code>. Quote it when you ask for help.
      </dd>
    </dl>
  </header>
);
