/**
 * `npm run generators`: generates clients from the document with five programs, compiles them, and calls a service with
 * them. Programs that are not on the PATH, or cannot be fetched from npm, are skipped and named. With `KEEP=1` the
 * clients stay, and their folder is printed.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { verification } from "../src/openapi/docs-samples";
import { tags } from "../src/openapi/prose";
import { reference } from "../src/openapi/reference";
import type { OpenApi } from "../src/openapi/responses";
import { testService } from "./support/service";

const configs = join(import.meta.dir, "../docs/examples/generators");
const tsc = join(import.meta.dir, "../node_modules/.bin/tsc");
/** One file for each object and each list of words. */
const maxPythonModels = 90;

/** What a generator made: a line about it, and everything that it or a compiler complained about. */
type Made = { line: string; complaints: string };
type Generator = {
  name: string;
  /** A program that must be on the PATH; `npx` fetches the others. */
  needs: string;
  /** Generates into `folder`, compiles, and lists the posts of the service at `url` with `key`. */
  run: (folder: string, url: string, key: string) => Promise<Made>;
};

/** What each client must print after listing the posts: how many, and the code of the error without a key. */
const expected = "0 UNAUTHORIZED";

const strict = ["--noEmit", "--strict", "--skipLibCheck", "--target", "esnext", "--module", "esnext"];
const bundled = ["--moduleResolution", "bundler", "--lib", "esnext,dom,dom.iterable"];

const generators: Generator[] = [
  {
    name: "openapi-typescript",
    needs: "npx",
    async run(folder) {
      const { default: generate, astToString } = await import("openapi-typescript");
      const types = astToString(await generate(await Bun.file(join(folder, "openapi.json")).text()));
      await Bun.write(join(folder, "schema.ts"), types);
      const compiled = await $`${tsc} ${strict} ${bundled} schema.ts`.cwd(folder).nothrow().quiet();
      return { line: `${lines(types)} lines`, complaints: compiled.stdout.toString() };
    },
  },
  {
    name: "hey-api",
    needs: "npx",
    async run(folder, url, key) {
      const packages = ["-p", "@hey-api/openapi-ts@0.99.0", "-p", "typescript@5.9.3"];
      const made = await $`npx --yes ${packages} openapi-ts -i openapi.json -o hey -c @hey-api/client-fetch`
        .cwd(folder)
        .nothrow()
        .quiet();
      await Bun.write(
        join(folder, "hey.ts"),
        `import { client } from "./hey/client.gen";
import { listPosts } from "./hey/sdk.gen";
client.setConfig({ baseUrl: ${JSON.stringify(url)} });
const { data } = await listPosts({ headers: { "x-api-key": ${JSON.stringify(key)} } });
const { error } = await listPosts();
console.log(data?.data.count, error?.error.code);
export {};
`,
      );
      const compiled = await $`${tsc} ${strict} ${bundled} hey.ts`.cwd(folder).nothrow().quiet();
      const called = await $`${process.execPath} hey.ts`.cwd(folder).nothrow().quiet();
      return {
        line: called.stdout.toString().trim(),
        complaints: warningsOf(made) + compiled.stdout.toString() + unlessExpected(called),
      };
    },
  },
  {
    name: "orval",
    needs: "npx",
    async run(folder, url, key) {
      const made = await $`npx --yes orval@8.38.0 --input openapi.json --output orval.ts --client fetch`
        .cwd(folder)
        .nothrow()
        .quiet();
      await Bun.write(
        join(folder, "orval-call.ts"),
        `import { listPosts } from "./orval";
const fetched = globalThis.fetch;
globalThis.fetch = ((path: string, init: RequestInit) => fetched(${JSON.stringify(url)} + path, init)) as never;
const known = await listPosts({}, { headers: { "x-api-key": ${JSON.stringify(key)} } });
const unknown = await listPosts();
console.log(known.status === 200 && known.data.data.count, unknown.status === 401 && unknown.data.error.code);
export {};
`,
      );
      const compiled = await $`${tsc} ${strict} ${bundled} orval-call.ts`.cwd(folder).nothrow().quiet();
      const called = await $`${process.execPath} orval-call.ts`.cwd(folder).nothrow().quiet();
      return {
        line: called.stdout.toString().trim(),
        complaints: warningsOf(made) + compiled.stdout.toString() + unlessExpected(called),
      };
    },
  },
  {
    name: "openapi-python-client",
    needs: "openapi-python-client",
    async run(folder, url, key) {
      const config = join(configs, "openapi-python-client.yml");
      const made =
        await $`openapi-python-client generate --path openapi.json --config ${config} --output-path py --meta none`
          .cwd(folder)
          .nothrow()
          .quiet();
      const models = (await readdir(join(folder, "py/models"))).filter((name) => !name.startsWith("__")).length;
      await Bun.write(
        join(folder, "call.py"),
        `from py import AuthenticatedClient
from py.api.content import list_posts
url, key = ${JSON.stringify(url)}, ${JSON.stringify(key)}
known = AuthenticatedClient(base_url=url, token=key, prefix="", auth_header_name="x-api-key")
unknown = AuthenticatedClient(base_url=url, token="none", prefix="", auth_header_name="x-api-key")
print(list_posts.sync(client=known).data.count, list_posts.sync(client=unknown).error.code)
`,
      );
      const python = join(dirname(Bun.which("openapi-python-client") ?? ""), "python");
      const called = await $`${existsSync(python) ? python : "python3"} call.py`.cwd(folder).nothrow().quiet();
      const tooMany = models > maxPythonModels ? `${models} models, more than ${maxPythonModels}\n` : "";
      return {
        line: `${models} models, ${called.stdout.toString().trim()}`,
        complaints: warningsOf(made) + tooMany + unlessExpected(called),
      };
    },
  },
  {
    name: "oapi-codegen",
    needs: "oapi-codegen",
    async run(folder, url, key) {
      const go = join(folder, "go/postroom");
      await mkdir(go, { recursive: true });
      await cp(join(configs, "oapi-codegen.yml"), join(go, "config.yml"));
      const made = await $`oapi-codegen -config config.yml -o postroom.go ../../openapi.json`.cwd(go).nothrow().quiet();
      await Bun.write(
        join(folder, "go/main.go"),
        `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"example.com/site/postroom"
)

func main() {
	client, _ := postroom.NewClientWithResponses(${JSON.stringify(url)})
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-api-key", ${JSON.stringify(key)})
		return nil
	}
	known, err := client.ListPostsWithResponse(context.Background(), nil, withKey)
	if err != nil {
		panic(err)
	}
	unknown, _ := client.ListPostsWithResponse(context.Background(), nil)
	var failure postroom.Failure
	if err := json.Unmarshal(unknown.Body, &failure); err != nil {
		panic(err)
	}
	fmt.Println(known.JSON200.Data.Count, failure.Error.Code)
}
`,
      );
      const called = await $`go mod init example.com/site && go mod tidy && go vet ./... && go run .`
        .cwd(join(folder, "go"))
        .nothrow()
        .quiet();
      return { line: called.stdout.toString().trim(), complaints: warningsOf(made) + unlessExpected(called) };
    },
  },
  {
    name: "examples in Python",
    needs: "python3",
    async run(folder) {
      const count = await writeExamples(folder, "Python", (id) => `examples/${id}.py`);
      const verify = verification.find(({ language }) => language === "Python")?.code ?? "";
      await Bun.write(join(folder, "examples/verify.py"), verify);
      const compiled = await $`python3 -m compileall -q examples`.cwd(folder).nothrow().quiet();
      return { line: `${count} compiled`, complaints: compiled.exitCode ? `${compiled.stdout}` : "" };
    },
  },
  {
    name: "examples in Go",
    needs: "go",
    async run(folder) {
      const count = await writeExamples(folder, "Go", (id) => `examples-go/${id.toLowerCase()}/main.go`);
      const verify = verification.find(({ language }) => language === "Go")?.code ?? "";
      await Bun.write(
        join(folder, "examples-go/verify/main.go"),
        `package main\n\n${goImports}\n${verify}\n\nfunc main() {}\n`,
      );
      const go = join(folder, "examples-go");
      const vetted = await $`go mod init example.com/examples && go vet ./... && test -z "$(gofmt -l .)"`
        .cwd(go)
        .nothrow()
        .quiet();
      return { line: `${count} compiled`, complaints: vetted.exitCode ? `${vetted.stdout}${vetted.stderr}` : "" };
    },
  },
];

/** Those of the example that verifies webhooks, which is a function without a file around it. */
const goImports = `import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)
`;

/** The endpoints of the documentation, with their examples. */
async function endpoints() {
  const document: OpenApi = JSON.parse(await (await service.get("/openapi.json")).text());
  return reference(document, tags).flatMap((section) => section.endpoints);
}

/** The examples of the documentation in one language, each in a file of its own; returns their number. */
async function writeExamples(folder: string, language: "Python" | "Go", nameOf: (id: string) => string) {
  let count = 0;
  for (const { id, samples } of await endpoints()) {
    const example = samples.find((sample) => sample.language === language);
    if (!example) continue;
    await Bun.write(join(folder, nameOf(id)), `${example.code}\n`);
    count++;
  }
  return count;
}

const lines = (text: string) => text.split("\n").length;

/** What a generator printed, if that is a warning or it failed. A formatter that is not installed is no fault of ours. */
function warningsOf({ exitCode, stdout, stderr }: $.ShellOutput): string {
  const said = `${stdout}${stderr}`.replace(/Skipping Integration\s+ruff is not in PATH/g, "");
  return exitCode || /unable to parse|could not|\bwarn(ing)?:/i.test(said) ? said : "";
}

const unlessExpected = ({ stdout, stderr }: $.ShellOutput): string =>
  stdout.toString().trim().endsWith(expected) ? "" : `printed ${stdout}${stderr}`;

const service = await testService();
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request, it) => service.app.handle(request, it.requestIP(request)?.address),
});
const url = `http://127.0.0.1:${server.port}`;
const { "x-api-key": key } = await service.key();
const folder = await mkdtemp(join(tmpdir(), "generators-"));
await Bun.write(join(folder, "openapi.json"), await (await service.get("/openapi.json")).text());

let isGood = true;
for (const { name, needs, run } of generators) {
  if (!Bun.which(needs)) {
    console.log(`${name}: skipped, ${needs} is not at hand`);
    continue;
  }
  const { line, complaints } = await run(folder, url, key);
  isGood &&= !complaints;
  console.log(`${name}: ${complaints ? "MISS" : "PASS"} ${line}${complaints && `\n${complaints}`}`);
}
await server.stop(true);
if (process.env.KEEP) console.log(folder);
else await rm(folder, { recursive: true });
process.exit(isGood ? 0 : 1);
