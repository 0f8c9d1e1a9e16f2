import { createServer as createPlainServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createEncryptedServer } from "node:tls";
import { certificate, certificateKey } from "../providers/certificate";

type Stored = { uid: number; raw: string; receivedAt: Date; isSeen: boolean };
/** What the server does instead of a command: a line of its own, nothing, or the end of the connection. */
type Behaviour = string | "hang" | "cut" | undefined;
type Options = { tls?: boolean; user?: string; password?: string; capabilities?: string };

/** An IMAP server with one folder, which does what it should but for what `behave` says. */
export async function imapServer({
  tls = false,
  user = "ada@site.example",
  password = "p@ss wörd/1",
  capabilities = "IMAP4rev1 AUTH=PLAIN IDLE",
}: Options = {}) {
  const messages: Stored[] = [];
  const sockets = new Set<Socket>();
  const idle = new Set<(line: string) => void>();
  const waiting: { when: () => boolean; resolve: () => void }[] = [];
  const state = {
    uidValidity: 1_000,
    connections: 0,
    logins: 0,
    /** Whether no password is right. */
    refuses: false,
    /** Each command without its tag. */
    commands: [] as string[],
    behave: ((_command: string) => undefined) as (command: string) => Behaviour,
  };
  const changed = () => {
    for (const one of waiting.splice(0))
      if (one.when()) one.resolve();
      else waiting.push(one);
  };
  const server = tls
    ? createEncryptedServer({ key: certificateKey, cert: certificate }, serve)
    : createPlainServer(serve);

  function serve(socket: Socket) {
    sockets.add(socket);
    state.connections++;
    socket.on("error", () => undefined);
    socket.on("close", () => (sockets.delete(socket), changed()));
    const session = sessionOf(socket);
    let rest = "";
    socket.on("data", (chunk: Buffer) => {
      rest += chunk.toString("utf8");
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        session(line);
        changed();
      }
    });
    const greeting = state.behave("CONNECT");
    if (greeting === "cut") socket.destroy();
    else if (greeting !== "hang") socket.write(`${greeting ?? "* OK ready"}\r\n`);
  }

  function sessionOf(socket: Socket): (line: string) => void {
    const say = (...lines: string[]) => socket.write(lines.map((line) => `${line}\r\n`).join(""), "latin1");
    let next: ((line: string) => void) | undefined;
    const logIn = (tag: string, isRight: boolean) => {
      state.logins++;
      say(isRight ? `${tag} OK logged in` : `${tag} NO [AUTHENTICATIONFAILED] Invalid: ${password}`);
    };
    const idling = (tag: string) => {
      const tell = (line: string) => say(line);
      idle.add(tell);
      next = () => {
        idle.delete(tell);
        say(`${tag} OK IDLE ended`);
      };
      socket.on("close", () => (idle.delete(tell), changed()));
      say("+ idling");
    };
    return (line) => {
      if (next) {
        const answer = next;
        next = undefined;
        return answer(line);
      }
      const [, tag = "", command = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
      state.commands.push(command);
      const instead = state.behave(command);
      if (instead === "hang") return;
      if (instead === "cut") return void socket.destroy();
      if (instead !== undefined) return void say(instead.replaceAll("TAG", tag));
      const secret = Buffer.from(`\0${user}\0${password}`).toString("base64");
      if (command === "CAPABILITY") say(`* CAPABILITY ${capabilities}`, `${tag} OK`);
      else if (command === "AUTHENTICATE PLAIN") {
        next = (given) => logIn(tag, given === secret && !state.refuses);
        say("+ ");
      } else if (command.startsWith("LOGIN ")) logIn(tag, command === `LOGIN "${user}" "${password}"`);
      else if (command.startsWith("SELECT "))
        say(
          `* ${messages.length} EXISTS`,
          `* OK [UIDVALIDITY ${state.uidValidity}] valid`,
          `${tag} OK [READ-WRITE] done`,
        );
      else if (command.startsWith("UID SEARCH ")) say(`* SEARCH ${found(command).join(" ")}`, `${tag} OK done`);
      else if (command.startsWith("UID FETCH ")) say(...fetched(command), `${tag} OK done`);
      else if (command.startsWith("UID STORE ")) say(...stored(command), `${tag} OK done`);
      else if (command === "IDLE") idling(tag);
      else if (command === "LOGOUT") say("* BYE", `${tag} OK bye`);
      else say(`${tag} BAD unknown command`);
    };
  }

  function found(command: string): number[] {
    const [, from = "1", day = ""] = /UID (\d+):\* SINCE (\S+)$/.exec(command) ?? [];
    const since = Date.parse(`${day} UTC`);
    const isFound = ({ uid, receivedAt }: Stored) => uid >= Number(from) && receivedAt.getTime() >= since;
    const uids = messages.filter(isFound).map(({ uid }) => uid);
    const last = messages.at(-1)?.uid;
    return uids.length || last === undefined ? uids : [last]; // as RFC 9051 says of n:*
  }

  function fetched(command: string): string[] {
    const [, uid, length] = /^UID FETCH (\d+) .*BODY\.PEEK\[\]<0\.(\d+)>/.exec(command) ?? [];
    const at = messages.findIndex((each) => each.uid === Number(uid));
    const message = messages[at];
    if (!message) return [];
    const bytes = Buffer.from(message.raw).subarray(0, Number(length)).toString("latin1");
    const date = message.receivedAt.toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/, "$1-$2-$3 $4 +0000");
    return [`* ${at + 1} FETCH (UID ${uid} INTERNALDATE "${date}" BODY[]<0> {${bytes.length}}\r\n${bytes})`];
  }

  function stored(command: string): string[] {
    const uid = Number(/^UID STORE (\d+) \+FLAGS\.SILENT \(\\Seen\)$/.exec(command)?.[1]);
    const message = messages.find((each) => each.uid === uid);
    if (message) message.isSeen = true;
    return [];
  }

  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return Object.assign(state, {
    messages,
    port,
    url: `${tls ? "imaps" : "imap"}://${login}@127.0.0.1:${port}/INBOX`,
    deliver(raw: string, receivedAt: Date) {
      const uid = (messages.at(-1)?.uid ?? 0) + 1;
      messages.push({ uid, raw, receivedAt, isSeen: false });
      for (const tell of idle) tell(`* ${messages.length} EXISTS`);
      return uid;
    },
    /** Whether a client waits for new messages. */
    isWatched: () => idle.size > 0,
    /** Resolves when this is so, which is asked after each command and each connection that ends. */
    when: (is: () => boolean) =>
      new Promise<void>((resolve) => {
        waiting.push({ when: is, resolve });
        changed();
      }),
    closeConnections() {
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  });
}
