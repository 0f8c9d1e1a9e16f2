import { type ParserOptions, parse } from "@babel/parser";

/** One small change of a file, as a careless hand would make it. */
export type Mutant = {
  /** path from the root */
  file: string;
  /** counted from 1 */
  line: number;
  /** what is replaced: the characters of the file from `start` up to, not including, `end` */
  start: number;
  end: number;
  replacement: string;
};

/** A node of the syntax tree: what every one has, and its children under names of their own. */
type Node = { type: string; start: number; end: number; [child: string]: unknown };
type Change = Pick<Mutant, "start" | "end" | "replacement">;

const options: ParserOptions = { sourceType: "module", plugins: ["typescript", "jsx"] };

const flipped: Record<string, string> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
};

/** In the text of SQL. The second group is replaced. */
const inSql: [pattern: RegExp, replacement: (text: string) => string][] = [
  [/(\s)(<=|>=|<>|[<>=])(?=\s)/g, (operator) => ({ "=": "<>", "<>": "=" })[operator] ?? flipped[operator] ?? operator],
  [/(\s)(and|or)(?=\s)/g, (word) => (word === "and" ? "or" : "and")],
  [/(\bis )(not null|null)\b/g, (word) => (word === "null" ? "not null" : "null")],
  [/(\s|\()(not )(?=exists|in\b)/g, () => ""],
  [/()('[a-z_-]+')/g, () => "'other'"],
  [/([\s(])(\d+)\b/g, (number) => String(Number(number) + 1)],
];

/** A log line is for people: no test has to notice its absence. */
const isLog = /^(await )?(\w+\.)*(log|console|logger)\b/;

/**
 * Lists the one-line changes of a source file: comparisons flipped, conditions dropped or forced, numbers one more
 * (large ones doubled: a millisecond more is no different rule), statements and `await` left out, arguments of `and`,
 * `or`, `min` and `max`, and the same in the text of SQL. Types, texts for people and log lines stay as they are. An
 * `await` whose value nobody uses stays: only the statement as a whole is left out.
 */
export function mutantsOf(file: string, text: string): Mutant[] {
  const changes: Change[] = [];
  visit(parse(text, options).program, (node, parent) => changes.push(...changesOf(node, parent, text)));
  return changes
    .filter(({ start, end, replacement }) => text.slice(start, end) !== replacement)
    .map((change) => ({ file, line: text.slice(0, change.start).split("\n").length, ...change }))
    .sort((a, b) => a.start - b.start);
}

/** The file with this change in it. */
export const withMutant = (text: string, { start, end, replacement }: Change): string =>
  text.slice(0, start) + replacement + text.slice(end);

function visit(value: unknown, each: (node: Node, parent?: Node) => void, parent?: Node): void {
  if (Array.isArray(value)) return value.forEach((item) => visit(item, each, parent));
  if (!isNode(value) || /^TS(Type|Interface|Literal)/.test(value.type)) return;
  each(value, parent);
  for (const [name, child] of Object.entries(value))
    if (name !== "loc" && !/Comments$/.test(name)) visit(child, each, value);
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value && typeof value.type === "string";

const children = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
const replace = ({ start, end }: Node, replacement: string): Change => ({ start, end, replacement });

function changesOf(node: Node, parent: Node | undefined, text: string): Change[] {
  const source = (part: unknown) => (isNode(part) ? text.slice(part.start, part.end) : "");
  switch (node.type) {
    case "BinaryExpression":
      return operatorOf(node, text);
    case "LogicalExpression":
      return node.operator === "??" ? [] : [replace(node, source(node.left)), replace(node, source(node.right))];
    case "IfStatement":
    case "ConditionalExpression":
      return isNode(node.test) ? [replace(node.test, "true"), replace(node.test, "false")] : [];
    case "UnaryExpression":
      return node.operator === "!" ? [replace(node, source(node.argument))] : [];
    case "NumericLiteral":
      if (parent?.key === node) return []; // (200 + 1) is no name of a property
      return [replace(node, Number(node.value) < 1000 ? `(${source(node)} + 1)` : `(${source(node)} * 2)`)];
    case "BooleanLiteral":
      return [replace(node, String(node.value !== true))];
    case "AwaitExpression":
      return parent?.type === "ExpressionStatement" ? [] : [replace(node, source(node.argument))];
    case "ExpressionStatement":
      return isCall(node.expression) && !isLog.test(source(node)) ? [replace(node, ";")] : [];
    case "CallExpression":
      return callChanges(node, source);
    case "TaggedTemplateExpression":
      return /^sql\b/.test(source(node.tag)) && isNode(node.quasi) ? sqlChanges(node.quasi, text) : [];
    default:
      return [];
  }
}

function operatorOf(node: Node, text: string): Change[] {
  const { left, right } = node;
  const other = flipped[String(node.operator)];
  if (other === undefined || !isNode(left) || !isNode(right)) return [];
  const start = text.indexOf(String(node.operator), left.end); // comments between hold no operator here
  return [{ start, end: start + String(node.operator).length, replacement: other }];
}

const isCall = (value: unknown): boolean =>
  isNode(value) &&
  (value.type === "CallExpression" ||
    ((value.type === "AwaitExpression" || (value.type === "UnaryExpression" && value.operator === "void")) &&
      isCall(value.argument)));

/** A condition left out of `and(…)` and `or(…)`, and the smaller taken for the larger. */
function callChanges(node: Node, source: (part: unknown) => string): Change[] {
  const { callee } = node;
  const name = source(callee);
  if (name === "Math.min" || name === "Math.max")
    return isNode(callee) ? [replace(callee, name === "Math.min" ? "Math.max" : "Math.min")] : [];
  const parts = children(node.arguments);
  if ((name !== "and" && name !== "or") || parts.length < 2) return [];
  return parts.map((left) =>
    replace(
      node,
      `${name}(${parts
        .filter((part) => part !== left)
        .map(source)
        .join(", ")})`,
    ),
  );
}

function sqlChanges(template: Node, text: string): Change[] {
  return children(template.quasis).flatMap((part) =>
    inSql.flatMap(([pattern, replacement]) =>
      [...text.slice(part.start, part.end).matchAll(pattern)].map(({ index, 1: before = "", 2: found = "" }) => {
        const start = part.start + index + before.length;
        return { start, end: start + found.length, replacement: replacement(found) };
      }),
    ),
  );
}
