// The other views, the details of a kernel, and the keys.
const main = document.getElementById("main"), detail = document.getElementById("detail"), help = document.getElementById("help");
const STEP = 40;

/** Parts that are made as they are asked for. */
function inSteps(items, make, parent) {
  let shown = 0;
  const more = el("button", { className: "more", onclick: () => next() });
  const next = () => {
    items.slice(shown, shown + STEP).forEach((item, index) => parent.append(make(item, shown + index)));
    shown = Math.min(items.length, shown + STEP);
    more.textContent = `Show more (${(items.length - shown).toLocaleString("en")} left)`;
    more.hidden = shown >= items.length;
  };
  next();
  return more;
}

const only = choice => { Object.assign(table, { query: "", device: "", answer: "", need: "", cause: null }, choice); show("kernels"); };
const kernelLink = index => el("button", { className: "link mono", onclick: () => showKernel(index) }, kernels[index].name);

function causeCard(cause) {
  const index = causes.indexOf(cause);
  const excerpt = source(cause.place);
  const about = el("div", {},
    el("div", { className: "effects" }, cause.devices.map(device => effect(cause, device))),
    cause.remark ? el("p", { className: "faint" }, cause.remark) : null,
    advice(cause.advice),
    el("div", { className: "foot" }, el("button", { className: "link", onclick: () => only({ cause: index }) }, `Show ${count(cause.kernels.length, "kernel")} →`)));
  return el("article", { className: "card cause", "data-cause": index }, el("h2", {}, sentence(cause)),
    excerpt ? el("div", { className: "two" }, excerpt, about) : about);
}

function causesView() {
  const parent = el("div", { className: "cards" });
  const inexact = causes.some(cause => !cause.exact);
  const note = devices.length
    ? "Uses that keep kernels from running, the one that would free most of them first."
    : "What kernels need and where it is used; with --device, what each device makes of it.";
  main.append(el("p", { className: "faint" }, note, inexact ? " A linked program records one use of each need, the nearest: “up to” stands where others may lie behind it. Objects and archives know them all." : ""), parent);
  if (!causes.length) parent.append(el("p", { className: "empty" }, devices.length ? "Nothing keeps any kernel from running on these devices." : "No kernel needs anything."));
  main.append(inSteps(causes, causeCard, parent));
}

function meter(summary) {
  const total = summary.runs + summary.refused + summary.depends || 1;
  const parts = ["runs", "refused", "depends"].filter(key => summary[key]);
  return el("span", { className: "meter", role: "img", "aria-label": `${summary.runs} run, ${summary.refused} refused, ${summary.depends} depend` },
    parts.map(key => { const part = el("i", { className: key }); part.style.width = `${100 * summary[key] / total}%`; return part; }));
}

const counts = (name, summary) => ["runs", "refused", "depends"].filter(key => summary[key]).map(key =>
  el("button", { className: `link chip ${key}`, onclick: () => only({ device: name, answer: key }) }, `${sign[key]} ${summary[key].toLocaleString("en")} ${key}`));

function devicesView() {
  const parent = el("div", { className: "cards" });
  main.append(parent);
  devices.forEach((device, index) => {
    const lacking = new Map();
    for (const kernel of kernels) {
      const said = kernel.devices[index];
      if (said.supported === false) (said.has_code ? said.unmet : ["code for it"]).forEach(need => lacking.set(need, (lacking.get(need) || 0) + 1));
    }
    const best = causes.map(cause => [cause, cause.devices[index]]).filter(([, said]) => said.runs_without.length)
      .sort((one, other) => other[1].runs_without.length - one[1].runs_without.length).slice(0, 5);
    parent.append(el("article", { className: "card device" }, el("h2", {}, device.name, device.device ? el("span", { className: "faint" }, ` ${device.device}`) : ""),
      meter(device.summary), el("div", { className: "effects" }, counts(device.name, device.summary)),
      el("div", { className: "two" },
        el("div", {}, el("h3", {}, "What it lacks"), lacking.size ? el("ul", {}, [...lacking].sort((one, other) => other[1] - one[1]).map(([need, number]) =>
          el("li", {}, need === "code for it" ? need : el("button", { className: "link", onclick: () => only({ device: device.name, answer: "refused", need }) }, short(need)), `, for ${count(number, "kernel")}`))) : el("p", { className: "faint" }, "Nothing that a kernel is known to need.")),
        el("div", {}, el("h3", {}, "What would help most"), best.length ? el("ul", {}, best.map(([cause, said]) =>
          el("li", {}, el("button", { className: "link", onclick: () => only({ cause: causes.indexOf(cause) }) }, `${cause.function || cause.need} ${at(cause.place)}`), `: without its ${short(cause.need)}, ${cause.exact ? "" : "up to "}${said.runs_without.length} more ${said.runs_without.length === 1 ? "kernel runs" : "kernels run"}`))) : el("p", { className: "faint" }, "No single use.")))));
  });
}

function imagesView() {
  const body = el("tbody");
  const heads = ["Image", "Target", "Format", "Needs", "Kernels", "Bytes", "Why it is apart"];
  main.append(el("table", { className: "plain" }, el("thead", {}, el("tr", {}, heads.map(head => el("th", { className: /Kernels|Bytes/.test(head) ? "number" : null }, head)))), body));
  const needs = image => [...image.requirements.aspects, image.requirements.reqd_sub_group_size ? `sub-group ${image.requirements.reqd_sub_group_size}` : "", image.requirements.reqd_work_group_size ? `work-group ${image.requirements.reqd_work_group_size.join("x")}` : ""].filter(Boolean);
  const row = image => {
    const extra = new Set(image.only_here.map(short));
    return el("tr", {}, el("td", { className: "mono" }, image.name, report.files.length > 1 ? el("div", { className: "faint" }, report.files[image.file].file) : ""), el("td", {}, image.target), el("td", {}, image.format),
      el("td", {}, needs(image).length ? needs(image).map(need => el("span", { className: `chip ${extra.has(need) ? "depends" : ""}` }, need)) : el("span", { className: "faint" }, "nothing")),
      el("td", { className: "number" }, el("details", {}, el("summary", {}, String(image.kernels.length)), el("ul", {}, image.kernels.slice(0, 50).map(index => el("li", {}, kernelLink(index)))))),
      el("td", { className: "number" }, bytes(image.size)), el("td", {}, image.why));
  };
  main.append(inSteps(report.images, row, body));
}

function changesView() {
  const changes = report.changes, parent = el("div", { className: "cards" });
  main.append(el("p", { className: "faint" }, `Since ${changes.older}.`), parent);
  const useOf = change => { const found = causes.find(cause => cause.need === change.need && cause.kernels.includes(change.kernel)); return found ? ` ${at(found.place)}` : ""; };
  const words = supported => el("span", { className: `chip ${state(supported)}` }, state(supported));
  const part = (title, items, make) => { if (!items.length) return; const list = el("ul"); const more = inSteps(items, item => el("li", {}, make(item)), list); parent.append(el("article", { className: "card" }, el("h2", {}, `${title} (${items.length})`), list, more)); };
  part("Devices that say something else", changes.verdicts, turn => [kernelLink(turn.kernel), ` on ${turn.device}: `, words(turn.before), "→ ", words(turn.after)]);
  part("Needs added", changes.added, change => [kernelLink(change.kernel), " needs ", el("span", { className: "chip refused" }, short(change.need)), el("code", { className: "faint" }, useOf(change))]);
  part("Needs removed", changes.removed, change => [kernelLink(change.kernel), " no longer needs ", el("span", { className: "chip runs" }, short(change.need))]);
  part("Kernels renamed", changes.renamed, one => [kernelLink(one.kernel), ` was `, el("code", {}, one.older), el("span", { className: "faint" }, `, by ${one.by}`)]);
  part("New kernels", changes.kernels_added, kernelLink);
  part("Kernels gone", changes.kernels_removed, gone => [el("code", {}, gone.name), " ", ...chips(gone.needs.map(short))]);
  if (!parent.children.length) parent.append(el("p", { className: "empty" }, "Nothing changed."));
}

/** Everything about one kernel, beside what is in view. */
function showKernel(index) {
  const kernel = kernels[index];
  const close = el("button", { className: "close", "aria-label": "Close", onclick: closeDetail }, "✕");
  const facts = [["Unit", kernel.unit], ["Place", at(kernel.place)], ["File", report.files[kernel.file].file], ["Symbol", el("code", {}, kernel.symbol)],
    ["Images", `${kernel.images.map(image => `${report.images[image].name} (${report.images[image].target})`).slice(0, 12).join(", ")}${kernel.images.length > 12 ? ", …" : ""}`],
    ["Bytes", `${kernel.bytes.toLocaleString("en")} in all images that hold it`], ["Calls", kernel.unresolved.length ? `${kernel.unresolved.join(", ")}: nobody defines it` : ""]];
  const chains = kernel.needs.map(need => {
    const found = kernel.sources.find(one => one.need === need);
    const own = (causesOf.get(index) || []).map(number => causes[number]).filter(cause => cause.need === need);
    const other = own.filter(cause => !found || at(cause.place) !== at(found.chain[0]));
    const steps = !found ? el("p", { className: "gone" }, "Nothing is recorded of where it is used.") : el("ol", { className: "chain" }, found.chain.map((step, number) => {
      const place = step.file ? step : null;
      const what = number ? "called from" : found.declared ? "declared by" : "used in";
      return el("li", {}, `${what} `, el("code", {}, step.function), " ", el("code", { className: "faint" }, place ? at(place) : "(place unknown)"), source(place));
    }));
    const words = [...new Set(own.flatMap(cause => cause.advice))];
    return el("section", {}, el("h3", {}, "Needs ", el("span", { className: "chip refused" }, short(need))), steps,
      other.length ? el("p", {}, "Also used by ", other.map((cause, number) => [number ? ", " : "", el("code", {}, `${cause.function} ${at(cause.place)}`)])) : null,
      advice(words));
  });
  const cells = kernel.devices.map(said => el("li", {}, el("span", { className: `chip ${state(said.supported)}` }, `${sign[state(said.supported)]} ${state(said.supported)}`), said.name,
    said.unmet.length ? `: ${said.supported === false ? "lacks" : "not known for"} ${said.unmet.map(short).join(", ")}` : said.has_code ? "" : ": the file has no code for it"));
  detail.replaceChildren(close, el("h2", {}, kernel.name),
    el("dl", {}, facts.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
    cells.length ? el("ul", {}, cells) : "", ...(chains.length ? chains : [el("p", { className: "faint" }, "It needs nothing that a device may lack.")]));
  if (!kernel.needs.length && kernel.place) detail.append(source(kernel.place) || "");
  detail.hidden = false;
  detail.scrollTop = 0;
  detail.setAttribute("aria-label", kernel.name);
}

function closeDetail() {
  detail.hidden = true;
  if (table.rows && table.rows.isConnected) table.rows.focus({ preventScroll: true });
}

const views = [["causes", "Causes", causesView, causes.length], ["kernels", "Kernels", () => table.view(), kernels.length],
  ["devices", "Devices", devicesView, devices.length], ["images", "Images", imagesView, report.images.length]]
  .filter(([name]) => name !== "devices" || devices.length);
if (report.changes) {
  const { added, removed, renamed, verdicts, kernels_added: more, kernels_removed: gone } = report.changes;
  views.push(["changes", "Changes", changesView, added.length + removed.length + renamed.length + verdicts.length + more.length + gone.length]);
}

function show(name) {
  const view = views.find(one => one[0] === name) || views[0];
  for (const tab of document.querySelectorAll("#tabs [role=tab]")) tab.setAttribute("aria-selected", tab.dataset.view === view[0]);
  detail.hidden = true;
  main.classList.remove("fixed");
  main.replaceChildren();
  main.scrollTop = 0;
  view[2]();
  history.replaceState(null, "", `#${view[0]}`);
}

function head() {
  const names = report.files.map(file => file.file.replace(/.*\//, ""));
  const title = names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  const total = report.files.reduce((sum, file) => sum + file.bytes, 0);
  const notes = report.files.flatMap(file => file.disagreements);
  document.getElementById("head").append(
    el("div", { className: "files" }, el("h1", { title: report.files.map(file => file.file).join("\n") }, title),
      el("div", { className: "about" }, `${count(kernels.length, "kernel")} in ${count(report.images.length, "image")}, ${bytes(total)} of device code · aspen ${report.aspen}`,
        report.options.length ? [" · ", el("code", {}, report.options.join(" "))] : ""),
      notes.length ? el("details", { className: "about" }, el("summary", {}, `${count(notes.length, "remark")} on what the code says beside its property sets`), el("ul", {}, notes.slice(0, 200).map(note => el("li", {}, note)))) : null),
    devices.length ? el("div", { className: "meters" }, devices.flatMap(device => [el("span", {}, device.name), meter(device.summary), el("span", { className: "counts" }, counts(device.name, device.summary))])) : "");
  document.getElementById("tabs").append(...views.map(([name, title, , number], index) =>
    el("button", { role: "tab", "data-view": name, title: `Key ${index + 1}`, onclick: () => show(name) }, title, el("span", { className: "number" }, number.toLocaleString("en")))),
    el("button", { className: "keys", onclick: () => help.showModal() }, "Keys ", el("kbd", {}, "?")));
  const keys = [["1 … 5", "views"], ["/", "filter kernels"], ["↑ ↓  j k", "kernel before, after"], ["Enter", "its chain, sources and what to do"], ["Esc", "close"]];
  help.append(el("dl", {}, keys.flatMap(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)])), el("form", { method: "dialog" }, el("button", { className: "more" }, "Close")));
}

addEventListener("keydown", event => {
  const typing = event.target.matches("input[type=search], select");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    if (!detail.hidden) closeDetail();
    else if (typing) event.target.blur();
    return;
  }
  if (typing && !(event.key === "ArrowDown" && event.target.type === "search") && !(event.key === "Enter" && event.target.type === "search")) return;
  const inTable = table.scroll && table.scroll.isConnected;
  const number = Number(event.key);
  if (number >= 1 && number <= views.length) show(views[number - 1][0]);
  else if (event.key === "?") help.showModal();
  else if (event.key === "/") { if (!inTable) show("kernels"); table.search.focus(); table.search.select(); }
  else if (inTable && (event.key === "ArrowDown" || event.key === "j")) { table.move(1); table.rows.focus({ preventScroll: true }); }
  else if (inTable && (event.key === "ArrowUp" || event.key === "k")) table.move(-1);
  else if (inTable && event.key === "Enter" && (typing || event.target === table.rows || event.target === document.body)) {
    if (table.now < 0) table.move(1);
    const item = table.items[table.now];
    if (item) showKernel(item.index);
  } else return;
  event.preventDefault();
});

head();
show(location.hash.slice(1) || (devices.length && causes.length ? "causes" : "kernels"));
