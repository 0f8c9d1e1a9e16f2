import { normalized } from "../../../db/lib/text";

/** OWASP's minimum: argon2id with 19 MiB and two passes, about 30 ms (D35). */
const options = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** The hash of an unknown random password: checking against it takes as long as checking a real one. */
const dummyHash =
  "$argon2id$v=19$m=19456,t=2,p=1$oz6ak7ReQJcC5BVfx3kvTDtYYG1uoYDISx+OzLLL1ck$aYz1dsqowiKivmVkHfkbDWBJiZF07SdkJgNeikJwiEw";

const maxConcurrentHashes = 2; // each takes 19 MiB and a core
const maxWaiting = 20;

let working = 0;
const waiting: (() => void)[] = [];

/** Queues `work`. Returns undefined immediately if the queue is full. */
async function inTurn<T>(work: () => Promise<T>): Promise<T | undefined> {
  if (working >= maxConcurrentHashes) {
    if (waiting.length >= maxWaiting) return;
    await new Promise<void>((turn) => waiting.push(turn));
  } else working++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else working--;
  }
}

const plain = (password: string) => normalized(password.toWellFormed(), "NFC");

/** Returns undefined if the service is too busy. */
export const hashPassword = (password: string): Promise<string | undefined> =>
  inTurn(() => Bun.password.hash(plain(password), options));

/** Whether it is the password of `hash`. Without a hash the answer is no, and takes as long. Undefined if too busy. */
export const isPassword = (password: string, hash: string | undefined): Promise<boolean | undefined> =>
  inTurn(async () => {
    const isRight = await Bun.password.verify(plain(password) || " ", hash ?? dummyHash);
    return isRight && hash !== undefined;
  });
