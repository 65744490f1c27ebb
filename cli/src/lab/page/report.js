// Events, newest first: one line each, and a box with the details of a desync.

const MOST = 14;

export const element = (name, content, className = "") => Object.assign(document.createElement(name), { textContent: content, className });

export const plural = (number, one, more = `${one}s`) => `${number} ${Number(number) === 1 ? one : more}`;

export class Report {
  /** `showBody` receives the body of a desync, by its index. */
  constructor(root, showBody) {
    this.root = root;
    this.showBody = showBody;
    /** Desyncs shown since the last injected fault. */
    this.desyncs = 0;
  }

  begin() {
    this.desyncs = 0;
    this.root.replaceChildren();
    this.line("Arrow keys or WASD walk, space jumps, F shoves; or use a gamepad or the buttons of a touch screen. Until then a bot plays for you. Make the network bad, disconnect a machine, flip a bit and read the explanation. Click a bar of rollbacks to see the resimulated bodies.");
  }

  line(content, className = "") {
    this.add(element("p", content[0].toUpperCase() + content.slice(1), className));
  }

  add(node) {
    this.root.prepend(node);
    while (this.root.children.length > MOST) this.root.lastChild.remove();
    this.root.scrollTop = 0;
  }

  note(note) {
    if (note.note === "bit_flip") this.desyncs = 0;
    if (note.note === "differ") return;
    // Every pair of machines agrees again; the first one of a tick is shown.
    if (note.note === "agreed" && note.tick === this.agreed) return;
    if (note.note === "agreed") this.agreed = note.tick;
    if (note.note !== "desync") return this.line(note.text, note.note === "refused" || note.note === "stopped" ? "wrong" : "");
    // Every pair of machines reports the same desync; only the first report is shown.
    if (this.desyncs++ === 0) this.desync(note);
  }

  desync(note) {
    const who = (index) => `machine ${index + 1}`;
    const [here, there] = note.itself ? ["right", "was"] : [who(note.machine), who(note.peer)];
    const facts = [
      ["entity", note.entity], ["field", note.field], [here, note.local], [there, note.remote],
    ];
    const also = note.more.find((it) => it[1] !== note.field && /velocity/.test(it[1]));
    if (also) facts.push(["also", `${also[1]}: ${also[2]}, ${also[3]}`]);
    facts.push(["to blame", note.blame]);
    const list = document.createElement("dl");
    for (const [name, value] of facts) list.append(element("dt", name), element("dd", value));
    const box = element("div", "", "desync");
    const title = element("h3", `✗ Desync on tick ${note.tick}`);
    if (note.body !== null) {
      const button = Object.assign(element("button", "Show body"), { type: "button" });
      button.addEventListener("click", () => this.showBody(note.body));
      title.append(button);
      this.showBody(note.body);
    }
    box.append(title, list);
    this.add(box);
  }
}
