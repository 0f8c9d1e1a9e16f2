import { parseArgs } from "node:util";
import { isDamage, sqliteCode, withoutStatement } from "../../db/engine/errors";
import { loadConfig } from "../platform/config";
import { databaseFile } from "../platform/data-dir";
import { messageOf } from "../platform/log";
import { type Command, complain } from "./command";

const serveCommand: Command = {
  usage: "serve",
  about: "Start the service (what `npm start` runs)",
  run: async () => (await import("../boot/serve")).serve(loadConfig()),
};

/** The nouns (D4) and where their commands are: loaded on demand, so that `serve` starts without the others. */
const nouns = new Map<string, () => Promise<{ commands: Command[] }>>([
  ["serve", async () => ({ commands: [serveCommand] })],
  ["manager", () => import("./manager")],
  ["keys", () => import("./keys")],
  ["nodes", () => import("./nodes")],
  ["import", () => import("./content")],
  ["export", () => import("./content")],
  ["settings", () => import("./settings")],
  ["subscribers", () => import("./subscribers")],
  ["suppressions", () => import("./suppressions")],
  ["people", () => import("./people")],
  ["broadcasts", () => import("./broadcasts")],
  ["sequences", () => import("./sequences")],
  ["from-posts", () => import("./from-posts")],
  ["webhooks", () => import("./webhooks")],
  ["backup", () => import("./backup")],
  ["restore", () => import("./backup")],
  ["doctor", () => import("./doctor")],
  ["demo", () => import("./db")],
  ["db", () => import("./db")],
  ["health", () => import("./program")],
  ["version", () => import("./program")],
]);

/** What runs in a process of its own, by its path from the root. */
const programs = new Map<string, () => Promise<{ run(args: string[]): Promise<void> | void }>>([
  ["db/ops/integrity.ts", () => import("../../db/ops/integrity")],
  ["db/ops/scrub.ts", () => import("../../db/ops/scrub")],
  ["src/backups/run.ts", () => import("../backups/run")],
  ["src/storage/pictures/child.ts", () => import("../storage/pictures/child")],
]);

/** The commands of a noun; none if there is no such noun. */
async function commandsOf(noun: string): Promise<Command[]> {
  const { commands = [] } = (await nouns.get(noun)?.()) ?? {};
  return commands.filter(({ usage }) => fixedWords(usage)[0] === noun);
}

/** Runs one command line. Returns the exit code: 0, 1 for a failure, 2 for an invalid command. */
export async function run(words: string[]): Promise<number> {
  if (words[0] === "internal") return runInternal(words.slice(1));
  if (words[0] === "--version") return run(["version"]);
  const wantsHelp = words[0] === "help" || words.includes("--help") || words.includes("-h");
  const commands = await commandsOf(words[0] ?? "");
  const command = commands.find(({ usage }) => fixedWords(usage).every((word, index) => words[index] === word));
  if (!command || wantsHelp) {
    const fitting = command ? [command] : commands.length ? commands : await everything();
    return wantsHelp ? printUsage(fitting) : refuse(fitting, notCommand(words.slice(0, commands.length ? 2 : 1)));
  }

  const parsed = argumentsOf(command, words);
  if (typeof parsed === "string") return refuse([command], parsed);
  try {
    return (await command.run(parsed.positionals, parsed.values)) ?? 0;
  } catch (error) {
    complain(`postroom: ${isConfigError(error) ? error.message : oneLine(await explained(error))}`);
    return 1;
  }
}

/**
 * Runs one of the program's own processes. An executable does it this way, because it cannot run a file of its own. It
 * is not a command for people, so the usage does not name it. Returns the exit code.
 */
async function runInternal([module = "", ...args]: string[]): Promise<number> {
  const program = await programs.get(module)?.();
  if (!program) return 2;
  await program.run(args);
  return Number(process.exitCode ?? 0);
}

/** Returns the words before the arguments: of "keys create <name>", keys and create. */
const fixedWords = (usage: string) => usage.split(/ (?=[<[])/)[0]?.split(" ") ?? [];

/** Returns what follows the fixed words, or says what is missing, superfluous or unknown. */
function argumentsOf({ usage, options = {} }: Command, words: string[]) {
  const fixed = fixedWords(usage).length;
  const expected = usage.split(" ").filter((word) => word.startsWith("<"));
  try {
    const parsed = parseArgs({ args: words.slice(fixed), options, allowPositionals: true });
    const missing = expected.slice(parsed.positionals.length);
    if (missing.length) return `Missing: ${missing.join(" ")}.`;
    const superfluous = parsed.positionals[expected.length];
    return superfluous === undefined ? parsed : `Not expected: ${quoted(superfluous)}. Text with spaces needs quotes.`;
  } catch (error) {
    return `${oneLine(error).split(". ")[0]}.`; // what follows is about the dashes
  }
}

const everything = async () => (await Promise.all([...nouns.keys()].map(commandsOf))).flat();

const usageOf = (commands: Command[]) => {
  const lines = commands.map(({ usage, about }) => `  ${usage}\n      ${about}`);
  return `Usage: npm run postroom -- <command>\n\n${lines.join("\n")}\n`;
};

function printUsage(commands: Command[]): number {
  process.stdout.write(usageOf(commands));
  return 0;
}

/** After the usage, which may be long, stands what was wrong. */
function refuse(commands: Command[], problem: string): number {
  process.stderr.write(`${usageOf(commands)}\npostroom: ${problem}\n`);
  return 2;
}

const notCommand = (words: string[]) =>
  words.length ? `${quoted(words.join(" "))} is not a command.` : "No command was given.";

const quoted = (text: string) => JSON.stringify(text.slice(0, 100));

/** For a corrupt database, or one on a disk that does not take it: returns an error that says what to do. */
async function explained(error: unknown): Promise<unknown> {
  const code = sqliteCode(error);
  if (!code) return error;
  const { damaged, diskProblem } = await import("../boot/data");
  const config = loadConfig();
  return isDamage(error) ? damaged(databaseFile(config), oneLine(error)) : (diskProblem(config, code) ?? error);
}

/** Several wrong variables are one line each. The class itself is loaded only by commands that need a configuration. */
const isConfigError = (error: unknown): error is Error => error instanceof Error && error.name === "ConfigError";

/** Returns the message without the stack, which is for a server's log. */
function oneLine(thrown: unknown): string {
  const error = withoutStatement(thrown);
  return messageOf(error).replaceAll(/\s*\n\s*/g, " ");
}
