/**
 * `npm run check`: types, formatting, import rules and all tests. Continues after a failure and lists all failures at
 * the end.
 */
const bun = process.execPath;
const steps: [name: string, command: string[]][] = [
  ["types", [bun, "check", "--no-script"]],
  ["types of the pages' scripts", [bun, "check", "--no-script", "-p", "public/tsconfig.json"]],
  ["format", [bun, "fmt", "--check", "--no-script"]],
  ["import rules", [bun, "test", "src/imports.test.ts"]],
  ["tests", [bun, "test/run.ts"]],
];

const failed: string[] = [];
for (const [name, command] of steps) {
  console.log(`\n── ${name}`);
  const { success } = Bun.spawnSync(command, { cwd: `${import.meta.dir}/..`, stdio: ["ignore", "inherit", "inherit"] });
  if (!success) failed.push(name);
}
console.log(failed.length ? `\nFailed: ${failed.join(", ")}` : "\nAll is well.");
process.exitCode = failed.length ? 1 : 0;
