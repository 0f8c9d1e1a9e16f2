import { asset } from "./assets";

export type Field = { name: string; place: string; required: boolean; description?: string | undefined; rule: string };

export function Fields({ title, fields }: { title: string; fields: Field[] }) {
  if (!fields.length) return null;
  return (
    <>
      <h4>{title}</h4>
      <dl class="fields">
        {fields.map(({ name, place, required, description, rule }) => (
          <div>
            <dt>
              <code>{name}</code> {place !== "body" && <span class="place">{place}</span>}{" "}
              {required && <span class="required">required</span>}
            </dt>
            <dd>
              {rule}
              {description && (
                <>
                  . <Prose text={description} />
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Names in backticks become code: the document's texts are CommonMark. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split("`").map((piece, at) => (at % 2 ? <code>{piece}</code> : piece))}</>
);

export type Status = {
  code: string;
  description: string;
  headers: string[];
  type: string | undefined;
  sample: string | undefined;
};
export type Endpoint = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description?: string | undefined;
  isKeyed: boolean;
  parameters: Field[];
  body: Field[];
  curl: string;
  /** The status whose example is shown below the request. */
  example: Status | undefined;
  statuses: Status[];
};

/** One endpoint: parameters, an example, and responses. */
export const EndpointArticle = ({ endpoint }: { endpoint: Endpoint }) => (
  <article id={endpoint.id}>
    <h3>
      <a class="anchor" href={`#${endpoint.id}`}>
        {endpoint.summary}
      </a>
    </h3>
    <p class="route">
      <Method name={endpoint.method} />
      <code>{endpoint.path}</code>
      {endpoint.isKeyed && <span class="key">API key</span>}
    </p>
    {endpoint.description && (
      <p>
        <Prose text={endpoint.description} />
      </p>
    )}
    <Fields title="Parameters" fields={endpoint.parameters} />
    <Fields title="Request body" fields={endpoint.body} />
    <h4>Example</h4>
    <pre tabindex="0">{endpoint.curl}</pre>
    {endpoint.example?.sample && (
      <>
        <p class="caption">
          {endpoint.example.code} <Prose text={endpoint.example.description} />
        </p>
        <pre tabindex="0">{endpoint.example.sample}</pre>
      </>
    )}
    <h4>Responses</h4>
    <ul class="statuses">
      {endpoint.statuses.map((status) => (
        <li>
          <StatusLine status={status} isShown={status === endpoint.example} />
        </li>
      ))}
    </ul>
  </article>
);

/** Expands to its body, if that is JSON and not shown above already. */
const StatusLine = ({ status: { code, description, type, sample }, isShown }: { status: Status; isShown: boolean }) =>
  sample && !isShown ? (
    <details>
      <summary>
        <Code code={code} /> <Prose text={description} />
      </summary>
      <pre tabindex="0">{sample}</pre>
    </details>
  ) : (
    <p>
      <Code code={code} /> <Prose text={description} /> {type === "text/html" && <span class="place">HTML page</span>}
    </p>
  );

const Code = ({ code }: { code: string }) => <code class={`code code-${code[0]}`}>{code}</code>;

export const Method = ({ name }: { name: string }) => <span class={`method method-${name.toLowerCase()}`}>{name}</span>;

export const Introduction = () => (
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

export type Section = { name: string; description: string; endpoints: Endpoint[] };

/** The API reference: everything on one page, without scripts or anything from elsewhere (D42). */
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
