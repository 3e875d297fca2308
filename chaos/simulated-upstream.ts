import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SupervisedProcess } from './supervised-process.ts';

/** Secret that signs the simulator's webhooks. */
export const SIMULATED_APP_SECRET = 'simulated-app-secret';

/** A number with its own business account. */
export interface SimulatedNumber {
  wabaId: string;
  phoneNumberId: string;
  accessToken: string;
  displayPhoneNumber: string;
  templates: unknown[];
}

/** One request to send that reached the upstream. */
export interface UpstreamSend {
  sequence: number;
  arrivedAtMs: number;
  phoneNumberId: string;
  /** Identifies the message; null if the body never arrived or does not belong to the load. */
  tag: string | null;
  /** The wamid if the message was accepted. */
  wamid: string | null;
}

export interface UpstreamViolation {
  kind: 'throughput' | 'pair';
  phoneNumberId: string;
  recipient: string;
  atMs: number;
  /** Messages per second, or in a burst, that the upstream allows. */
  limit: number;
}

const READY_MS_MAX = 30_000;
const COLLECT_EVERY_MS = 250;
const MAIN = join(import.meta.dirname, '../src/main.ts');

/** The tag that identifies a message, anywhere in its body. */
export const TAG_PATTERN = /m:\d+:\d+/;

/** `fairway simulate` with strict limits, as the referee of the run. Its log of sends is collected during the run. */
export class SimulatedUpstream {
  readonly port: number;
  readonly #process: SupervisedProcess;
  readonly #sends: UpstreamSend[] = [];
  #collecting: Promise<void> = Promise.resolve();
  #collector: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(options: { port: number; runDir: string; webhookUrl: string }) {
    this.port = options.port;
    this.#process = new SupervisedProcess({
      args: [MAIN, 'simulate', '--port', String(options.port), '--webhook-url', options.webhookUrl],
      logFile: join(options.runDir, 'simulator.log'),
      env: { PATH: process.env.PATH ?? '' },
    });
  }

  async start(): Promise<void> {
    this.#process.start();
    const deadline = performance.now() + READY_MS_MAX;
    while (!(await this.#isReady())) {
      if (performance.now() > deadline) throw new Error('the simulator did not start');
      await delay(50);
    }
    this.#collector = this.#collectOn();
  }

  /** Every send so far, in the order of arrival. */
  get sends(): readonly UpstreamSend[] {
    return this.#sends;
  }

  async addNumber(number: SimulatedNumber): Promise<void> {
    await this.call('POST', '/wabas', {
      waba_id: number.wabaId,
      access_token: number.accessToken,
      numbers: [{ id: number.phoneNumberId, display_phone_number: number.displayPhoneNumber }],
      templates: number.templates,
    });
  }

  /** Adds a fault, in the format of the control API. */
  async addFault(fault: Record<string, unknown>): Promise<void> {
    await this.call('POST', '/faults', fault);
  }

  async clearFaults(): Promise<void> {
    await this.call('DELETE', '/faults');
  }

  /** Returns true if every webhook is answered or given up within `timeoutMs`. */
  async isQuietWithin(timeoutMs: number): Promise<boolean> {
    try {
      await this.call('GET', '/quiet', undefined, timeoutMs);
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') return false;
      throw error;
    }
  }

  async listViolations(): Promise<UpstreamViolation[]> {
    const { data } = (await this.call('GET', '/violations')) as {
      data: { kind: 'throughput' | 'pair'; phone_number_id: string; recipient: string; at: number; limit: number }[];
    };
    return data.map(({ kind, phone_number_id: phoneNumberId, recipient, at: atMs, limit }) => ({
      kind,
      phoneNumberId,
      recipient,
      atMs,
      limit,
    }));
  }

  /** Collects the sends that arrived before this call. */
  async collect(): Promise<void> {
    this.#collecting = this.#collecting.then(() => this.#collectNew());
    await this.#collecting;
  }

  async #collectNew(): Promise<void> {
    for (;;) {
      const after = this.#sends.at(-1)?.sequence ?? 0;
      const { data } = (await this.call('GET', `/sends?after=${after}&limit=1000`)) as { data: WireSend[] };
      this.#sends.push(...data.map(toUpstreamSend));
      if (data.length < 1000) return;
    }
  }

  async stop(): Promise<void> {
    this.#ended = true;
    await this.#collector;
    await this.#process.stop();
  }

  async call(method: string, path: string, body?: unknown, timeoutMs = 15_000): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/_sim${path}`, {
      method,
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`simulator: ${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  /** Collects sends continuously, because the simulator keeps only the newest. */
  async #collectOn(): Promise<void> {
    while (!this.#ended) {
      await this.collect();
      await delay(COLLECT_EVERY_MS);
    }
  }

  async #isReady(): Promise<boolean> {
    return this.call('GET', '/health', undefined, 1_000).then(
      () => true,
      () => false,
    );
  }
}

interface WireSend {
  sequence: number;
  arrived_at: number;
  phone_number_id: string;
  body_base64: string;
  outcome: { kind: string; wamid?: string };
}

function toUpstreamSend(wire: WireSend): UpstreamSend {
  const body = Buffer.from(wire.body_base64, 'base64').toString('utf8');
  return {
    sequence: wire.sequence,
    arrivedAtMs: wire.arrived_at,
    phoneNumberId: wire.phone_number_id,
    tag: TAG_PATTERN.exec(body)?.[0] ?? null,
    wamid: wire.outcome.kind === 'accepted' ? (wire.outcome.wamid ?? null) : null,
  };
}
