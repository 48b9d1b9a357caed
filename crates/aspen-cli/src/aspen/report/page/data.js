// The document that `aspen report --format json` prints, and how its parts are shown. Text from it is never markup.
const report = JSON.parse(document.getElementById("data").textContent);
const kernels = report.kernels, devices = report.devices, causes = report.causes;

/** An element; properties by name, `on…` as listeners; children are elements or text. */
function el(tag, properties, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) out.addEventListener(name.slice(2), value);
    else out.setAttribute(name === "className" ? "class" : name, value === true ? "" : value);
  }
  out.append(...children.flat().filter(child => child !== null && child !== undefined && child !== ""));
  return out;
}

const state = supported => supported === true ? "runs" : supported === false ? "refused" : "depends";
const sign = { runs: "✓", refused: "✗", depends: "?" };
const short = need => need.startsWith("aspect ") ? need.slice(7) : need.replace(" size", "");
const count = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
const at = place => place ? `${place.file}:${place.line}${place.column ? ":" + place.column : ""}` : "";
const bytes = number => number < 10000 ? `${number} B` : number < 1e7 ? `${Math.round(number / 1024)} KiB` : `${Math.round(number / 1048576)} MiB`;
const aspects = kernel => kernel.needs.filter(need => need.startsWith("aspect ")).map(short);
const sizes = kernel => kernel.needs.filter(need => !need.startsWith("aspect ")).map(short);
const chips = (needs, kind) => needs.map(need => el("span", { className: `chip ${kind || ""}` }, need));

/** Which causes a kernel hangs on. */
const causesOf = new Map();
causes.forEach((cause, index) => cause.kernels.forEach(kernel => {
  if (!causesOf.has(kernel)) causesOf.set(kernel, []);
  causesOf.get(kernel).push(index);
}));

/** `inner() solver.cpp:3:12 pulls aspect fp64 into 14 kernels`. */
function sentence(cause) {
  const many = count(cause.kernels.length, "kernel"), place = at(cause.place);
  if (!cause.function) return [el("code", {}, cause.need), ` is needed by ${many}, and no use of it is recorded`];
  const who = el("code", {}, cause.in_kernel && !cause.declared ? `kernel ${cause.function}` : cause.function + (cause.declared ? "" : "()"));
  return [who, " ", place ? el("code", { className: "faint" }, place) : "", cause.declared ? " declares " : " pulls ",
    el("span", { className: "chip refused" }, short(cause.need)), cause.declared ? ` for ${many}` : ` into ${many}`];
}

/** What would be without it: `intel_gpu_dg1: 14 refused; without it 12 run`. */
function effect(cause, device) {
  if (!device.refused && !device.unknown) return null;
  const words = [], most = cause.exact ? "" : "up to ";
  const runs = device.runs_without.length, depends = device.depends_without.length;
  if (device.refused) {
    const without = runs ? `without it ${most}${runs === device.refused && cause.exact ? "all" : runs} run${depends ? `, ${depends} more may` : ""}`
      : depends ? `without it ${most}${depends} may run` : "none runs without it alone";
    words.push(`${device.refused} refused; ${without}`);
  }
  if (device.unknown) words.push(`${device.unknown} may lack it`);
  return el("span", {}, el("span", { className: `chip ${runs ? "runs" : device.refused ? "refused" : "depends"}` }, device.name), words.join("; "));
}

/** Lines of the source around a place, with a caret; why there are none. */
function source(place) {
  if (!place || !place.file) return null;
  const file = report.excerpts[place.file];
  if (!file) return null;
  if (!file.found) return el("p", { className: "gone" }, `${place.file}: no source to show: ${file.why}`);
  const out = el("pre", { className: "source" });
  for (let number = Math.max(1, place.line - 3); number <= place.line + 3; number += 1) {
    const line = file.lines[number];
    if (line === undefined) continue;
    const here = number === place.line;
    out.append(el("span", { className: here ? "here" : null }, el("span", { className: "number" }, String(number)), line || " "));
    if (here && place.column) {
      // Columns count bytes.
      const before = new TextDecoder().decode(new TextEncoder().encode(line).slice(0, place.column - 1));
      const blank = before.replace(/[^\t]/g, " ");
      out.append(el("span", { className: "caret" }, el("span", { className: "number" }, ""), blank, el("b", {}, "^")));
    }
  }
  requestAnimationFrame(() => {
    const caret = out.querySelector("b");
    if (caret && caret.offsetLeft > out.clientWidth - 60) out.scrollLeft = caret.offsetLeft - out.clientWidth / 2;
  });
  const newer = file.newer ? el("p", { className: "gone" }, `${place.file} was changed after the program was built; lines may have moved`) : null;
  return el("div", {}, out, newer);
}

/** Words with `[[…]]` and qualified names as code. */
const inCode = words => words.split(/(\[\[.*?\]\]|[\w:]*::[\w:<>]+(?:\([^)]*\))?(?:[^;,]*\{ … \}\))?)/).map((part, index) => index % 2 ? el("code", {}, part) : part);

/** What to do: the first way at once, the others on demand. */
const advice = ways => ways.length ? el("div", { className: "advice" }, el("p", {}, inCode(ways[0])), ways.length > 1
  ? el("details", {}, el("summary", {}, count(ways.length - 1, "other way")), el("ul", {}, ways.slice(1).map(words => el("li", {}, inCode(words))))) : null) : null;
