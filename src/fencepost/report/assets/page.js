"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const svg = document.querySelector("#graph svg");
  const pane = document.getElementById("graph");
  const tip = document.getElementById("tip");
  const boxes = [...svg.querySelectorAll(".event")];
  const edges = [...svg.querySelectorAll(".edge, .edge-label")];
  const steps = boxes.filter((b) => b.dataset.step !== "0");
  const order = new Map(boxes.map((b) => [b.dataset.box, Number(b.dataset.step)]));
  const moment = new Map(data.moments.map((m) => [m.number, m]));
  const touching = new Map();
  for (const e of edges)
    for (const end of [e.dataset.from, e.dataset.to]) (touching.get(end) ?? touching.set(end, []).get(end)).push(e);
  let current = 0; // 0: the whole story is shown and no step is chosen

  // --- stepping through the story

  function show(number, options = {}) {
    current = Math.max(0, Math.min(number, data.moments.length));
    for (const b of boxes) {
      const n = Number(b.dataset.step);
      b.classList.toggle("current", n === current && n > 0);
      b.classList.toggle("future", current > 0 && n > current);
    }
    for (const e of edges)
      e.classList.toggle("future", current > 0 && (order.get(e.dataset.from) > current || order.get(e.dataset.to) > current));
    const m = moment.get(current);
    light(m);
    remember(m);
    for (const li of document.querySelectorAll("#run li")) li.classList.toggle("lit", !!m && Number(li.dataset.step) === current);
    document.getElementById("step").textContent = m ? `step ${current} of ${data.moments.length}` : `${data.moments.length} steps`;
    document.getElementById("back").disabled = current <= 1;
    document.getElementById("first").disabled = current === 1;
    document.getElementById("next").disabled = current >= data.moments.length;
    document.getElementById("say").textContent = m ? `${data.threads[m.thread] ?? ""} ${m.text}. ${m.detail}` : "";
    if (m && !options.still) reveal(steps.find((b) => Number(b.dataset.step) === current));
  }

  // --- memory: what each thread may still read after this step; what the step changed is marked

  function remember(m) {
    const panel = document.getElementById("memory");
    if (!panel) return;
    panel.hidden = !m;
    const now = m ? data.memory[m.number - 1] : [], before = m && m.number > 1 ? data.memory[m.number - 2] : null;
    panel.querySelector("tbody").replaceChildren(...now.map((row, r) => {
      const line = document.createElement("tr"), head = document.createElement("th");
      head.textContent = row.place;
      line.append(head, ...row.values.map((values, c) => {
        const cell = document.createElement("td");
        cell.textContent = values.join(" or ") || "—";
        cell.classList.toggle("several", values.length > 1);
        cell.classList.toggle("new", !!before && before[r].values[c].join() !== values.join());
        return cell;
      }));
      return line;
    }));
  }

  function reveal(box) {
    const a = box.getBoundingClientRect(), p = pane.getBoundingClientRect();
    if (a.top < p.top + 30) pane.scrollTop += a.top - p.top - 60;
    else if (a.bottom > p.bottom - 30) pane.scrollTop += a.bottom - p.bottom + 60;
    if (a.left < p.left + 10) pane.scrollLeft += a.left - p.left - 40;
    else if (a.right > p.right - 10) pane.scrollLeft += a.right - p.right + 40;
  }

  // --- the source beside it

  function open(file) {
    for (const s of document.querySelectorAll(".source")) s.hidden = s.dataset.file !== file;
    for (const t of document.querySelectorAll(".tabs button")) t.setAttribute("aria-selected", String(t.dataset.file === file));
  }

  function light(m) {
    for (const line of document.querySelectorAll(".source .lit")) line.classList.remove("lit");
    if (!m || !m.file) return;
    const source = [...document.querySelectorAll(".source")].find((s) => s.dataset.file === m.file);
    if (!source) return;
    open(m.file);
    const line = source.children[m.line - 1];
    if (!line) return;
    line.classList.add("lit");
    const a = line.getBoundingClientRect(), p = source.getBoundingClientRect();
    if (a.top < p.top || a.bottom > p.bottom) source.scrollTop += a.top - p.top - p.height / 2;
  }

  for (const t of document.querySelectorAll(".tabs button")) t.addEventListener("click", () => open(t.dataset.file));
  for (const source of document.querySelectorAll(".source"))
    source.addEventListener("click", (event) => {
      const line = event.target.closest(".used");
      if (!line) return;
      const here = data.moments.filter((m) => m.file === source.dataset.file && m.line === Number(line.dataset.line));
      const after = here.find((m) => m.number > current) ?? here[0];
      if (after) show(after.number);
    });

  // --- looking closer

  function look(box, x, y) {
    const m = moment.get(Number(box.dataset.step));
    svg.classList.add("looking");
    for (const e of touching.get(box.dataset.box) ?? []) e.classList.add("near");
    if (!m) return;
    light(m);
    tip.replaceChildren();
    const add = (tag, text, name) => { if (text) { const e = document.createElement(tag); e.textContent = text; if (name) e.className = name; tip.append(e); } };
    add("div", `${data.threads[m.thread] ?? ""} ${m.text}${m.mode ? ` (${m.mode})` : ""}`);
    const [got, missed] = m.detail.split(", missed ");
    add("div", got, "from");
    add("div", missed && `missed ${missed}`, "miss");
    add("div", m.stack && `in ${m.stack}`, "from");
    add("code", m.source && `${m.place}  ${m.source}`);
    tip.hidden = false;
    const r = tip.getBoundingClientRect();
    tip.style.left = `${Math.min(x + 16, innerWidth - r.width - 8)}px`;
    tip.style.top = `${y + 18 + r.height > innerHeight ? Math.max(y - r.height - 14, 4) : y + 18}px`;
  }

  function away() {
    tip.hidden = true;
    svg.classList.remove("looking");
    for (const e of svg.querySelectorAll(".near")) e.classList.remove("near");
    light(moment.get(current));
  }

  for (const b of boxes) {
    b.addEventListener("mouseenter", (event) => look(b, event.clientX, event.clientY));
    b.addEventListener("mouseleave", away);
  }
  for (const b of steps) {
    b.addEventListener("click", () => show(Number(b.dataset.step), { still: true }));
    b.addEventListener("focus", () => { if (b.matches(":focus-visible")) { const r = b.getBoundingClientRect(); look(b, r.left, r.bottom - 10); } });
    b.addEventListener("blur", away);
  }
  for (const li of document.querySelectorAll("#run li[data-step]")) li.addEventListener("click", () => show(Number(li.dataset.step)));

  // --- kinds of edges, zoom, light and dark

  function filter() {
    const on = new Set([...document.querySelectorAll(".kinds input:checked")].map((i) => i.value));
    for (const e of edges) {
      const kind = [...e.classList].find((c) => c in data.kinds);
      e.classList.toggle("off", !on.has(kind) && !(e.classList.contains("cycle") && on.has("cycle")));
    }
  }
  for (const i of document.querySelectorAll(".kinds input")) i.addEventListener("change", filter);

  // the names of the threads stay in sight when the story is scrolled
  const heads = document.getElementById("heads");
  const lanes = [...svg.querySelectorAll(".column")].map((c) => {
    const name = document.createElement("span");
    name.textContent = c.querySelector("text").textContent;
    heads.append(name);
    return { name, lane: c.querySelector("rect") };
  });
  function placeHeads() {
    const left = heads.getBoundingClientRect().left;
    for (const { name, lane } of lanes) {
      const r = lane.getBoundingClientRect();
      name.style.left = `${r.left - left}px`;
      name.style.width = `${r.width}px`;
    }
    heads.classList.toggle("away", pane.scrollTop < 46 * scale);
  }
  pane.addEventListener("scroll", placeHeads, { passive: true });
  addEventListener("resize", placeHeads);

  const size = { width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height };
  let scale = 1;
  function zoom(to) {
    scale = Math.max(0.04, Math.min(to, 3));
    svg.setAttribute("width", size.width * scale);
    svg.setAttribute("height", size.height * scale);
    placeHeads();
    document.getElementById("zoom").textContent = `${Math.round(scale * 100)} %`;
  }
  const room = () => ({ x: (pane.clientWidth - 20) / size.width, y: (pane.clientHeight - 20) / size.height });
  const fit = () => zoom(Math.min(room().x, room().y, 1));
  // At first as wide as there is room, but never too small to read: then the picture scrolls.
  const wide = () => zoom(Math.max(Math.min(room().x, room().y, 1.35), Math.min(room().x, 1), 0.7));
  let touched = false; // whether somebody has chosen a size
  for (const id of ["in", "out", "fit", "zoom"]) document.getElementById(id).addEventListener("click", () => { touched = true; });
  // Notebooks lay a frame out after its script ran, and tabs are shown later: the first real size counts.
  new ResizeObserver(() => { if (!touched && pane.clientWidth > 40) wide(); }).observe(pane);
  document.getElementById("in").addEventListener("click", () => zoom(scale * 1.2));
  document.getElementById("out").addEventListener("click", () => zoom(scale / 1.2));
  document.getElementById("fit").addEventListener("click", fit);
  document.getElementById("zoom").addEventListener("click", () => zoom(1));
  pane.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    touched = true;
    zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }, { passive: false });

  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "light" : "dark";
  });
  // Who shows this page in a frame says by the address whether it is light or dark there.
  const framed = () => { if (["#light", "#dark"].includes(location.hash)) document.documentElement.dataset.theme = location.hash.slice(1); };
  framed();
  addEventListener("hashchange", framed);

  // --- buttons and keys

  const to = { first: () => show(1), back: () => show(current > 1 ? current - 1 : 1), next: () => show(current + 1), all: () => show(0) };
  for (const [id, action] of Object.entries(to)) document.getElementById(id).addEventListener("click", action);
  const keys = { ArrowRight: to.next, ArrowDown: to.next, j: to.next, ArrowLeft: to.back, ArrowUp: to.back, k: to.back, Home: to.first,
    End: () => show(data.moments.length), Escape: to.all, "+": () => zoom(scale * 1.2), "-": () => zoom(scale / 1.2), "0": fit };
  const sizes = new Set(["+", "-", "0"]);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
    const box = event.target.closest?.(".event[data-step]");
    if (box && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); show(Number(box.dataset.step)); return; }
    const action = keys[event.key];
    if (sizes.has(event.key)) touched = true;
    if (action) { event.preventDefault(); action(); }
  });

  filter();
  wide();
  show(0);
  const last = data.moments.at(-1);
  if (last) light(last);
  document.body.dataset.ready = "yes";
})();
