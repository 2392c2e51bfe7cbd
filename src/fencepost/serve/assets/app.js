"use strict";
// The playground. Everything it shows of a program or an answer is set as text, never as markup.
(() => {
  const $ = (id) => document.getElementById(id);
  const OWN = "my.cat", DEFAULT = ["sc", "tso", "rc11", "armv8", "power"];
  let token = "", models = [], examples = [], running = null;

  // --- the token: from the address, which then forgets it; kept for this tab

  const query = new URLSearchParams(location.search);
  if (query.get("token")) {
    sessionStorage.setItem("token", query.get("token"));
    history.replaceState(null, "", "/" + location.hash);
  }
  token = sessionStorage.getItem("token") || "";

  async function call(path, options = {}) {
    const headers = { "X-Fencepost-Token": token, ...(options.headers || {}) };
    const answer = await fetch(path, { ...options, headers });
    if (answer.status === 401) { await ask(); return call(path, options); }
    if (!answer.ok) throw new Error((await answer.json()).error.message);
    return answer;
  }

  function ask() {
    return new Promise((done) => {
      $("ask").showModal();
      $("ask").onclose = () => { token = $("token").value.trim(); sessionStorage.setItem("token", token); done(); };
    });
  }

  // --- small builders

  function make(tag, attributes = {}, ...inside) {
    const found = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "class") found.className = value;
      else if (name.startsWith("on")) found.addEventListener(name.slice(2), value);
      else found.setAttribute(name, value);
    }
    found.append(...inside.filter((x) => x !== null && x !== undefined && x !== ""));
    return found;
  }
  const show = (...parts) => $("answer").replaceChildren(...parts.filter((part) => part));
  const badge = (answer) => make("span", { class: `badge ${answer}` }, answer);

  // --- editors

  const program = Editor.create($("program"), { language: "c", label: "Program", run: () => ask_for("check") });
  const cat = Editor.create($("cat"), { language: "cat", label: "Memory model in the cat language", run: () => ask_for("check") });
  function open_tab(name) {
    for (const tab of ["program", "cat"]) {
      $(`tab-${tab}`).setAttribute("aria-selected", String(tab === name));
      $(tab).hidden = tab !== name;
    }
    $("from").hidden = name !== "cat";
    (name === "cat" ? cat : program).view.requestMeasure();
  }
  $("tab-program").onclick = () => open_tab("program");
  $("tab-cat").onclick = () => open_tab("cat");
  $("language").onchange = () => { program.language = $("language").value; };
  $("start").onchange = () => {
    const found = models.find((m) => m.name === $("start").value);
    if (found) { cat.text = found.text; $("model").value = OWN; }
  };
  $("example").onchange = () => {
    const found = examples.find((e) => e.name === $("example").value);
    if (found) load({ ...found, ...expected(found.text) });
  };
  // What the example itself says it is for.
  function expected(text) {
    const found = /fencepost:\s*(.*)/.exec(text);
    const model = found && /model=(\S+)/.exec(found[1]);
    return model ? { model: model[1] } : {};
  }
  function load(state) {
    $("language").value = state.language || "c";
    program.language = $("language").value;
    program.text = state.text || "";
    program.mark([]);
    if (state.cat) cat.text = state.cat;
    if (state.model) $("model").value = state.model;
    for (const name of ["unroll", "flags", "observe"]) $(name).value = state[name] || "";
    if (state.models) for (const box of $("models").querySelectorAll("input")) box.checked = state.models.includes(box.value);
    open_tab("program");
    $("picture").hidden = true;
  }

  // --- sharing: the state in the fragment, which no server ever sees

  const state = () => ({
    language: $("language").value, text: program.text, model: $("model").value, cat: $("model").value === OWN || uses_own() ? cat.text : "",
    unroll: $("unroll").value, flags: $("flags").value, observe: $("observe").value, models: chosen(),
  });
  const uses_own = () => chosen().includes(OWN);
  const chosen = () => [...$("models").querySelectorAll("input:checked")].map((box) => box.value);
  async function pack(value) {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    let binary = "";
    for (const byte of new Uint8Array(await new Response(packed).arrayBuffer())) binary += String.fromCharCode(byte);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }
  async function unpack(text) {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const raw = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(raw).text());
  }
  $("share").onclick = async () => {
    location.hash = await pack(state());
    let said = "Link copied";
    try { await navigator.clipboard.writeText(location.href); } catch { said = "The link is in the address bar"; }
    $("share").textContent = said;
    setTimeout(() => { $("share").textContent = "Share"; }, 2000);
  };
  async function restore() {
    if (location.hash.length < 2) return false;
    try { load(await unpack(location.hash.slice(1))); return true; } catch { return false; }
  }
  addEventListener("hashchange", restore);

  // --- asking

  async function ask_for(action) {
    if (running) return;
    running = new AbortController();
    busy(true);
    const rows = [], several = action !== "check";
    const names = several ? chosen() : [$("model").value];
    $("picture").hidden = true;
    program.mark([]); cat.mark([]);
    show();
    try {
      if (!names.length) throw new Error("Choose models to compare, under “Options and models to compare”.");
      const unroll = $("unroll").value.trim();
      const question = {
        action, language: $("language").value, text: program.text, models: names, cat: cat.text, flags: $("flags").value,
        observe: $("observe").value, unroll: unroll === "" ? null : Number(unroll),
      };
      const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal: running.signal };
      for await (const line of lines(await call("/api/run", options))) {
        if (line.progress) progress(line.progress);
        if (line.row) { rows.push(line.row); (action === "outcomes" ? table_of_outcomes : table_of_answers)(rows); }
        if (line.error) complain(line.error);
        if (line.result && action === "check") verdict(line.result);
        if (line.result && line.result.hint) $("answer").append(make("p", { class: "hint" }, line.result.hint));
      }
    } catch (problem) {
      if (problem.name === "AbortError") show(make("p", { class: "hint" }, "Cancelled."));
      else complain({ message: problem.message });
    } finally {
      running = null;
      busy(false);
    }
  }
  async function* lines(answer) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      rest += value;
      const parts = rest.split("\n");
      rest = parts.pop();
      for (const part of parts) if (part) yield JSON.parse(part);
    }
  }
  function busy(on) {
    for (const name of ["check", "outcomes", "compare"]) $(name).disabled = on;
    $("cancel").hidden = !on;
    $("progress").hidden = !on;
    $("result").setAttribute("aria-busy", String(on));
    if (on) progress({});
  }
  function progress({ waiting, executions, seconds, share, model }) {
    const bar = $("progress").querySelector(".bar"), fill = bar.firstChild, known = typeof share === "number";
    bar.classList.toggle("unsure", !known);
    fill.style.width = known ? `${Math.max(2, share * 100)}%` : "";
    const words = waiting ? "waiting for a turn" : executions === undefined ? "starting"
      : `${model}: ${executions.toLocaleString("en")} executions, ${seconds} s${known ? `, about ${Math.floor(share * 100)} %` : ""}`;
    $("progress").querySelector("span").textContent = words;
  }
  for (const name of ["check", "outcomes", "compare"]) $(name).onclick = () => ask_for(name);
  $("cancel").onclick = () => running && running.abort();
  addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.defaultPrevented) { e.preventDefault(); ask_for("check"); }
  });

  // --- answers

  function complain({ message, hint, line, column, file }) {
    const place = file && line ? `${file}:${line}:${column} ` : "";
    show(make("p", { class: "error" }, place + message), hint ? make("p", { class: "hint" }, hint) : null);
    const editor = file === OWN ? cat : program;
    const found = line ? [{ line, column, message }] : compiler(message);
    editor.mark(found);
    if (file === OWN) open_tab("cat");
    if (found.length) editor.reveal(found[0].line);
  }
  // A compiler says its places in its own way.
  function compiler(message) {
    return [...message.matchAll(/^program\.\w+:(\d+):(\d+): (?:fatal )?(error|warning): (.*)$/gm)]
      .map((m) => ({ line: +m[1], column: +m[2], severity: m[3], message: m[4] }));
  }
  function verdict(found) {
    const why = found.explanation;
    const cure = why ? why.remedies.map((r) => make("p", { class: "why cure" }, make("b", {}, "fix"), r.text + (r.proof ? `: ${r.proof}` : "") + ".")) : [];
    const title = why ? why.title : found.reason;
    const figures = make("span", { class: "soft" }, `under ${found.model} · ${found.executions.toLocaleString("en")} executions, ${found.seconds.toFixed(2)} s`);
    const notes = found.warnings.map((w) => make("p", { class: "why" }, make("b", {}, "note"), w));
    if (found.page) show(make("p", { class: "line" }, badge(found.verdict), " ", figures), ...notes); // the picture says the rest
    else show(make("h2", {}, badge(found.verdict), " ", title, " ", figures), ...cure, ...notes);
    program.mark(found.marks);
    if (found.page) picture(found.page);
  }
  function picture(key) {
    $("picture").src = `/picture/${key}#${root.dataset.theme || ""}`;
    $("picture").hidden = false;
  }
  function table_of_answers(rows) {
    const body = rows.map((r) => make("tr", {},
      make("td", {}, r.model), make("td", {}, badge(r.verdict)), make("td", { class: "number" }, r.executions.toLocaleString("en")),
      make("td", {}, r.explanation ? r.explanation.title : r.reason),
      make("td", {}, r.page ? make("button", { onclick: () => { picture(r.page); program.mark(r.marks); } }, "Show") : "")));
    show(make("div", { class: "wide" }, make("table", { class: "answers" }, head("model", "answer", "executions", "", "picture"), make("tbody", {}, ...body))));
    const first = rows.find((r) => r.page);
    if (first && $("picture").hidden) picture(first.page);
  }
  function table_of_outcomes(rows) {
    const name = (s) => Object.entries(s).map(([k, v]) => `${k}=${v}`).join("; ") || "(nothing is observed)";
    const states = [...new Set(rows.flatMap((r) => r.states.map(([s]) => name(s))))].sort();
    const counts = rows.map((r) => new Map(r.states.map(([s, n]) => [name(s), n])));
    const cell = (n) => make("td", { class: n === undefined ? "none" : "number" }, n === undefined ? "–" : n.toLocaleString("en"));
    const weak = (s) => rows[0].model === "sc" && !counts[0].has(s);
    const body = states.map((s) => make("tr", weak(s) ? { class: "new", title: "sequential consistency does not have this one" } : {},
      make("td", {}, make("code", {}, s)), ...counts.map((c) => cell(c.get(s)))));
    const holds = rows.some((r) => r.holds !== null)
      ? [make("tr", {}, make("th", {}, "condition"), ...rows.map((r) => make("td", { class: "number" }, r.holds === null ? "–" : r.holds ? "holds" : "fails")))] : [];
    const notes = rows.filter((r) => r.reason || r.errors.length)
      .map((r) => make("p", { class: "why" }, make("b", {}, r.model), [r.reason, ...r.errors].filter(Boolean).join("; ")));
    show(make("div", { class: "wide" }, make("table", {}, head("outcome", ...rows.map((r) => r.model)), make("tbody", {}, ...body, ...holds))), ...notes);
  }
  const head = (...names) => make("thead", {}, make("tr", {}, ...names.map((n) => make("th", { scope: "col" }, n))));

  // --- light and dark

  const root = document.documentElement;
  $("theme").onclick = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    if (!$("picture").hidden) $("picture").src = $("picture").src.replace(/#.*|$/, `#${root.dataset.theme}`);
  };

  // --- at first

  (async () => {
    const found = await (await call("/api/start")).json();
    ({ models, examples } = found);
    const option = (name, text = name, about = "") => make("option", { value: name, title: about }, text);
    $("model").append(...models.map((m) => option(m.name, m.name, m.about)), option(OWN, "the model in the editor"));
    $("start").append(option("", "choose …"), ...models.map((m) => option(m.name)));
    $("models").append(...[...models.map((m) => m.name), OWN].map((name) => {
      const box = make("input", { type: "checkbox", value: name });
      box.checked = DEFAULT.includes(name);
      return make("label", {}, box, name === OWN ? "the model in the editor" : name);
    }));
    for (const group of [...new Set(examples.map((e) => e.group))]) {
      const inside = examples.filter((e) => e.group === group).map((e) => option(e.name, e.title || e.name));
      $("example").append(make("optgroup", { label: group }, ...inside));
    }
    cat.text = models.find((m) => m.name === "sc").text;
    $("model").value = "rc11";
    if (!(await restore())) { $("example").value = examples[0].name; $("example").onchange(); }
    document.body.dataset.ready = "true";
  })().catch((problem) => complain({ message: problem.message }));
})();
