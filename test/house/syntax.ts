import { lineCount, listed, type Node, nodesIn, type Source } from "./tree";

/** Where in the tree something stands: `file:line`. */
export type Place = string;

const placeOf = ({ file, text }: Source, { start }: Node): Place =>
  `${file}:${text.slice(0, start).split("\n").length}`;

/** The places of all nodes that match. */
const placesOf = (sources: Source[], matches: (node: Node, parent: Node | undefined) => boolean): Place[] =>
  sources.flatMap((source) =>
    source.nodes.filter(({ node, parent }) => matches(node, parent)).map(({ node }) => placeOf(source, node)),
  );

const isFunction = ({ type, body }: Node) =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod|ClassPrivateMethod)$/.test(
    type,
  ) && Boolean(body);

const childOf = (node: Node, name: string) => listed([node[name]])[0];
/** Also behind `as` and `satisfies`. */
const isLiteral = (node: Node | undefined): boolean =>
  node && /^TS(As|Satisfies)Expression$/.test(node.type)
    ? isLiteral(childOf(node, "expression"))
    : /^(Object|Array)Expression$/.test(node?.type ?? "");

/** Functions with five parameters or more. */
export const manyParameters = (sources: Source[]) =>
  placesOf(sources, (node) => isFunction(node) && listed(node.params).length >= 5);

/** Functions of more than 50 lines. */
export const longFunctions = (sources: Source[]) =>
  sources.flatMap((source) =>
    source.nodes
      .filter(({ node }) => isFunction(node) && lineCount(source.text.slice(node.start, node.end)) > 50)
      .map(({ node }) => placeOf(source, node)),
  );

/** `{ ...{ a } }` and `[...["a"]]`: literals inside literals, which say nothing that the inner one alone does not. */
export const spreadLiterals = (sources: Source[]) =>
  placesOf(
    sources,
    (node, parent) => node.type === "SpreadElement" && isLiteral(parent) && isLiteral(childOf(node, "argument")),
  );

/** `<Page {...{ title }} />`. */
export const spreadAttributes = (sources: Source[]) =>
  placesOf(sources, (node) => node.type === "JSXSpreadAttribute" && isLiteral(childOf(node, "argument")));

/** `maxlength` of a form's field as a number of its own, not handed on. */
export const handwrittenLengths = (sources: Source[]) =>
  placesOf(sources, (node) => {
    const name = childOf(node, node.type === "JSXAttribute" ? "name" : "key")?.name;
    if (!/^(JSXAttribute|ObjectProperty)$/.test(node.type) || name !== "maxlength") return false;
    return [...nodesIn(node.value)].some((part) => /^(Numeric|String)Literal$/.test(part.node.type));
  });

export const anyTypes = (sources: Source[]) => placesOf(sources, ({ type }) => type === "TSAnyKeyword");

/** `x as T`. `as const` states no type. */
export const assertions = (sources: Source[]) =>
  placesOf(sources, (node) => {
    const isConst = childOf(childOf(node, "typeAnnotation") ?? node, "typeName")?.name === "const";
    return node.type === "TSAsExpression" && !isConst;
  });

/** `x!`. */
export const nonNull = (sources: Source[]) => placesOf(sources, ({ type }) => type === "TSNonNullExpression");

/** Variables, parameters and functions of this name. */
export const declarations = (sources: Source[], name: string) =>
  placesOf(sources, (node) =>
    isFunction(node)
      ? [childOf(node, "id"), ...listed(node.params)].some((part) => binds(part, name))
      : node.type === "VariableDeclarator" && binds(childOf(node, "id"), name),
  );

/** Functions of this name. */
export const functionsNamed = (sources: Source[], name: string) =>
  placesOf(sources, (node) => {
    const made = node.type === "VariableDeclarator" ? childOf(node, "init") : node;
    return made !== undefined && isFunction(made) && childOf(node, "id")?.name === name;
  });

/** Whether a pattern (`a`, `{ a }`, `{ b: a = 1 }`, `[a]`, `...a`) declares the name. */
function binds(pattern: Node | undefined, name: string): boolean {
  switch (pattern?.type) {
    case "Identifier":
      return pattern.name === name;
    case "ObjectPattern":
      return listed(pattern.properties).some((part) =>
        binds(part.type === "RestElement" ? part : childOf(part, "value"), name),
      );
    case "ArrayPattern":
      return listed(pattern.elements).some((part) => binds(part, name));
    case "AssignmentPattern":
      return binds(childOf(pattern, "left"), name);
    case "RestElement":
      return binds(childOf(pattern, "argument"), name);
    default:
      return false;
  }
}
