import { expect, spyOn, test } from "bun:test";
import { testService } from "../../test/support/service";
import { within } from "../../test/support/within";
import { maxLargeBodies } from "./pipeline";
import { maxFields } from "./request-body";

const path = "/dashboard/posts/preview";
const urlencoded = "application/x-www-form-urlencoded";
const multipart = 'multipart/form-data; boundary="--b"';
const part = (name: string, text: string) =>
  `----b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;

async function desk() {
  const service = await testService();
  const owner = await service.signIn();
  const post = (type: string, body: string | ReadableStream) =>
    service.send(path, { method: "POST", body, headers: { ...owner.headers, "content-type": type } });
  return { ...service, owner, post, token: `_token=${owner.token}` };
}

test("a large form has at most 5,000 fields, however they are written", async () => {
  const { owner, post, token } = await desk();
  const long = "x".repeat(70_000);
  const bodies = (fields: number): [type: string, body: string][] => [
    [urlencoded, `${token}&a=${long}${"&a".repeat(fields - 2)}`],
    [urlencoded, `${token}&a=${long}${Array.from({ length: fields - 2 }, (_, n) => `&k${n}=`).join("")}`],
    [multipart, `${part("_token", owner.token)}${part("a", long)}${part("a", "").repeat(fields - 2)}----b--\r\n`],
    ["application/json", `{"_token":"${owner.token}","a":"${long},[{","b":[${"1,".repeat(fields - 4)}1]}`],
    ["application/json", `{"_token":"${owner.token}","a":"${long}\\",","b":[${"{},".repeat((fields - 6) / 2)}{}]}`],
  ];
  const answers = async (fields: number) =>
    Promise.all(bodies(fields).map(async ([type, body]) => (await post(type, body)).status));
  expect(await answers(maxFields)).toEqual(Array<number>(5).fill(200));
  expect(await answers(2 * maxFields)).toEqual(Array<number>(5).fill(413));
  expect((await post("multipart/form-data; boundary=a; boundary=b", `${part("a", long)}----b--`)).status).toBe(413);
  expect((await post(urlencoded, `${token}${"&a".repeat(20_000)}`)).status).toBe(200); // small bodies are bounded by their size
});

test("of many large bodies four are worked on, sixteen wait, and others are asked to come again", async () => {
  const { owner, post } = await desk();
  const text = new TextEncoder().encode(`_token=${owner.token}&content=${"a".repeat(100_000)}`);
  const release = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<void>();
  let [read, waiting, refusals] = [0, 0, 0];
  const later = globalThis.setTimeout;
  const neverOver = (work: () => void, ms: number) => {
    if (ms !== maxLargeBodies.waitMs) return later(work, ms);
    if (++waiting === 17) refused.reject(new Error("A seventeenth waits"));
  };
  using _ = spyOn(globalThis, "setTimeout").mockImplementation(neverOver as never);
  const body = () =>
    new ReadableStream(
      {
        async pull(controller) {
          if (++read === 5 && refusals < 5) refused.reject(new Error("A fifth body is read before others are done"));
          await release.promise;
          controller.enqueue(text);
          controller.close();
        },
      },
      { highWaterMark: 0 }, // read when it is asked for
    );
  const answers = Array.from({ length: 25 }, async () => {
    const { status, headers } = await post(urlencoded, body());
    if (status === 503 && headers.has("retry-after")) {
      if (++refusals === 5) refused.resolve();
    } else if (refusals < 5) refused.reject(new Error(`${status} instead of being asked to come again`));
    return status;
  });
  await within(refused.promise, "five refusals").finally(() => release.resolve());
  expect((await Promise.all(answers)).sort()).toEqual([...Array<number>(20).fill(200), ...Array<number>(5).fill(503)]);
});
