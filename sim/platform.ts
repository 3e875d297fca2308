import type { Random } from '../src/core/seeded-random.ts';
import { PlatformClock, type SendOutcome, type SendRequest, type Upstream } from '../src/upstream/index.ts';
import type { Coverage } from './coverage.ts';
import type { EventLoop } from './event-loop.ts';
import { LimitReferee } from './limit-referee.ts';
import type { MarketingRules } from './marketing-rules.ts';
import { type PeopleBook, type Person, shownNames } from './people/person.ts';
import type { Arrival, Envelope, Written } from './requests.ts';
import { type Deliver, StatusReports } from './status-reports.ts';
import { wabaOf } from './store/statements/account-statements.ts';
import type { Trace } from './trace.ts';
import type { VirtualProcess } from './virtual-process.ts';
import type { PlatformWeather } from './weather.ts';

/** Reason why the platform refuses everything from a token, an account or a number, or everything at all. */
export type Refusal = Extract<SendOutcome, { kind: 'blocked' | 'throttled' }>;

export interface PlatformOptions {
  loop: EventLoop;
  random: Random;
  weather: PlatformWeather;
  coverage: Coverage;
  trace: Trace;
  /** Messages per second of every number. */
  messagesPerSecond: number;
  readEnvelope: (body: string) => Envelope;
  marketing: MarketingRules;
  book: PeopleBook;
  /** Returns the key under which the queue has a message. */
  keyOf: (label: string) => string;
  /** Called when the first byte of a request is written. */
  onWrite: (written: Written) => void;
  /** Called when a node receives such a refusal of a request with the token. */
  onRefused: (node: string, token: string, refusal: Refusal) => void;
  /** Delivers one webhook; `done` reports if it was answered with success. */
  deliver: Deliver;
}

const WAIT_FOR_ANSWER_MS = 30_000;
/** Key of a refusal that affects all requests. */
export const ANYTHING = 'anything';
const REJECTION = { code: 131_026, error_user_title: 'Undeliverable', error_user_msg: 'Message undeliverable.' };
const REJECTED: SendOutcome = {
  kind: 'rejected',
  code: String(REJECTION.code),
  message: REJECTION.error_user_msg,
  provider: REJECTION,
};

/**
 * The platform: receives requests, enforces limits, answers, loses requests and answers, and reports statuses later, before its own answer,
 * twice or not at all. Its log of arrivals and reports is the truth by which the gateways are judged.
 */
export class Platform {
  readonly arrivals: Arrival[] = [];
  readonly reports: StatusReports;
  readonly referee: LimitReferee;
  readonly #options: PlatformOptions;
  /** By token, account or number; `ANYTHING` for all. */
  readonly #refused = new Map<string, Refusal>();
  #isCalm = false;
  #messages = 0;

  constructor(options: PlatformOptions) {
    this.#options = options;
    this.referee = new LimitReferee(options.messagesPerSecond);
    this.reports = new StatusReports({ ...options, falls: (probability) => this.#falls(probability) });
  }

  /** From now on every request is answered, and every webhook that is not lost already is delivered. */
  calm(): void {
    this.#isCalm = true;
  }

  /** Refuses all requests with this token, or from this account or number, or all requests, until `allow`. */
  refuse(refused: string, refusal: Refusal): void {
    this.#refused.set(refused, refusal);
  }

  allow(refused: string): void {
    this.#refused.delete(refused);
  }

  refuses(what: string): boolean {
    return this.#refused.has(what);
  }

  /** Returns the upstream client of one process. */
  upstreamOf(process: VirtualProcess): Upstream {
    const unused = () => {
      throw new Error('not simulated');
    };
    return {
      platformClock: new PlatformClock(process.clock),
      sendMessage: (request) => this.#send(process, request),
      markAsRead: unused,
      listPhoneNumbers: unused,
      readNumberHealth: unused,
      readOnboarding: unused,
      readAppWebhooks: unused,
      subscribeAppFields: unused,
      debugToken: unused,
      exchangeCode: unused,
      readNumberState: unused,
      registerNumber: unused,
      requestNumberCode: unused,
      verifyNumber: unused,
      readSubscription: unused,
      subscribeApp: unused,
      unsubscribeApp: unused,
      listTemplates: unused,
      findTemplatesByName: unused,
      getTemplate: unused,
      summarizeTemplates: unused,
      createTemplate: unused,
      editTemplate: unused,
      deleteTemplates: unused,
      uploadSample: unused,
      uploadMedia: unused,
      getMedia: unused,
      deleteMedia: unused,
      downloadMedia: unused,
      passThrough: unused,
      close: () => Promise.resolve(),
    };
  }

  #send(process: VirtualProcess, request: SendRequest): Promise<SendOutcome> {
    const { loop, random, weather, coverage } = this.#options;
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    const answer = (outcome: SendOutcome, delayMs: number, heard = () => {}) => {
      loop.in(delayMs, () =>
        process.deliver(() => {
          heard();
          if (outcome.kind === 'throttled' || outcome.kind === 'blocked')
            this.#options.onRefused(process.name, request.token, outcome);
          resolve(outcome);
        }),
      );
    };
    if (this.#falls(weather.unreachable)) {
      coverage.hit('upstream unreachable');
      answer({ kind: 'unsent', reason: 'connect' }, random.next() * 100);
      return promise;
    }
    loop.in(random.next() * 5, () =>
      process.deliver(() => {
        if (request.mayWrite?.() === false) {
          coverage.hit('message withheld before its first byte');
          resolve({ kind: 'unsent', reason: 'withheld' });
          return;
        }
        request.wrote?.();
        this.#write(process, request, answer);
      }),
    );
    return promise;
  }

  #write(
    process: VirtualProcess,
    request: SendRequest,
    answer: (outcome: SendOutcome, delayMs: number, heard?: () => void) => void,
  ): void {
    const { loop, random, weather, coverage, trace } = this.#options;
    const envelope = this.#options.readEnvelope(String(request.body));
    const { road, token } = request;
    trace.note(`${process.name} writes ${envelope.label} to ${road}`);
    const place = { label: envelope.label, node: process.name, token, road };
    const written = { ...place, isRefused: false, wallMs: process.clock.now() };
    this.#options.onWrite(written);
    if (this.#falls(weather.requestLost)) {
      coverage.hit('request lost on its way');
      answer(...this.#loss());
      return;
    }
    loop.in(random.next() * 5, () => {
      const { outcome, arrival } = this.#judge(request, envelope);
      if (this.#falls(weather.answerLost)) {
        coverage.hit('answer lost on its way back');
        answer(...this.#loss());
        return;
      }
      arrival.isAnswered = true;
      const isSlow = this.#falls(weather.slow);
      if (isSlow) coverage.hit('upstream slow');
      answer(outcome, random.next() * (isSlow ? weather.slowMsMax : weather.answerMsMax), () => {
        written.isRefused = outcome.kind !== 'accepted';
      });
    });
  }

  #loss(): [SendOutcome, number] {
    const { random } = this.#options;
    return random.chance(0.3)
      ? [{ kind: 'unknown', reason: 'timeout' }, WAIT_FOR_ANSWER_MS]
      : [{ kind: 'unknown', reason: random.pick(['connection_lost', 'server_error']) }, random.next() * 1_000];
  }

  #judge({ phoneNumberId, token, road }: SendRequest, envelope: Envelope): { outcome: SendOutcome; arrival: Arrival } {
    const { loop, coverage, trace } = this.#options;
    const atMs = loop.nowMs;
    const person = this.#options.book.find(envelope.name);
    const arrival: Arrival = {
      label: envelope.label,
      road,
      phoneNumberId,
      atMs,
      person: person?.id,
      wamid: undefined,
      isAnswered: false,
    };
    this.arrivals.push(arrival);
    const outcome =
      this.#findRefusal(token, phoneNumberId) ??
      this.#options.marketing.refusalOf(wabaOf(token), road, envelope.template) ??
      this.#refusal(phoneNumberId, person, envelope.label) ??
      (person === undefined ? REJECTED : this.#take(arrival, envelope, person));
    trace.note(`platform gets ${envelope.label}: ${outcome.kind}`);
    if (outcome.kind === 'rejected' && outcome !== REJECTED) coverage.hit('road refused');
    if (outcome.kind === 'accepted' && road === 'marketing_messages') coverage.hit('taken at the marketing edge');
    if (outcome.kind === 'throttled' && outcome.scope !== 'pair') coverage.hit(`${outcome.scope} throttled`);
    return { outcome, arrival };
  }

  #findRefusal(token: string, phoneNumberId: string): Refusal | undefined {
    const concerning = [token, wabaOf(token), phoneNumberId, ANYTHING];
    return concerning.map((what) => this.#refused.get(what)).find((refusal) => refusal !== undefined);
  }

  /** Judges limits last: only requests that pass the other checks count. */
  #refusal(phoneNumberId: string, person: Person | undefined, label: string): SendOutcome | undefined {
    const { loop, weather, coverage } = this.#options;
    if (this.#falls(weather.throttled)) {
      return { kind: 'throttled', scope: 'number', retryAfterMs: null, code: '130429', message: null };
    }
    if (this.#falls(weather.unavailable)) {
      coverage.hit('upstream unavailable');
      const isOutage = this.#falls(0.5);
      const code = isOutage ? '131016' : '131000';
      return { kind: 'unavailable', reason: 'Something went wrong.', code, retryAfterMs: null, isOutage };
    }
    if (person === undefined) {
      coverage.hit('name given up by its person');
      return undefined;
    }
    const pair = { phoneNumberId, person: String(person.id), key: this.#options.keyOf(label) };
    const limit = this.referee.admit(pair, loop.nowMs);
    if (this.referee.isBurstUsedUp(pair, loop.nowMs)) coverage.hit('burst of a pair used up');
    if (limit !== 'admitted') {
      if (limit === 'number') coverage.hit('refused beyond a level that was lowered');
      const code = limit === 'pair' ? '131056' : '130429';
      return { kind: 'throttled', scope: limit, retryAfterMs: null, code, message: null };
    }
    if (this.#falls(weather.rejected)) {
      coverage.hit('upstream rejected');
      return REJECTED;
    }
    return undefined;
  }

  /** Accepts a message. One that is sent to a person's phone number shows the number again. */
  #take(arrival: Arrival, envelope: Envelope, person: Person): SendOutcome {
    this.#messages += 1;
    const wamid = `wamid.${this.#messages}`;
    arrival.wamid = wamid;
    const isByNumber = envelope.name === person.phone;
    if (isByNumber) person.isHidden = false;
    this.reports.plan({ wamid, phoneNumberId: arrival.phoneNumberId, envelope, person });
    const hasNames = isByNumber && person.userId !== undefined && this.#options.random.chance(0.5);
    if (!hasNames) return { kind: 'accepted', wamid };
    const { numbers, userIds } = shownNames(person);
    return { kind: 'accepted', wamid, names: { numbers: [...numbers], userIds: [...userIds] } };
  }

  #falls(probability: number): boolean {
    return !this.#isCalm && this.#options.random.chance(probability);
  }
}
