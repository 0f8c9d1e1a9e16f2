import type { AddressInfo, Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import { certificate, certificateKey } from "./certificate";

/** How the server answers a command: code and words, or by closing the connection. */
type Reply = { code: number; text: string } | "reset" | "hang" | undefined;
type Options = {
  tls?: "implicit" | "starttls";
  login?: { user: string; password: string };
  port?: number;
  /** Whether to keep the messages. Without, only addresses are counted. */
  keep?: boolean;
  hangMs?: number;
  server?: SMTPServerOptions;
};
type Message = { from: string; to: string; raw: string };

/** An SMTP server that takes what it is given, but for what `behave` says. */
export async function smtpSink({ tls, login, port = 0, keep = true, hangMs, server: more }: Options = {}) {
  const messages: Message[] = [];
  /** How many messages each address got. */
  const counts = new Map<string, number>();
  const sink = {
    /** Asked at each command; for "DATA" after the message was read, for "ACCEPTED" after it was taken. */
    behave: ((_command: Command, _address: string) => undefined) as (command: Command, address: string) => Reply,
    connections: 0,
  };

  const server = new SMTPServer({
    secure: tls === "implicit",
    ...(tls && { key: certificateKey, cert: certificate }),
    disabledCommands: [...(tls === "starttls" ? [] : ["STARTTLS"]), ...(login ? [] : ["AUTH"])],
    authOptional: !login,
    allowInsecureAuth: true,
    closeTimeout: 100,
    ...more,
    onAuth({ username, password }, _, done) {
      if (username === login?.user && password === login?.password) return done(null, { user: username });
      done(smtpError({ code: 535, text: `5.7.8 Bad credentials: ${password}` }));
    },
    onConnect: (session, done) => (sink.connections++, reply("CONNECT", "", session, done)),
    onMailFrom: ({ address }, session, done) => reply("MAIL", address, session, done),
    onRcptTo: ({ address }, session, done) => reply("RCPT", address, session, done),
    async onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope;
      const to = rcptTo[0]?.address ?? "";
      let raw = "";
      try {
        for await (const chunk of stream.setEncoding("utf8")) if (keep) raw += chunk;
      } catch {
        return; // the client died in the middle of its message
      }
      reply("DATA", to, session, (error) => {
        if (error) return done(error);
        counts.set(to, (counts.get(to) ?? 0) + 1);
        if (keep) messages.push({ from: (mailFrom && mailFrom.address) || "", to, raw });
        reply("ACCEPTED", to, session, done);
      });
    },
  });
  server.on("error", () => undefined); // a connection that ended, which is what tests do

  function reply(command: Command, address: string, session: SMTPServerSession, done: (error?: Error | null) => void) {
    const answer = sink.behave(command, address);
    if (answer === "reset" || answer === "hang") {
      const end = () => socketOf(server, session)?.destroy();
      if (answer === "reset") end();
      else if (hangMs !== undefined) setTimeout(end, hangMs);
    } else done(answer && smtpError(answer));
  }

  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  const { port: listens } = server.server.address() as AddressInfo;
  return Object.assign(sink, {
    messages,
    counts,
    port: listens,
    url: `smtp://127.0.0.1:${listens}`,
    /** Closes every connection that is open, as a server does that waited too long. */
    closeConnections() {
      for (const connection of server.connections) (connection as unknown as Connection)._socket.destroy();
    },
    stop: () => new Promise<void>((stopped) => server.close(() => stopped())),
  });
}

type Command = "CONNECT" | "MAIL" | "RCPT" | "DATA" | "ACCEPTED";
type Connection = { session: SMTPServerSession; _socket: Socket };

const socketOf = (server: SMTPServer, session: SMTPServerSession) =>
  [...server.connections].map((each) => each as unknown as Connection).find((each) => each.session.id === session.id)
    ?._socket;

const smtpError = ({ code, text }: { code: number; text: string }) =>
  Object.assign(new Error(text), { responseCode: code });
