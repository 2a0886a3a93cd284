// The form of kernels.md. The table of an operator is a script, since a page that is a file may load no other file.
(() => {
  const form = document.querySelector(".kernel-form");
  if (!form) return;
  const [operator, problem, arch] = form.querySelectorAll("select"), answer = form.querySelector(".answer"), tables = {};
  const add = (parent, kind, text) => parent.appendChild(Object.assign(document.createElement(kind), {textContent: text}));
  // The id of a kernel, whose lines break behind its slashes.
  const addId = (parent, id) => add(parent, "code", "").append(...id.split(/(?<=\/)/).flatMap(part => [part, document.createElement("wbr")]));
  const fill = (select, texts) => { select.replaceChildren(); texts.forEach(text => add(select, "option", text)); };

  function show() {
    const {strings, rows} = tables[operator.value];
    const row = rows.find(([words, on]) => strings[words] === problem.value && strings[on] === arch.value);
    answer.replaceChildren();
    if (!row) return;
    const [, , chosen, tried] = row;
    const line = add(answer, "p", chosen ? "" : "No kernel serves this problem there.");
    if (chosen) {
      addId(line, strings[chosen[0]]);
      add(line, "span", `: ${chosen[1]} bytes of workspace, ${chosen[2]} ${chosen[2] === 1 ? "launch" : "launches"}`);
    }
    const list = add(answer, "ul", "");
    for (const [sku, reason] of tried) {
      const item = add(list, "li", "");
      addId(item, strings[sku]);
      add(item, "span", `: ${strings[reason]}`);
    }
  }
  function changed() {
    const table = tables[operator.value];
    if (!table) {
      document.head.appendChild(Object.assign(document.createElement("script"), {src: `_static/kernels/${operator.value}.js`}));
      return;
    }
    fill(problem, [...new Set(table.rows.map(([words]) => table.strings[words]))]);
    fill(arch, [...new Set(table.rows.map(([, on]) => table.strings[on]))]);
    show();
  }
  window.adjointKernels = (name, strings, rows) => { tables[name] = {strings, rows}; changed(); };
  fill(operator, JSON.parse(form.dataset.operators));
  operator.value = new URLSearchParams(location.search).get("operator") || "softmax_backward";
  operator.addEventListener("change", changed);
  problem.addEventListener("change", show);
  arch.addEventListener("change", show);
  changed();
})();
