import { generateX25519Identity } from "age-encryption";
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { loadConfig, variables } from "../src/platform/config";
import { testService } from "./support/service";
import { postroom, temporaryFolder } from "./support/processes";
import { testTimeoutMs } from "./support/within";

setDefaultTimeout(testTimeoutMs);

/* What the files and pages of docs/deploy say of the service is so. Whether the programs that read the files accept them
   is asked by `npm run test:deploy`. */

const root = join(import.meta.dir, "..");
const names = [
  "Dockerfile",
  "compose.yaml",
  ...readdirSync(join(root, "docs/deploy")).map((name) => `docs/deploy/${name}`),
  ...readdirSync(join(root, "docs/examples"))
    .filter((name) => /\.(conf|cfg)$/.test(name))
    .map((name) => `docs/examples/${name}`),
];
const files = names.map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

/** What a pattern's first group matches in all files, with the name of the file. */
const found = (pattern: RegExp) =>
  files.flatMap(({ name, text }) => [...text.matchAll(pattern)].map(([, value = ""]) => ({ name, value })));
const valuesOf = (pattern: RegExp) => found(pattern).map(({ value }) => value);

/** Of other programs, and of the files themselves. */
const foreign = /^(POSTGRES|MINIO_ROOT)_|^(MINIO_BROWSER|REVISION|AF|SIGTERM|RUN|ENV|USER|CMD|END|APP_VERSION)/;

test("every variable that a file or page sets is one of Postroom's", () => {
  const assigned = /(?:^|[\s"'`(])(?:-e |--setenv=|- name: )?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?=\s*[=:]|$|`|[,)\s])/gm;
  const set = found(assigned).filter(({ value }) => !foreign.test(value));
  expect(set.filter(({ value }) => !variables.includes(value))).toEqual([]);
  expect(new Set(set.map(({ value }) => value)).size).toBeGreaterThan(10);
});

test("where a provider of emails is set, the sender is, too", () => {
  const setting = files.filter(({ name, text }) => !name.endsWith(".md") && text.includes("MAILER_API_KEY"));
  expect(setting.length).toBeGreaterThan(1);
  for (const { name, text } of setting) expect([name, text.includes("MAIL_FROM")]).toEqual([name, true]);
});

test("every file has the port on which the service listens unless PORT says otherwise", () => {
  const { PORT } = loadConfig({ APP_SECRET: "a".repeat(32) }, false);
  const ports = [
    ...valuesOf(/\bPORT=(\d+)/g),
    ...valuesOf(/EXPOSE (\d+)/g),
    ...valuesOf(/(?:containerPort: |internal_port = )(\d+)/g),
    ...valuesOf(/(?:127\.0\.0\.1|first|second|third):(\d+)\b/g),
  ];
  const ofOthers = ["8402", "9000"]; // Certbot's and MinIO's
  expect(ports.length).toBeGreaterThan(12);
  expect([...new Set(ports)].filter((port) => !ofOthers.includes(port))).toEqual([String(PORT)]);
});

test("every file leaves the service the time that it takes to stop", () => {
  const given = valuesOf(
    /(?:TimeoutStopSec=|terminationGracePeriodSeconds: |kill_timeout = "|stop_grace_period: |--stop-timeout )(\d+)/g,
  );
  expect(given.length).toBe(5);
  expect(given.filter((seconds) => Number(seconds) < 15)).toEqual([]);
});

test("every path that is asked for health is there", async () => {
  const { get } = await testService();
  const paths = [...new Set(valuesOf(/(?:path: |path = "|httpchk GET |`)(\/(?:health|ready|live)\w*)/g))];
  expect(paths).toContain("/healthz");
  for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 200]);
});

test("every command that a file or page names is there", async () => {
  using folder = temporaryFolder();
  const commands = [
    ...new Set(valuesOf(/\bpostroom ((?:doctor|health|version|serve|[a-z]+ (?:list|add|init|test|now))\b)/g)),
  ];
  expect(commands).toContain("health");
  for (const command of commands) {
    const { code, out } = await postroom(folder.path, [...command.split(" "), "--help"]);
    expect([command, code, out.includes(command)]).toEqual([command, 0, true]);
  }
});

test("every file runs the service as the same user, by number", () => {
  const users = [
    ...valuesOf(/(?:runAsUser|runAsGroup|fsGroup): (\d+)/g),
    ...valuesOf(/(?:^USER |chown (?:-R )?|install .*-o )(\d{4,})/gm),
    ...valuesOf(/(?:--reuid|--regid)=(\d+)/g),
  ];
  expect(users.length).toBeGreaterThan(8);
  expect([...new Set(users)]).toEqual(["10001"]);
});

test("proxies pass on the largest body that managers may send", () => {
  const megabytes = valuesOf(/(?:client_max_body_size|max_size) ([1-9]\d*)M?B?m?/g).map(Number);
  expect(megabytes.length).toBe(3);
  expect(megabytes.filter((most) => most < 33)).toEqual([]);
});

const settingsOf = (file: string, pattern: RegExp) =>
  found(pattern).flatMap(({ name, value }) => (name === file ? [value] : []));

test("nginx passes on the longest request line that Postroom accepts", () => {
  const files = found(/large_client_header_buffers 4 (\d+)k/g);
  expect(files).toEqual(
    ["docs/deploy", "docs/examples"].map((folder) => ({ name: `${folder}/nginx.conf`, value: "16" })),
  );
});

test("behind nginx and HAProxy a process that hangs is given up after ten seconds, and another one asked, once", () => {
  const nginx = (pattern: RegExp) => settingsOf("docs/examples/nginx.conf", pattern);
  const haproxy = (pattern: RegExp) => settingsOf("docs/examples/haproxy.cfg", pattern);
  expect(nginx(/^ +server (\w+:3000 max_fails=2 fail_timeout=5s);/gm)).toHaveLength(
    nginx(/^ +server (\w+:3000)/gm).length,
  );
  expect(nginx(/proxy_read_timeout (\d+)s/g)).toEqual(["10", "60"]); // imports take longer
  expect(nginx(/proxy_next_upstream (.+);/g)).toEqual(["error timeout non_idempotent", "error non_idempotent"]);
  expect(nginx(/proxy_next_upstream_tries (\d+)/g)).toEqual(["2", "2"]);
  expect(nginx(/(least_conn);/g)).toEqual(["least_conn"]);
  expect(haproxy(/timeout server (\d+)s/g)).toEqual(["10", "60"]);
  expect(haproxy(/option (redispatch|httpchk GET \/healthz)/g)).toEqual([
    "redispatch",
    ...Array<string>(2).fill("httpchk GET /healthz"),
  ]);
  expect(haproxy(/retry-on (.+)/g)).toEqual([
    "conn-failure empty-response response-timeout",
    "conn-failure empty-response",
  ]);
  expect(haproxy(/balance (\w+)/g)).toEqual(["leastconn", "leastconn"]);
});

test("every container has a root that it cannot write to, and the image says whether the service is well", () => {
  for (const [file, readOnly] of [
    ["compose.yaml", /^ +(read_only: true)/gm],
    ["docs/deploy/docker.md", /(--read-only)\b/g],
    ["docs/deploy/kubernetes.yaml", /(readOnlyRootFilesystem: true)/g],
    ["docs/deploy/kubernetes-restore.yaml", /(readOnlyRootFilesystem: true)/g],
  ] as const)
    expect([file, settingsOf(file, readOnly).length > 0]).toEqual([file, true]);
  expect(settingsOf("Dockerfile", /^HEALTHCHECK .*CMD \["postroom", "(\w+)"\]/gm)).toEqual(["health"]);
});

const Named = z.object({ name: z.string() });
const Pod = z.object({
  securityContext: z.record(z.string(), z.unknown()),
  volumes: z.array(Named.extend({ persistentVolumeClaim: z.object({ claimName: z.string() }).optional() })).default([]),
  containers: z.array(
    z.object({
      image: z.string(),
      args: z.array(z.string()).default([]),
      envFrom: z.array(z.unknown()),
      env: z.array(Named.extend({ value: z.string() })),
      securityContext: z.record(z.string(), z.unknown()),
      volumeMounts: z.array(Named.extend({ mountPath: z.string() })),
    }),
  ),
});
/** What runs a pod: a StatefulSet or a Job. */
const Workload = z.object({
  metadata: Named,
  spec: z.object({
    template: z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }), spec: Pod }),
    volumeClaimTemplates: z.array(z.object({ metadata: Named })).default([]),
  }),
});

function workloadIn(file: string, kind: string) {
  const resources = [Bun.YAML.parse(readFileSync(join(root, "docs/deploy", file), "utf8"))].flat();
  const Kind = z.object({ kind: z.literal(kind) });
  return Workload.parse(resources.find((resource) => Kind.safeParse(resource).success));
}

test("the Job that restores on Kubernetes has the image, user, variables and volume of the service", () => {
  const service = workloadIn("kubernetes.yaml", "StatefulSet");
  const job = workloadIn("kubernetes-restore.yaml", "Job");
  const [served, restored] = [service, job].map(({ spec }) => spec.template);
  const shared = (pod: z.infer<typeof Pod> | undefined) =>
    pod?.containers.map(({ image, envFrom, env, securityContext, volumeMounts }) => ({
      ...{ image, envFrom, securityContext, pod: pod.securityContext },
      dataDir: env.find(({ name }) => name === "DATA_DIR")?.value,
      data: volumeMounts.find(({ name }) => name === "data")?.mountPath,
    }));
  expect(shared(restored?.spec)).toEqual(shared(served?.spec));
  const volume = restored?.spec.volumes.find(({ name }) => name === "data");
  const [claim] = service.spec.volumeClaimTemplates;
  expect(volume?.persistentVolumeClaim?.claimName).toBe(`${claim?.metadata.name}-${service.metadata.name}-0`);
  expect(restored?.metadata.labels.app).not.toBe(served?.metadata.labels.app); // requests must not reach it
});

test("the command of the Job that restores is one of Postroom's, and begins on an empty volume", async () => {
  const [container] = workloadIn("kubernetes-restore.yaml", "Job").spec.template.spec.containers;
  using folder = temporaryFolder();
  const key = join(folder.path, "key.txt");
  await Bun.write(key, await generateX25519Identity());
  const mounted = container?.volumeMounts.find(({ name }) => name === "key")?.mountPath;
  const [program, ...args] = container?.args.map((arg) => arg.replace(`${mounted}/key.txt`, key)) ?? [];
  const { code, err } = await postroom(join(folder.path, "empty"), args);
  expect([program, args.length, code, err]).toEqual([
    "postroom",
    3,
    1,
    expect.stringContaining("BACKUP_URL is not set"),
  ]);
});

test("what is installed without development packages has no types of Bun", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { name?: string; dev?: boolean }>;
  };
  const isTypes = ([path, { name = path }]: [string, { name?: string }]) =>
    /(^|\/)(bun-types|types-for-bun)$/.test(name);
  const types = Object.entries(packages).filter(isTypes);
  expect(types.length).toBeGreaterThan(0);
  expect(types.filter(([, { dev }]) => !dev)).toEqual([]);
  expect(settingsOf("Dockerfile", /npm (ci --omit=dev)/g)).toHaveLength(1);
});

test("every file that a page links to is there", () => {
  const links = files.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to = ""]) => join(root, name, "..", to)),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(
    links.filter(
      (path) => !Bun.file(path).size && !readdirSync(join(path, "..")).includes(path.split("/").at(-1) ?? ""),
    ),
  ).toEqual([]);
});

test("each message that Troubleshooting names is one that Postroom prints", () => {
  const page = readFileSync(join(root, "docs/operations.md"), "utf8");
  const [, table = ""] = page.split("\n## Troubleshooting\n");
  const messages = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = ""]) => message);
  const sources = [...new Bun.Glob("{src,db}/**/*.ts").scanSync(root)].map((file) =>
    readFileSync(join(root, file), "utf8"),
  );
  // a value in it is … or a number on the page, and a template's in the sources
  const parts = (message: string) => message.split(/…|\d+| this user: /).map((part) => part.trim());
  const unknown = messages.filter((message) => !sources.some((text) => parts(message).every((p) => text.includes(p))));
  expect(unknown).toEqual([]);
  expect(messages.length).toBeGreaterThan(3);
});
