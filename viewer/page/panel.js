// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The list of scenes, the sliders and the choice of what to compare with, made from what the server says.

export function toText(value) {
  if (!Number.isFinite(value)) return "\u2013";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(1).replace("e+", "e");
  return String(Number(value.toPrecision(3)));
}

export function buildGallery(list, scene, open) {
  list.replaceChildren(...scene.scenes.map((item, number) => {
    const button = document.createElement("button");
    const small = document.createElement("small");
    small.textContent = item.recording ? `recording ${item.name}` : item.name;
    button.append(item.title, small);
    button.classList.toggle("here", number === scene.scene);
    button.addEventListener("click", () => open(number));
    return button;
  }));
}

const STEPS = 400;
const toSlider = (c, value) => c.kind === "logarithmic" ? (STEPS * Math.log(value / c.low)) / Math.log(c.high / c.low) : c.kind === "whole" ? value : (STEPS * (value - c.low)) / (c.high - c.low);
const fromSlider = (c, at) => c.kind === "logarithmic" ? c.low * (c.high / c.low) ** (at / STEPS) : c.kind === "whole" ? at : c.low + ((c.high - c.low) * at) / STEPS;

function makeControl(c, send) {
  const box = document.createElement("label"), name = document.createElement("span"), value = document.createElement("output");
  box.className = "control";
  box.dataset.id = c.id;
  name.textContent = c.label;
  box.append(name, value);
  if (c.kind === "choice") {
    const select = document.createElement("select");
    select.replaceChildren(...c.choices.map((choice) => new Option(choice.replace("_", " "), choice)));
    select.addEventListener("change", () => { send({ do: "set", name: c.id, text: select.value }); select.blur(); });
    box.append(select);
    return box;
  }
  const input = document.createElement("input");
  input.type = "range";
  input.min = c.kind === "whole" ? c.low : 0;
  input.max = c.kind === "whole" ? c.high : STEPS;
  input.step = 1;
  const tell = () => send({ do: "set", name: c.id, number: fromSlider(c, Number(input.value)) });
  input.addEventListener("input", () => { value.textContent = `${toText(fromSlider(c, Number(input.value)))} ${c.unit}`; if (!c.rebuilds) tell(); });
  input.addEventListener("change", () => { tell(); input.blur(); });
  box.append(input);
  return box;
}

// Sliders that are there stay, with the range they were made with; others come and go.
export function buildControls(list, controls, send) {
  const known = new Map([...list.children].map((box) => [box.dataset.id, box]));
  const boxes = controls.map((c) => {
    let box = known.get(c.id);
    const signature = JSON.stringify([c.kind, c.choices, c.kind === "whole" ? c.high : 0]);
    const fits = box && box.signature === signature && (c.kind !== "logarithmic" || (c.value >= box.spec.low && c.value <= box.spec.high));
    if (!fits) {
      box = makeControl(c, send);
      box.signature = signature;
      box.spec = c;
    }
    const input = box.querySelector("input, select");
    if (document.activeElement !== input) {
      if (c.kind === "choice") input.value = c.choice;
      else {
        input.value = toSlider(box.spec, c.value);
        box.querySelector("output").textContent = `${toText(c.value)} ${c.unit}`;
      }
    }
    return box;
  });
  list.replaceChildren(...boxes);
}

// the same scene with another method or solver
export function buildSplit(select, state, send) {
  const options = [new Option("one view", "")];
  for (const c of state.controls) if (c.kind === "choice") for (const choice of c.choices) if (choice !== c.choice) options.push(new Option(`${c.label}: ${choice.replace("_", " ")}`, `${c.id}=${choice}`));
  select.replaceChildren(...options);
  const now = state.split ? `${state.split}=${state.split_choice}` : "";
  if (now && !options.some((o) => o.value === now)) select.append(new Option(state.split_choice, now));
  select.value = now;
  select.onchange = () => {
    const [name, text] = select.value.split("=");
    send(name ? { do: "split", name, text } : { do: "split" });
    select.blur();
  };
}
