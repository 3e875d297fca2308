import pino from 'pino';
import { createAccounts, type SendingNumber } from '../src/accounts/index.ts';
import { createQueueBounds } from '../src/admission/index.ts';
import { cancelMessage, cancelMessages } from '../src/cancellation/index.ts';
import { createWindows } from '../src/conversations/index.ts';
import { AppError } from '../src/core/errors.ts';
import { pause } from '../src/core/run/waiting.ts';
import type { Random } from '../src/core/seeded-random.ts';
import type { Changes, ChangeTopic } from '../src/database/changes/change-feed.ts';
import type { Database } from '../src/database/database.ts';
import { Dispatcher } from '../src/dispatch/index.ts';
import type { Caller } from '../src/http/index.ts';
import { type ApplyDeps, applyPayloads } from '../src/inbound-webhooks/apply/apply-payload.ts';
import { identifyItems } from '../src/inbound-webhooks/apply/identify-items.ts';
import { emptyPayload } from '../src/inbound-webhooks/payload/upstream-payload.ts';
import { Heartbeat } from '../src/leases/index.ts';
import {
  type AcceptDeps,
  acceptMessage,
  createMessageWriter,
  EarlyStatuses,
  OutcomeWaiters,
} from '../src/messages/index.ts';
import { readMarketingRequest, readSendRequest } from '../src/messages/send/send-request.ts';
import { createOptOuts } from '../src/opt-outs/index.ts';
import { createOrganizationSettings, createPlans, type OrganizationSettings } from '../src/organizations/index.ts';
import { createPeople, type People } from '../src/people/index.ts';
import { createTracing } from '../src/telemetry/index.ts';
import { createTemplates } from '../src/templates/index.ts';
import { TokenApps, type Upstream } from '../src/upstream/index.ts';
import type { Webhook } from './people/lives.ts';
import { silentMetrics } from './silent-metrics.ts';
import type { Link } from './store/link.ts';
import type { ChangeRow, Tables } from './store/tables.ts';
import type { VirtualProcess } from './virtual-process.ts';

/** A client's request to send a message. */
export interface HttpRequest {
  caller: Caller;
  phoneNumberId: string;
  /** The number's row when the request was made. */
  numberId: number;
  body: string;
  idempotencyKey: string | undefined;
  sync: boolean;
  /** True for a request to `/marketing_messages`. */
  marketing: boolean;
}

/** The gateway's answer: `reset` if the connection breaks instead. */
export type HttpAnswer =
  | { kind: 'accepted'; messageId: string; wamid: string | undefined; isReplay: boolean }
  | { kind: 'refused'; code: string }
  | { kind: 'reset' };

export interface GatewayOptions {
  process: VirtualProcess;
  nodeId: string;
  link: Link;
  upstream: Upstream;
  random: Random;
  alone: boolean;
  tables: Tables;
}

const SWEEP_MS = 1_000;
const LOOK_MS = 200;
const DRAIN_MS = 10_000;
const IN_FLIGHT_MAX = 1_024;
/** Filters that match every message. */
const ANYTHING = {
  ...{ type: undefined, template: undefined, callbackData: undefined, userId: undefined },
  ...{ fromMs: undefined, toMs: undefined, after: undefined },
};

interface Subscriber {
  topics: ChangeTopic[];
  onChange: (key: string) => unknown;
}

/**
 * One gateway process: the product's own classes, composed as in `app.ts`, without HTTP and without the modules that take no part in
 * accepting, dispatching and settling.
 */
export class Gateway {
  readonly process: VirtualProcess;
  readonly nodeId: string;
  readonly link: Link;
  readonly #db: Database;
  readonly #settings: OrganizationSettings;
  readonly #accept: AcceptDeps;
  readonly #dispatcher: Dispatcher;
  readonly #tables: Tables;
  readonly #people: People;
  readonly #apply: ApplyDeps;
  readonly #earlyStatuses: EarlyStatuses;
  readonly #rememberers: Subscriber[] = [];
  readonly #followers: Subscriber[] = [];
  readonly #requests = new Set<Promise<unknown>>();
  #isServing = false;

  constructor(options: GatewayOptions) {
    const { process, nodeId, link, upstream, random } = options;
    this.process = process;
    this.nodeId = nodeId;
    this.link = link;
    this.#tables = options.tables;
    const { clock } = process;
    const db = link.database();
    const changes: Changes = {
      on: (topics, onChange) => void this.#rememberers.push({ topics: [topics].flat(), onChange }),
      follow: (topics, onChange) => void this.#followers.push({ topics: [topics].flat(), onChange }),
    };
    const secretBox = { seal: (text: string) => Buffer.from(text), open: (sealed: Buffer) => sealed.toString() };
    const accounts = createAccounts({
      db,
      changes,
      secretBox,
      tokenApps: new TokenApps(),
      platform: 'simulated',
      clock,
    });
    const plans = createPlans({ db, changes });
    const settings = createOrganizationSettings({ db, changes });
    const templates = createTemplates({ db, changes, clock, accounts, upstream });
    const waiters = new OutcomeWaiters({ db, clock });
    const log = pino({ level: 'silent', timestamp: false });
    this.#db = db;
    this.#settings = settings;
    this.#earlyStatuses = new EarlyStatuses({ db, clock, log });
    this.#dispatcher = new Dispatcher({
      db,
      directDb: db,
      clock,
      log,
      random: () => random.next(),
      nodeId,
      alone: options.alone,
      heartbeat: new Heartbeat({ db, clock, log, nodeId, servesApi: true, alone: options.alone }),
      dispatches: true,
      servesApi: true,
      changes,
      metrics: silentMetrics,
      tracing: createTracing(),
      accounts,
      settings,
      templates,
      upstream,
      inFlightMax: IN_FLIGHT_MAX,
      isAwaited: (messageId) => waiters.isAwaited(messageId),
      onSettled: ({ messageId, outcome }) => waiters.settle(messageId, outcome),
      applyEarlyStatuses: (wamidDigests) => this.#earlyStatuses.applySoon(wamidDigests),
      learnNames: (names) => {
        const sighting = { ...names, parentUserIds: [], atMs: clock.now() };
        // Names that are not stored come with the next report.
        this.#people.confirm([sighting]).catch(() => {});
      },
    });
    this.#people = createPeople({ db, clock });
    this.#apply = {
      accounts,
      people: this.#people,
      settings,
      followers: [],
      inboundCounted: (numberId, count) => this.#dispatcher.countInbound(numberId, count),
    };
    this.#accept = {
      people: this.#people,
      lookups: { for: () => db },
      clock,
      accounts,
      plans,
      templates,
      windows: createWindows({ db, clock }),
      optOuts: createOptOuts({ db }),
      queueBounds: createQueueBounds({ db, clock }),
      writer: createMessageWriter({
        db,
        clock,
        nodeId,
        queue: this.#dispatcher,
        metrics: silentMetrics,
        recent: { note() {} },
      }),
      waiters,
      freeTier: { usedBy: () => 0 },
    };
  }

  get isServing(): boolean {
    return this.#isServing && this.process.isRunning;
  }

  /** Starts the dispatcher. Rejects if the database cannot be reached; the process then ends. */
  async start(): Promise<void> {
    await this.#dispatcher.start();
    this.#isServing = true;
    const sweep = () => {
      this.process.clock.schedule(SWEEP_MS, () => {
        // A failed sweep is repeated after the same delay.
        void this.#earlyStatuses.apply().then(sweep, sweep);
      });
    };
    sweep();
  }

  /** Ends as after SIGTERM: answers the requests in progress, then stops dispatching. */
  async stop(): Promise<void> {
    this.#isServing = false;
    this.#accept.waiters.stop();
    await Promise.allSettled(this.#requests);
    await this.#dispatcher.stop(DRAIN_MS);
  }

  /** Handles a client's request; `answer` is called once. A request made before its number was connected again is never accepted. */
  handle(request: HttpRequest, answer: (answer: HttpAnswer) => void): void {
    const isOld = (this.#tables.connectedNumber(request.phoneNumberId)?.numberId ?? 0) > request.numberId;
    if (!this.#isServing || isOld) {
      answer({ kind: 'reset' });
      return;
    }
    const handling = this.#acceptRequest(request).then(answer);
    this.#requests.add(handling);
    void handling.finally(() => this.#requests.delete(handling));
  }

  /**
   * Cancels one message of a caller, or all waiting messages to a person with this phone number (digits) or user id. Rejects if the client
   * has to ask again.
   */
  async cancel(
    { caller, phoneNumberId }: HttpRequest,
    what: { id: string } | { recipient: string } | { userId: string },
  ): Promise<void> {
    const { organizationId } = caller;
    const deps = { db: this.#db, accounts: this.#accept.accounts };
    if ('id' in what) await cancelMessage(deps, organizationId, what.id);
    else await cancelMessages(deps, organizationId, { ...ANYTHING, recipient: undefined, phoneNumberId, ...what });
  }

  /** Drops the cached rows that the changes affect. */
  forget(changes: readonly ChangeRow[]): void {
    for (const change of changes) tell(this.#rememberers, change);
  }

  /**
   * Applies changes committed together, as the change feed delivers them. Calls `inForce` once per changed number when the change is in
   * force on this node, after as many reads as that takes.
   */
  hear(changes: readonly ChangeRow[], inForce: (phoneNumberId: string) => void): void {
    for (const change of changes) {
      const { topic, key } = change;
      if (topic === 'cancellation') this.#dispatcher.messagesCancelled();
      if (topic === 'person') this.#dispatcher.peopleMerged(key);
      if (topic === 'number') void this.#followNumber(key).then(() => inForce(key));
      tell(this.#followers, change);
    }
  }

  async #followNumber(phoneNumberId: string): Promise<void> {
    for (let isInForce = false; !isInForce; ) {
      isInForce = await this.#dispatcher.numbersChanged(phoneNumberId).then(
        () => true,
        () => false,
      );
      if (!isInForce) await pause(this.process.clock, LOOK_MS);
    }
  }

  /** Receives a webhook; rejects if the platform has to deliver it again. */
  async receive(webhook: Webhook): Promise<void> {
    const payload = { ...emptyPayload(), ...webhook };
    const { statuses, inbound, sameness } = webhook;
    const ids = [...new Set([...statuses, ...inbound].map(({ phoneNumberId }) => phoneNumberId))];
    const numbers = new Map(
      ids.flatMap((id) => {
        const number = this.#tables.connectedNumber(id);
        return number === undefined ? [] : [[id, number as unknown as SendingNumber] as const];
      }),
    );
    const owners = new Map(ids.map((id) => [id, this.#ownersOf(id)]));
    const statedOwners = new Map(
      sameness.map(({ wabaId }) => [wabaId, this.#tables.wabas.get(wabaId)?.organizationId]),
    );
    const facts = { numbers, owners, wabaOwners: new Map(), statedOwners };
    const people = await identifyItems(this.#people, [payload], facts);
    const resolved = { ...facts, payloads: [payload], people, stopWords: new Map(), unknownWabas: new Set<string>() };
    const received = await this.#db.transaction((tx) =>
      applyPayloads(tx, this.#apply, resolved, this.process.clock.now()),
    );
    for (const numberId of received) this.#apply.inboundCounted(numberId, 1);
  }

  #ownersOf(phoneNumberId: string) {
    return this.#tables.numbersCalled(phoneNumberId).map(({ organizationId, releasedAtMs }) => {
      return { organizationId, untilMs: releasedAtMs ?? Number.POSITIVE_INFINITY };
    });
  }

  async #acceptRequest(request: HttpRequest): Promise<HttpAnswer> {
    try {
      const read = request.marketing ? readMarketingRequest : readSendRequest;
      const send = read(Buffer.from(request.body));
      if (send.kind !== 'send') throw new Error('a client may only send messages');
      const { idempotencyKey, sync } = request;
      const answer = await acceptMessage(this.#accept, request.caller, request.phoneNumberId, send, {
        settings: await this.#settings.get(request.caller.organizationId),
        idempotencyKey,
        sync,
        traceparent: undefined,
      });
      const { messageId, wamid, replayed } = answer;
      return { kind: 'accepted', messageId, wamid, isReplay: replayed };
    } catch (error) {
      // Every other error is answered with a 500.
      return { kind: 'refused', code: error instanceof AppError ? error.code : 'INTERNAL_ERROR' };
    }
  }
}

function tell(subscribers: readonly Subscriber[], { topic, key }: ChangeRow): void {
  for (const { topics, onChange } of subscribers) if (topics.includes(topic)) onChange(key);
}
