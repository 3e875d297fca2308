import type { Random } from '../src/core/seeded-random.ts';
import type { Coverage } from './coverage.ts';
import type { EventLoop } from './event-loop.ts';
import type { Webhook } from './people/lives.ts';
import { type Person, shownNames } from './people/person.ts';
import type { Envelope } from './requests.ts';
import { EPOCH_MS } from './virtual-process.ts';
import type { PlatformWeather } from './weather.ts';

/** Delivers one webhook; `done` reports if it was answered with success. */
export type Deliver = (webhook: Webhook, done: (isTaken: boolean) => void) => void;

type StatusUpdate = Webhook['statuses'][number];

/** A status that the platform reports. */
export interface ToldStatus {
  update: StatusUpdate;
  /** Time of the first gateway's 200 for this status; infinite before. */
  takenAtMs: number;
}

/** A message that the platform accepted. */
interface TakenMessage {
  wamid: string;
  phoneNumberId: string;
  envelope: Envelope;
  person: Person;
}

export interface StatusReportsOptions {
  loop: EventLoop;
  random: Random;
  weather: PlatformWeather;
  coverage: Coverage;
  deliver: Deliver;
  /** Draws if a trouble of this probability happens now. */
  falls: (probability: number) => boolean;
}

/** The platform's reports of statuses: later, before its answer to the send, together with others, twice or not at all. */
export class StatusReports {
  /** By wamid. */
  readonly told = new Map<string, ToldStatus[]>();
  readonly #options: StatusReportsOptions;
  /** Statuses for the next webhook. */
  #gathering: ToldStatus[] = [];
  #undelivered = 0;

  constructor(options: StatusReportsOptions) {
    this.#options = options;
  }

  /** Number of statuses still to be delivered. */
  get undelivered(): number {
    return this.#undelivered;
  }

  /** Plans the statuses of an accepted message, some of which are lost. */
  plan({ wamid, phoneNumberId, envelope, person }: TakenMessage): void {
    const { loop, random, weather, coverage, falls } = this.#options;
    const course: StatusUpdate['status'][] = random.chance(0.1)
      ? random.pick([['failed'], ['sent', 'failed']])
      : random.pick([['sent'], ['sent', 'delivered'], ['sent', 'delivered', 'read'], ['delivered', 'read']]);
    const shown = shownNames(person);
    // A failure names the person only as the message does.
    const isNumber = envelope.name === person.phone;
    const addressed = { ...shown, ...(isNumber ? { userIds: [] } : { numbers: [] }) };
    const told: ToldStatus[] = [];
    this.told.set(wamid, told);
    let atMs = loop.nowMs;
    for (const status of course) {
      atMs += random.next() * weather.statusMsMax;
      const isPriced = random.chance(0.5);
      const update: StatusUpdate = {
        wamid,
        phoneNumberId,
        person: status === 'failed' ? addressed : shown,
        status,
        atMs: Math.floor((EPOCH_MS + atMs) / 1_000) * 1_000,
        errorCode: status === 'failed' ? '131026' : undefined,
        errorMessage: status === 'failed' ? 'Message undeliverable.' : undefined,
        category: undefined,
        pricingType: isPriced ? 'regular' : undefined,
        callbackData: envelope.callbackData,
        value: undefined,
      };
      if (falls(weather.statusLost)) {
        coverage.hit('status lost');
        continue;
      }
      const entry = { update, takenAtMs: Number.POSITIVE_INFINITY };
      told.push(entry);
      this.#tellLater(entry, atMs - loop.nowMs);
      if (random.chance(weather.statusTwice)) {
        coverage.hit('status told twice');
        this.#tellLater(entry, atMs - loop.nowMs + random.next() * 5_000);
      }
    }
  }

  #tellLater(entry: ToldStatus, happensInMs: number): void {
    const { random, weather, coverage } = this.#options;
    if (random.chance(weather.statusEarly)) {
      coverage.hit('status early');
      this.#tell(entry, random.next() * 5);
      return;
    }
    const isLate = random.chance(weather.statusLate);
    if (isLate) coverage.hit('status late');
    this.#tell(entry, happensInMs + random.next() * (isLate ? weather.statusLateMsMax : weather.statusMsMax));
  }

  #tell(entry: ToldStatus, delayMs: number): void {
    this.#undelivered += 1;
    this.#options.loop.in(delayMs, () => this.#gather(entry));
  }

  /** Batches the statuses of a short time, and repeated ones, into one webhook. */
  #gather(entry: ToldStatus): void {
    const { loop, random, weather } = this.#options;
    this.#gathering.push(entry);
    if (this.#gathering.length > 1) return;
    loop.in(random.next() * weather.gatherMsMax, () => this.#deliver(this.#gathering.splice(0)));
  }

  #deliver(entries: ToldStatus[]): void {
    const { loop, random, weather, coverage, falls, deliver } = this.#options;
    const again = () => {
      coverage.hit('webhook refused and told again');
      for (const entry of entries) loop.in(500 + random.next() * 4_000, () => this.#gather(entry));
    };
    if (falls(weather.deliveryFails)) {
      again();
      return;
    }
    if (entries.length > 1) coverage.hit('statuses told together');
    const statuses = entries.map(({ update }) => update);
    deliver({ statuses, inbound: [], sameness: [] }, (isTaken) => {
      if (!isTaken) return again();
      for (const entry of entries) entry.takenAtMs = Math.min(entry.takenAtMs, loop.nowMs);
      this.#undelivered -= entries.length;
    });
  }
}
