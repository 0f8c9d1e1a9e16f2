/** Opens a stream of server-sent events. `until` reads what has arrived until it says this, and fails if it ends before. */
export async function openStream(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers: { accept: "text/event-stream", ...headers } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    response,
    async until(words: string): Promise<string> {
      while (!text.includes(words)) {
        const chunk = await reader?.read();
        if (!chunk || chunk.done) throw new Error(`Ended after ${text}`);
        text += chunk.value;
      }
      return text;
    },
    async ended(): Promise<void> {
      while (!(await reader?.read())?.done);
    },
    leave: () => reader?.cancel(),
  };
}
