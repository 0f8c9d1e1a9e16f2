import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What the system grants to a process; undefined where it does not say, or there is no limit. */
export type ProcessLimits = {
  openFiles: number | undefined;
  memoryBytes: number | undefined;
  /** The systemd unit that started it. */
  unit: string | undefined;
};

/** Reads the limits of this process from the files of Linux. @param root where /proc and /sys are; tests have others */
export function processLimits(root = "/"): ProcessLimits {
  const text = (path: string) => {
    try {
      return readFileSync(join(root, path), "utf8");
    } catch {
      return ""; // another system, or another version of control groups
    }
  };
  const [, files] = /^Max open files +(\d+)/m.exec(text("proc/self/limits")) ?? [];
  const groups = [...text("proc/self/cgroup").matchAll(/^\d+:([^:]*):(\/.*)$/gm)];
  const memory = groups.flatMap(([, controllers = "", path = ""]) => {
    if (controllers === "") return withParents(path).map((group) => text(`sys/fs/cgroup${group}/memory.max`));
    if (controllers !== "memory") return [];
    return withParents(path).map((group) => text(`sys/fs/cgroup/memory${group}/memory.limit_in_bytes`));
  });
  const bytes = Math.min(...memory.filter(Boolean).map(Number).filter(Number.isFinite));
  const [unit] = groups.flatMap(
    ([, , path = ""]) =>
      path
        .split("/")
        .filter((name) => name.endsWith(".service"))
        .at(-1) ?? [],
  );
  return {
    openFiles: files === undefined ? undefined : Number(files),
    memoryBytes: bytes < 2 ** 50 ? bytes : undefined, // version 1 of control groups says "no limit" as a number
    unit,
  };
}

/** "/a/b" as "/a/b", "/a" and "": the limit of each holds. */
const withParents = (path: string): string[] => (path === "/" ? [""] : [path, ...withParents(dirname(path))]);
