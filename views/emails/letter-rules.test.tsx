import { expect, test } from "bun:test";
import { composeEmail } from "../../src/broadcasts/letter/emails";
import { letterOf } from "../../src/broadcasts/letter/letter";
import { recipient, source } from "../../test/support/broadcasts/letters";
import { brandOf } from "../brand";
import type { JSX } from "../jsx/jsx-runtime";
import { translator } from "../languages/translator";
import { ConfirmEmail, RecordEmail, WelcomeEmail } from "./welcome";
import { ContactNotificationEmail, QuarantineSummaryEmail } from "./contact";
import { InvitationEmail, NewSignInEmail } from "./sign-ins";
import * as notices from "./notices";
import { TestEmail } from "./test-mail";

/* What email programs understand of HTML and CSS, as caniemail.com records it, held for every email that is sent. */

const t = translator("en");
const [siteTitle, siteUrl, url, at] = ["Noor", "https://site.example", "https://site.example/x", new Date()] as const;
const site = { siteTitle, siteUrl, url };
const logo = {
  path: "/media/1/logo.png",
  src: "https://site.example/media/1/logo.png?w=480&as=jpeg",
  width: 240,
  height: 64,
};
const brand = { ...brandOf("#ffd84d"), logo };
const ofReaders = { ...site, t, brand, footerLine: "From Ballstad.", sender: ["Ballstad"] };
const text = `Dear {name, "friend"} 🌧️ 雨量計 see https://a.example/b_(c), and (https://d.example/).

# One
## Two

> Quoted
>
> - a list in it

1. one
2. two

- [x] done

| Month | Rain |
|---|--:|
| May | 3 |

\`\`\`ts
const url = "https://code.example/";
\`\`\`

\`https://code.example/\` [link](https://e.example/)

![A gauge](/media/1/gauge.png)

---
`;
const broadcast = composeEmail(letterOf(source({ content: text })), recipient);
const notice = (of: notices.Notice) => <notices.NoticeEmail {...site} {...of} />;
const ledger = { recipients: 5, accepted: 1, refused: 1, uncertain: 1, left: 1, waiting: 1, simulated: 0 };
const page = { url, text: "Open" };
const emails: Record<string, string | JSX.Element> = {
  broadcast: broadcast.html,
  confirm: <ConfirmEmail {...ofReaders} confirmUrl={url} unsubscribeUrl={url} />,
  "contact-notification": (
    <ContactNotificationEmail
      {...site}
      name="Ada"
      email="ada@reader.example"
      source="blog"
      message={"One\ntwo"}
      receivedAt={at}
    />
  ),
  invitation: <InvitationEmail {...site} inviter="Ada" role="owner" />,
  "new-sign-in": <NewSignInEmail {...site} email="ada@site.example" device="Firefox" at={at} timeZone="UTC" />,
  "notice: alert": notice(
    notices.alert({ title: "Disk", detail: "Full.", since: at, clearedAt: undefined, remedy: "Delete.", page }),
  ),
  "notice: broadcast": notice(
    notices.broadcastNotice({ url, subject: "Rain", about: "paused", reason: "missed", detail: null, ledger }),
  ),
  "notice: key expires": notice(notices.keyExpires({ url, name: "blog", expiresAt: at, lastUsedAt: null })),
  "notice: key erases": notice(notices.keyErases({ url, name: "blog", at })),
  "notice: key invents visitors": notice(notices.keyInventsVisitors({ url, name: "blog", at, messages: url })),
  "notice: key used elsewhere": notice(notices.keyUsedElsewhere({ url, name: "blog", network: "192.0.2.0/24", at })),
  "notice: webhook off": notice(
    notices.webhookOff({ url, name: "shop", endpoint: url, isGone: true, uploads: "refused" }),
  ),
  "quarantine-summary": <QuarantineSummaryEmail {...site} count={3} />,
  record: <RecordEmail {...ofReaders} recordUrl={url} />,
  test: <TestEmail {...site} from="noor@site.example" />,
  welcome: (
    <WelcomeEmail
      {...ofReaders}
      posts={[{ title: "Rain", excerpt: "Much.", url }]}
      postsTitle="Latest"
      title="Welcome"
      preheader="Thank you."
      unsubscribeUrl={url}
      preferencesUrl={url}
    />
  ),
};
const names = Object.keys(emails);
const htmlOf = (name: string) => String(emails[name]);

type Tag = { name: string; attributes: string; style: string };
/** The tags that programs other than Word read, with their style. */
const tagsOf = (html: string): Tag[] =>
  [...html.replace(/<style>.*?<\/style>|<!--.*?-->/gs, "").matchAll(/<([a-z][a-z0-9]*)([^>]*)>/g)].map(
    ([, name = "", attributes = ""]) => ({
      name,
      attributes,
      style: / style="([^"]*)"/.exec(attributes)?.[1]?.replaceAll("&#39;", "'") ?? "",
    }),
  );
/** The values of a property in a tag's style. */
const valuesOf = ({ style }: Tag, property: string) =>
  style.split(";").flatMap((one) => (one.split(":")[0] === property ? [one.slice(property.length + 1)] : []));

const cells = new Set(["td", "th"]);
const noWidth = new Set(["div", "p", "span", "td", "th", "table", "a", "ul", "ol"]);
/** Each names what breaks it, of what Outlook for Windows (Word), Gmail, Yahoo, Apple Mail or Thunderbird ignore. */
const rules: Record<string, (tag: Tag) => boolean> = {
  "css-padding: Word pads cells only; in lists it has an indent of its own": (tag) =>
    !cells.has(tag.name) && !["ul", "ol"].includes(tag.name) && /(^|;)padding[^:;]*:(?!0(;|$))/.test(tag.style),
  "css-margin: Word knows no auto": (tag) => /(^|;)margin[^;]*auto/.test(tag.style),
  "css-width: Word wants an attribute": (tag) =>
    noWidth.has(tag.name) && tag.attributes.includes('class="drop"') === false && valuesOf(tag, "width").length > 0,
  "css-max-width: Word ignores it, so only a table in one for Word, a picture, or what is hidden may rely on it": (
    tag,
  ) =>
    valuesOf(tag, "max-width").length > 0 &&
    !["table", "img"].includes(tag.name) &&
    !tag.style.includes("mso-hide:all"),
  "css-display-none: Word and Yahoo show it without more": (tag) =>
    valuesOf(tag, "display").includes("none") && !/mso-hide:all.*max-height:0.*font-size:1px/.test(tag.style),
  "css-background-color: Word fills cells, by the attribute": (tag) =>
    (cells.has(tag.name) || tag.name === "body") &&
    valuesOf(tag, "background-color").some((color) => !tag.attributes.includes(` bgcolor="${color}"`)),
  "css-border: Word frames cells only": (tag) =>
    !cells.has(tag.name) && !["hr", "img"].includes(tag.name) && /(^|;)border(-(left|right|bottom))?:/.test(tag.style),
  "css-background: a picture behind text is unseen in Word": ({ style }) => /(^|;)background(-image)?:/.test(style),
  "css-flexbox, css-grid, css-position, css-float, css-variables: not in Word, or not in Gmail": ({ style }) =>
    /display:(inline-)?(flex|grid)|(^|;)(position|float):|var\(/.test(style),
  "html-img: a width for Word, at most the column; a text that is styled when pictures are blocked": (tag) =>
    tag.name === "img" &&
    !(
      / alt="[^"]*"/.test(tag.attributes) &&
      Number(/ width="(\d+)"/.exec(tag.attributes)?.[1] ?? 999) <= 488 &&
      /font-style:italic/.test(tag.style) &&
      /max-width:100%/.test(tag.style)
    ),
  "html-dir: each block decides": (tag) => /^(h[1-6]|li)$/.test(tag.name) && !tag.attributes.includes(' dir="auto"'),
  "html-table: those that only arrange are not read aloud as tables": (tag) =>
    tag.name === "table" &&
    !/ role="presentation"| style="margin:0 0 16px;border-collapse:collapse"/.test(tag.attributes),
  "html-anchor: only whole URLs": (tag) => tag.name === "a" && !/ href="(https?:|mailto:|tel:)/.test(tag.attributes),
  "html-link, html-svg, html-video, html-form, html-script: removed": ({ name }) =>
    /^(link|svg|video|audio|form|input|button|script|iframe|object)$/.test(name),
};

test("every email is held to the rules", async () => {
  const files = [...new Bun.Glob("*.tsx").scanSync(import.meta.dir)].filter((file) => !file.includes(".test."));
  const texts = await Promise.all(files.map((file) => Bun.file(`${import.meta.dir}/${file}`).text()));
  const exported = texts.flatMap((code) =>
    [...code.matchAll(/^export const (\w+)Email\b/gm)].map(([, name = ""]) => name),
  );
  const plain = ["Reply"]; // from one person to another: no column, no colours, nothing that a program could lose
  const kebab = (name: string) => name.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase();
  const views = new Set(names.map((name) => name.replace(/:.*/, "")));
  expect(
    exported
      .filter((name) => !plain.includes(name))
      .map(kebab)
      .sort(),
  ).toEqual([...views].sort());
  const frame = ["NoticeEmail", "noticeText"];
  const every = Object.keys(notices).filter((name) => !frame.includes(name));
  expect(names.filter((name) => name.startsWith("notice:"))).toHaveLength(every.length);
});

test.each(Object.keys(rules))("%s", (rule) => {
  const breaks = rules[rule] ?? (() => true);
  const broken = names.flatMap((name) =>
    tagsOf(htmlOf(name))
      .filter(breaks)
      .map((tag) => `${name}: <${tag.name}${tag.attributes}>`),
  );
  expect(broken).toEqual([]);
});

test.each(names)("html-style: without its style sheet, %s says and looks the same by day", (name) => {
  const sheet = /<style>(.*?)<\/style>/s.exec(htmlOf(name))?.[1] ?? "";
  const outside = sheet.replace(/@media \((prefers-color-scheme: dark|max-width: 480px)\) \{\n(  .*\n)*\}/g, "").trim();
  expect(sheet).toContain("prefers-color-scheme");
  expect(outside).toBe("");
});

test.each(names)("Word gets a column of 560 pixels in %s, closed where it was opened", (name) => {
  const html = htmlOf(name);
  expect(html.match(/<!--\[if mso\]><table role="presentation" width="560" align="center"/g)).toHaveLength(1);
  const conditionals = [...html.matchAll(/<!--\[if mso\]>(.*?)<!\[endif\]-->/gs)]
    .map(([, inside = ""]) => inside)
    .join("");
  for (const tag of ["table", "tr", "td"])
    expect(conditionals.split(`<${tag}`).length).toBe(conditionals.split(`</${tag}>`).length);
  for (const tag of ["table", "tr", "td"]) expect(html.split(`<${tag}`).length).toBe(html.split(`</${tag}>`).length);
});

test("a bare URL is a link without the punctuation around it; in code it is text", () => {
  const links = [...broadcast.html.matchAll(/href="([^"]*)"[^>]*>([^<]*)/g)].map(([, href, shown]) => [href, shown]);
  expect(links).toContainEqual(["https://a.example/b_(c)", "https://a.example/b_(c)"]);
  expect(links).toContainEqual(["https://d.example/", "https://d.example/"]);
  expect(links.flat().join()).not.toContain("code.example");
  expect(broadcast.html).toContain("</a>).");
});

test("emoji and other scripts are in all three parts", () => {
  const { subject, html, text: plain } = composeEmail(letterOf(source({ subject: "🌧️ 雨", content: text })), recipient);
  for (const part of [subject, html, plain]) expect(part).toContain("🌧️");
  for (const part of [subject, html, plain]) expect(part).toContain("雨");
});
