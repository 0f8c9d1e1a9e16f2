import { look } from "../look";
import { testService } from "../service";

export const importPath = "/dashboard/newsletter";
export const consent = "Signed up with the form on our old site";

/** A service, and a manager who imports a file into it step by step, as the pages say. */
export async function importer() {
  const service = await testService();
  const manager = await service.signIn();
  const post = (to: string, fields: Record<string, string | string[]>) =>
    manager.submit(`${importPath}/import/${to}`, fields);
  const receive = (file: string | Uint8Array<ArrayBuffer>, name = "people.csv", said = "") => {
    const body = new FormData();
    body.set("_token", manager.token);
    body.set("consent", said);
    body.set("file", new File([file], name));
    return service.send(`${importPath}/import`, { method: "POST", body, headers: manager.headers });
  };
  const upload = async (file: string | Uint8Array<ArrayBuffer>, name?: string) => {
    const page = await (await receive(file, name)).text();
    const token = /name="upload" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const columns = [...page.matchAll(/<select[^>]*name="columns".*?<\/select>/gs)].map(
      ([select]) => /<option value="([\w:]*)" selected/.exec(select)?.[1] ?? "",
    );
    return { page, upload: token, columns };
  };
  /** Takes all steps. Returns the review. @param ticked what is ticked in the first */
  const bring = async (
    file: string | Uint8Array<ArrayBuffer>,
    changed?: string[],
    ticked: Record<string, string> = {},
  ) => {
    const { upload: token, columns } = await upload(file);
    const review = await (await post("review", { upload: token, columns: changed ?? columns, ...ticked })).text();
    const done = await post("confirm", { upload: token, consent });
    if (done.status >= 500) throw new Error(`${done.status}: ${JSON.stringify(service.logged.at(-1))}`);
    return { review, columns, done, token };
  };
  const people = () =>
    look(service.db, "select email, name, source, state, created_at as joined from subscribers order by email");
  return { ...service, manager, post, receive, upload, bring, people };
}

/** What the form of a page would submit: its hidden fields and what is selected, by name. */
export function fieldsOf(page: string): Record<string, string[]> {
  const form = /<form[^>]*action="[^"]*\/import\/(?:review|confirm)".*?<\/form>/s.exec(page)?.[0] ?? "";
  const fields: Record<string, string[]> = {};
  const add = (name = "", value = "") => void (fields[name] ??= []).push(value);
  for (const [control] of form.matchAll(/<input type="hidden"[^>]*>|<select.*?<\/select>/gs)) {
    const name = /name="([^"]*)"/.exec(control)?.[1];
    const options = [...control.matchAll(/<option value="([^"]*)"( selected)?/g)];
    const chosen = options.find(([, , selected]) => selected) ?? options[0];
    if (name !== "_token") add(name, chosen ? chosen[1] : /value="([^"]*)"/.exec(control)?.[1]);
  }
  return fields;
}
