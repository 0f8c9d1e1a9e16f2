import { look } from "./look";
import { confirmedBroadcast } from "./broadcasts/archive";
import { source } from "./broadcasts/letters";
import { nextPeer, testService } from "./service";
import * as subscribers from "../../db/newsletter/subscribers";
import { languageOf } from "../../db/settings/rules";
import { set } from "./settings";
import type { Mail } from "../../db/mail/outbox";
import { composeEmail } from "../../src/broadcasts/letter/emails";
import { letterOf } from "../../src/broadcasts/letter/letter";
import { compose } from "../../src/emails/compose";
import { confirmLink, preferencesLink, recordLink, unsubscribeLink } from "../../src/security/links";
import { addTopic } from "../../db/newsletter/topics";

const [minute, day] = [60_000, 86_400_000];
const email = "ada@reader.example";

/**
 * Everything that visitors and subscribers read, by name: each page in each of its states, each email, the feed.
 *
 * @param settings of the site, besides its title and description
 */
export async function whatVisitorsRead(settings: Record<string, string> = {}): Promise<Map<string, string>> {
  const service = await testService({ BASE_URL: "https://site.example", BLOG_URL: "https://blog.example" });
  const { config, db, clock, now, get, send } = service;
  const given = { siteTitle: "Rain & Gauges", siteDescription: "Notes on *weather*.", ...settings };
  for (const [key, value] of Object.entries(given)) await set(db, key, value, { by: "cli", isPublic: true }, now());

  const site = { ...source().site, language: languageOf(settings.language) };

  const read = new Map<string, string>();
  const keep = async (name: string, answer: Response | Promise<Response>) => {
    const { status, headers } = await answer;
    const text = (await (await answer).text())
      .replace(/(\/assets\/\w+)\.\w+\.css/g, "$1.css")
      .replace(/(?<=<(lastBuildDate|updated)>)[^<]+|(?<=urn:uuid:)[^<]+/g, "…");
    read.set(
      name,
      `${status} ${headers.get("location") ?? ""}\n${text.replaceAll(headers.get("x-request-id") ?? "\0", "ID")}`,
    );
  };
  const press = (url: string) => send(url, { method: "POST" }, nextPeer());
  const submit = (fields: Record<string, string>, peer = nextPeer()) =>
    send("/newsletter/subscribe", { method: "POST", body: new URLSearchParams(fields) }, peer);
  const mail = async (kind: Mail["kind"]) => {
    const row = {
      kind,
      recipient: email,
      subjectId: null,
      payload: { askedAt: "1" },
      createdAt: now(),
    } as unknown as Mail;
    const letter = await compose({ config, db }, row);
    read.set(`email ${kind}`, `${letter?.subject}\n${letter?.html}\n${letter?.text}`);
  };

  await keep("archive, empty", get("/newsletter"));
  await keep("not found", get("/nothing"));
  await keep("wrong method", send("/newsletter", { method: "POST" }));
  await keep("too large", send("/newsletter/subscribe", { method: "POST", body: "x".repeat(64 * 1024 + 1) }));

  await keep("form, not an address", submit({ email: "ada" }));
  await keep("form, no address", submit({ email: "" }));
  await keep("form, long address", submit({ email: "a".repeat(300) }));
  await keep("form, other fields", submit({ email, name: "x".repeat(101) }));
  await keep(
    "form, of another site",
    send("/newsletter/subscribe", { method: "POST", headers: { origin: "https://evil.example" } }, nextPeer()),
  );
  await keep("form, subscribed", submit({ email }));
  await keep("form, subscribed before", submit({ email }));
  const peer = nextPeer();
  for (let i = 0; i < 5; i++) await submit({ email }, peer);
  clock.time += 2_000;
  await keep("form, too many", submit({ email }, peer));
  await set(db, "newSubscribersPerHour", "1", { by: "cli" }, now());
  await keep("form, too many of all", submit({ email: "grace@reader.example" }));
  await set(db, "newSubscribersPerHour", "0", { by: "cli" }, now());
  await keepContactPages({ keep, ...service });
  await look(
    db,
    "insert into posts (id, slug, title, excerpt, content, author, published, published_at, created_at, updated_at, folded) values ('p', 'tides', 'Tides', 'Of tides.', 'x', '', 1, ?, ?, ?, '')",
    [clock.time, clock.time, clock.time],
  );
  await mail("welcome");

  const leave = unsubscribeLink(config, email);
  const again = leave.replace("/unsubscribe?", "/subscribe-again?");
  await keep("link, asked first", get(leave, { "sec-purpose": "prefetch" }));
  await keep("link, unsubscribed", get(leave));
  await keep("link, already", get(leave));
  await keep("link, offer", get(again));
  await keep("link, pressed", press(again));
  await keep("link, back", get(again));
  await keep("link, unknown", get(unsubscribeLink(config, "nobody@reader.example")));
  await keep("link, invalid", get("/api/newsletter/unsubscribe?email=a&token=b"));
  await keepOwnPage({ keep, ...service });
  await mail("record");

  await set(db, "doubleOptIn", "true", { by: "cli" }, now());
  await press(leave);
  await keep("form, pending", submit({ email }));
  const pendingAt = (await subscribers.byEmail(db, email))?.pendingAt ?? new Date(0);
  const confirm = confirmLink(config, email, pendingAt);
  await mail("confirm");
  await keep("confirm, asked", get(confirm));
  await keep("confirm, invalid", get("/api/newsletter/confirm?email=a&token=b"));
  for (let i = 0; i < 5; i++) await send(confirm.replace("token=", "token=x"), { method: "POST" }, peer);
  await keep("confirm, too many", send(confirm, { method: "POST" }, peer));
  clock.time += 8 * day;
  await keep("confirm, expired", get(confirm));
  await keep("confirm, sent again", press(confirm.replace("/confirm?", "/confirm-again?")));
  const renewed = confirmLink(config, email, (await subscribers.byEmail(db, email))?.pendingAt ?? new Date(0));
  await press(renewed);
  await keep("confirm, done", get(renewed));

  for (const [i, subject] of ["Older", "Pictures", "Newer"].entries()) {
    clock.time += day + minute;
    const content =
      i === 1 ? "Dear {email}\n\n| a |\n| - |\n| 1 |\n\n![](/media/x/y.png)\n\n<Chart />" : `About *${subject}*.`;
    await confirmedBroadcast(db, now(), { subject, content, site });
  }
  await keep("archive", get("/newsletter"));
  await keep("archive, a broadcast", get("/newsletter/pictures"));
  await keep("archive, feed", get("/newsletter.xml"));
  await keep("feed", get("/rss.xml"));
  await keep("feed, Atom", get("/atom.xml"));

  const letter = letterOf(
    source({
      site,
      content: "Dear {email}\n\n![](/media/x/y.png)",
      post: {
        title: "Tides",
        excerpt: "",
        content: '<Chart />\n\n<Chart title="Tides" />',
        url: "https://blog.example/posts/tides",
      },
    }),
    { pictures: new Map() },
  );
  const seen = composeEmail(letter, undefined);
  read.set("email broadcast", `${seen.subject}\n${seen.html}\n${seen.text}`);

  await look(db, "alter table broadcasts rename to gone");
  await keep("archive, failing", get("/newsletter/other"));
  await look(db, "alter table subscribers rename to gone_too");
  await keep("link, failing", get(leave));
  await keep("confirm, failing", get(confirm));
  await keep("form, failing", submit({ email: "hana@reader.example" }));
  await look(db, "alter table messages rename to gone_three");
  await keep("contact, failing", send("/contact", { method: "POST", body: new URLSearchParams(message) }, nextPeer()));
  return read;
}

const message = { name: "Noor Halvorsen", email, message: "Notes on *weather*." };

type Contact = Pick<Awaited<ReturnType<typeof testService>>, "db" | "now" | "send"> & {
  keep: (name: string, answer: Promise<Response>) => Promise<void>;
};

/** The pages that respond to a contact form. */
async function keepContactPages({ keep, db, now, send }: Contact) {
  const submit = (fields: Record<string, string>, headers: Record<string, string> = {}, peer = nextPeer()) =>
    send("/contact", { method: "POST", body: new URLSearchParams({ ...message, ...fields }), headers }, peer);
  await keep(
    "contact, everything wrong",
    submit({ name: "", email: "ada", message: "", next: "https://blog.example" }),
  );
  await keep("contact, long address", submit({ email: "a".repeat(300) }));
  await keep("contact, of another site", submit({}, { origin: "https://evil.example" }));
  await keep("contact, of an unnamed site", submit({}, { origin: "null" }));
  await keep("contact, sent", submit({}));
  await keep("contact, sent, and back", submit({ next: "https://blog.example/thanks" }));
  await set(db, "storedMessagesPerHour", "1", { by: "cli" }, now());
  await keep("contact, too many of all", submit({ name: "Noor Halvorsen of 2" }));
  await set(db, "storedMessagesPerHour", "0", { by: "cli" }, now());
  const peer = nextPeer();
  for (let i = 0; i < 5; i++) await submit({}, {}, peer);
  await keep("contact, too many", submit({}, {}, peer));
}

/** The page of one's own in each of its states. */
async function keepOwnPage({
  keep,
  config,
  db,
  now,
  clock,
  get,
  send,
}: Contact & Pick<Awaited<ReturnType<typeof testService>>, "config" | "clock" | "get">): Promise<void> {
  await addTopic(db, { name: "Tides", sentence: "Of tides.", isDefault: false }, { actor: "cli" }, now());
  const own = preferencesLink(config, email);
  const press = (fields: Record<string, string>) =>
    send(own, { method: "POST", body: new URLSearchParams(fields) }, nextPeer());
  const after = async (name: string, fields: Record<string, string>) =>
    keep(`own page, ${name}`, get((await press(fields)).headers.get("location") ?? ""));
  await keep("own page", get(own));
  await after("saved", { do: "save", offered: "tides", topics: "tides" });
  await after("paused", { do: "pause", months: "2" });
  await after("resumed", { do: "resume" });
  for (let i = 0; i < 3; i++) await after(`link ${i}`, { do: "record" });
  await after("no more links", { do: "record" });
  await keep("own page, old link", get(recordLink(config, email, new Date(clock.time - 2 * 60 * minute))));
}
