import type { Accounts } from '../../accounts/index.ts';
import { bucketLimit } from '../../core/limits/rate-limit.ts';
import { RateMeter } from '../../core/limits/rate-meter.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { learnedIds, nextCursorOf, OBJECT_ID } from '../answer/learned-ids.ts';
import type { PlatformCalls } from '../platform-calls.ts';
import { type IdKind, MAPPED_KINDS, type MappedKind } from '../table/edge.ts';
import type { Owned } from './owned.ts';
import { listOwnedObjects, type OwnedObject, storeOwnedObjects } from './queries.ts';

export interface OwnerDeps {
  db: Queryable;
  clock: Clock;
  accounts: Accounts;
  /** Returns the business account of an organization's template; undefined if the organization has no such template. */
  findTemplateWaba: (organizationId: string, templateId: string) => Promise<string | undefined>;
  calls: Pick<PlatformCalls, 'readList'>;
}

/** The lists that show the objects of a kind, of each account or of each number. */
const LISTS: Record<MappedKind, { of: 'account' | 'number'; path: string } | null> = {
  flow: { of: 'account', path: 'flows' },
  group: { of: 'number', path: 'groups' },
  signup: { of: 'account', path: 'signups' },
  // A list of records needs a message, so it cannot be searched for an id.
  history: null,
};

/** A list is read again at most once a minute for the sake of unknown ids. */
const READ_AGAIN = bucketLimit(60_000, 1);
/** Most accounts or numbers whose lists are read for one unknown id. */
const LISTS_MAX = 10;
const PAGES_MAX = 20;

/**
 * The owners of ids. An id that is unknown here is looked for in the lists of the organization's own accounts and numbers; the id itself is
 * never sent to the platform. One token may reach several organizations' accounts, so an answer about an id would prove nothing.
 */
export class Owners {
  readonly #deps: OwnerDeps;
  readonly #reads = new RateMeter();
  /** Readings under way, by object and list. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(deps: OwnerDeps) {
    this.#deps = deps;
  }

  /** Returns the organization's object of one of these kinds that is known here. */
  async findKnown(organizationId: string, id: string, kinds: readonly IdKind[]): Promise<Owned | undefined> {
    const { accounts, db, findTemplateWaba } = this.#deps;
    if (!OBJECT_ID.test(id)) return undefined;
    if (kinds.includes('number')) {
      const number = await accounts.findNumber(organizationId, id);
      if (number !== undefined)
        return { kind: 'number', objectId: number.phoneNumberId, wabaId: number.wabaId, number };
    }
    if (kinds.includes('account')) {
      const waba = await accounts.findWaba(organizationId, id);
      if (waba !== undefined) return { kind: 'account', objectId: waba.wabaId, wabaId: waba.wabaId, number: undefined };
    }
    if (kinds.includes('template')) {
      const wabaId = /^\d{1,30}$/.test(id) ? await findTemplateWaba(organizationId, id) : undefined;
      if (wabaId !== undefined) return { kind: 'template', objectId: id, wabaId, number: undefined };
    }
    if (!kinds.some(isMapped)) return undefined;
    const objects = await listOwnedObjects(db, organizationId, [id]);
    for (const { kind, ...object } of objects) {
      const owned = kind !== 'upload' && kinds.includes(kind) ? await this.#stillOwned({ ...object, kind }) : undefined;
      if (owned !== undefined) return owned;
    }
    return undefined;
  }

  /** Returns the same as `findKnown`, after the organization's lists at the platform if they have not been read lately. */
  async find(organizationId: string, id: string, kinds: readonly IdKind[]): Promise<Owned | undefined> {
    const known = await this.findKnown(organizationId, id, kinds);
    if (known !== undefined || !OBJECT_ID.test(id)) return known;
    const mapped = kinds.filter(isMapped);
    await Promise.all(mapped.map((kind) => this.#readLists(organizationId, kind)));
    // Also without a reading of its own: one that has just ended may have shown the object.
    return await this.findKnown(organizationId, id, mapped);
  }

  /** Stores the objects that an answer about the organization's own account or number has shown. */
  async learn(organizationId: string, shownBy: Owned, kind: MappedKind, answer: Buffer): Promise<void> {
    const objects = learnedIds(answer).map((objectId) => ({
      organizationId,
      objectId,
      kind,
      wabaId: shownBy.wabaId,
      phoneNumberId: shownBy.number?.phoneNumberId ?? null,
    }));
    await storeOwnedObjects(this.#deps.db, objects, new Date(this.#deps.clock.now()));
  }

  /** Returns the object if its account, and its number if it has one, still are the organization's. */
  async #stillOwned({
    organizationId,
    objectId,
    kind,
    wabaId,
    phoneNumberId,
  }: OwnedObject & { kind: MappedKind }): Promise<Owned | undefined> {
    const { accounts } = this.#deps;
    if ((await accounts.findWaba(organizationId, wabaId)) === undefined) return undefined;
    if (phoneNumberId === null) return { kind, objectId, wabaId, number: undefined };
    const number = await accounts.findNumber(organizationId, phoneNumberId);
    return number?.wabaId === wabaId ? { kind, objectId, wabaId, number } : undefined;
  }

  /** Reads the lists of a kind that have not been read within a minute. */
  async #readLists(organizationId: string, kind: MappedKind): Promise<void> {
    const list = LISTS[kind];
    if (list === null) return;
    const numbers = await this.#deps.accounts.listNumbers(organizationId, 100);
    const own: Owned[] = numbers.map((number) => ({
      kind: 'number',
      objectId: number.phoneNumberId,
      wabaId: number.wabaId,
      number,
    }));
    const ofAccounts = [...new Set(numbers.map(({ wabaId }) => wabaId))].map(
      (wabaId): Owned => ({ kind: 'account', objectId: wabaId, wabaId, number: undefined }),
    );
    const shown = (list.of === 'number' ? own : ofAccounts).slice(0, LISTS_MAX);
    const nowMs = this.#deps.clock.monotonicMs();
    await Promise.all(shown.map((owned) => this.#readUnlessLately(organizationId, owned, kind, list.path, nowMs)));
  }

  /** Reads a list, or joins a reading that is under way; undefined if the list was read within a minute. */
  #readUnlessLately(
    organizationId: string,
    owned: Owned,
    kind: MappedKind,
    path: string,
    nowMs: number,
  ): Promise<void> | undefined {
    const key = `${owned.objectId} ${path}`;
    const running = this.#running.get(key);
    if (running !== undefined || this.#reads.take(key, READ_AGAIN, nowMs) > 0) return running;
    const reading = this.#readList(organizationId, owned, kind, path).finally(() => this.#running.delete(key));
    this.#running.set(key, reading);
    return reading;
  }

  async #readList(organizationId: string, owned: Owned, kind: MappedKind, path: string): Promise<void> {
    let after: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const query: Record<string, string> = { limit: '100', ...(after !== undefined && { after }) };
      const answer = await this.#deps.calls.readList(organizationId, owned, path, query);
      if (answer === undefined) return;
      await this.learn(organizationId, owned, kind, answer);
      after = nextCursorOf(answer);
      if (after === undefined) return;
    }
  }
}

function isMapped(kind: IdKind): kind is MappedKind {
  return (MAPPED_KINDS as readonly string[]).includes(kind);
}
