import { describe, expect, spyOn, test } from "bun:test";
import * as subscribers from "../../../db/newsletter/subscribers";
import { look } from "../../../test/support/look";
import { consent, importer, importPath as path } from "../../../test/support/lists/importer";

const at = (moment: string) => Date.parse(moment);
const optionsOf = (page: string, label: string) =>
  new RegExp(`>${label}</label><select[^>]*>(.*?)</select>`, "s").exec(page)?.[1];

describe("an import", () => {
  test("accepts files by Mailchimp, Substack, Ghost, listmonk and Buttondown, and makes no one active who left", async () => {
    const joined = at("2025-01-01T10:00:00Z");
    const files = {
      mailchimp: [
        "Email Address,First Name,Last Name,MEMBER_RATING,OPTIN_TIME,CONFIRM_TIME,LAST_CHANGED,UNSUB_TIME\n",
        '"ada@example.com","Ada","Lovelace",2,"2025-01-01 10:00:00","2025-01-01 10:05:00","2025-03-01 10:00:00",""\n',
        '"left@example.com","","",2,"2025-01-01 10:00:00","","","2025-02-01 10:00:00"\n',
      ],
      substack: [
        "email,active_subscription,expiry,plan,email_disabled,created_at\n",
        "ada@example.com,false,,other,false,2025-01-01T10:00:00.000Z\n",
        "left@example.com,false,,other,true,2025-01-01T10:00:00.000Z\n",
      ],
      ghost: [
        "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels\n",
        "1,ada@example.com,Ada Lovelace,,true,false,,2025-01-01T10:00:00.000Z,,\n",
        "2,left@example.com,,,false,false,,2025-01-01T10:00:00.000Z,,\n",
      ],
      listmonk: [
        "uuid,email,name,attributes,status,created_at,updated_at\n",
        'a,ada@example.com,Ada Lovelace,"{""a"": 1}",enabled,2025-01-01 10:00:00.000000+00,2025-02-02 10:00:00+00\n',
        "b,left@example.com,,{},blocklisted,2025-01-01 11:00:00+01:00,2025-02-02 10:00:00+00\n",
      ],
      buttondown: [
        "email_address,notes,metadata,tags,creation_date,type\n",
        "ada@example.com,,{},,2025-01-01T10:00:00Z,regular\n",
        "left@example.com,,{},,2025-01-01T10:00:00Z,unsubscribed\n",
      ],
    };
    for (const [system, lines] of Object.entries(files)) {
      const { bring, people } = await importer();
      await bring(lines.join(""));
      expect([system, await people()]).toMatchObject([
        system,
        [
          { email: "ada@example.com", state: "active", joined },
          { email: "left@example.com", state: "unsubscribed", joined },
        ],
      ]);
      const [ada] = await people();
      if (lines[0]?.toLowerCase().includes("name")) expect([system, ada?.name]).toEqual([system, "Ada Lovelace"]);
    }
  });

  test("of 5,000 people with dates without a time rejects no row", async () => {
    const { bring, db } = await importer();
    const lines = Array.from(
      { length: 5_000 },
      (_, i) => `reader${i}@example.com,2025-01-${String((i % 28) + 1).padStart(2, "0")}\n`,
    );
    const { review } = await bring(`email,joined\n${lines.join("")}`);
    expect(review).toContain("Import 5,000 subscribers");
    expect(review).not.toContain("Refused lines");
    expect(await look(db, "select count(*) as n, min(created_at) as first from subscribers")).toEqual([
      { n: 5_000, first: at("2025-01-01") },
    ]);
  });

  test("that was cut off in the middle goes on when it is confirmed again", async () => {
    const { upload, post, people, db } = await importer();
    const lines = Array.from({ length: 2_500 }, (_, i) => `reader${i}@example.com\n`);
    const { upload: token, columns } = await upload(`email\n${lines.join("")}`);
    await post("review", { upload: token, columns });
    const write = db.write;
    const writes = spyOn(db, "write");
    let [hasStored, isCut] = [false, false];
    writes.mockImplementation((work, how) => {
      if (!hasStored || isCut) return write(work, how).finally(async () => (hasStored = (await people()).length > 0));
      isCut = true;
      return Promise.reject(new Error("cut"));
    });
    expect((await post("confirm", { upload: token, consent })).status).toBe(500);
    writes.mockRestore();
    expect(await people()).toHaveLength(1_000);
    const done = await post("confirm", { upload: token, consent });
    expect([done.status, (await people()).length]).toEqual([303, 2_500]);
  });

  test("knows dates with and without time and offset, and takes people without days that do not exist", async () => {
    const { bring, people, now } = await importer();
    const dates = {
      a: "2025-01-31",
      b: "2025-01-31 10:00:00",
      c: "2025-01-31T10:00:00.123+02:00",
      d: "2025/01/31 10:00",
      e: "2025-02-30",
      f: "1 Feb 2025",
      g: "2025-01-31 25:00:00",
      h: "",
    };
    const rows = Object.entries(dates).map(([name, date]) => `${name}@example.com,${date}\n`);
    const { review } = await bring(`email,Subscribed At\n${rows.join("")}`);
    expect(review).toContain("<dt>Without a readable date</dt><dd>2</dd>");
    expect(review).toContain("<dt>Dates</dt><dd>Year first (2025-01-31)</dd>");
    expect((await people()).map(({ joined }) => joined)).toEqual([
      at("2025-01-31T00:00:00Z"),
      at("2025-01-31T10:00:00Z"),
      at("2025-01-31T08:00:00.123Z"),
      at("2025-01-31T10:00:00Z"),
      now().getTime(),
      at("2025-02-01"),
      now().getTime(),
      now().getTime(),
    ]);
  });

  test("reads commas, semicolons and tabs, with a byte order mark and line breaks of any kind", async () => {
    for (const separator of [",", ";", "\t"]) {
      const { bring, people } = await importer();
      const rows = [
        ["Name", '"E-Mail"'],
        ['"Hopper, Grace; PhD"', "grace@example.com"],
      ];
      await bring(`\uFEFF${rows.map((row) => row.join(separator)).join("\r\n")}`);
      expect(await people()).toMatchObject([{ email: "grace@example.com", name: "Hopper, Grace; PhD" }]);
    }
  });

  test("makes no one active by a status that is not known, or was never confirmed", async () => {
    const { bring, people } = await importer();
    const words = [
      "subscribed",
      "Unsubscribed",
      "cleaned",
      "pending",
      "whatever",
      "",
      "blocklisted",
      "bounced",
      "false",
    ];
    const { review } = await bring(
      `email,status,note\n${words.map((word, i) => `p${i}@example.com,${word},x\n`).join("")}`,
    );
    expect(review).toContain("<dt>New, active</dt><dd>2</dd><dt>New, unsubscribed</dt><dd>5</dd>");
    expect(review).toContain("Line 5: status says that the subscription was never confirmed");
    expect(review).toContain("Line 6: status is not known");
    expect((await people()).map(({ email, state }) => [email, state])).toEqual([
      ["p0@example.com", "active"],
      ["p1@example.com", "unsubscribed"],
      ["p2@example.com", "unsubscribed"],
      ["p5@example.com", "active"],
      ["p6@example.com", "unsubscribed"],
      ["p7@example.com", "unsubscribed"],
      ["p8@example.com", "unsubscribed"],
    ]);
  });

  test("shows its guess for each column with the first rows, and uses what is chosen instead", async () => {
    const { upload, post, people } = await importer();
    const file = "Adresse,Wer,E-Mail alt\nada@example.com,<b>Ada</b>,old@example.com\n";
    const { page, upload: token, columns } = await upload(file);
    expect(columns).toEqual(["email", "", ""]);
    expect(page).toContain("&lt;b&gt;Ada&lt;/b&gt;");
    expect(optionsOf(page, "Adresse")).toContain('<option value="email" selected');
    const none = await post("review", { upload: token, columns: ["", "", ""] });
    expect([none.status, await none.text()]).toEqual([
      422,
      expect.stringContaining("Choose the column that has") as never,
    ]);
    const twice = await post("review", { upload: token, columns: ["email", "", "email"] });
    expect([twice.status, await twice.text()]).toEqual([422, expect.stringContaining("Only Status, ") as never]);
    await post("review", { upload: token, columns: ["", "name", "email"], update: "yes" });
    const again = await (await post("columns", { upload: token })).text();
    expect(optionsOf(again, "Wer")).toContain('<option value="name" selected');
    expect(again).toMatch(/name="update" value="yes" checked/);
    await post("confirm", { upload: token, consent });
    expect(await people()).toMatchObject([{ email: "old@example.com", name: "<b>Ada</b>" }]);
  });

  test("asks how people gave consent before it adds anyone, and stores it with them and in their history", async () => {
    const { upload, post, manager, people, db } = await importer();
    const { upload: token, columns } = await upload(
      "email,state\nada@example.com,active\nleft@example.com,unsubscribed\n",
    );
    const review = await (await post("review", { upload: token, columns })).text();
    expect(review).toContain("How did these people agree?");
    for (const said of ["", "   short   ", "x".repeat(301)]) {
      const refused = await post("confirm", { upload: token, consent: said });
      expect([refused.status, await refused.text()]).toEqual([
        422,
        expect.stringContaining("characters how they") as never,
      ]);
    }
    expect(await people()).toEqual([]);
    expect((await post("confirm", { upload: token, consent: ` ${consent} ` })).headers.get("location")).toBe(
      `${path}/import/report`,
    );
    expect(await look(db, "select email, consent_note as note from subscribers order by email")).toEqual([
      { email: "ada@example.com", note: consent },
      { email: "left@example.com", note: null },
    ]);
    const id = (await subscribers.byEmail(db, "ada@example.com"))?.id;
    const page = await (await manager.get(`${path}/${id}`)).text();
    expect(page).toContain(`. How they agreed: ${consent}`);
    expect(page).toContain(`<dt>Consent</dt><dd>${consent}</dd>`);
  });

  test("takes a column of days called “Signed up” as when people joined", async () => {
    const { bring, people } = await importer();
    await bring("Email,Signed up\nada@example.com,2024-05-01\n");
    const [person] = await people();
    expect(new Date(Number(person?.joined)).toISOString()).toStartWith("2024-05-01");
  });

  test("how these people agreed is asked with the file, and the review has it, to be changed", async () => {
    const { receive, post, manager, db } = await importer();
    const first = await (await manager.get(`${path}/import`)).text();
    expect(first).toMatch(/<li aria-current="step">File<.*How did these people agree\?/s);
    const without = await receive("nothing of it", "people.csv", consent);
    expect([without.status, await without.text()]).toEqual([422, expect.stringContaining(`>${consent}</textarea>`)]);
    const page = await (await receive("email\nada@example.com\n", "people.csv", consent)).text();
    const upload = /name="upload" value="([^"]+)"/.exec(page)?.[1] ?? "";
    await post("columns", { upload });
    const review = await (await post("review", { upload, columns: ["email"] })).text();
    expect(review).toMatch(/<li aria-current="step">Review</);
    expect(review).toContain(`>${consent}</textarea>`);
    const later = `${consent}, and by letter`;
    await post("confirm", { upload, consent: later });
    expect(await look(db, "select consent_note as note from subscribers")).toEqual([{ note: later }]);
  });

  test("how long the words about consent must be is said with the file, not only when the review refuses them", async () => {
    const { manager } = await importer();
    const first = await (await manager.get(`${path}/import`)).text();
    expect(first).toContain(">10–300 characters, for example");
  });

  test("what is chosen for all people of a file is said, and not only which files say it by their names", async () => {
    const { receive } = await importer();
    const page = await (await receive("email\nada@example.com\n", "people.csv", consent)).text();
    expect(page).toContain("Whether they are subscribed.");
  });

  test("says first what would happen, and never reactivates anyone unless asked", async () => {
    const { upload, post, people, db, now } = await importer();
    for (const email of ["ada@example.com", "left@example.com"])
      await subscribers.subscribe(db, { email }, { via: "form" }, now());
    await subscribers.unsubscribe(db, "left@example.com", { via: "page" }, now());
    const file = "email,name\nnew@example.com,New\nada@example.com,\nleft@example.com,\nbroken,\n";
    const first = await upload(file);
    const review = await (await post("review", { upload: first.upload, columns: first.columns })).text();
    expect(review).toContain("Import 1 subscriber<");
    expect(review).toContain("Line 5: email must be a valid email address");
    expect(await people()).toHaveLength(2);
    const own = { upload: first.upload, consent };
    expect((await post("confirm", own)).status).toBe(303);
    expect((await people()).map(({ email, state }) => [email, state])).toEqual([
      ["ada@example.com", "active"],
      ["left@example.com", "unsubscribed"],
      ["new@example.com", "active"],
    ]);
    expect((await post("confirm", own)).status).toBe(422);

    const { upload: token, columns } = await upload(file);
    await post("review", { upload: token, columns, revive: "yes" });
    await post("confirm", { upload: token, consent });
    expect(await look(db, "select state, consent_note as note from subscribers where email like 'left%'")).toEqual([
      { state: "active", note: consent },
    ]);
  });

  test("gives the refused lines as a file that no spreadsheet runs, to the session that uploaded it alone", async () => {
    const { upload, post, signIn, manager, people, db } = await importer();
    const file = 'email,name\n=cmd|x@example,"Ada"\nok@example.com,Ok\n"broken\n@SUM(A1),Bo\n';
    const { upload: token, columns } = await upload(file);
    await post("review", { upload: token, columns });
    const answer = await post("refused", { upload: token });
    expect(answer.headers.get("content-disposition")).toStartWith('attachment; filename="refused-lines-');
    const lines = (await answer.text()).split("\r\n");
    expect(lines[0]).toBe("line,reason,original");
    expect(lines[1]).toBe('2,email must be a valid email address,"\'=cmd|x@example,""Ada"""');
    expect(lines.length).toBeGreaterThan(2);
    const other = await signIn({ email: "other@example.com" });
    const stranger = await other.submit(`${path}/import/refused`, { upload: token });
    expect(stranger.status).toBe(422);
    expect(await people()).toEqual([]);
    expect(await look(db, "select actor from audit_events where action = 'subscriber.export-refused'")).toEqual([
      { actor: manager.manager.email },
    ]);
  });

  test("says so when a quotation mark that is not closed hides lines", async () => {
    const { upload, post } = await importer();
    const { upload: token, columns } = await upload(
      `email,name\nok@example.com,Ok\na@example.com,"open\n${"b@example.com,B\n".repeat(1_000)}`,
    );
    expect(await (await post("review", { upload: token, columns })).text()).toContain(
      "if a quotation mark is not closed",
    );
  });

  test("of something that is no list says so", async () => {
    const { receive } = await importer();
    for (const file of ["just words", "email\n", "", `${"a,".repeat(200)}\n1\n`]) {
      const answer = await receive(file);
      expect(answer.status).toBe(422);
    }
  });
});
