import fc from "fast-check";
import { resolvedSchema } from "../../src/openapi/reference";
import { typeOf } from "../../src/openapi/json-schema";
import type { JsonSchema, OpenApi, Parameter } from "../../src/openapi/responses";
import type { Endpoint } from "../support/probes/contract";

/** A request as it goes out, with the endpoint it was made for. */
export type Shot = { endpoint: Endpoint; method: string; path: string; headers: Record<string, string>; body?: Body };
/** Text, or bytes that need not be any. */
type Body = string | Uint8Array<ArrayBuffer>;
/** Values that exist in the service, so that not everything is a 404. */
export type Known = { key: string; slugs: string[]; link: URLSearchParams };

const nasty = [
  "",
  " ",
  "null",
  "\u0000",
  "%00",
  "%ff%fe",
  "%E0%A4%A",
  "../../etc/passwd",
  "' OR 1=1 --",
  '"; DROP TABLE posts; --',
  "<script>alert(1)</script>",
  "${7*7}",
  "\ud800",
  "İ".repeat(50),
  "👩‍👩‍👧".repeat(40),
  "a".repeat(5_000),
  "1e309",
  "-0",
  "9007199254740993",
  "0x10",
  "__proto__",
  "constructor",
  "\r\nX-Injected: 1",
];
const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nasty) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
);

/** A request for this endpoint of the document: mostly shaped as it says, then spoiled in one way or another. */
export function shots(document: OpenApi, endpoint: Endpoint, known: Known): fc.Arbitrary<Shot> {
  const { method, path, operation } = endpoint;
  const inPlace = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return fc
    .record({
      path: pathOf(path, known),
      query: query(inPlace("query"), known),
      headers: headers(inPlace("header"), operation.security.length > 0, known),
      body: schema ? body(resolvedSchema(document, schema)) : fc.option(word, { nil: undefined, freq: 3 }),
    })
    .map(({ path: filled, query: search, headers: sent, body: text }) => ({
      endpoint,
      method,
      path: search ? `${filled}?${search}` : filled,
      headers: sent,
      ...(method !== "GET" && text !== undefined && { body: text }),
    }));
}

function pathOf(path: string, { slugs }: Known): fc.Arbitrary<string> {
  if (!path.includes("{")) return fc.constant(path);
  const segment = fc.oneof(
    fc.constantFrom(...slugs),
    word.map((text) => encodeURIComponent(text.toWellFormed()) || "x"),
  );
  // "." and ".." would make it another path
  return segment.map((text) => path.replace(/\{\w+\}/, () => (/^\.{1,2}$/.test(text) ? "dots" : text)));
}

function query(parameters: Parameter[], { link }: Known): fc.Arbitrary<string> {
  const values = parameters.map(({ name, schema = {} }) =>
    fc
      .option(fc.oneof({ weight: 3, arbitrary: valid(schema).map(String) }, { weight: 2, arbitrary: word }), {
        freq: 3,
      })
      .map((value): Pair[] => (value === null ? [] : [[name, value]])),
  );
  const given = fc.tuple(...values).map((pairs) => pairs.flat());
  const stray = fc.array(fc.tuple(word, word), { maxLength: 1 });
  const written = fc.tuple(given, stray).map(([pairs, extra]) => encoded([...pairs, ...extra]));
  const raw = fc.tuple(written, word).map(([text, end]) => `${text}&${end.toWellFormed().replace(/[#\s]/g, "")}`);
  const signed = fc.constant(String(link));
  return fc.oneof({ weight: 6, arbitrary: written }, { weight: 1, arbitrary: raw }, { weight: 1, arbitrary: signed });
}

type Pair = [name: string, value: string];

const encoded = (pairs: Pair[]) =>
  String(new URLSearchParams(pairs.map(([name, value]): Pair => [name.toWellFormed(), value.toWellFormed()])));

function headers(parameters: Parameter[], isKeyed: boolean, { key }: Known): fc.Arbitrary<Record<string, string>> {
  const asKey = fc.oneof({ weight: 8, arbitrary: fc.constant(key) }, { weight: 1, arbitrary: latin });
  const types = fc.oneof(
    { weight: 8, arbitrary: fc.constant("application/json") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("text/plain", "application/JSON; charset=utf-16", "multipart/form-data", "", "a/b;;"),
    },
  );
  const own = Object.fromEntries(parameters.map(({ name }) => [name, fc.option(latin, { nil: undefined, freq: 2 })]));
  return fc
    .record({
      "content-type": types,
      ...(isKeyed && { "x-api-key": asKey }),
      ...own,
      origin: fc.option(latin, { nil: undefined }),
    })
    .map((all) =>
      Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)),
    );
}

/** What a header may hold at all. */
const latin = fc.oneof(
  fc.string({ maxLength: 60 }).map((text) => text.trim()),
  fc.constantFrom("*", 'W/"x"', "null", '"', ",,,", "a".repeat(4_000)),
);

const body = (schema: JsonSchema): fc.Arbitrary<Body> =>
  fc.oneof<fc.MaybeWeightedArbitrary<Body>[]>(
    { weight: 5, arbitrary: valid(schema).map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: spoiled(schema).map((value) => JSON.stringify(value) ?? "") },
    { weight: 2, arbitrary: fc.tuple(valid(schema), fc.array(mutation, { minLength: 1, maxLength: 8 })).map(mutated) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: word },
    { weight: 1, arbitrary: fc.constantFrom("[".repeat(20_000), `{"a":${"9".repeat(400)}}`, "x".repeat(70_000)) },
  );

type Mutation = { at: number; cut: number; put: number[] };
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  cut: fc.nat(3),
  put: fc.array(fc.nat(255), { maxLength: 3 }),
});

/** The JSON of a valid body in which bytes were cut out and others put in. */
function mutated([value, mutations]: [unknown, Mutation[]]): Uint8Array<ArrayBuffer> {
  let bytes = [...Buffer.from(JSON.stringify(value))];
  for (const { at, cut, put } of mutations) bytes = bytes.toSpliced(at % (bytes.length + 1), cut, ...put);
  return new Uint8Array(bytes);
}

/** A valid object in which one field is something else. */
const spoiled = (schema: JsonSchema): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      valid(schema),
      fc.constantFrom(...Object.keys(schema.properties ?? { a: 1 }), "__proto__", "extra"),
      anything,
    )
    .map(([value, name, other]) => ({ ...(value as object), [name]: other }));

const anything = fc.oneof(
  word,
  fc.anything({ maxDepth: 2, withBigInt: false }),
  fc.constantFrom(null, [], {}, 0, -1, 1e308, true),
);

const plainEmail = fc.stringMatching(/^[a-z0-9]{1,12}\+?[a-z]{1,5}@[a-z0-9]{1,9}\.(com|example|рф)$/);

/** A value that fits the schema. */
function valid(schema: JsonSchema): fc.Arbitrary<unknown> {
  const type = typeOf(schema);
  const { format, enum: oneOf, minLength = 0, maxLength = 40, minimum = 0, maximum = 1_000, properties } = schema;
  if (oneOf) return fc.constantFrom(...oneOf);
  if (format === "email") return fc.oneof(plainEmail, fc.emailAddress());
  if (type === "integer" || type === "number")
    return fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) });
  if (type === "boolean") return fc.boolean();
  if (type === "array") return fc.array(valid((schema.items ?? {}) as JsonSchema), { maxLength: 3 });
  if (type !== "object") return fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 60) });
  const fields = Object.entries(properties ?? {}).map(([name, of]) => [name, valid(of as JsonSchema)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
}
