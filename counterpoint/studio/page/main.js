// The page on its own: questions go to the server that served it, with the token of the address.
import { h, replace } from "./dom.js";
import { start } from "./studio.js";

const root = document.getElementById("studio");
const token = location.hash.slice(1) || sessionStorage.getItem("studio-token") || "";
if (location.hash.length > 1) {
  try { sessionStorage.setItem("studio-token", token); } catch { /* then a reload asks again */ }
}

async function send(path, body, more = {}) {
  let answer;
  try {
    answer = await fetch(path, { method: "POST", body, headers: { "X-Studio-Token": token }, ...more });
  } catch {
    throw Object.assign(new Error("The studio has ended: start it again in the terminal, and open the address it prints."), { gone: true });
  }
  if (!answer.ok) {
    const told = await answer.json().catch(() => ({ error: answer.statusText }));
    throw Object.assign(new Error(told.error), { status: answer.status });
  }
  return answer;
}

const link = {
  alone: true,  // nothing else is on the page
  async ask(question, data) { return (await send("api/" + question, JSON.stringify(data || {}))).json(); },
  async drop(file) { return (await send("api/drop?name=" + encodeURIComponent(file.name), file)).json(); },
  async download(what, data, name) {
    const content = await (await send("api/download/" + what, JSON.stringify(data))).blob();
    const address = URL.createObjectURL(content);
    h("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  },
  // Server-sent events, read by hand: the browser's own reader cannot send the token.
  async follow(heard) {
    let from = 0;
    for (let tries = 0; tries < 5; tries++) {
      let reader;
      try {
        const answer = await fetch("api/events?from=" + from, { headers: { "X-Studio-Token": token } });
        reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        for (;;) {
          const { value, done } = await reader.read();
          if (done) return;
          text += value;
          const parts = text.split("\n\n");
          text = parts.pop();
          for (const part of parts) {
            const data = part.split("\n").find((line) => line.startsWith("data: "));
            if (!data) continue;
            const event = JSON.parse(data.slice(6));
            from += 1;
            tries = 0;
            heard(event);
            if (event.event !== "step") return;
          }
        }
      } catch { await new Promise((go) => setTimeout(go, 400 * (tries + 1))); }
    }
    heard({ event: "failed", error: "The studio has ended: start it again in the terminal." });
  },
};

if (!token) {
  replace(root, h("main", { class: "lost" }, h("h1", {}, "counterpoint studio"),
    h("p", {}, "Open the studio by the address it printed in the terminal: it ends in a token that this one has not.")));
} else start(root, link);
