// What the desktop window tells the page, and what the page tells it back. In a
// browser there is no window, and all of it does nothing.

interface Shell {
  Ready(): Promise<OpenRequest>;
  Quit(): Promise<void>;
  Leave(): Promise<void>;
}

interface Events {
  EventsOn(name: string, on: (data: never) => void): () => void;
}

/** What the window wants to see: a session, and a question in it. */
export interface OpenRequest {
  session_id: string;
  interaction_id: string;
}

interface Ears {
  open(request: OpenRequest): void;
  /** The person wants to quit while so many agents work. */
  quit(agents: number): void;
}

const shell = (): Shell | undefined =>
  (window as { go?: { desktop?: { Shell?: Shell } } }).go?.desktop?.Shell;

// One listener for each event and for ever: the runtime's own way to take a
// listener off has faults, so who hears is kept here.
let ears: Ears | undefined;
let listening = false;

/** Hears the window until the returned function is called. */
export function hearWindow(who: Ears): () => void {
  ears = who;
  const runtime = window.runtime as Events | undefined;
  if (!listening && runtime?.EventsOn && shell()) {
    listening = true;
    runtime.EventsOn('parley:open', (r: OpenRequest) => ears?.open(r));
    runtime.EventsOn('parley:quit', (n: number) => ears?.quit(n));
    // Events from before this moment are lost; Ready hands over what waits.
    void shell()
      ?.Ready()
      .then((r) => {
        if (r.session_id) ears?.open(r);
      });
  }
  return () => {
    if (ears === who) ears = undefined;
  };
}

/** Closes the window and lets the agents go on without it. */
export function leaveRunning(): void {
  void shell()?.Leave();
}

/** Ends the program; the person has agreed. */
export function quitNow(): void {
  void shell()?.Quit();
}
