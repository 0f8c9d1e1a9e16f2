import { Button, EmailLayout, moment, style } from "./email-layout";

type KeyNetworkView = {
  siteTitle: string;
  siteUrl: string;
  /** The key's name. */
  name: string;
  network: string;
  at: Date;
  url: string;
};

export const keyNetworkSubject = ({ name }: Pick<KeyNetworkView, "name">) =>
  `API key “${name}” was used from a new network`;

const whatOf = ({ name, network, at }: KeyNetworkView) =>
  `On ${moment(at)}, the API key “${name}” was used from ${network}. It was not used from there before. This key may name visitors, so anyone who has it can invent views, subscribers and messages.`;
const remedy =
  "If that is not a server of yours, replace the key and choose “Now”. If your host has changed its addresses, there is nothing to do; a key that is limited to networks works nowhere else. You get at most one such email a week about a key.";

/** Tells the owner that a key that may name visitors was used from somewhere else. */
export const KeyNetworkEmail = (view: KeyNetworkView) => (
  <EmailLayout
    siteTitle={view.siteTitle}
    title={keyNetworkSubject(view)}
    preheader={whatOf(view)}
    footer={
      <p class="quiet" style={style.quiet}>
        Sent by Postroom at {new URL(view.siteUrl).host}.
      </p>
    }
  >
    <p class="ink" style={style.text}>
      {whatOf(view)}
    </p>
    <p class="ink" style={style.text}>
      {remedy}
    </p>
    <Button href={view.url}>Open the key</Button>
  </EmailLayout>
);

export const keyNetworkText = (view: KeyNetworkView) => `${keyNetworkSubject(view)}

${whatOf(view)}

${remedy}

Open the key:
${view.url}

--${" "}
Sent by Postroom at ${new URL(view.siteUrl).host}.
`;
