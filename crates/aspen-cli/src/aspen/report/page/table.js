// Kernels × needs × devices. Only the rows in sight are in the page, so the number of kernels does not matter.
const ROW = 32;

const table = {
  query: "", device: "", answer: "", need: "", cause: null, grouped: true, sort: "file", down: false,
  items: [], now: -1,

  columns() {
    return [
      { key: "name", name: "Kernel", width: "minmax(240px, 2.4fr)", min: 240 },
      { key: "aspects", name: "Aspects", width: "minmax(120px, 1fr)", min: 120 },
      { key: "sizes", name: "Sizes", width: "minmax(110px, .8fr)", min: 110 },
      ...devices.map((device, index) => ({ key: `device ${index}`, name: device.name, width: "minmax(130px, 1fr)", min: 130 })),
      { key: "images", name: "Images", width: "64px", min: 64, className: "number" },
      { key: "bytes", name: "Bytes", width: "84px", min: 84, className: "number" },
    ];
  },

  /** What a column sorts by. */
  value(kernel, key) {
    if (key === "name") return kernel.name;
    if (key === "aspects") return aspects(kernel).join(" ") || "\uffff";
    if (key === "sizes") return sizes(kernel).join(" ") || "\uffff";
    if (key === "images") return kernel.images.length;
    if (key === "bytes") return kernel.bytes;
    const said = kernel.devices[Number(key.slice(7))];
    return { refused: 0, depends: 1, runs: 2 }[state(said.supported)] + said.unmet.join(" ");
  },

  passes(kernel) {
    if (this.need && !kernel.needs.includes(this.need)) return false;
    if (this.answer && !kernel.devices.some(said => (!this.device || said.name === this.device) && state(said.supported) === this.answer)) return false;
    if (!this.query) return true;
    kernel.text ||= `${kernel.name} ${kernel.unit} ${kernel.needs.join(" ")} ${kernel.symbol}`.toLowerCase();
    return this.words.every(word => kernel.text.includes(word));
  },

  /** Chooses and orders; rows are kernels, or units above theirs. */
  choose() {
    const inCause = this.cause === null ? null : new Set(causes[this.cause].kernels);
    const chosen = [];
    this.words = this.query.toLowerCase().split(/\s+/);
    kernels.forEach((kernel, index) => {
      if ((!inCause || inCause.has(index)) && this.passes(kernel)) chosen.push(index);
    });
    this.found = chosen.length;
    if (this.sort !== "file") {
      const keys = new Map(chosen.map(index => [index, this.value(kernels[index], this.sort)]));
      const turn = this.down ? -1 : 1;
      chosen.sort((one, other) => {
        const [a, b] = [keys.get(one), keys.get(other)];
        return a < b ? -turn : a > b ? turn : one - other;
      });
    }
    if (!this.grouped) {
      this.items = chosen.map(index => ({ index }));
      return;
    }
    const units = new Map();
    for (const index of chosen) {
      const unit = kernels[index].unit;
      if (!units.has(unit)) units.set(unit, []);
      units.get(unit).push(index);
    }
    this.items = [];
    for (const [unit, members] of units) {
      this.items.push({ unit, members });
      members.forEach(index => this.items.push({ index }));
    }
  },

  row(item) {
    if (item.unit !== undefined) {
      const counts = devices.map((device, index) => {
        const refused = item.members.filter(kernel => kernels[kernel].devices[index].supported === false).length;
        return refused ? el("span", { className: "chip refused" }, `${device.name} refuses ${refused}`) : null;
      });
      return el("div", { className: "row unit", role: "row" }, el("span", {}, item.unit), el("span", { className: "faint" }, count(item.members.length, "kernel")), ...counts);
    }
    const kernel = kernels[item.index];
    const cells = kernel.devices.map(said => {
      const what = state(said.supported);
      const why = said.has_code ? said.unmet.map(short).join(", ") : "no code for it";
      return el("span", { className: `cell ${what}`, role: "gridcell", title: `${said.name}: ${what}${why ? ": " + why : ""}` }, `${sign[what]} ${what}`, why ? el("span", { className: "faint" }, ` ${why}`) : "");
    });
    return el("div", { className: "row", role: "row", "data-kernel": item.index },
      el("span", { className: "name", role: "gridcell", title: kernel.name }, kernel.name),
      el("span", { role: "gridcell" }, chips(aspects(kernel))),
      el("span", { role: "gridcell" }, chips(sizes(kernel))),
      ...cells,
      el("span", { className: "number", role: "gridcell" }, String(kernel.images.length)),
      el("span", { className: "number", role: "gridcell", title: `${kernel.bytes} bytes in all images that hold it` }, bytes(kernel.bytes)));
  },

  /** Puts the rows in sight into the page. */
  draw() {
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 8);
    const last = Math.min(this.items.length, first + Math.ceil(this.scroll.clientHeight / ROW) + 18);
    const rows = [];
    for (let position = first; position < last; position += 1) {
      const row = this.row(this.items[position]);
      row.style.top = `${position * ROW}px`;
      row.dataset.position = position;
      row.id = `row-${position}`;
      row.setAttribute("aria-rowindex", position + 2);
      if (position === this.now) row.classList.add("now");
      rows.push(row);
    }
    this.rows.replaceChildren(...rows);
    if (this.now >= 0) this.rows.setAttribute("aria-activedescendant", `row-${this.now}`);
  },

  refresh() {
    this.choose();
    this.now = -1;
    this.rows.style.height = `${this.items.length * ROW}px`;
    this.scroll.scrollTop = 0;
    this.counter.textContent = this.found === kernels.length ? count(this.found, "kernel") : `${this.found.toLocaleString("en")} of ${count(kernels.length, "kernel")}`;
    this.rows.setAttribute("aria-rowcount", this.items.length + 1);
    for (const button of this.top.querySelectorAll("button")) {
      const own = button.dataset.key === this.sort;
      button.setAttribute("aria-pressed", own);
      button.textContent = button.dataset.name + (own ? (this.down ? " ↓" : " ↑") : "");
    }
    this.draw();
  },

  /** One up or down, past the names of units. */
  move(step) {
    let next = this.now + step;
    while (this.items[next] && this.items[next].unit !== undefined) next += step;
    if (!this.items[next]) return;
    this.now = next;
    const top = next * ROW, head = 36;
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = Math.max(0, top - ROW);
    else if (top + ROW + head > this.scroll.scrollTop + this.scroll.clientHeight) this.scroll.scrollTop = top + ROW + head - this.scroll.clientHeight;
    this.draw();
    if (!detail.hidden) showKernel(this.items[next].index);
  },

  select(name, value, options, change) {
    const out = el("select", { "aria-label": name, onchange: event => change(event.target.value) });
    for (const [key, text] of options) out.append(el("option", { value: key, selected: key === value }, text));
    return out;
  },

  view() {
    const set = (key, value) => { this[key] = value; this.refresh(); };
    const needs = [...new Set(kernels.flatMap(kernel => kernel.needs))].sort();
    this.search = el("input", { type: "search", placeholder: "Filter by name, unit, need…   /", "aria-label": "Filter", value: this.query, oninput: event => set("query", event.target.value) });
    this.counter = el("span", { className: "count", role: "status" });
    const bar = el("div", { className: "bar" }, this.search,
      needs.length ? this.select("Need", this.need, [["", "any need"], ...needs.map(need => [need, short(need)])], value => set("need", value)) : null,
      devices.length ? this.select("Answer", this.answer, [["", "any answer"], ["refused", "refused"], ["depends", "depends"], ["runs", "runs"]], value => set("answer", value)) : null,
      devices.length > 1 ? this.select("Device", this.device, [["", "on any device"], ...devices.map(device => [device.name, `on ${device.name}`])], value => set("device", value)) : null,
      el("label", {}, el("input", { type: "checkbox", checked: this.grouped, onchange: event => set("grouped", event.target.checked) }), "by unit"),
      this.cause === null ? null : el("button", { className: "pill", title: "Show all kernels again", onclick: () => { this.cause = null; show("kernels"); } },
        el("span", {}, `${causes[this.cause].function || "not recorded"} ${at(causes[this.cause].place)}`), "✕"),
      this.counter);
    const columns = this.columns();
    const sortBy = key => { this.down = this.sort === key ? !this.down : false; this.sort = key; this.refresh(); };
    this.top = el("div", { className: "row top", role: "row" }, columns.map(column =>
      el("button", { role: "columnheader", className: column.className, "data-key": column.key, "data-name": column.name, title: `Sort by ${column.name}`, onclick: () => sortBy(column.key) }, column.name)));
    this.rows = el("div", { className: "rows", role: "rowgroup", tabindex: "0", "aria-label": "Kernels",
      onclick: event => {
        const row = event.target.closest("[data-kernel]");
        if (!row) return;
        this.now = Number(row.dataset.position);
        this.draw();
        showKernel(Number(row.dataset.kernel));
      } });
    this.scroll = el("div", { className: "grid", role: "grid", onscroll: () => this.draw() }, this.top, this.rows);
    this.scroll.style.setProperty("--columns", columns.map(column => column.width).join(" "));
    this.scroll.style.setProperty("--width", `${columns.reduce((sum, column) => sum + column.min + 14, 24)}px`);
    main.classList.add("fixed");
    main.replaceChildren(bar, this.scroll);
    this.refresh();
  },
};
addEventListener("resize", () => { if (table.scroll && table.scroll.isConnected) table.draw(); });
