import { administer, urlOf } from "./databases";
import { startService } from "../processes";

type Service = Awaited<ReturnType<typeof startService>>;
type Env = Record<string, string>;

/** What visitors call all of them. */
const BASE_URL = "http://localhost:3000";

/** Processes on a database of their own, behind a proxy that tries another one if one does not respond. */
export async function startCluster(server: string, count: number, env: Env = {}) {
  const name = `cluster_${process.pid}_${Date.now()}`;
  await administer(server, `create database ${name}`);
  const url = urlOf(server, name);
  const shared = {
    DATABASE_URL: url,
    APP_SECRET: "a-secret-of-at-least-32-characters",
    LOG_LEVEL: "warn",
    BASE_URL,
    ...env,
  };
  const start = (port?: number) => startService("/nonexistent", shared, port);
  const services: Service[] = [];
  const add = async () => void services.push(await start());
  for (let n = 0; n < count; n++) await add();
  /** Kills one without warning. Returns what starts it again on the same port. */
  async function kill(index: number): Promise<() => Promise<void>> {
    const { port, end } = services[index] as Service;
    await end("SIGKILL");
    return async () => void (services[index] = await start(port));
  }
  const proxy = retryingProxy(() => services);
  return {
    url,
    env: shared,
    services,
    proxy,
    add,
    kill,
    replace: async (index: number): Promise<void> => (await kill(index))(),
    async stop() {
      await proxy.stop();
      await Promise.all(services.map((service) => service.end()));
      await administer(server, `drop database ${name} with (force)`);
    },
  };
}

/** Round robin; a request that could not be sent to a process, or was cut off, is sent once to the next. */
function retryingProxy(services: () => Service[]) {
  let turn = 0;
  const forward = async (request: Request, body: ArrayBuffer, service: Service) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const whole = method === "GET" || method === "HEAD" ? {} : { body };
    const response = await fetch(service.url + pathname + search, {
      method,
      headers,
      redirect: "manual",
      keepalive: false,
      ...whole,
    });
    return new Response(await response.arrayBuffer(), response);
  };
  const proxy: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request): Promise<Response> {
      const body = await request.arrayBuffer();
      const at = turn++;
      const pick = (n: number) => services()[(at + n) % services().length] as Service;
      return forward(request, body, pick(0))
        .catch(() => forward(request, body, pick(1)))
        .catch(() => new Response("Neither process answered.", { status: 502 }));
    },
  });
  return { url: `http://127.0.0.1:${proxy.port}`, stop: () => proxy.stop(true) };
}
