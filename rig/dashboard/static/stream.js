// The live stream: opens it, keeps count so that no event is missed, and knows how old what is shown is.

const KINDS = ["view", "ruling", "fact", "ask", "weight", "tilt", "step", "source", "link", "tared", "info", "set", "picture"];

export class Stream {
  // `heard(kind, data)` for every change, `whole(state)` for a full state, `ended(why)` when it is over for good.
  constructor(heard, whole, ended) {
    Object.assign(this, { heard, whole, ended, last: null, events: 0, holes: 0, lifeAt: performance.now(), silent: 0, silentAt: performance.now(), over: false });
    this.open();
  }

  open() {
    const source = new EventSource(this.last ? `/events?last=${encodeURIComponent(this.last)}` : "/events");
    this.source = source;
    const alive = () => { this.lifeAt = performance.now(); };
    source.addEventListener("state", (event) => { alive(); this.take(event.data, event.lastEventId); });
    source.addEventListener("beat", (event) => {
      alive();
      const beat = JSON.parse(event.data);
      this.silent = beat.silent_s;
      this.silentAt = performance.now();
      this.heard("beat", beat);
    });
    source.addEventListener("bye", (event) => {
      this.over = JSON.parse(event.data).why !== "closed";
      if (this.over) source.close();
      this.ended(JSON.parse(event.data).why);
    });
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => {
        alive();
        this.count(event.lastEventId);
        this.heard(kind, JSON.parse(event.data));
      });
    }
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED || this.over) return;
      setTimeout(() => this.open(), 1000);  // the browser gives up after a refusal; we do not
    };
  }

  take(text, id) {
    this.last = id;
    this.whole(JSON.parse(text));
  }

  count(id) {
    const number = (name) => Number(name.slice(name.lastIndexOf("-") + 1));
    if (this.last && number(id) !== number(this.last) + 1) {
      this.holes += 1;
      fetch("/state.json").then((answer) => answer.json()).then((state) => this.whole(state)).catch(() => {});
    }
    this.last = id;
    this.events += 1;
  }

  // Seconds since the last sign of life, and since the session last said anything.
  age() {
    const now = performance.now();
    return { line: (now - this.lifeAt) / 1000, session: this.silent + (now - this.silentAt) / 1000 };
  }
}
