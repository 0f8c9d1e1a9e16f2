import { asset } from "../../../assets";
import { Icon } from "../../../components/icon";
import type { Child } from "../../../jsx/jsx-runtime";

type DoorProps = { title: string; passkeys?: boolean; problem?: string | undefined; lead?: Child; children?: Child };

/** The layout of the signed-out pages: one sheet, one thing to do. */
export const SignedOutLayout = ({ title, passkeys, problem, lead, children }: DoorProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>{title} · Postroom</title>
      <link rel="expect" href="#main" blocking="render" />
      <script src={asset("early.js")} />
      <link rel="stylesheet" href={asset("app.css")} />
      <link rel="stylesheet" href={asset("door.css")} />
      <link rel="icon" href={asset("favicon.svg")} type="image/svg+xml" />
      {passkeys && <script src={asset("webauthn.js")} defer />}
      <script src={asset("door.js")} defer />
    </head>
    <body class="door">
      <main class="card sheet" id="main">
        <div class="body">
          <p class="brand">Postroom</p>
          <h1>{title}</h1>
          {lead && <p class="hint">{lead}</p>}
          {problem && (
            <div class="note bad" role="alert">
              <Icon name="circle-alert" />
              <p>{problem}</p>
            </div>
          )}
          {children}
        </div>
      </main>
    </body>
  </html>
);
