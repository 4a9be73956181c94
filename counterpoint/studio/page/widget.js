// The same page in a notebook: questions travel as messages between the cell and Python.
import { h } from "./dom.js";
import { start } from "./studio.js";

export function render({ model, el }) {
  const waiting = new Map();
  let last = 0;
  const heard = (message, buffers) => {
    const asked = waiting.get(message.id);
    if (!asked) return;
    waiting.delete(message.id);
    if (message.error) asked.failed(new Error(message.error));
    else asked.done([message.answer, buffers || []]);
  };
  model.on("msg:custom", heard);
  const send = (question, data, buffers = []) => new Promise((done, failed) => {
    last += 1;
    waiting.set(last, { done, failed });
    model.send({ id: last, question, data: data || {} }, undefined, buffers);
  });
  const link = {
    async ask(question, data) { return (await send(question, data))[0]; },
    async drop(file) { return (await send("drop", { name: file.name }, [await file.arrayBuffer()]))[0]; },
    async download(what, data, name) {
      const [, buffers] = await send("download", { what, data });
      const address = URL.createObjectURL(new Blob(buffers.slice(0, 1)));
      h("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    },
    async follow(told) {
      for (let from = 0; ;) {
        const { events } = await link.ask("events", { from });
        for (const event of events) {
          from += 1;
          told(event);
          if (event.event !== "step") return;
        }
        await new Promise((go) => setTimeout(go, 400));
      }
    },
  };
  const root = h("div", { class: "studio" });
  el.append(root);
  const app = start(root, link);
  return () => { clearInterval(app.timer); model.off("msg:custom", heard); };
}
