import { asset } from "./assets";

export type Field = { name: string; place: string; required: boolean; description?: string | undefined; rule: string };
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
  answer: Status | undefined;
  statuses: Status[];
};
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
              <Article endpoint={endpoint} />
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
    <p class="group">Machines</p>
    <ul>
      <li>
        <a href="/openapi.json">openapi.json</a>
      </li>
    </ul>
  </nav>
);

const Introduction = () => (
  <header>
    <h1>The interface</h1>
    <p class="lead">
      Newsletter, contact, content and uploads, over HTTP. This page is made from the routes themselves; so is{" "}
      <a href="/openapi.json">the OpenAPI 3.1 document</a>.
    </p>
    <dl class="basics">
      <dt>Answers</dt>
      <dd>
        JSON comes in one envelope: <code>success</code>, <code>data</code>, <code>error</code>. On failure{" "}
        <code>error</code> has a <code>code</code> for programs and a <code>message</code> for people.
      </dd>
      <dt>Keys</dt>
      <dd>
        Paths under <code>/api/v1</code> want the header <code>x-api-key</code>. Keys are made in the dashboard and
        belong on servers, not in browsers.
      </dd>
      <dt>Limits</dt>
      <dd>
        Where there is a limit, <code>RateLimit</code> says what is left, and a 429 says in <code>Retry-After</code>{" "}
        when to come back.
      </dd>
      <dt>Help</dt>
      <dd>
        Every answer carries <code>X-Request-Id</code>. Quote it when you ask about one.
      </dd>
    </dl>
  </header>
);

const Article = ({ endpoint }: { endpoint: Endpoint }) => (
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
    <Fields title="Body" fields={endpoint.body} />
    <h4>Example</h4>
    <pre tabindex="0">{endpoint.curl}</pre>
    {endpoint.answer?.sample && (
      <>
        <p class="caption">
          {endpoint.answer.code} <Prose text={endpoint.answer.description} />
        </p>
        <pre tabindex="0">{endpoint.answer.sample}</pre>
      </>
    )}
    <h4>Answers</h4>
    <ul class="statuses">
      {endpoint.statuses.map((status) => (
        <li>
          <StatusLine status={status} isShown={status === endpoint.answer} />
        </li>
      ))}
    </ul>
  </article>
);

function Fields({ title, fields }: { title: string; fields: Field[] }) {
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

/** Opens to its body, when that is JSON and not shown above already. */
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
      <Code code={code} /> <Prose text={description} /> {type === "text/html" && <span class="place">a page</span>}
    </p>
  );

/** Names between backticks are code: the document's texts are CommonMark. */
const Prose = ({ text }: { text: string }) => (
  <>{text.split("`").map((piece, at) => (at % 2 ? <code>{piece}</code> : piece))}</>
);

const Code = ({ code }: { code: string }) => <code class={`code code-${code[0]}`}>{code}</code>;

const Method = ({ name }: { name: string }) => <span class={`method method-${name.toLowerCase()}`}>{name}</span>;
