import { fillWithDemo } from "../demo/fill";
import { type Command, print, withData } from "./command";

export const commands: Command[] = [
  {
    usage: "demo",
    about: "Fill an empty database with sample content",
    run: () =>
      withData(async ({ db, now }) => {
        if (!(await fillWithDemo(db, now)))
          throw new Error("The database is not empty. Sample content can only be added to an empty database.");
        print("Sample content added.");
      }),
  },
];
