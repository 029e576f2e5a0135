// The search runs in a worker, which browsers refuse to load from disk: there a hidden frame does its work.
if (location.protocol === "file:") window.Worker = class extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.inside = frame.contentWindow;
    this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    this.ready = new Promise((loaded) => {
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = loaded;
      frame.contentDocument.body.append(script);
    });
  }
  postMessage(data) { this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data }))); }
};
