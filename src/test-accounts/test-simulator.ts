import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/time/clock.ts';
import type { ChangeFeed } from '../database/changes/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import { type DeliverWebhook, type Simulator, startSimulator } from '../simulator/index.ts';
import { listStoredTemplates } from './queries.ts';
import { findAccountOfToken, type TestAccount } from './test-account.ts';
import { FIRST_TEMPLATES, seedOf } from './test-templates.ts';

export interface TestSimulatorDeps {
  /** The clock of the platform, by which the gateway judges statuses. */
  clock: Clock;
  db: Queryable;
  changes: Pick<ChangeFeed, 'on' | 'catchUp'>;
}

/** The app of the simulator. Its secret differs at each start. */
const APP_ID = '900000000000002';
const SENDS_KEPT = 100;
const MEDIA_BYTES_MAX = 256 * 1024 * 1024;
/** Room for an account with its number and first templates. */
const ACCOUNT_BYTES = 64 * 1024;
/** Most bytes that the calls of one account may store before it is forgotten. */
const ACCOUNT_BYTES_MAX = 16 * 1024 * 1024;
/** Most bytes of all accounts; the least recently used accounts are forgotten first. */
const ACCOUNTS_BYTES_MAX = 64 * 1024 * 1024;

/** An account that the simulator has. */
interface KeptAccount {
  /** Bytes that its calls may have stored. */
  bytes: number;
  /** Ids of its templates that were taken from the database. */
  taken: Set<string>;
}

/**
 * The simulator that serves the accounts of test organizations in this process. It listens on a Unix socket in a directory that only this
 * user can open, has no control API, and starts at the first connection. An account exists once a call names it, with the templates that are
 * stored for it.
 *
 * Accounts are forgotten whole, so that memory is bounded whatever their calls store: the least recently used ones beyond the bytes of all
 * accounts, and an account beyond its own. A forgotten account is like one after a restart.
 */
export class TestSimulator {
  readonly appId = APP_ID;
  readonly appSecret = randomBytes(24).toString('base64url');
  readonly #deps: TestSimulatorDeps;
  #running: Promise<{ simulator: Simulator; directory: string }> | undefined;
  #isClosed = false;
  #deliver: DeliverWebhook | undefined;
  /** Accounts whose stored templates the simulator has, each with the preparation. */
  readonly #prepared = new Map<string, Promise<void>>();
  readonly #accounts = new LRUCache<string, KeptAccount>({
    maxSize: ACCOUNTS_BYTES_MAX,
    sizeCalculation: ({ bytes }) => bytes,
    noDisposeOnSet: true,
    dispose: (_account, wabaId) => this.#forget(wabaId),
  });
  #simulator: Simulator | undefined;

  constructor(deps: TestSimulatorDeps) {
    this.#deps = deps;
    const forget = (key: string) => this.#prepared.delete(key.split('/')[1] ?? '');
    deps.changes.on('template', forget, () => this.#prepared.clear());
  }

  /** Returns the path of the simulator's socket; starts the simulator if it does not run. */
  async findSocket(): Promise<string> {
    return socketIn((await this.#start()).directory);
  }

  /** Passes webhooks to `deliver` from now on. Before that, and after `endDelivery`, they are refused, and repeated later. */
  beginDelivery(deliver: DeliverWebhook): void {
    this.#deliver = deliver;
  }

  endDelivery(): void {
    this.#deliver = undefined;
  }

  /** Ends the simulator; its media and open statuses are lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = await this.#running?.catch(() => undefined);
    if (running === undefined) return;
    await running.simulator.close();
    await rm(running.directory, { recursive: true, force: true });
  }

  #start(): Promise<{ simulator: Simulator; directory: string }> {
    if (this.#isClosed) return Promise.reject(new Error('The simulator is closed.'));
    this.#running ??= this.#listen();
    // A failed start is repeated at the next connection.
    this.#running.catch(() => (this.#running = undefined));
    return this.#running;
  }

  async #listen() {
    const directory = await mkdtemp(join(tmpdir(), 'fairway-simulator-'));
    const simulator = await startSimulator({
      appId: APP_ID,
      appSecret: this.appSecret,
      verifyToken: randomBytes(24).toString('base64url'),
      socketPath: socketIn(directory),
      clock: this.#deps.clock,
      webhookUrl: 'gateway:',
      hasControlApi: false,
      sendLog: { recordsMax: SENDS_KEPT },
      mediaBytesMax: MEDIA_BYTES_MAX,
      webhooks: { deliver: async (body, headers) => (await this.#deliver?.(body, headers)) ?? 503 },
      keeper: {
        prepare: (token) => this.#prepare(token),
        noteStored: (token, bytes) => this.#noteStored(token, bytes),
      },
    });
    this.#simulator = simulator;
    return { simulator, directory };
  }

  /** A call sees every template that a node had stored before it, as calls to the platform do: a message is never refused for a late notice. */
  async #prepare(token: string): Promise<void> {
    const account = findAccountOfToken(token);
    if (account === undefined) return;
    const { wabaId } = account;
    await this.#deps.changes.catchUp();
    // Marks the account as used.
    this.#accounts.get(wabaId);
    let preparation = this.#prepared.get(wabaId);
    if (preparation === undefined) {
      preparation = this.#add(account);
      this.#prepared.set(wabaId, preparation);
      preparation.catch(() => this.#prepared.delete(wabaId));
    }
    await preparation;
  }

  /** Creates the account unless it exists, and gives it the stored templates that other processes have created or changed. */
  async #add(account: TestAccount): Promise<void> {
    const { wabaId, accessToken, phoneNumberId, displayPhoneNumber } = account;
    const stored = await listStoredTemplates(this.#deps.db, wabaId);
    const seeds = stored.flatMap((template) => seedOf(template) ?? []);
    const world = (await this.#start()).simulator.world;
    const { accounts } = world;
    const { taken, ...known } = this.#accounts.get(wabaId) ?? { bytes: ACCOUNT_BYTES, taken: new Set() };
    let { bytes } = known;
    if (accounts.findWaba(wabaId) === undefined) {
      const numbers = [{ id: phoneNumberId, displayPhoneNumber, verifiedName: 'Test business' }];
      const templates = stored.length === 0 ? [...FIRST_TEMPLATES] : [];
      world.addWaba({ id: wabaId, accessToken, name: 'Test business', numbers, templates });
    }
    for (const seed of seeds) {
      const { id = '' } = seed;
      // A template that this process created, or that it reviews, is newer here than in the database.
      const present = accounts.findTemplate(id);
      if (present !== undefined && (!taken.has(id) || present.status === 'PENDING')) continue;
      if (!taken.has(id)) bytes += JSON.stringify(seed).length;
      taken.add(id);
      const template = world.addTemplate(wabaId, seed);
      // Without a second review, a template would stay in review for ever if the process that reviewed it ended, or forgot the account.
      if (template.status === 'PENDING') world.reviewTemplate(template);
    }
    // An account of many stored templates must be kept for its call.
    this.#accounts.set(wabaId, { bytes: Math.min(bytes, ACCOUNT_BYTES_MAX), taken });
  }

  #noteStored(token: string, bytes: number): void {
    const { wabaId = '' } = findAccountOfToken(token) ?? {};
    const kept = this.#accounts.peek(wabaId);
    if (kept === undefined) return;
    const total = kept.bytes + bytes;
    if (total > ACCOUNT_BYTES_MAX) this.#accounts.delete(wabaId);
    else this.#accounts.set(wabaId, { ...kept, bytes: total });
  }

  #forget(wabaId: string): void {
    this.#prepared.delete(wabaId);
    this.#simulator?.world.forgetAccount(wabaId);
  }
}

function socketIn(directory: string): string {
  return join(directory, 'socket');
}
