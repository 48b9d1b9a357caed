// What a person would try, by the page's own elements and keys; one line for each thing that is not so, then `checked N`.
const outcome = [];
let checked = 0;
const same = (what, is, wanted) => {
  checked += 1;
  if (JSON.stringify(is) !== JSON.stringify(wanted)) outcome.push(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
};
const all = query => [...document.querySelectorAll(query)];
const text = query => (document.querySelector(query) || { textContent: "" }).textContent;
const key = (name, target) => (target || document.activeElement || document.body).dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const tab = name => document.querySelector(`#tabs [data-view=${name}]`).click();
const type = (field, value, kind) => { field.value = value; field.dispatchEvent(new Event(kind, { bubbles: true })); };
const rows = () => all(".grid [data-kernel] .name").map(cell => cell.textContent);

try {
  same("the scheme is the system's", matchMedia("(prefers-color-scheme: dark)").matches, wantedScheme === "dark");
  const [red] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
  same("and the page follows it", red < 60, wantedScheme === "dark");
  same("nothing was fetched", performance.getEntriesByType("resource").length, 0);
  same("the title is text", document.querySelector("h1 b"), null);
  same("totals", text("#head .counts"), "✓ 45 runs✗ 19 refused");

  same("causes come first", text("#tabs [aria-selected=true]").startsWith("Causes"), true);
  same("the first cause", text(".cause h2"), "inner() report.cpp:10:38 pulls fp64 into 18 kernels");
  same("what would be without it", text(".cause .effects"), "intel_gpu_dg118 refused; without it 17 run");
  same("its line is marked", text(".cause .source .here"), "10inline float inner(float x) { return x * 2.0; }");
  same("the caret stands under it", text(".cause .source .caret").indexOf("^"), 37);
  same("what to do", text(".cause .advice p").startsWith("Make it float at report.cpp:10:38"), true);

  document.querySelector(".cause .foot .link").click();
  same("its kernels", text(".bar .count"), "18 of 64 kernels");
  document.querySelector(".bar .pill").click();
  same("all again", text(".bar .count"), "64 kernels");

  tab("kernels");
  same("only rows in sight are made", all(".grid [data-kernel]").length < 64, true);
  same("a row", all(".grid [data-kernel='0'] > *").map(cell => cell.textContent), ["many<16>", "fp64", "", "✗ refused fp64", "✓ runs", "1", text(".grid [data-kernel='0'] > :last-child")]);
  same("a unit above its kernels", text(".grid .unit").startsWith("report.cpp64 kernels"), true);
  type(document.querySelector(".bar input[type=search]"), "many<6 fp64", "input");
  same("filter, of all words", rows(), ["many<6>"]);
  type(document.querySelector(".bar input[type=search]"), "needs<nothing>&\"", "input");
  same("nothing fits", [rows(), text(".bar .count")], [[], "0 of 64 kernels"]);
  type(document.querySelector(".bar input[type=search]"), "", "input");
  type(document.querySelector(".bar select[aria-label=Answer]"), "refused", "change");
  same("answers", text(".bar .count"), "19 of 64 kernels");
  type(document.querySelector(".bar select[aria-label=Need]"), "sub-group size 64", "change");
  same("needs", rows(), ["sized"]);
  type(document.querySelector(".bar select[aria-label=Need]"), "", "change");
  type(document.querySelector(".bar select[aria-label=Answer]"), "", "change");
  document.querySelector(".bar input[type=checkbox]").click();
  document.querySelector(".grid .top [data-key=name]").click();
  same("sorted", rows().slice(0, 2), ["both", "many<0>"]);
  document.querySelector(".grid .top [data-key=name]").click();
  same("and the other way", rows()[0], "sized");
  document.querySelector(".grid .top [data-key='device 0']").click();
  same("by a device's answer", all(".grid [data-kernel] .cell").slice(0, 2).map(cell => cell.className), ["cell refused", "cell runs"]);
  const grid = document.querySelector(".grid");
  grid.scrollTop = grid.scrollHeight;
  table.draw();
  same("rows follow", all(".grid [data-kernel]").some(row => row.getAttribute("aria-rowindex") === "65"), true);

  tab("kernels");
  document.querySelector(".grid .rows").focus();
  key("j");
  key("ArrowDown");
  key("k");
  same("keys choose a row", [text(".grid .now .name"), rows()[0]], ["many<16>", "many<16>"]);
  key("Enter");
  same("details", [detail.hidden, text("#detail h2")], [false, text(".grid .now .name")]);
  same("the chain, use first", all("#detail .chain code").map(code => code.textContent).filter(word => !word.includes(":")).slice(0, 2).length, 2);
  same("lines of the sources", all("#detail pre.source").length > 0, true);
  key("Escape");
  same("closed", detail.hidden, true);
  key("/");
  same("the filter by key", document.activeElement.type, "search");
  document.activeElement.blur();
  key("3", document.body);
  same("views by number", text("#tabs [aria-selected=true]").startsWith("Devices"), true);
  same("what a device lacks", text(".device li"), "fp64, for 18 kernels");
  tab("images");
  same("images", all("table.plain tbody tr").length, report.images.length);
  same("no button for more where there is none", getComputedStyle(document.querySelector(".more")).display, "none");
  tab("changes");
  same("changes", all("#main .card h2").map(head => head.textContent), ["Devices that say something else (17)", "Needs added (17)"]);
} catch (error) {
  outcome.push(`the page fails: ${error.stack}`);
}
const said = document.createElement("pre");
said.id = "outcome";
said.textContent = [...outcome, `checked ${checked}, ${outcome.length} wrong`].join("\n");
document.body.append(said);
