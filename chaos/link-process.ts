import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { LinkFault } from './tcp-proxy.ts';

/** What the process is told; links are named by number. */
export type LinkOrder =
  | { kind: 'open'; link: number; targets: readonly number[] }
  | { kind: 'misbehave'; link: number; fault: LinkFault }
  | { kind: 'reset'; link: number };

/** What it answers to `open`: where the link listens. */
export interface LinkOpened {
  link: number;
  port: number;
}

/** A way from one process to another that can be told to misbehave. */
export class Link {
  readonly port: number;
  readonly #order: (order: LinkOrder) => void;
  readonly #number: number;

  constructor(number: number, port: number, order: (order: LinkOrder) => void) {
    this.port = port;
    this.#number = number;
    this.#order = order;
  }

  /** Misbehaves like this from now on, towards open connections too. */
  misbehave(fault: LinkFault): void {
    this.#order({ kind: 'misbehave', link: this.#number, fault });
  }

  /** Passes new data on untouched. Connections that were black holes stay so: their ends believe different things. */
  heal(): void {
    this.misbehave({});
  }

  /** Resets every open connection, both ways. */
  resetAll(): void {
    this.#order({ kind: 'reset', link: this.#number });
  }
}

/**
 * All links of a run, in a process of their own: what the runner is busy with must not hold back what passes through them, for the
 * upstream's limits count arrivals. Not a thread: one whose sockets are in the middle of something may never end. Dispose it with
 * `stop()`.
 */
export class LinkProcess {
  readonly #child = fork(new URL('./link-child.ts', import.meta.url));
  #links = 0;

  /** Opens a link on a free port of 127.0.0.1 that leads to the first of these ports that takes the connection. */
  async open(targets: readonly number[]): Promise<Link> {
    const link = this.#links++;
    this.#order({ kind: 'open', link, targets });
    const [opened] = (await once(this.#child, 'message')) as [LinkOpened];
    if (opened.link !== link) throw new Error('links are opened one after the other');
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
