import { hostileCsv, hostilePost, hostileZip } from "./files";
import { hostileJson, hostileText, words } from "./material";
import type { Random } from "./random";
import type { Carried, Pair, Sent } from "./requests";
import { fieldNames, kilobyte, usual } from "./usual";

const takesTexts = (url: string) => /^\/dashboard\/(posts|broadcasts)\//.test(url);

/** Bytes that the route takes of the hostile part, beside what else is in the form. */
const roomIn = ({ url }: Sent) => (takesTexts(url) ? 1_200 * kilobyte : 45 * kilobyte);

const lengthOfForm = (random: Random, { url }: Sent) =>
  random.of(
    takesTexts(url)
      ? [60, 180, 20 * kilobyte, 60 * kilobyte, 400 * kilobyte]
      : [60, 180, kilobyte, 20 * kilobyte, 40 * kilobyte],
  );

/** A form with one hostile field, or with thousands of fields. */
export function inForm(random: Random, plain: Sent, _: string, fields: string[]): Pair {
  const length = lengthOfForm(random, plain);
  const field = random.of(fields.length ? fields : ["title", "content", "content", ...fieldNames]);
  const many = random.of([
    [[field, hostileText(random, length)]],
    [[field, hostileText(random, length)]],
    [[field, hostileJson(random, length)]],
    Array.from({ length: length / 20 }, () => [field, "a"]),
    Array.from({ length: length / 20 }, (_, n) => [n.toString(36), "a"]),
    Array.from({ length: length / 40 }, (_, n) => [`${field}[${n}]`, "a"]),
    [[field + "[a]".repeat(length / 6), "a"]],
  ] as Fields[]);
  return forms(`form ${field}`, plain, field, many, "form");
}

export function inMultipart(random: Random, plain: Sent): Pair {
  const length = lengthOfForm(random, plain) / 4;
  const field = random.of(fieldNames);
  const many = random.of([
    [[field, hostileText(random, length).toWellFormed()]],
    Array.from({ length: length / 200 }, (_, n) => [random.of([field, String(n)]), "a"]),
  ] as Fields[]);
  return forms(`multipart ${field}`, plain, field, many, "multipart");
}

type Fields = [string, string][];

function forms(what: string, plain: Sent, field: string, hostile: Fields, as: Carried["as"]): Pair {
  const rest = Object.entries(usual).filter(([name]) => name !== field);
  const sent = (fields: Fields): Sent => ({ ...plain, body: { as, fields: [...rest, ...fields] } });
  const fitting = cut(hostile, roomIn(plain), as);
  const ordinary = words(fitting.reduce((sum, pair) => sum + bytesOf(pair, as), 0) * (as === "form" ? 0.8 : 1)); // a comma weighs three
  return { what, hostile: sent(fitting), ordinary: sent([[field, ordinary]]) };
}

/** As many of the fields, and as much of the first, as there is room for. */
function cut(fields: Fields, room: number, as: Carried["as"]): Fields {
  const [[name, value] = ["", ""], ...more] = fields;
  const share = Math.min(1, room / bytesOf([name, value], as));
  let left = room - bytesOf([name, value], as);
  return [
    [name.slice(0, Math.floor(name.length * share)), value.slice(0, Math.floor(value.length * share))],
    ...more.filter((pair) => (left -= bytesOf(pair, as)) > 0),
  ];
}

const bytesOf = ([name, value]: [string, string], as: Carried["as"]) =>
  as === "form" ? String(new URLSearchParams([[name, value]])).length + 1 : Buffer.byteLength(name + value) + 120;

/** The files that managers import: posts, archives of them, and lists of people. */
export function inFile(random: Random, plain: Sent): Pair {
  const length = random.of([60 * kilobyte, 500 * kilobyte, 1_000 * kilobyte]);
  const send = (name: string, content: string | Uint8Array<ArrayBuffer>): Sent => ({
    ...plain,
    body: {
      as: "multipart",
      fields: [
        ["file", new File([content], name)],
        ["files", new File([content], name)],
      ],
    },
  });
  if (plain.url.includes("newsletter")) {
    const row = "someone@example.com,Ada Ferris\n";
    return {
      what: "CSV",
      hostile: send("a.csv", hostileCsv(random, length)),
      ordinary: send("a.csv", `email,name\n${row.repeat(length / row.length)}`),
    };
  }
  const ordinary = send("a.md", `---\ntitle: A\n---\n${words(length)}`);
  if (random.below(4) === 0) return { what: "ZIP", hostile: send("a.zip", hostileZip(random, length)), ordinary };
  return { what: "MDX", hostile: send("a.md", hostilePost(random, length).toWellFormed()), ordinary };
}
