import type { Random } from '../../src/core/seeded-random.ts';
import type { UpstreamPayload } from '../../src/inbound-webhooks/payload/upstream-payload.ts';
import type { Coverage } from '../coverage.ts';
import { type EventLoop, recur } from '../event-loop.ts';
import type { NumberRow } from '../store/tables.ts';
import type { Trace } from '../trace.ts';
import { EPOCH_MS } from '../virtual-process.ts';
import { type PeopleBook, type Person, shownNames } from './person.ts';

/** The parts of a webhook that concern people and their messages. */
export type Webhook = Pick<UpstreamPayload, 'statuses' | 'inbound' | 'sameness'>;

/** A message of a person that a gateway has taken. */
export interface Received {
  person: Person;
  /** Row of the business number, which had it while the webhook was delivered; undefined if it changed. */
  numberId: number | undefined;
  /** Names in the webhook. */
  names: readonly string[];
  /** Epoch ms. */
  atMs: number;
}

export interface LivesOptions {
  loop: EventLoop;
  random: Random;
  coverage: Coverage;
  trace: Trace;
  book: PeopleBook;
  /** Returns the connected row of a business number. */
  connected: (phoneNumberId: string) => NumberRow | undefined;
  /** Mean times between two messages of people, and between two changes of their names, ms. */
  inboundEveryMs: number;
  changeEveryMs: number;
  /** Delivers one webhook; `done` reports if it was answered with success. */
  deliver: (webhook: Webhook, done: (isTaken: boolean) => void) => void;
}

/** Nobody gets a number right after another person gave it up, ms. */
const FREE_FOR_MS = 3_000;

/** The lives of people: they write, hide their numbers, and change numbers and user ids. */
export class Lives {
  readonly received: Received[] = [];
  readonly #options: LivesOptions;
  readonly #freedAtMs = new Map<string, number>();
  #isOver = false;
  #undelivered = 0;
  #messages = 0;

  constructor(options: LivesOptions) {
    this.#options = options;
    const { inboundEveryMs, changeEveryMs, random, book } = options;
    const chances = { ...options, isOver: () => this.#isOver };
    recur(chances, inboundEveryMs, () => this.write(random.pick(book.people)));
    recur(chances, changeEveryMs, () => this.#change(random.pick(book.people)));
  }

  /** Number of webhooks still to be taken. */
  get undelivered(): number {
    return this.#undelivered;
  }

  /** From now on people neither write nor change their names by themselves. */
  end(): void {
    this.#isOver = true;
  }

  /** Lets a person write to the business number. */
  write(person: Person): void {
    const { loop, coverage, connected } = this.#options;
    this.#messages += 1;
    const atMs = Math.floor(EPOCH_MS + loop.nowMs);
    const names = shownNames(person);
    const message = {
      phoneNumberId: person.number.phoneNumberId,
      wabaId: person.number.wabaId,
      wamid: `inbound.${this.#messages}`,
      person: names,
      groupId: undefined,
      origin: 'api' as const,
      type: 'text',
      atMs,
      raw: '{}',
      value: undefined,
    };
    const numberId = connected(message.phoneNumberId)?.numberId;
    this.#deliver({ inbound: [message] }, () => {
      coverage.hit('inbound opened a window');
      const isSame = connected(message.phoneNumberId)?.numberId === numberId;
      const shown = [...names.numbers, ...names.userIds];
      this.received.push({ person, numberId: isSame ? numberId : undefined, names: shown, atMs });
    });
  }

  #change(person: Person): void {
    if (person.userId === undefined) return;
    const { random, coverage, trace, book } = this.#options;
    const kind = random.pick(['hide', 'hide', 'number', 'pass', 'id'] as const);
    trace.note(`person ${person.id} (${person.phone} ${person.userId}): ${kind}`);
    switch (kind) {
      case 'hide':
        coverage.hit('person hid the number');
        person.isHidden = true;
        break;
      case 'number':
        this.#changeNumber(person, undefined);
        break;
      case 'pass': {
        const phone = book.freePhone(person.number);
        if (phone === undefined || this.#options.loop.nowMs < (this.#freedAtMs.get(phone) ?? 0) + FREE_FOR_MS) break;
        coverage.hit('number passed to another person');
        this.#changeNumber(person, phone);
        break;
      }
      case 'id': {
        coverage.hit('user id changed');
        const former = book.changeUserId(person);
        this.#state(person, shownNames(person).numbers, [], former);
      }
    }
  }

  /** Gives a person another number, and reports it as the platform does: in up to two ways. A hidden number is reported in neither. */
  #changeNumber(person: Person, phone: string | undefined): void {
    const { random, coverage, loop, book } = this.#options;
    coverage.hit('number changed');
    const former = book.changeNumber(person, phone);
    this.#freedAtMs.set(former.phone, loop.nowMs);
    const shown = shownNames(person).numbers;
    const isShown = shown.length > 0;
    const isNote = isShown && random.chance(0.7);
    if (isNote) {
      const knowsId = random.chance(0.5) ? former.userId : undefined;
      this.#state(person, [former.phone, ...shown], [former.phone], knowsId);
    }
    if (!isNote || random.chance(0.7)) this.#state(person, shown, [], former.userId);
  }

  /** States that a person goes on under the present names. */
  #state(person: Person, numbers: readonly string[], formerNumbers: string[], formerId: string | undefined): void {
    const { loop } = this.#options;
    const userIds = [formerId, person.userId].filter((id) => id !== undefined);
    const names = { numbers, userIds, parentUserIds: [] };
    const stated = { wabaId: person.number.wabaId, names, formerNumbers, atMs: EPOCH_MS + loop.nowMs };
    this.#deliver({ sameness: [stated] }, () => {});
  }

  #deliver(part: Partial<Webhook>, taken: () => void): void {
    const { loop, random, deliver } = this.#options;
    this.#undelivered += 1;
    const attempt = () =>
      deliver({ statuses: [], inbound: [], sameness: [], ...part }, (isTaken) => {
        if (!isTaken) return void loop.in(500 + random.next() * 4_000, attempt);
        this.#undelivered -= 1;
        taken();
      });
    loop.in(random.next() * 500, attempt);
  }
}
