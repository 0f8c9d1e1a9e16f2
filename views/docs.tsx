import { asset } from "./assets";
import { type Endpoint, EndpointArticle, Method } from "./docs-endpoint";
import { Introduction } from "./docs-introduction";

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
