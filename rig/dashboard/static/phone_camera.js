// The phone's camera: the rear one, upright, held still in focus, exposure and white; watched, because phones' cameras die while they say they live.

const STILL_MS = 1800; // without a new picture for so long the track is started anew
const WARM_MS = 2500; // before focus, exposure and white are held where they are
const LONG_PX = 1280;
const WISH = { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 15 }, resizeMode: { ideal: "none" } };

export const locked = { focus: false, exposure: false, white: false };

export class Camera {
  constructor(video, changed) {
    Object.assign(this, { video, changed, stream: null, starting: false, newest: null, trouble: "", canvas: document.createElement("canvas"), hiddenAt: 0 });
    this.clockless = !("requestVideoFrameCallback" in HTMLVideoElement.prototype);
    document.addEventListener("visibilitychange", () => this.seen());
    setInterval(() => this.watch(), 500);
  }

  get on() { return this.stream !== null && !document.hidden; }
  get landscape() { return this.video.videoWidth > this.video.videoHeight; }

  // A second getUserMedia freezes the first one's picture on some phones: the old track is always stopped before.
  async start() {
    if (this.starting) return;
    this.starting = true;
    this.stop();
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ video: WISH, audio: false });
      const [track] = this.stream.getVideoTracks();
      track.addEventListener("ended", () => this.start());
      this.video.srcObject = this.stream;
      await this.video.play();
      this.newest = { at: performance.now(), exact: false };
      this.told("");
      this.listen(this.stream);
      setTimeout(() => hold(track).then(this.changed), WARM_MS);
    } catch (error) {
      this.stop();
      this.told({ NotAllowedError: "no_permission", NotFoundError: "no_camera", OverconstrainedError: "no_camera", NotReadableError: "busy", AbortError: "busy" }[error.name] ?? "busy");
    } finally {
      this.starting = false;
    }
  }

  stop() {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = this.video.srcObject = null;
    Object.assign(locked, { focus: false, exposure: false, white: false });
  }

  told(trouble) {
    this.trouble = trouble;
    this.changed();
  }

  // The time at which each picture was taken (where the browser says so) or shown, on performance.now's clock.
  listen(stream) {
    if (this.clockless) return;
    const heard = (now, frame) => {
      if (this.stream !== stream) return;
      this.newest = { at: frame.captureTime ?? now, exact: frame.captureTime !== undefined, fresh: true, seenAt: performance.now() };
      this.video.requestVideoFrameCallback(heard);
    };
    this.video.requestVideoFrameCallback(heard);
  }

  // Live, but on its last picture; or ended without a word.
  watch() {
    if (document.hidden || this.starting || this.trouble === "no_permission") return;
    if (this.clockless && this.stream && this.video.currentTime !== this.shownAt) {
      this.shownAt = this.video.currentTime;
      this.newest = { at: performance.now(), exact: false, fresh: true, seenAt: performance.now() };
    }
    const dead = this.stream && (!this.stream.active || performance.now() - (this.newest.seenAt ?? this.newest.at) > STILL_MS);
    if (dead || (!this.stream && this.trouble !== "no_camera")) this.start();
  }

  // After a locked screen a track is often live and black until it is started anew.
  seen() {
    if (document.hidden) this.hiddenAt = performance.now();
    else if (performance.now() - this.hiddenAt > 500 && this.hiddenAt) this.start();
  }

  // The newest picture as JPEG with its time (s); null if there is none since the last one. No larger than 1280 along its longer side.
  async take(quality) {
    const { video, canvas, newest } = this, width = video.videoWidth, height = video.videoHeight;
    if (!newest?.fresh || !width || document.hidden) return null;
    newest.fresh = false;
    const scale = Math.min(1, LONG_PX / Math.max(width, height)), [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0, w, h);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
    return blob && { jpeg: await blob.arrayBuffer(), seconds: newest.at / 1000, exact: newest.exact };
  }
}

// Hold focus, exposure and white balance as they are, where the camera can: what changes by itself looks like a hand or another lamp.
async function hold(track) {
  const can = track.getCapabilities?.() ?? {}, now = track.getSettings?.() ?? {};
  const wishes = {
    focus: can.focusMode?.includes("manual") && { focusMode: "manual", ...(now.focusDistance !== undefined && { focusDistance: now.focusDistance }) },
    exposure: can.exposureMode?.includes("manual") && { exposureMode: "manual", ...(now.exposureTime !== undefined && { exposureTime: now.exposureTime }), ...(now.iso !== undefined && { iso: now.iso }) },
    white: can.whiteBalanceMode?.includes("manual") && { whiteBalanceMode: "manual", ...(now.colorTemperature !== undefined && { colorTemperature: now.colorTemperature }) },
  };
  for (const [what, wish] of Object.entries(wishes)) {
    if (!wish) continue;
    try {
      await track.applyConstraints({ advanced: [wish] });
      const mode = { focus: "focusMode", exposure: "exposureMode", white: "whiteBalanceMode" }[what];
      locked[what] = track.getSettings()[mode] === "manual";
    } catch { /* this one stays automatic, and the page says so */ }
  }
}

// Keeps the screen awake while the page is shown; true if the browser can.
export async function stayAwake() {
  if (!navigator.wakeLock) return false;
  const ask = async () => { try { await navigator.wakeLock.request("screen"); return true; } catch { return false; } };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });
  return ask();
}
