import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { LinkFault } from './tcp-proxy.ts';

/** Orders to the process; links are identified by number. */
export type LinkOrder =
  | { kind: 'open'; link: number; targets: readonly number[] }
  | { kind: 'misbehave'; link: number; fault: LinkFault }
  | { kind: 'reset'; link: number };

/** Answer to `open`: the port on which the link listens. */
export interface LinkOpened {
  link: number;
  port: number;
}

/** A connection from one process to another into which faults can be injected. */
export class Link {
  readonly port: number;
  readonly #order: (order: LinkOrder) => void;
  readonly #number: number;

  constructor(number: number, port: number, order: (order: LinkOrder) => void) {
    this.port = port;
    this.#number = number;
    this.#order = order;
  }

  /** Applies a fault from now on, also to open connections. */
  misbehave(fault: LinkFault): void {
    this.#order({ kind: 'misbehave', link: this.#number, fault });
  }

  /** Passes new data on untouched. Black-holed connections stay so, because their ends disagree about the data transferred. */
  heal(): void {
    this.misbehave({});
  }

  /** Resets every open connection on both sides. */
  resetAll(): void {
    this.#order({ kind: 'reset', link: this.#number });
  }
}

/**
 * All links of a run, in a separate process. In the runner's process, its own work would delay the data in the links, and the upstream's
 * limits count arrivals. A thread does not do: it may never end while its sockets are busy. Dispose it with `stop()`.
 */
export class LinkProcess {
  readonly #child = fork(new URL('./link-child.ts', import.meta.url));
  #links = 0;

  /** Opens a link on a free port of 127.0.0.1. It connects to the first of the target ports that accepts. */
  async open(targets: readonly number[]): Promise<Link> {
    const link = this.#links++;
    this.#order({ kind: 'open', link, targets });
    const [opened] = (await once(this.#child, 'message')) as [LinkOpened];
    if (opened.link !== link) throw new Error('only one link can be opened at a time');
    return new Link(link, opened.port, (order) => this.#order(order));
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  #order(order: LinkOrder): void {
    this.#child.send(order);
  }
}
