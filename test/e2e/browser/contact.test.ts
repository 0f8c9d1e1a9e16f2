import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import * as conversation from "../../../db/contact/conversation";
import * as submissions from "../../../db/contact/submissions";
import * as snippets from "../../../db/contact/snippets";
import * as messageList from "../../../db/contact/list";
import { claim } from "../../../db/mail/claim";
import * as outboxList from "../../../db/mail/list";
import * as outbox from "../../../db/mail/outbox";
import { flaws } from "./axe";
import {
  clicksAfter,
  eventually,
  focused,
  focusKept,
  focusOn,
  keepNotices,
  openMenu,
  openStage,
  type Stage,
  until,
} from "./stage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  for (let i = 0; i < 30; i++) await write(`Visitor ${i}`, 30 - i);
});
afterAll(() => stage.close());

function write(name: string, minutesAgo: number, more = "") {
  const at = new Date(stage.now().getTime() - minutesAgo * 60_000);
  const message = `A letter by ${name}\n\nSee https://example.org/${minutesAgo}${more}`;
  const recipient = "owner@example.com";
  return submissions.submit(stage.db, { name, email: "v@example.com", message, source: "blog" }, { recipient }, at);
}

const reading = (page: Page, name: string) =>
  page.locator("#letter-from", { hasText: new RegExp(`^${name}$`) }).waitFor();

test("a morning's messages are read, filed and deleted by keyboard alone, and no step loses the focus", async () => {
  const page = await stage.open("/dashboard/contact");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await reading(page, "Visitor 29");
  expect(await focusOn(page, "letter-from")).toBe("letter-from");
  await eventually(() => page.title(), "(29) Visitor 29: message · Postroom");
  await eventually(() => page.locator("#count-c").textContent(), "29");

  await page.keyboard.press("j");
  await reading(page, "Visitor 28");
  await page.keyboard.press("j");
  await reading(page, "Visitor 27");
  await page.keyboard.press("k");
  await reading(page, "Visitor 28");

  await page.keyboard.press("y");
  await page.getByText("Message from Visitor 28 archived.").waitFor();
  await eventually(() => focused(page), expect.stringMatching(/^open-/));
  await page.waitForURL("**/dashboard/contact");
  await page.keyboard.press("Enter");
  await reading(page, "Visitor 27");
  await page.keyboard.press("u");
  await page.getByText("Message from Visitor 27 marked as unread.").waitFor();
  await page.locator(".item.unread", { hasText: "Visitor 27" }).waitFor();
  await eventually(() => focused(page), expect.stringMatching(/^open-/));

  await page.keyboard.press("Enter");
  await reading(page, "Visitor 27");
  await page.keyboard.press("#");
  await page.getByText("Message from Visitor 27 moved to the trash.").waitFor();
  await page.locator(".toast", { hasText: "trash" }).getByRole("button", { name: "Undo" }).press("Enter");
  await page.getByText("Message from Visitor 27 restored.").waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("the focus is never nowhere, not even for a moment: it is kept in the same step that changes the list", async () => {
  const page = await stage.open("/dashboard/contact");
  await page.locator(".item a").first().press("Enter");
  expect(await focusOn(page, "letter-from")).toBe("letter-from");
  await page.evaluate(`
    window.seen = [];
    addEventListener("htmx:before:swap", () => setTimeout(() => seen.push([document.activeElement.tagName, document.title])));`);
  await page.keyboard.press("u");
  await page.getByText("marked as unread.").waitFor();
  const seen = () => page.evaluate("seen") as Promise<string[][]>;
  await until(async () => (await seen()).length > 0); // and each time the list refreshes itself, on a slow machine
  for (const one of await seen()) expect(one).toEqual(["A", expect.stringContaining("Inbox · Postroom")]);
  await page.close();
});

test("keys pressed while the list is loading wait for it: none is lost, and none acts on another row", async () => {
  const page = await stage.open("/dashboard/contact?q=visitor+1");
  await page.locator(".item a").first().press("Enter");
  await reading(page, "Visitor 19");
  const answer = Promise.withResolvers<void>();
  await page.route(/contact\/[\w-]{20,}/, (route) => answer.promise.then(() => route.continue()));
  for (const key of ["j", "j", "y"]) await page.keyboard.press(key);
  answer.resolve();
  await page.getByText("Message from Visitor 17 archived.").waitFor();
  await page.close();
});

test("opening a message keeps the list's position, and Back closes the message", async () => {
  const page = await stage.open("/dashboard/contact?source=blog");
  const place = () => page.evaluate("document.querySelector('.pane').scrollTop") as Promise<number>;
  await page.locator(".item a", { hasText: "Visitor 3" }).last().click();
  await reading(page, "Visitor 3");
  await until(async () => (await place()) > 500);
  await page.goBack();
  await page.getByText("Choose a message to read it").waitFor();
  await page.waitForURL("**/dashboard/contact?source=blog");
  await page.close();
});

test("on a narrow screen a message is a page of its own, with the way back", async () => {
  const page = await stage.open("/dashboard/contact", { viewport: { width: 390, height: 844 } });
  await page.locator(".item a").nth(2).click();
  await page.locator("#letter-from").waitFor();
  await page.locator(".item").first().waitFor({ state: "hidden" });
  expect(await focusOn(page, "letter-from")).toBe("letter-from");
  await page.locator("#back-to-list").click();
  await page.locator(".item").first().waitFor();
  await page.locator(".letter").waitFor({ state: "detached" });
  expect(await focusKept(page)).not.toBe("BODY");
  await page.close();
});

test("the navigation and the list say that the badge counts the unread messages of the inbox", async () => {
  const page = await stage.open("/dashboard/contact");
  const unread = await page.locator("#count-c").innerText();
  await page.getByRole("link", { name: `Inbox ${unread} unread`, exact: true }).waitFor();
  expect(await page.evaluate("getComputedStyle(document.querySelector('#count-e + .sr')).display")).toBe("none"); // of none
  const all = await page.locator("#segment-all .count").innerText();
  expect(await page.locator(".found").innerText()).toBe(`${all} messages, ${unread} unread`);
  await page.goto("/dashboard/contact?q=visitor+1");
  expect(await page.locator(".found").innerText()).toMatch(/^\d+ messages$/);
  await page.close();
});

test("on a phone the list begins in the upper part of the screen, and no key is named", async () => {
  const page = await stage.open("/dashboard/contact", { viewport: { width: 390, height: 844 } });
  expect((await boxOf(page, ".panes")).y).toBeLessThan(844 * 0.4);
  expect(await page.locator("main kbd").filter({ visible: true }).count()).toBe(0);
  const [title, actions] = [await boxOf(page, "h1"), await boxOf(page, ".head .actions")];
  expect(Math.abs(title.y + title.height / 2 - actions.y - actions.height / 2)).toBeLessThan(8);
  expect(actions.height).toBeLessThan(60); // in one line
  await page.close();
});

test("on a phone the actions of a message share one line with the menu", async () => {
  await stage.signIn({ email: "colleague@example.com", name: "Colleague", role: "manager" }); // to whom it can be assigned
  const page = await stage.open("/dashboard/contact", { viewport: { width: 390, height: 844 } });
  await page.locator(".item a").nth(2).click();
  await page.locator("#letter-from").waitFor();
  const lines = async () => {
    const boxes = await page.locator(".letter .acts .btn").filter({ visible: true }).all();
    const middles = await Promise.all(boxes.map((each) => each.boundingBox()));
    return [boxes.length, new Set(middles.map((box) => box && Math.round(box.y + box.height / 2))).size];
  };
  for (const width of [390, 360, 320]) {
    await page.setViewportSize({ width, height: 844 });
    expect([width, await lines()]).toEqual([width, [4, 1]]);
  }
  await page.close();
});

test("what is spam is marked by a button in sight where there is room for it, and in the menu on a phone", async () => {
  await write("Spammer", 47);
  const marks = (page: Page) =>
    page.locator(".letter").getByRole("button", { name: "Spam", exact: true }).filter({ visible: true });
  const phone = await stage.open("/dashboard/contact?q=Spammer", { viewport: { width: 390, height: 844 } });
  await phone.locator(".item a").first().click();
  await reading(phone, "Spammer");
  expect(await marks(phone).count()).toBe(0);
  await openMenu(phone, "message");
  await marks(phone).waitFor();
  await phone.close();
  const page = await stage.open("/dashboard/contact?q=Spammer", { viewport: { width: 1280, height: 860 } });
  await page.locator(".item a").first().click();
  await reading(page, "Spammer");
  await openMenu(page, "message");
  await page.getByRole("button", { name: "Mark unread" }).waitFor();
  expect(await marks(page).count()).toBe(1); // not in the menu, too
  await page.keyboard.press("Escape");
  await marks(page).click();
  await page.getByText("Message from Spammer marked as spam.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("marked as not spam.").waitFor();
  await page.locator(".item a").first().click();
  await reading(page, "Spammer");
  await page.locator("#do-archive").click();
  await page.getByText("Message from Spammer archived.").waitFor();
  await page.close();
});

test("beside each other, list and message fill the window without scrolling it", async () => {
  const page = await stage.open("/dashboard/contact", { viewport: { width: 1440, height: 900 } });
  const below = "document.documentElement.scrollHeight - innerHeight";
  expect(await page.evaluate(below)).toBeLessThanOrEqual(0);
  const endOf = async (selector: string) => {
    const box = await page.locator(selector).boundingBox();
    return Math.round((box?.x ?? 0) + (box?.width ?? 0));
  };
  expect(await endOf("#filter-period")).toBe(await endOf("#filter-period summary")); // nothing unseen after it
  await page.close();
});

test("several are chosen, and deleted after a question", async () => {
  const page = await stage.open("/dashboard/contact");
  for (const i of [4, 5, 6]) await page.locator(".tick input").nth(i).check();
  await page.locator(".bulk").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete 3 messages" }).click();
  await page.getByText("3 messages moved to the trash.").waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  await page.locator("#segment-trash").click();
  await page.locator(".found", { hasText: /^3 / }).waitFor();
  await page.locator(".item a").first().click();
  await page.getByRole("button", { name: "Delete permanently…" }).click();
  await page.getByRole("button", { name: "Permanently delete 1 message" }).click();
  await page.getByText("permanently deleted.").waitFor();
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("a reply is written with a snippet by keyboard, kept while another message is read, sent, and taken back", async () => {
  const by = { actor: "owner@example.com" };
  await snippets.add(stage.db, { name: "Thanks", text: "Thank you, {name}." }, by, stage.now());
  const page = await (await stage.manager()).newPage();
  await page.addInitScript(keepNotices);
  await page.goto("/dashboard/contact?q=visitor+1");
  await page.locator(".item a", { hasText: "Visitor 11" }).press("Enter");
  await reading(page, "Visitor 11");
  await page.keyboard.press("r");
  expect(await focusOn(page, "reply-text")).toBe("reply-text");
  const beyond = `(([to, field]) => [to.left - field.left, field.right - to.right].map(Math.round))(
    [".reply .to", "#reply-text"].map((each) => document.querySelector(each).getBoundingClientRect()))`;
  expect(await page.evaluate(beyond)).toEqual([8, 8]); // the words are in line, and the outline keeps clear of them
  await page.keyboard.type("Dear you,\n");
  await page.locator("#snippets").press("Enter");
  await page.locator("#snippet-menu button").first().press("Enter");
  expect(await focusOn(page, "reply-text")).toBe("reply-text");
  const reply = page.locator("#reply-text");
  expect(await reply.inputValue()).toBe("Dear you,\nThank you, Visitor 11.");

  await page.locator(".item a", { hasText: "Visitor 12" }).first().click();
  await reading(page, "Visitor 12");
  await eventually(() => reply.inputValue(), "");
  await page.locator("#composer").click({ position: { x: 3, y: 3 } }); // the box looks like the field
  expect(await focusOn(page, "reply-text")).toBe("reply-text");
  await page.locator(".item a", { hasText: "Visitor 11" }).click();
  await reading(page, "Visitor 11");
  await eventually(() => reply.inputValue(), "Dear you,\nThank you, Visitor 11.");

  await reply.press("Control+Enter");
  await page.getByText("Reply to Visitor 11 queued. It will be simulated.").waitFor();
  expect(await page.locator(".entry.ours .badge").innerText()).toBe("Queued");
  await page.locator(".entry.ours", { hasText: "Thank you, Visitor 11." }).waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 860 });
    await reply.scrollIntoViewIfNeeded();
    const notice = await boxOf(page, "#toasts .toast");
    const covered = [await boxOf(page, "#composer"), await boxOf(page, ".entry.ours")];
    expect([width, covered.map((box) => overlap(notice, box)), notice.y >= 0]).toEqual([width, [false, false], true]);
  }
  await page.reload();
  await eventually(() => reply.inputValue(), "");
  await page.locator(".entry.ours").getByRole("button", { name: "Undo" }).press("Enter");
  await page.getByText("Reply not sent.").waitFor();
  await eventually(() => reply.inputValue(), "Dear you,\nThank you, Visitor 11.");
  expect(await focusOn(page, "reply-text")).toBe("reply-text");
  await eventually(() => page.evaluate("document.activeElement.selectionStart"), (await reply.inputValue()).length);
  expect(await page.locator(".entry.ours").count()).toBe(0);
  expect(stage.complaints).toEqual([]);
  await page.close();
});

/** Opens the only message of someone, on a page whose notices stay. */
async function readAt(width: number, name: string) {
  const page = await (await stage.manager({ viewport: { width, height: 844 } })).newPage();
  await page.addInitScript(keepNotices);
  await page.goto(`/dashboard/contact?q=${name.replace(" ", "+")}`);
  await page.locator(".item a").first().click();
  await reading(page, name);
  return { page, reply: page.locator("#reply-text") };
}

test("Undo of a reply takes its notice with it, and a second Undo leaves what is in the box, also after a reload", async () => {
  await write("Twice Undone", 48);
  for (const width of [390, 1280]) {
    const { page, reply } = await readAt(width, "Twice Undone");
    await reply.fill(`Dear you at ${width}`);
    await page.locator("#reply-send").click();
    const notice = page.locator(".toast", { hasText: "Reply to Twice Undone queued." });
    await notice.waitFor();
    const tab = await page.context().newPage(); // where the reply can still be undone afterwards
    await tab.addInitScript(keepNotices);
    await tab.goto(page.url());
    const undo = ".entry.ours .fate button";
    await tab.locator(undo).waitFor();

    await page.locator(undo).click();
    await page.getByText("Reply not sent.").waitFor();
    await eventually(() => reply.inputValue(), `Dear you at ${width}`);
    await eventually(() => notice.count(), 0);
    await page.reload();
    await eventually(() => reply.inputValue(), `Dear you at ${width}`);

    await tab.locator(undo).click();
    await tab.getByText("Nothing was changed: this was already taken back.").waitFor();
    await eventually(() => tab.locator("#reply-text").inputValue(), `Dear you at ${width}`);
    await reply.fill("");
    await Promise.all([tab.close(), page.close()]);
  }
  expect(stage.complaints).toEqual([]);
});

test("a stale Undo does not empty the box, and Undo does not replace what was typed since", async () => {
  await write("Twice Pressed", 49);
  for (const width of [390, 1280]) {
    const { page, reply } = await readAt(width, "Twice Pressed");
    await reply.fill("First words");
    await page.locator("#reply-send").click();
    await page.locator(".toast", { hasText: "queued." }).waitFor();
    await reply.fill("Second words");
    await page.evaluate("document.body.append(document.querySelector('.toast'))"); // as if it could not be removed
    await page.locator(".entry.ours .fate button").click();
    await page.getByText("Reply not sent.").waitFor();
    await eventually(() => reply.inputValue(), "First words\n\nSecond words");
    await page.locator("body > .toast").getByRole("button", { name: "Undo" }).press("Enter");
    await page.getByText("Nothing was changed: this was already taken back.").waitFor();
    await eventually(() => reply.inputValue(), "First words\n\nSecond words");
    await page.reload();
    await eventually(() => reply.inputValue(), "First words\n\nSecond words");
    await reply.fill("");
    await page.close();
  }
  expect(stage.complaints).toEqual([]);
});

type Box = { x: number; y: number; width: number; height: number };

async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} is not there`);
  return box;
}

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Whether the beginning and the end of what was written last are in sight, and nothing is in front of them. */
const seen = (page: Page) =>
  page.evaluate(`(() => {
    const { bottom } = document.querySelector(".thread > li:last-child").getBoundingClientRect();
    const words = document.querySelector(".thread > li:last-child .words").getBoundingClientRect();
    const at = (y) => Boolean(document.elementFromPoint(words.x + 20, y)?.closest(".thread > li:last-child"));
    return [at(words.top + 4), at(bottom - 4)];
  })()`);

test("a conversation opens at what was written last, and a reply that was sent is seen whole above the next one", async () => {
  const { db, now, owner } = stage;
  await write("Long Talker", 45); // older than all, so that none is new to the other tests
  const [message] = (await messageList.list(db, { box: "inbox", q: "Long Talker" }, { page: 1, per: 50 })).rows;
  if (!message) throw new Error("The message is not there");
  for (let i = 0; i < 6; i++) {
    const note = {
      messageId: message.id,
      id: Bun.randomUUIDv7(),
      text: `Thought ${i}\n\n\n\n${"and more ".repeat(30)}`,
    };
    await conversation.addNote(db, note, { actor: owner.manager.email }, now());
  }
  for (const viewport of [
    { width: 1280, height: 860 },
    { width: 1440, height: 900 }, // where the buttons of the reply are in two lines
    { width: 1130, height: 800 },
    { width: 390, height: 844 },
  ]) {
    const page = await stage.open("/dashboard/contact?q=Long+Talker", { viewport, reducedMotion: "reduce" });
    await page.locator(".item a").first().click();
    await reading(page, "Long Talker");
    await eventually(() => seen(page), [true, true]);
    stage.clock.time += 1_000; // later than the one before, beside which it would stand in any order
    await page.locator("#reply-text").fill(`Seen at ${viewport.width}`);
    await page.locator("#reply-send").click();
    const entry = page.locator(".entry.ours", { hasText: `Seen at ${viewport.width}` });
    await entry.waitFor();
    await eventually(() => seen(page), [true, true]);
    const id = (await entry.getAttribute("id")) ?? "";
    expect(await focusOn(page, id)).toBe(id); // a key to the next message is no word of a reply, and Tab stays here
    await eventually(() => seen(page), [true, true]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toMatch(/^take-back-/);
    await page.close();
  }
});

test.each([560, 420])("on a phone %i px high no notice covers the long reply that Undo brings back", async (height) => {
  await write(`Long Undone ${height}`, 46.5);
  const page = await (await stage.manager({ viewport: { width: 390, height } })).newPage();
  await page.addInitScript(keepNotices);
  await page.goto(`/dashboard/contact?q=Long+Undone+${height}`);
  await page.locator(".item a").first().click();
  await reading(page, `Long Undone ${height}`);
  await page.locator("#reply-text").fill("One more line\n".repeat(25));
  await page.locator("#reply-send").click();
  await page.getByText(`Reply to Long Undone ${height} queued.`).waitFor();
  await page.locator(".entry.ours .fate button").click();
  await page.getByText("Reply not sent.").waitFor();
  expect(await focusOn(page, "reply-text")).toBe("reply-text");
  const isCovered = async () => {
    const notices = await Promise.all((await page.locator(".toast").all()).map((each) => each.boundingBox()));
    const field = await boxOf(page, "#reply-text");
    return notices.map((box) => box !== null && overlap(box, field));
  };
  await eventually(isCovered, [false]);
  await page.locator("#reply-text").fill("");
  await page.close();
});

test("a short message is read to its end, in front of which the reply does not stand before it is begun", async () => {
  await write("Brief Talker", 46.2, "\n\nKind regards\nB. Talker");
  for (const height of [720, 800, 1_000]) {
    const page = await stage.open("/dashboard/contact?q=Brief+Talker", { viewport: { width: 1280, height } });
    await page.locator(".item a").first().click();
    await reading(page, "Brief Talker");
    await eventually(() => seen(page), [true, true]);
    await page.keyboard.press("r");
    expect(await focusOn(page, "reply-text")).toBe("reply-text");
    await page.keyboard.type("Thank you");
    const { y, height: high } = await boxOf(page, "#composer");
    expect([height, y + high <= height]).toEqual([height, true]);
    await page.locator("#reply-text").fill("");
    await page.close();
  }
});

test("the first reply to a short message is seen, too, where the next one would cover it", async () => {
  await write("Short Talker", 46);
  const page = await stage.open("/dashboard/contact?q=Short+Talker", { viewport: { width: 1130, height: 800 } });
  await page.locator(".item a").first().click();
  await reading(page, "Short Talker");
  await page.locator("#reply-text").fill("Thank you.");
  await page.locator("#reply-send").click();
  await page.locator(".entry.ours", { hasText: "Thank you." }).waitFor();
  await eventually(() => seen(page), [true, true]);
  await page.close();
});

test("a reply that was refused has the focus, beside the mistake", async () => {
  const page = await stage.open("/dashboard/contact?q=visitor+15");
  await page.locator(".item a").first().press("Enter");
  await reading(page, "Visitor 15");
  await page.locator("#reply-send").click();
  await page.locator("#reply-error", { hasText: "Reply is empty." }).waitFor();
  expect(await focusOn(page, "reply-text")).toBe("reply-text");
  await page.close();
});

test("a message that arrives is told of at once, and a page that was hidden is told what it missed", async () => {
  const page = await stage.open("/dashboard/contact");
  await page.clock.install(); // it does not ask by itself
  await page.goto("/dashboard/contact");
  await write("Newcomer", 0);
  await page.locator("#show-news", { hasText: "1 new message" }).waitFor();
  const hide = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`);
  await hide(true);
  await write("Second", -1);
  await hide(false);
  await page.locator("#show-news", { hasText: "2 new messages" }).waitFor();
  expect(stage.complaints).toEqual([]);
  await page.close();
});

/** Opens a message whose reply waits, on a page that does not ask by itself. */
async function openReplied(name: string, minutesAgo: number) {
  const { db, now, owner } = stage;
  const written = await write(name, minutesAgo);
  const messageId = "id" in written ? written.id : "";
  const id = crypto.randomUUID();
  const reply = { messageId, id, text: `Dear ${name}`, isDone: false, domain: "example.com" };
  await conversation.reply(db, reply, { actor: owner.manager.email }, now());
  const mail = (await outboxList.newestAbout(db, [id])).get(id);
  if (!mail) throw new Error("No email was queued");
  const page = await stage.open(`/dashboard/contact/${messageId}`, { viewport: { width: 1280, height: 600 } });
  await page.clock.install();
  await page.reload();
  const fate = page.locator(`#entry-${id} .fate`);
  await eventually(() => fate.innerText(), expect.stringMatching(/^Queued\s*Undo$/));
  return { page, mail, fate, entry: `entry-${id}`, undo: `take-back-${id}` };
}

test("an open conversation says that a reply was sent, and disturbs no hand: not what is typed, the caret or the scroll", async () => {
  const { page, mail, fate } = await openReplied("Awaited", 50);
  const field = page.locator("#reply-text");
  await field.fill("More words\n\n\n\n\n\n\n\n");
  await page.evaluate("document.querySelector('#reply-text').setSelectionRange(4, 4)");
  const hand = () =>
    page.evaluate(`(({ activeElement: { id, value, selectionStart } }) => [id, value.trim(), selectionStart, scrollY,
      ...[...document.querySelectorAll(".pane, .reader")].map(({ scrollTop }) => scrollTop)])(document)`);
  const before = await hand();
  await outbox.sent(stage.db, mail.id, "provider-id", stage.now());
  await eventually(() => fate.innerText(), "sent by email");
  expect(await hand()).toEqual(before);
  expect(before).toContain("reply-text");
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("a click that comes too late for Undo of a reply does not open the email that it has become", async () => {
  const { page, mail, fate, entry, undo } = await openReplied("Hurried", 53);
  const hits = await clicksAfter(page, page.locator(`#${undo}`), `#${entry} .fate:not(:has(form))`);
  await outbox.simulated(stage.db, mail.id, stage.now());
  await eventually(() => fate.innerText(), "Simulated");
  await eventually(hits, ["", "Simulated"]);
  await fate.getByRole("link").click({ trial: true }); // it does, for a click of its own
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("of a reply that failed an open conversation says so, and leads to what can be done", async () => {
  const { page, mail, fate, undo, entry } = await openReplied("Unlucky", 51);
  await page.locator(`#${undo}`).focus();
  await outbox.failed(stage.db, mail, { error: "Refused", isRefused: true, isPermanent: true }, stage.now());
  await eventually(() => fate.innerText(), expect.stringMatching(/^Failed\s*See why, or send it again$/));
  expect(await focusOn(page, entry)).toBe(entry); // its button is gone
  const opened = await stage.open((await fate.getByRole("link").getAttribute("href")) ?? "");
  await opened.locator("#again").waitFor();
  expect(stage.complaints).toEqual([]);
  await Promise.all([page.close(), opened.close()]);
});

test("a reply that is tried again waits on, and can no longer be taken back", async () => {
  const { page, mail, fate } = await openReplied("Patient", 52);
  await claim(stage.db, 1_000, mail.nextAttemptAt);
  await eventually(() => fate.innerText(), "Queued");
  await page.close();
});

test("the title names the open message also after another has arrived", async () => {
  const page = await stage.open("/dashboard/contact?q=visitor+13");
  await page.locator(".item a").first().press("Enter");
  await reading(page, "Visitor 13");
  await write("Latecomer", -1.5);
  await page.locator("#show-news", { hasText: "1 new message" }).waitFor();
  expect(await page.title()).toMatch(/^\(\d+\) Visitor 13: message · Postroom$/);
  await page.close();
});

test("a snippet opens wherever its row is pressed, and its bin deletes it", async () => {
  const by = { actor: stage.owner.manager.email };
  await snippets.add(stage.db, { name: "On Fridays", text: "Hello,\n\nI answer on Fridays." }, by, stage.now());
  const page = await stage.open("/dashboard/contact/snippets");
  const row = page.locator(".snippets > li", { hasText: "On Fridays" });
  const box = await row.boundingBox();
  await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) - 12);
  await page.locator("#dialog dialog[open]").getByLabel("Text").waitFor();
  await page.keyboard.press("Escape");
  await row.getByRole("button", { name: "Delete On Fridays" }).click();
  await row.waitFor({ state: "detached" });
  await page.close();
});

test("the list of snoozed messages says until when each waits", async () => {
  const page = await stage.open("/dashboard/contact?q=Visitor+11");
  await page.locator(".item a").first().click();
  await reading(page, "Visitor 11");
  await page.locator("#snooze").click();
  await page.getByRole("button", { name: "In a week" }).click();
  const notice = page.locator(".toast", { hasText: "snoozed until" });
  const [, until] = /snoozed until ([^.]+)/.exec(await notice.innerText()) ?? [];
  await page.goto("/dashboard/contact?box=snoozed");
  await page.locator(".item", { hasText: "Visitor 11" }).getByText(`Until ${until}`).waitFor();
  await page.close();
});

test("a message is snoozed by keyboard, and Undo brings it back", async () => {
  const page = await stage.open("/dashboard/contact?q=visitor+13");
  await page.locator(".item a").first().press("Enter");
  await reading(page, "Visitor 13");
  await page.keyboard.press("h");
  await page.locator("#menu-snooze:popover-open").waitFor();
  await page.getByRole("button", { name: "Tomorrow" }).press("Enter");
  await page.getByText("Message from Visitor 13 snoozed until").waitFor();
  expect(await focusKept(page)).not.toBe("BODY");
  await page.locator(".toast", { hasText: "snoozed" }).getByRole("button", { name: "Undo" }).press("Enter");
  await page.getByText("Message from Visitor 13 moved to the inbox.").waitFor();
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("the times to snooze until are read whole on a phone", async () => {
  const page = await stage.open("/dashboard/contact?q=visitor+13", { viewport: { width: 390, height: 844 } });
  await page.locator(".item a").first().click();
  await page.locator("#snooze").click();
  const { x = -1, width = 0 } = (await page.locator("#menu-snooze:popover-open").boundingBox()) ?? {};
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(390);
  await page.close();
});

test("without a script a reply is written, a mistake is said beside it, and it is taken back", async () => {
  const page = await stage.open("/dashboard/contact", { javaScriptEnabled: false });
  await page.locator(".item a", { hasText: "Visitor 14" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Reply is empty.").waitFor();
  await page.locator("#reply-text").fill("Dear you");
  await page.getByRole("button", { name: "Add as note" }).click();
  await page.getByText("Note added.").waitFor();
  await page.locator("#reply-text").fill("Dear visitor");
  await page.getByRole("button", { name: "Send and archive" }).click();
  await page.getByText("message archived.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  expect(await page.locator("#reply-text").inputValue()).toBe("Dear visitor");
  await page.close();
});

test("everything works without JavaScript", async () => {
  const page = await stage.open("/dashboard/contact", { javaScriptEnabled: false });
  await page.locator(".item a").first().click();
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await page.getByText("archived.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("moved to the inbox.").waitFor();
  for (const i of [1, 2]) await page.locator(".tick input").nth(i).check();
  await page.locator(".bulk").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete 2 messages" }).click();
  await page.getByText("2 messages moved to the trash.").waitFor();
  await page.goto("/dashboard/outbox");
  await page.locator("a.who").first().click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Email cancelled.").waitFor();
  await page.close();
});

test("what is due before htmx has arrived is asked for once it has, and nothing throws", async () => {
  const page = await (await stage.manager()).newPage();
  page.on("pageerror", ({ message }) => thrown.push(message));
  const thrown: string[] = [];
  const held = Promise.withResolvers<void>();
  await page.route(/\/assets\/htmx[^/]*\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.clock.install();
  const following = page.waitForRequest(/\/dashboard\/live/); // sent by the scripts before htmx
  await page.goto("/dashboard/contact", { waitUntil: "commit" });
  await following;
  await write("Early bird", -2);
  await page.clock.runFor(10_000); // it would ask by itself
  expect(thrown).toEqual([]);
  held.resolve();
  await page.waitForLoadState("load");
  await page.clock.runFor(10_000);
  await page.locator("#show-news", { hasText: "new message" }).waitFor();
  expect(thrown).toEqual([]);
  await page.close();
});

test("the preview shows the email, and nothing in it runs", async () => {
  const { rows } = await outboxList.list(stage.db, { kind: "contact" }, { page: 1, per: 1 });
  const page = await stage.open(`/dashboard/outbox/${rows[0]?.id}`);
  const mail = page.frameLocator("iframe");
  await mail.getByRole("heading", { name: /^New message from \w/ }).waitFor();
  expect(await page.locator("iframe").getAttribute("sandbox")).toBe("");
  expect(stage.complaints).toEqual([]);
  await page.close();
});

test("axe finds nothing, and nothing sticks out, light or dark, wide or narrow", async () => {
  const inbox = (await messageList.list(stage.db, { box: "inbox" }, { page: 1, per: 1 })).rows[0];
  const mail = (await outboxList.list(stage.db, {}, { page: 1, per: 1 })).rows[0];
  const page = await (await stage.manager()).newPage();
  const look = async (state: string) => expect([state, await flaws(page)]).toEqual([state, []]);
  const rooms = [
    "contact",
    `contact/${inbox?.id}`,
    "contact?q=none",
    "contact?box=spam",
    "contact/snippets",
    "outbox",
    `outbox/${mail?.id}`,
  ];
  for (const room of rooms) {
    await page.goto(`/dashboard/${room}`);
    await look(room);
  }
  await page.goto("/dashboard/contact");
  for (const i of [0, 1]) await page.locator(".tick input").nth(i).check();
  await look("a selection");
  await page.locator(".bulk button[value=trash]").click();
  await page.locator("#dialog dialog[open]").waitFor();
  await look("a question");
  await page.close();
});
