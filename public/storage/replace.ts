/* Uploads the picture that takes the place of another one, and sends the form with it. */
addEventListener("change", ({ target }) => {
  if (target instanceof HTMLInputElement && target.matches("[data-replace]")) void send(target);
});

async function send(input: HTMLInputElement): Promise<void> {
  const { form } = input;
  const [file] = input.files ?? [];
  const bar = form?.querySelector("progress");
  const words = form?.querySelector("[data-said]");
  if (!form || !file || !bar || !words || !window.postroomUpload) return;
  bar.hidden = false;
  words.textContent = `Uploading ${file.name}`;
  try {
    const onProgress = (percent: number) => (bar.value = percent);
    const { id } = await window.postroomUpload(file, { folder: input.dataset.folder ?? "", onProgress });
    const other = document.createElement("input");
    other.type = "hidden";
    other.name = "other";
    other.value = id;
    form.append(other);
    if (form.isConnected) form.requestSubmit(); // unless the dialog was closed: then it is a file like others
  } catch (problem) {
    words.textContent = problem instanceof Error ? problem.message : String(problem);
  }
  bar.hidden = true;
  input.value = "";
}
