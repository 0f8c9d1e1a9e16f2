import type { Child } from "../jsx/jsx-runtime";

/** What is hard at first, explained where it is met. The documents say the rest. */
export const helps = {
  doubleOptIn: {
    about: "confirmation by email",
    text: "With double opt-in, people who subscribe first get an email with a link, and are on the list once they have followed it. No one can sign up someone else, and you can show that each person agreed. Without it, more people stay, among them some who mistyped their address.",
  },
  postUrl: {
    about: "the URL of a post",
    text: "Open any post on your site and copy its address. Then replace the part that only this post has by {slug}: https://blog.example/posts/rain becomes https://blog.example/posts/{slug}.",
  },
  mergeFields: {
    about: "names in the text",
    text: 'Write {name, "friend"}: readers see their own name, or “friend” if you do not know it. In the same way, {city, "your town"} shows a field of yours. They work in the subject, too.',
  },
  suppressions: {
    about: "suppressions",
    text: "An address is suppressed when its mail server says that it does not exist, when its owner marks an email as spam, or by hand. It stays suppressed when it is imported or added again. Someone who only unsubscribed is not suppressed, and may come back.",
  },
  import: {
    about: "who becomes active",
    text: "People become active only if every status column says so. Those who unsubscribed or bounced elsewhere are imported as unsubscribed, and people who are already on your list are not changed. Nothing happens before you have seen the counts.",
  },
  sequences: {
    about: "sequences",
    text: "A broadcast goes to everyone at one time. A sequence begins for each person on their own day, when they subscribe or get a tag, and goes on at its own pace. People who unsubscribe get nothing more of it, and no one gets an email of it twice.",
  },
  nodes: {
    about: "storage nodes",
    text: "A node is a bucket on an S3 server. Browsers upload to it directly, and Postroom keeps only the list of what is there. With several nodes, a file is on one of them; when one cannot be reached, uploads go to the others. The node called “embedded” is built in, for trying Postroom out: it keeps files on the disk of this server.",
  },
  notMeasured: {
    about: "what is not measured",
    text: "Opens and clicks in emails are not measured: email apps preload pictures, and readers have not consented. For the same reason no one’s country is looked up, and there are no A/B tests, which compare opens.",
  },
  webhooks: {
    about: "webhooks",
    text: "When something happens here, Postroom calls a URL of yours, for example to rebuild your site. If that fails, it tries up to ten times over three days. Every call is signed with a secret, so that your program knows who calls.",
  },
  scopes: {
    about: "scopes",
    text: "A key can do only what its scopes say. A site that shows posts needs the first two. Give a key the addresses of subscribers only if its program sends or keeps them, and never put a key into a web page: anyone could read it there.",
  },
} as const;

export type HelpTopic = keyof typeof helps;

/** A "?" beside what it explains. Opens without a script; Escape closes it. In a sentence, so its elements are those of text. */
export const Help = ({ of: topic }: { of: HelpTopic }) => (
  <>
    <button type="button" class="help" popovertarget={`help-${topic}`} aria-label={`Help: ${helps[topic].about}`}>
      ?
    </button>
    <span class="menu help-text" id={`help-${topic}`} popover="auto">
      {helps[topic].text}
    </span>
  </>
);

/** A label with its help, if it has one. */
export const Labelled = ({ help, children }: { help: HelpTopic | undefined; children: Child }) =>
  help ? (
    <span class="labelled">
      {children}
      <Help of={help} />
    </span>
  ) : (
    <>{children}</>
  );

/** What only someone with access to the server can do: folded away, because most managers are not that person. */
export const OnTheServer = ({ children }: { children?: Child }) => (
  <details class="on-server">
    <summary>For the server’s administrator</summary>
    {children}
  </details>
);
