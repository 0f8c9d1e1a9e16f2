/**
 * `npm run test:deploy`: checks each file of docs/deploy, and the proxies for several processes, with the program that reads
 * it. A program that is not on the PATH is named, and its files are not checked. Nothing is started or installed.
 */
import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";
import { $ } from "bun";
import { temporaryFolder } from "./support/processes";

const root = join(import.meta.dir, "..");
const deploy = join(root, "docs/deploy");
const examples = join(root, "docs/examples");
const mostExposed = 3; // of 10, by systemd-analyze security

type Check = {
  name: string;
  needs: string;
  /** Returns what the program says, and throws if it complains. `folder` is empty but for a certificate and its key. */
  run: (folder: string) => Promise<string>;
};

const checks: Check[] = [
  {
    name: "Caddyfile",
    needs: "caddy",
    async run(folder) {
      await $`caddy validate --adapter caddyfile --config ${join(deploy, "Caddyfile")}`
        .env({ PATH: process.env.PATH ?? "", HOME: folder })
        .quiet();
      return versionOf(await $`caddy version`.quiet());
    },
  },
  ...[join(deploy, "nginx.conf"), join(deploy, "nginx-files.conf"), join(examples, "nginx.conf")].map((file) => ({
    name: file.slice(root.length + 1),
    needs: "nginx",
    async run(folder: string) {
      const text = (await textOf(file)).replaceAll(/\S+\/(fullchain|privkey)\.pem/g, join(folder, "$1.pem"));
      const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path ${folder}/t;`,
      );
      const site = join(folder, "nginx-site.conf");
      await Bun.write(site, text);
      const main = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${paths.join(" ")} include ${site}; }`;
      await Bun.write(join(folder, "nginx.conf"), main);
      await $`nginx -t -q -c ${join(folder, "nginx.conf")}`.quiet();
      return versionOf(await $`nginx -v`.quiet());
    },
  })),
  ...[join(deploy, "haproxy.cfg"), join(examples, "haproxy.cfg")].map((file) => ({
    name: file.slice(root.length + 1),
    needs: "haproxy",
    async run(folder: string) {
      const text = (await textOf(file)).replaceAll(/crt \S+/g, `crt ${join(folder, "both.pem")}`);
      await Bun.write(join(folder, "haproxy.cfg"), text);
      await $`haproxy -c -q -f ${join(folder, "haproxy.cfg")}`.quiet();
      return versionOf(await $`haproxy -v`.quiet());
    },
  })),
  {
    name: "postroom.service",
    needs: "systemd-analyze",
    async run(folder) {
      const unit = join(folder, "postroom.service");
      const text = await Bun.file(join(deploy, "postroom.service")).text();
      await Bun.write(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)); // a program that is there
      await $`systemd-analyze verify ${unit}`.quiet();
      const { stdout } = await $`systemd-analyze security --offline=true --no-pager ${unit}`.nothrow().quiet();
      const exposed = Number(/exposure level for \S+: ([\d.]+)/.exec(stdout.toString())?.[1] ?? Number.NaN);
      if (!(exposed <= mostExposed)) throw new Error(`Exposure ${exposed}, more than ${mostExposed}.\n${stdout}`);
      return `exposure ${exposed}, ${versionOf(await $`systemd-analyze --version`.quiet())}`;
    },
  },
  ...["kubernetes.yaml", "kubernetes-restore.yaml"].map((name) => ({
    name,
    needs: "kubernetes-validate",
    async run() {
      const { stdout, stderr } = await $`kubernetes-validate --strict ${join(deploy, name)}`.quiet();
      return /against version [\d.]+/.exec(`${stdout}${stderr}`)?.[0] ?? "";
    },
  })),
  {
    name: "compose.yaml",
    needs: "docker-compose",
    async run(folder) {
      copyFileSync(join(root, "compose.yaml"), join(folder, "compose.yaml"));
      await Bun.write(join(folder, ".env"), "APP_SECRET=a\nPOSTGRES_PASSWORD=b\nMINIO_SECRET_KEY=c\n");
      await $`docker-compose config -q`.cwd(folder).quiet();
      return versionOf(await $`docker-compose version`.quiet());
    },
  },
];

const versionOf = ({ stdout, stderr }: $.ShellOutput) => /\d+[\d.]+/.exec(`${stdout}${stderr}`)?.[0] ?? "";

/** Without the names of other machines, which no one here knows. */
const textOf = async (file: string) =>
  (await Bun.file(file).text()).replace(/\b(first|second|third):3000/g, "127.0.0.1:3000");

/** Files that proxies want to exist. */
async function certificateIn(folder: string): Promise<void> {
  const [key, chain] = [join(folder, "privkey.pem"), join(folder, "fullchain.pem")];
  await $`openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout ${key} -out ${chain}`.quiet();
  await Bun.write(join(folder, "both.pem"), (await Bun.file(chain).text()) + (await Bun.file(key).text()));
}

let isGood = true;
for (const { name, needs, run } of checks) {
  if (!Bun.which(needs)) {
    console.log(`${name}: skipped, ${needs} is not at hand`);
    continue;
  }
  using folder = temporaryFolder();
  await certificateIn(folder.path);
  try {
    console.log(`${name}: PASS ${basename(needs)} ${await run(folder.path)}`);
  } catch (error) {
    isGood = false;
    const said = error instanceof $.ShellError ? `${error.stdout}${error.stderr}` : error;
    console.log(`${name}: MISS\n${said}`);
  }
}
process.exit(isGood ? 0 : 1);
