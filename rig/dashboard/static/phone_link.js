// The line from the phone to the referee: one picture under way at a time, so that a slow network makes fewer pictures, never older ones.

const HEAD = 16, EXACT = 1;
const SPACING_MS = 100; // ten pictures a second at most
const UNANSWERED_MS = 4000; // a picture without an answer for so long: the line is dead, though it may not say so
const AGAIN_MS = [300, 1000, 2000, 3000];

export class Link {
  constructor(code, camera, heard) {
    Object.assign(this, { code, camera, heard, socket: null, tries: 0, number: 0, flying: null, sentAt: 0, refused: null, welcome: null });
    addEventListener("online", () => this.open());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.open(); });
    setInterval(() => this.beat(), 1000);
    this.open();
    this.go();
  }

  get open_now() { return this.socket?.readyState === WebSocket.OPEN && this.welcome !== null; }

  open() {
    if (this.refused || (this.socket && this.socket.readyState <= WebSocket.OPEN)) return;
    clearTimeout(this.timer);
    const socket = this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/phone/link`);
    socket.addEventListener("open", () => this.send({ hello: { code: this.code, device: mark() } }));
    socket.addEventListener("message", (event) => this.hear(socket, JSON.parse(event.data)));
    socket.addEventListener("close", () => this.closed(socket));
  }

  closed(socket) {
    if (this.socket !== socket) return;
    this.welcome = this.flying = null;
    this.heard(null);
    clearTimeout(this.timer);
    if (!this.refused) this.timer = setTimeout(() => this.open(), AGAIN_MS[Math.min(this.tries++, AGAIN_MS.length - 1)]);
  }

  send(value) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(value));
  }

  hear(socket, told) {
    if (this.socket !== socket) return;
    if (told.ping !== undefined) this.send({ pong: told.ping, at: (performance.timeOrigin + performance.now()) / 1000 });
    if (told.ack === this.flying?.number) this.flying = null;
    if (told.refused) { this.refused = told.refused; this.heard(null); }
    if (told.welcome) { this.welcome = told.welcome; this.tries = 0; this.sentAt = performance.now(); this.say(); this.heard(null); }
    if (told.state) this.heard(told.state);
  }

  // Tries for the newest picture again and again; the only place that sends pictures.
  async go() {
    for (;;) {
      await new Promise((done) => setTimeout(done, 8));
      const now = performance.now();
      if (!this.open_now || this.flying || now - this.sentAt < SPACING_MS) continue;
      const taken = await this.camera.take(0.85).catch(() => null);
      if (!taken || !this.open_now) continue;
      const skipped = Math.max(0, Math.min(65535, Math.floor((now - this.sentAt) / SPACING_MS) - 1));
      const head = new DataView(new ArrayBuffer(HEAD));
      this.flying = { number: this.number = (this.number + 1) >>> 0, at: now };
      this.sentAt = now;
      head.setFloat64(0, taken.seconds + performance.timeOrigin / 1000, true);
      head.setUint32(8, this.flying.number, true);
      head.setUint16(12, skipped, true);
      head.setUint16(14, taken.exact ? EXACT : 0, true);
      this.socket.send(new Blob([head.buffer, taken.jpeg]));
    }
  }

  // A word every second, so that silence means something; and a line that does not answer is opened anew.
  beat() {
    this.say();
    if (this.flying && performance.now() - this.flying.at > UNANSWERED_MS) { const dead = this.socket; this.closed(dead); this.socket = null; dead.close(); }
  }

  say() {
    this.send({ told: { battery: this.battery ?? 1, upright: !this.camera.landscape, off: !this.camera.on } });
  }
}

// By this mark the phone is known again: it gets the camera number that it had.
function mark() {
  let kept = null;
  try { kept = localStorage.getItem("phone"); } catch { /* private windows are new phones every time */ }
  if (!kept) {
    kept = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    try { localStorage.setItem("phone", kept); } catch { /* see above */ }
  }
  return kept;
}
