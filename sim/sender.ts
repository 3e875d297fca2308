import type { Random } from '../src/core/seeded-random.ts';
import type { Coverage } from './coverage.ts';
import type { EventLoop } from './event-loop.ts';
import type { Gateway, HttpAnswer, HttpRequest } from './gateway.ts';
import type { Recipient } from './population.ts';
import type { Envelope } from './requests.ts';
import { keyOfName } from './store/statements/people-statements.ts';
import type { NumberRow, Tables } from './store/tables.ts';
import type { Trace } from './trace.ts';
import type { Traffic } from './weather.ts';

/** One message that a client wants to send, with all answers it received. */
export interface Send {
  label: string;
  recipient: Recipient;
  /** The sending number's row when the send began. */
  number: NumberRow;
  /** The recipient's phone number or user id. */
  name: string;
  /** Earlier names of the recipient that the gateway knew to be one person's as the send began, and this one. */
  namesakes: ReadonlySet<string>;
  /** True if the recipient's window was known to be open as the send began. */
  isWindowOpen: boolean;
  key: string | undefined;
  sync: boolean;
  startedAtMs: number;
  /** Time of the first answer that reported acceptance or the final outcome. */
  acknowledgedAtMs: number | undefined;
  answers: (HttpAnswer | { kind: 'timeout' })[];
}

export interface SenderOptions {
  loop: EventLoop;
  random: Random;
  traffic: Traffic;
  coverage: Coverage;
  trace: Trace;
  recipient: Recipient;
  name: string;
  tables: Tables;
  /** Returns a gateway, which may be down. */
  pickGateway: () => Gateway | undefined;
  /** Returns true if a gateway must know the recipient's window as open under this name. */
  hasOpenWindow: (number: NumberRow, name: string) => boolean;
  /** Returns true if no new messages may begin. */
  isClosing: () => boolean;
}

const TRIP_MS_MAX = 5;
const PATIENCE_MS = 25_000;
const WORTH_ANOTHER_TRY = new Set(['UNAVAILABLE', 'INTERNAL_ERROR', 'SEND_TIMEOUT']);

/**
 * A client that writes to one person, each message after the answer to the previous one. It repeats a request with a key until the answer
 * is definite, and sends a request without a key once, whatever the answer.
 */
export class Sender {
  readonly sends: Send[] = [];
  readonly #options: SenderOptions;
  #isDone = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    options.loop.in(options.random.next() * options.traffic.thinkMsMax, () => this.#next());
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  #next(): void {
    const { loop, random, traffic, recipient, name } = this.#options;
    if (this.sends.length >= traffic.messagesPerSender || this.#options.isClosing()) {
      this.#isDone = true;
      return;
    }
    const label = `${name}.${this.sends.length + 1}`;
    const [number, personName] = [this.#number(), this.#nameOf(recipient)];
    const send: Send = {
      label,
      recipient,
      number,
      name: personName,
      namesakes: this.#namesakesOf(number, personName),
      isWindowOpen: this.#options.hasOpenWindow(number, personName),
      key: random.chance(traffic.keyed) ? `key ${label}` : undefined,
      sync: random.chance(traffic.sync),
      startedAtMs: loop.nowMs,
      acknowledgedAtMs: undefined,
      answers: [],
    };
    this.sends.push(send);
    const request = this.#requestOf(send);
    if (send.key !== undefined && random.chance(traffic.twiceAtOnce)) this.#repeatAtOnce(send, request);
    this.#attempt(send, request);
  }

  #attempt(send: Send, request: HttpRequest): void {
    this.#post(request, (answer) => {
      this.#note(send, answer);
      // A number that was connected again does not know the keys of its predecessor.
      if (send.key !== undefined && !isDefinite(answer) && this.#isSameNumber(send)) {
        this.#options.loop.in(100 + this.#options.random.next() * 1_500, () => this.#attempt(send, request));
        return;
      }
      this.#maybeMisuse(send, request, answer);
      this.#maybeCancel(send, request, answer);
      this.#options.loop.in(this.#options.random.next() * this.#options.traffic.thinkMsMax, () => this.#next());
    });
  }

  /** Repeats the request concurrently with the same key: both callers must get the same message. */
  #repeatAtOnce(send: Send, request: HttpRequest): void {
    this.#options.coverage.hit('key told twice at once');
    this.#options.loop.in(this.#options.random.next() * 20, () =>
      this.#post(request, (answer) => this.#note(send, answer)),
    );
  }

  /** Uses the key of an accepted message for another body. */
  #maybeMisuse(send: Send, request: HttpRequest, answer: HttpAnswer | { kind: 'timeout' }): void {
    const { random, loop, coverage, tables } = this.#options;
    if (send.key === undefined || answer.kind !== 'accepted' || !random.chance(0.05)) return;
    const numberOf = (messageId: string) => tables.messages.get(messageId)?.numberId;
    const other = {
      ...request,
      sync: false,
      marketing: false,
      body: bodyOf(send.name, `misuse of ${send.label}`, 'utility', undefined),
    };
    this.#post(other, (wrong) => {
      // A node that has not yet received the change of a reconnected number still accepts messages for its predecessor.
      if (wrong.kind === 'accepted' && numberOf(wrong.messageId) === numberOf(answer.messageId))
        loop.fail(new Error(`the key of ${send.label} was accepted for another body`));
      if (wrong.kind === 'refused' && wrong.code === 'IDEMPOTENCY_KEY_REUSED')
        coverage.hit('key used for another body');
    });
  }

  #isSameNumber({ number }: Send): boolean {
    return number.numberId === this.#number().numberId;
  }

  /** Cancels an accepted message, or all that wait for its recipient. The result shows in the messages. */
  #maybeCancel({ name }: Send, request: HttpRequest, answer: HttpAnswer | { kind: 'timeout' }): void {
    const { random, loop, pickGateway } = this.#options;
    if (answer.kind !== 'accepted' || answer.wamid !== undefined || !random.chance(0.06)) return;
    const byName = isNumber(name) ? { recipient: name } : { userId: name };
    const what = random.chance(0.5) ? { id: answer.messageId } : byName;
    // Most messages still wait if cancelled at once; later some have an unknown outcome.
    loop.in(random.next() * random.pick([200, 200, 10_000]), () => {
      const gateway = pickGateway();
      gateway?.process.deliver(() => void gateway.cancel(request, what).catch(() => {}));
    });
  }

  #note(send: Send, answer: HttpAnswer | { kind: 'timeout' }): void {
    const { loop, trace, coverage } = this.#options;
    send.answers.push(answer);
    const isReplay = answer.kind === 'accepted' && answer.isReplay;
    const isEnd = answer.kind === 'accepted' || (answer.kind === 'refused' && answer.code === 'SEND_FAILED');
    if (isEnd) send.acknowledgedAtMs ??= loop.nowMs;
    if (isReplay) coverage.hit('key replayed');
    if (answer.kind === 'refused' && answer.code === 'SEND_FAILED') coverage.hit('sync answered with its failure');
    if (answer.kind === 'refused' && answer.code.startsWith('PLAN_')) coverage.hit('plan used up');
    if (answer.kind === 'accepted' && send.sync) {
      coverage.hit(answer.wamid === undefined ? 'sync ran out of time' : 'sync answered with its wamid');
    }
    const what = answer.kind === 'refused' ? answer.code : answer.kind === 'accepted' ? (answer.wamid ?? '202') : '';
    trace.note(`client of ${send.label}: ${answer.kind} ${what}${isReplay ? ' again' : ''}`);
  }

  #post(request: HttpRequest, answered: (answer: HttpAnswer | { kind: 'timeout' }) => void): void {
    const { loop, random, pickGateway } = this.#options;
    let isOver = false;
    const end = (answer: HttpAnswer | { kind: 'timeout' }) => {
      if (isOver) return;
      isOver = true;
      cancelPatience();
      answered(answer);
    };
    const cancelPatience = loop.in(PATIENCE_MS, () => end({ kind: 'timeout' }));
    const comeBack = (answer: HttpAnswer) => loop.in(random.next() * TRIP_MS_MAX, () => end(answer));
    const gateway = pickGateway();
    loop.in(random.next() * TRIP_MS_MAX, () => {
      if (gateway === undefined) {
        comeBack({ kind: 'reset' });
        return;
      }
      gateway.process.onKilled(() => comeBack({ kind: 'reset' }));
      gateway.process.deliver(() => gateway.handle(request, comeBack));
    });
  }

  /** Returns the connected row of the number, or the last one. */
  #number(): NumberRow {
    const { tables, recipient } = this.#options;
    return tables.numbersCalled(recipient.number.phoneNumberId)[0] ?? recipient.number;
  }

  /** Returns the name that the next message is addressed to. Clients follow people's changes of names. */
  #nameOf({ person, knownBy }: Recipient): string {
    const { phone, userId } = person;
    if (userId === undefined || knownBy === 'number') return phone;
    return knownBy === 'id' || this.#options.random.chance(0.5) ? userId : phone;
  }

  #namesakesOf({ organizationId, wabaId }: NumberRow, name: string): Set<string> {
    const { tables } = this.#options;
    const account = { organization_id: organizationId, waba_id: wabaId };
    const key = keyOfName(tables, account, name);
    const earlier = this.sends.map((send) => send.name);
    return new Set([name, ...earlier.filter((one) => key !== null && keyOfName(tables, account, one) === key)]);
  }

  #requestOf(send: Send): HttpRequest {
    const { random, traffic, coverage } = this.#options;
    const { recipient, number, label, name } = send;
    if (!isNumber(name)) coverage.hit('sent to a user id');
    const kind = random.pick(['text', 'authentication', 'utility', 'marketing', 'utility']);
    const callbackData = random.chance(traffic.callbackData) ? label : undefined;
    return {
      caller: random.pick(recipient.callersOf(number.organizationId)),
      phoneNumberId: number.phoneNumberId,
      numberId: number.numberId,
      body: bodyOf(name, label, kind, callbackData),
      idempotencyKey: send.key,
      sync: send.sync,
      marketing: kind === 'marketing' && random.chance(traffic.explicitMarketing),
    };
  }
}

function isDefinite(answer: HttpAnswer | { kind: 'timeout' }): boolean {
  return answer.kind === 'accepted' || (answer.kind === 'refused' && !WORTH_ANOTHER_TRY.has(answer.code));
}

function isNumber(name: string): boolean {
  return /^\d/.test(name);
}

function bodyOf(name: string, label: string, kind: string, callbackData: string | undefined): string {
  const recipient = isNumber(name) ? { to: `+${name}` } : { recipient: name };
  const envelope = { messaging_product: 'whatsapp', ...recipient, biz_opaque_callback_data: callbackData };
  if (kind === 'text') return JSON.stringify({ ...envelope, type: 'text', text: { body: label } });
  const components = [{ type: 'body', parameters: [{ type: 'text', text: label }] }];
  const template = { name: kind, language: { code: 'en' }, components };
  return JSON.stringify({ ...envelope, type: 'template', template });
}

/** Reads a body written by `bodyOf`. */
export function readEnvelope(body: string): Envelope {
  const value = JSON.parse(body) as {
    to?: string;
    recipient?: string;
    biz_opaque_callback_data?: string;
    text?: { body: string };
    template?: { name: string; components: { parameters: { text: string }[] }[] };
  };
  const label = value.text?.body ?? value.template?.components[0]?.parameters[0]?.text ?? '';
  const name = value.to?.slice(1) ?? value.recipient ?? '';
  return { label, name, template: value.template?.name, callbackData: value.biz_opaque_callback_data };
}
