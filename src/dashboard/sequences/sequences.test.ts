import { expect, test } from "bun:test";
import { welcomeKeys } from "../../../db/settings/rules";
import { sequenceById } from "../../../db/sequences/sequences";
import { edit } from "../../../db/newsletter/edit";
import { addTopic } from "../../../db/newsletter/topics";
import { byEmail } from "../../../db/newsletter/subscribers";
import { pauseAutomatically } from "../../../db/broadcasts/sending/promote";
import { addRecipients } from "../../../test/support/broadcasts/sent";
import { hours, placesIn, publishedEdition, startedSequence } from "../../../test/support/broadcasts/sequences";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const path = "/dashboard/sequences";

async function stage() {
  const service = await testService();
  const manager = await service.signIn();
  const textOf = async (url: string) => (await manager.get(url)).text();
  /** Sends a form of the sequence's page, as it is now. */
  const act = async (id: string, at: string, fields: Record<string, string> = {}) => {
    const version = String((await sequenceById(service.db, id))?.version);
    return manager.submit(`${path}/${id}/${at}`, { version, ...fields });
  };
  const create = async (fields: Record<string, string> = {}) => {
    const made = await manager.submit(path, { name: "Course", trigger: "subscribed", ...fields });
    return { status: made.status, id: (made.headers.get("location") ?? "").split("/").at(-1) ?? "" };
  };
  return { ...service, manager, textOf, act, create };
}

test("a manager makes a sequence, writes its emails in the editor of broadcasts, and starts it", async () => {
  const { config, manager, textOf, act, create, db, post } = await stage();
  expect(await textOf(path)).toContain("No sequences yet");
  const { id } = await create();
  const email = async (subject: string, fields: Record<string, string>) => {
    const added = await act(id, "emails", { subject, unit: "days", at: "", ...fields });
    return (added.headers.get("location") ?? "").split("/").at(-1) ?? "";
  };
  const first = await email("Welcome", { after: "0" });
  const second = await email("The second", { after: "2", at: "9:00" });
  const composer = await textOf(`/dashboard/broadcasts/${first}`);
  expect(composer).toContain("Everyone who is in the sequence “Course”");
  for (const words of ["Review and send", "Change the audience", "On the web"]) expect(composer).not.toContain(words);

  expect((await act(id, "start")).status).toBe(303);
  expect((await sequenceById(db, id))?.state).toBe("draft"); // the emails are empty
  const question = await textOf(`${path}/${id}/start`);
  expect(question).toContain("The text is empty.");
  expect(question).not.toContain("Start sequence<");
  for (const [email, content] of [
    [first, "Hello"],
    [second, "Hello again"],
  ] as const)
    await manager.submit(`/dashboard/broadcasts/${email}`, {
      ...{ version: "1", subject: content, preheader: "", fromName: "", content, do: "save", archive: "listed" },
    });
  expect(await look(db, "select archive from broadcasts")).toEqual([{ archive: "none" }, { archive: "none" }]);

  await act(id, `emails/${second}/up`);
  await act(id, `emails/${first}/wait`, { after: "3", unit: "hours", at: "" });
  const page = await textOf(`${path}/${id}`);
  expect(page.indexOf("Hello again")).toBeLessThan(page.indexOf(">Hello<"));
  expect(page).toContain("2 days after the beginning, at 09:00");
  expect(page).toContain("3 hours later");
  expect(await textOf(`${path}/${id}/start`)).toContain("Start sequence<");
  await act(id, "start");
  expect((await sequenceById(db, id))?.state).toBe("on");

  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  expect(await placesIn(db)).toEqual({ "ada@example.com": "waiting 2026-11-23T09:00:00.000Z" });
  const ada = await byEmail(db, "ada@example.com");
  expect(await textOf(`/dashboard/newsletter/${ada?.id}`)).toMatch(
    /<dt>Sequences<\/dt><dd><span class="sub"><a href="[^"]+">Course<\/a>, next email 23 Nov 2026/,
  );
  const started = await textOf(`${path}/${id}`);
  expect(started).toMatch(/<dt>Began<\/dt><dd>1<\/dd>/);
  expect(started).not.toContain("Add email");
  const welcome = `/dashboard/settings/welcome?sequence=${id}`;
  expect(started).toContain(`href="${welcome}"`);
  expect(started).toMatch(/<p>Welcome to [^<]+<\/p>.*Before all others: immediately, even while/);
  expect(await textOf(welcome)).toMatch(new RegExp(`<p class="crumb"><a href="${path}/${id}">.*?Course</span></a>`));
  expect(await textOf("/dashboard/settings/welcome?sequence=' or 1=1")).toContain(">Settings</a>");
  const lost = "/dashboard/settings/welcome"; // its forms post there, and their page has the sequence in its address
  const from = { referer: `${config.BASE_URL}${welcome}` };
  const refused = await manager.submit(lost, { [welcomeKeys.subject]: "x".repeat(500) }, from);
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(`href="${path}/${id}"`)]);
  expect(await (await manager.get(lost, { ...manager.headers, ...from })).text()).not.toContain(`href="${path}/${id}"`);
  expect(await textOf(`/dashboard/broadcasts/${first}`)).toContain("An email of the sequence “Course”.");
  expect(await textOf("/dashboard/broadcasts")).toContain("No broadcasts yet");
});

test("the list says how many people wait for each email that people get now, how many are in it, and how many began", async () => {
  const { db, now, textOf, post } = await stage();
  const { id } = await startedSequence(db, now(), { waits: [hours(3), hours(2), hours(5)] });
  for (const name of ["ada", "bo", "cy", "di", "ed"])
    await post("/api/newsletter/subscribe", { email: `${name}@example.com` });
  const put = (email: string, set: string) =>
    look(
      db,
      `update sequence_people set ${set} where subscriber_row = (select "row" from subscribers where email = '${email}')`,
    );
  const step = (at: number) => `step_row = (select "row" from sequence_steps where position = ${at})`;
  await put("bo@example.com", step(2));
  await put("cy@example.com", `${step(2)}, state = 2`); // held
  await put("di@example.com", `${step(2)}, state = 1`); // its email is on its way
  await put("ed@example.com", "step_row = null, state = 3, due_at = null"); // done
  const row = async () =>
    (await textOf(path))
      .match(/(?:Email \d: <\/span>\d+|<td class="[^"]*num-start" role="cell">\d+)/g)
      ?.map((found) => found.replace(/<[^>]+>/g, ""));
  expect(await row()).toEqual(["Email 1: 1", "Email 2: 3", "Email 3: 0", "4", "5"]);
  expect(await textOf(path)).toContain(`${path}/${id}`);
  await publishedEdition(db, { id, carriesOn: false, change: async () => undefined }, now());
  expect(await row()).toEqual(["Email 1: 0", "Email 2: 0", "Email 3: 0", "4", "5"]); // they get the emails they began
});

test("an email of a sequence is sent by its sequence alone, and is in no list of broadcasts", async () => {
  const { db, now, manager, textOf, act } = await stage();
  const { id, emails } = await startedSequence(db, now());
  const at = `/dashboard/broadcasts/${emails[0]}`;
  const [before] = await look(db, "select state, version, deleted_at, archive, segment from broadcasts order by row");
  const version = String(before?.version);
  for (const [route, fields] of [
    ["send", { when: "now" }],
    ["unschedule", {}],
    ["pause", {}],
    ["cancel", { confirmed: "yes" }],
    ["archive", { archive: "listed" }],
    ["audience", { do: "use", was: "{}" }],
    ["trash", {}],
  ] as const)
    await manager.submit(`${at}/${route}`, { version, ...fields });
  await manager.submit("/dashboard/broadcasts/bulk", { do: "trash", ids: emails.join(","), confirmed: "yes" });
  expect(
    (await look(db, "select state, version, deleted_at, archive, segment from broadcasts order by row"))[0],
  ).toEqual(before as never);
  expect(await textOf("/dashboard/broadcasts?tab=sending")).not.toContain("Email 1");
  expect(await textOf("/dashboard")).not.toContain("Email 1");
  await act(id, "pause");
  expect((await sequenceById(db, id))?.state).toBe("paused");
  await act(id, "resume");
  await act(id, "end");
  expect((await sequenceById(db, id))?.state).toBe("off");
  expect(await textOf(`${path}/${id}`)).toContain("Ended");
});

test("what was changed in the meantime changes nothing, and a pause that needs a look is resumed after one", async () => {
  const { db, now, manager, textOf, act, post } = await stage();
  await post("/api/newsletter/subscribe", { email: "ada@example.com" }); // without anyone, the overview has first steps
  const { id, emails } = await startedSequence(db, now());
  await manager.submit(`${path}/${id}/pause`, { version: "1" });
  expect((await sequenceById(db, id))?.state).toBe("on");
  await pauseAutomatically(db, emails[1] ?? "", { reason: "bounces", notify: "owner@example.com" }, now());
  const page = await textOf(`${path}/${id}`);
  expect(page).toContain("Too many addresses do not exist.");
  expect(await textOf("/dashboard")).toContain("The sequence “Course” is paused:");
  await act(id, "resume");
  expect((await sequenceById(db, id))?.state).toBe("paused");
  await act(id, "resume", { reviewed: "yes" });
  expect((await sequenceById(db, id))?.state).toBe("on");
  expect(await look(db, "select state from broadcasts")).toEqual([{ state: "sending" }, { state: "sending" }]);
});

test("what a form lacks is said at its field, and nothing is made", async () => {
  const { manager, create, textOf, act, db } = await stage();
  for (const [fields, words] of [
    [{ name: "" }, "Enter a name"],
    [{ trigger: "tag" }, "Enter the tag that begins it."],
    [{ trigger: "topic" }, "Choose the topic that begins it."],
    [{ segment: "none" }, "This segment was deleted. Choose another one."],
  ] as const) {
    const answer = await manager.submit(path, { name: "Course", trigger: "subscribed", ...fields });
    expect([answer.status, (await answer.text()).includes(words)]).toEqual([422, true]);
  }
  expect(await textOf(path)).toContain("No sequences yet");
  const { id } = await create({ trigger: "tag", tag: "VIP" });
  expect(await textOf(`${path}/${id}`)).toContain("When someone gets the tag VIP");
  for (const [fields, words] of [
    [{ after: "x" }, "Enter a whole number"],
    [{ after: "366" }, "Enter at most 365 days."],
    [{ unit: "hours", at: "09:00" }, "Choose days, or enter no time."],
    [{ at: "noon" }, "Enter a time such as 09:00"],
  ] as const) {
    const answer = await act(id, "emails", { subject: "One", after: "1", unit: "days", at: "", ...fields });
    expect([answer.status, (await answer.text()).includes(words)]).toEqual([422, true]);
  }
  expect((await manager.submit(path, { name: "course", trigger: "subscribed" })).status).toBe(422); // the same name
  await act(id, "emails", { subject: "One", after: "1", unit: "days", at: "" });
  await act(id, "delete");
  expect(await look(db, "select count(*) n from broadcasts union all select count(*) from sequences")).toEqual([
    { n: 0 },
    { n: 0 },
  ]);
  expect((await manager.get(`${path}/${id}`)).status).toBe(404);
});

test("new emails of a sequence that is on are written beside the others, and published for whoever begins or for everyone in it", async () => {
  const { db, now, manager, textOf, act, post } = await stage();
  const { id } = await startedSequence(db, now());
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  const emailsOf = async (edition: number) =>
    look<{ id: string; subject: string }>(
      db,
      `select broadcasts.id, subject from sequence_steps join broadcasts on broadcasts.row = broadcast_row
        where edition = ${edition} order by position`,
    );
  expect(await textOf(`${path}/${id}`)).not.toContain("New version");
  await act(id, "edit");
  const drafts = await emailsOf(2);
  expect(drafts.map(({ subject }) => subject)).toEqual(["Email 1", "Email 2"]);
  const page = await textOf(`${path}/${id}`);
  for (const words of ["New version", "Review and publish…", "Add email", "1 waiting"]) expect(page).toContain(words);
  expect(page).toMatch(/class="wait">(?:(?!class="card email").)*1 waiting/s); // where they are: before the email
  const [first, second] = drafts;
  await act(id, `emails/${first?.id}/remove`);
  expect(await textOf(`${path}/${id}`)).not.toContain("Delete Email 2"); // the only one stays
  await act(id, `emails/${second?.id}/remove`);
  expect(await emailsOf(2)).toHaveLength(1);
  await manager.submit(`/dashboard/broadcasts/${second?.id}`, {
    ...{ version: "1", subject: "Better", preheader: "", fromName: "", content: "", do: "save" },
  });
  expect(await textOf(`${path}/${id}/publish`)).toContain("The text is empty.");
  await act(id, "publish", { people: "go-on" });
  expect((await sequenceById(db, id))?.edition).toBe(1);
  await manager.submit(`/dashboard/broadcasts/${second?.id}`, {
    ...{ version: "2", subject: "Better", preheader: "", fromName: "", content: "Hello", do: "save" },
  });
  const question = await textOf(`${path}/${id}/publish`);
  for (const words of ["get this email.", "The person who is in it now", "Goes on with the new one"])
    expect(question).toContain(words);
  await act(id, "publish", { people: "go-on" });
  expect(await sequenceById(db, id)).toMatchObject({ edition: 2, carriesTo: 2, state: "on" });
  const published = await textOf(`${path}/${id}`);
  expect(published).toContain("Better");
  expect(published).toContain("Earlier versions"); // ada waits there until a sender moves her
  expect(await textOf("/dashboard/audit")).toContain("people in it <bdi>go on with these</bdi>");

  await act(id, "edit");
  expect(await textOf(`${path}/${id}/discard`)).toContain("What you changed in these emails is lost.");
  await act(id, "discard");
  expect(await emailsOf(3)).toEqual([]);
  await act(id, "edit");
  await act(id, "publish");
  expect(await sequenceById(db, id)).toMatchObject({ edition: 3, carriesTo: 2 });
});

test("the page of an email that a started sequence sends leads to editing its emails, also while they are edited", async () => {
  const { db, now, manager, textOf, act } = await stage();
  const { id, emails } = await startedSequence(db, now());
  const page = `/dashboard/broadcasts/${emails[0]}`;
  const editIt = async () => {
    const [, version = ""] =
      new RegExp(`action="${path}/${id}/edit".*?name="version" value="(\\d+)"`, "s").exec(await textOf(page)) ?? [];
    const answer = await manager.submit(`${path}/${id}/edit`, { version });
    expect(answer.headers.get("location")).toBe(`${path}/${id}`);
    return textOf(`${path}/${id}`);
  };
  expect(await editIt()).toContain("Nothing changes for anyone until you publish it.");
  expect(await editIt()).toContain("Nothing changes for anyone until you publish it."); // leads to the same version
  expect(await look(db, "select count(*) n from sequence_steps")).toEqual([{ n: 4 }] as never);
  await act(id, "end");
  expect(await textOf(page)).not.toContain(`${id}/edit`);
});

test("what begins a sequence is changed for those who begin from then on; whoever is in it goes on", async () => {
  const { db, now, textOf, act, post } = await stage();
  const { id, emails } = await startedSequence(db, now(), { waits: [hours(1)] });
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  expect(await textOf(`${path}/${id}/define`)).toContain("People who are in it go on.");
  const changed = await act(id, "define", { name: "VIPs", trigger: "tag", tag: "vip", segment: "" });
  expect([changed.status, changed.headers.get("location")]).toEqual([303, `${path}/${id}`]);
  expect(await textOf(`${path}/${id}`)).toContain("When someone gets the tag vip");
  await post("/api/newsletter/subscribe", { email: "bob@example.com" });
  expect(Object.keys(await placesIn(db))).toEqual(["ada@example.com"]);
  const bob = await byEmail(db, "bob@example.com");
  await edit(db, { id: bob?.id ?? "", details: {}, tags: { add: ["vip"], remove: [] } }, { actor: "cli" }, now());
  expect(Object.keys(await placesIn(db))).toEqual(["ada@example.com", "bob@example.com"]);
  const [step] = await look(db, `select state from broadcasts where id = '${emails[0]}'`);
  expect(step).toEqual({ state: "sending" });
  const [event] = await look(
    db,
    "select action, target from audit_events where action like 'sequence.%' order by id desc limit 1",
  );
  expect(event).toMatchObject({ action: "sequence.change", target: "VIPs" });
});

test("a manager says after how many days a sequence begins again, for a tag or a topic alone", async () => {
  const { textOf, act, create, db } = await stage();
  const { id } = await create({ trigger: "tag", tag: "VIP", again: "90" });
  expect(await sequenceById(db, id)).toMatchObject({ againDays: 90 });
  expect(await textOf(`${path}/${id}`)).toContain("Again, 90 days or more after its end");
  expect(await textOf(`${path}/${id}/define`)).toMatch(
    /<input[^>]+name="again"[^>]+value="90"|value="90"[^>]+name="again"/,
  );
  for (const [fields, why] of [
    [{ again: "29" }, "Enter 30 to 3650 days, or nothing."],
    [{ again: "often" }, "Enter 30 to 3650 days, or nothing."],
  ] as const) {
    const refused = await act(id, "define", { name: "Course", trigger: "tag", tag: "VIP", ...fields });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(why)]);
  }
  for (const again of ["90", "often"]) {
    // hidden beside what happens once to everyone, but still sent
    expect((await act(id, "define", { name: "Course", trigger: "subscribed", tag: "VIP", again })).status).toBe(303);
    expect(await sequenceById(db, id)).toMatchObject({ trigger: "subscribed", againDays: null });
    await act(id, "define", { name: "Course", trigger: "tag", tag: "VIP", again: "90" });
  }
  await act(id, "define", { name: "Course", trigger: "tag", tag: "VIP", again: "" });
  expect(await sequenceById(db, id)).toMatchObject({ againDays: null });
  expect(await textOf(`${path}/${id}`)).toMatch(/<dt>How often<\/dt><dd>Once<\/dd>/);
  expect(await textOf("/dashboard/audit")).toContain("Again after (days)");
});

test("a started sequence keeps its topic, one name is one sequence, and a change that comes too late changes nothing", async () => {
  const { db, now, manager, act, create } = await stage();
  await addTopic(db, { name: "Recipes", sentence: "", isDefault: false }, { actor: "cli" }, now());
  const { id } = await startedSequence(db, now());
  const other = await create({ name: "Other" });
  const define = (fields: Record<string, string>) =>
    act(id, "define", { name: "Course", trigger: "subscribed", ...fields });
  for (const [fields, why] of [
    [{ name: "other" }, "There is a sequence with this name already."],
    [{ trigger: "topic", topic: "recipes" }, "Create another sequence for another topic."],
    [{ trigger: "topic", topic: "nothing" }, "Choose the topic that begins it."],
    [{ trigger: "tag" }, "Enter the tag that begins it."],
    [{ segment: "gone" }, "This segment was deleted."],
  ] as const) {
    const refused = await define(fields);
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining(why)]);
  }
  const draft = await act(other.id, "define", { name: "Other", trigger: "topic", topic: "recipes" });
  expect(draft.status).toBe(303);
  await manager.submit(`${path}/${id}/define`, { version: "1", name: "Late", trigger: "subscribed" });
  await act(id, "end");
  await define({ name: "Ended" });
  expect(await look(db, "select name from sequences order by row")).toEqual([{ name: "Course" }, { name: "Other" }]);
});

test("the page of a person says which emails are of a sequence", async () => {
  const { db, now, textOf, post } = await stage();
  const { emails } = await startedSequence(db, now());
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  await addRecipients(db, emails[0] ?? "", [{}]);
  const ada = await byEmail(db, "ada@example.com");
  expect(await textOf(`/dashboard/newsletter/${ada?.id}`)).toMatch(
    /Email of a sequence:\s*<a href="[^"]+">Email 1<\/a>/,
  );
});

test("the page of a sequence says who gets which email next, the soonest first, and no one while it is paused", async () => {
  const { db, clock, now, act, textOf, post } = await stage();
  const { id } = await startedSequence(db, now(), { waits: [hours(3), hours(30)] });
  for (const name of ["ada", "bo", "cy", "di"]) {
    clock.time += 60_000;
    await post("/api/newsletter/subscribe", { email: `${name}@example.com` });
  }
  const set = (email: string, to: string) =>
    look(
      db,
      `update sequence_people set ${to} where subscriber_row = (select "row" from subscribers where email = '${email}')`,
    );
  const late = Date.parse("2026-11-22T18:00Z");
  await set("bo@example.com", `step_row = (select "row" from sequence_steps where position = 2), due_at = ${late}`);
  await set("cy@example.com", "state = 2"); // held
  const next = async () =>
    [
      ...(await textOf(`${path}/${id}`)).matchAll(
        /<a href="\/dashboard\/newsletter\/[^"]+">([^<]+)<\/a><span class="sub">([^<]*)<\/span><\/span><time[^>]*>([^<]+)/g,
      ),
    ].map(([, ...words]) => words.join(", "));
  expect(await next()).toEqual([
    "ada@example.com, Email 1, Today 15:01",
    "di@example.com, Email 1, Today 15:04",
    "bo@example.com, Email 2, Tomorrow 18:00",
  ]);
  await act(id, "pause");
  expect(await textOf(`${path}/${id}`)).not.toContain("Next to go");
});
