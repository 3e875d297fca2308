import type { WabaRow } from '../../../sim/store/tables.ts';
import {
  clearNumbersParked,
  parkNumberForToken,
  parkWabaForToken,
} from '../../../src/accounts/follow/parking-queries.ts';
import { storeForbidden } from '../../../src/accounts/marketing/marketing-queries.ts';
import {
  findNumbersByUpstreamId,
  findSealedTokens,
  findWabasById,
  listNumbersById,
  listNumbersOfWaba,
  upsertNumbers,
  upsertWaba,
} from '../../../src/accounts/queries.ts';
import { deleteWaba, releaseNumbers } from '../../../src/accounts/release-queries.ts';
import { newId } from '../../../src/core/ids.ts';
import type { Random } from '../../../src/core/seeded-random.ts';
import type { Queryable } from '../../../src/database/database.ts';
import { readRoadFacts } from '../../../src/dispatch/roads/road-queries.ts';

/** An account about whose marketing templates nothing is known. */
export const NO_MARKETING = {
  ...{ marketingMessages: null, isOnboarded: false, marketingForbidden: false, marketingChangedAtMs: null },
};
/** The place before all parked statuses. */
export const FIRST = { receivedAtMs: 0, wamidDigest: '00000000-0000-0000-0000-000000000000' };
export const ORGANIZATION = newId();
export const SHARDS = [1, 2];
/** One phone number per shard, each on its own account. */
export const phoneNumberOf = (shard: number) => `1000${shard}`;
export const wabaOf = (shard: number) => `2000${shard}`;
const UPSTREAM_NUMBER = {
  ...{ verifiedName: null, status: 'CONNECTED', platformType: 'CLOUD_API' },
  ...{ qualityRating: null, throughputLevel: null, isOnBizApp: false, webhookOverride: null },
};

/** The operations on accounts on both databases. */
export class AccountHistory {
  readonly #random: Random;
  readonly #model: Queryable;
  /** By account: the stored state while it is connected. */
  readonly #known = new Map<string, Pick<WabaRow, 'tokenVersion' | 'readAtMs'>>();
  #tokenVersion = 1;
  #numbers = 0;

  constructor(random: Random, model: Queryable) {
    this.#random = random;
    this.#model = model;
  }

  park() {
    const random = this.#random;
    const shard = random.pick(SHARDS);
    const wabaId = wabaOf(shard);
    const { tokenVersion, readAtMs } = this.knownOf(wabaId);
    const late = () => Number(random.chance(0.1));
    const used = { wabaId, version: tokenVersion - late(), readAt: new Date(readAtMs - late()), begunAtMs: Date.now() };
    const code = random.pick(['190', '131031', '133010']);
    const phoneNumberId = phoneNumberOf(random.chance(0.2) ? random.pick(SHARDS) : shard);
    const [isWaba, parked, now] = [random.chance(0.5), { code, reason: code }, new Date()];
    return (db: Queryable) =>
      isWaba ? parkWabaForToken(db, used, parked, now) : parkNumberForToken(db, phoneNumberId, used, parked, now);
  }

  /** The platform refuses marketing templates at the ordinary edge. */
  forbidMarketing() {
    const wabaId = wabaOf(this.#random.pick(SHARDS));
    return (db: Queryable) => storeForbidden(db, { organizationId: ORGANIZATION, wabaId });
  }

  /** Operators act in several statements, which the model combines into one. */
  change() {
    const random = this.#random;
    const shard = random.pick(SHARDS);
    const wabaId = wabaOf(shard);
    if (!this.#known.has(wabaId)) return this.connect(shard);
    if (random.chance(0.5)) return this.#renew(wabaId);
    this.#known.delete(wabaId);
    const releasedAtMs = Date.now() - random.between(0, 60_000);
    const released = { releasedAtMs, registered: false, paused: false, parkedCode: null };
    return async (db: Queryable) => {
      if (db === this.#model) return void (await this.#admin('admin_change_waba', [wabaId, null, () => released]));
      await releaseNumbers(db, ORGANIZATION, wabaId, new Date(releasedAtMs));
      await deleteWaba(db, ORGANIZATION, wabaId);
    };
  }

  connect(shard: number) {
    const wabaId = wabaOf(shard);
    const known = this.#renewKnown(wabaId);
    this.#numbers += 1;
    const accountId = newId();
    const waba = { organizationId: ORGANIZATION, wabaId, ...known, parkedCode: null, ...NO_MARKETING };
    const number = { ...UPSTREAM_NUMBER, id: phoneNumberOf(shard), displayPhoneNumber: `1555${shard}`, accountId };
    return async (db: Queryable) => {
      const numberOf = () => ({ accountId, registered: true });
      if (db === this.#model) return void (await this.#admin('admin_connect_waba', [waba, numberOf]));
      await upsertWaba(db, ORGANIZATION, wabaId, Buffer.from('sealed'), 'simulated', new Date(known.readAtMs));
      await upsertNumbers(db, ORGANIZATION, wabaId, [number], new Date());
    };
  }

  #renew(wabaId: string) {
    const known = this.#renewKnown(wabaId);
    const change = { ...known, parkedCode: null };
    return async (db: Queryable) => {
      const unparked = () => ({ parkedCode: null });
      if (db === this.#model) return void (await this.#admin('admin_change_waba', [wabaId, change, unparked]));
      await upsertWaba(db, ORGANIZATION, wabaId, Buffer.from('sealed'), 'simulated', new Date(known.readAtMs));
      await clearNumbersParked(db, ORGANIZATION, wabaId);
    };
  }

  knownOf(wabaId: string) {
    return this.#known.get(wabaId) ?? { tokenVersion: 0, readAtMs: 0 };
  }

  #renewKnown(wabaId: string) {
    this.#tokenVersion += 1;
    const known = { tokenVersion: this.#tokenVersion, readAtMs: Date.now() };
    this.#known.set(wabaId, known);
    return known;
  }

  #admin(name: string, values: unknown[]) {
    return this.#model.query({ name, text: '', values });
  }

  async look(db: Queryable) {
    const facts = await readRoadFacts(db, { organizationId: ORGANIZATION, numberId: 1, name: 'none', language: 'en' });
    const wabaIds = SHARDS.map(wabaOf);
    const tokens = await findSealedTokens(db, wabaIds);
    const numbers = await listNumbersById(db, this.numberIds());
    return {
      road: facts && [facts.account.setting, facts.account.isReady, facts.version],
      numbers: numbers.sort((a, b) => a.numberId - b.numberId),
      connected: sorted(await findNumbersByUpstreamId(db, SHARDS.map(phoneNumberOf))),
      ofWaba: await listNumbersOfWaba(db, ORGANIZATION, wabaIds[0] ?? ''),
      wabas: sorted(await findWabasById(db, wabaIds)),
      tokens: sorted(
        new Map([...tokens].map(([wabaId, { tokenSealed: _, platform: __, ...known }]) => [wabaId, known])),
      ),
    };
  }

  numberIds(): number[] {
    return Array.from({ length: this.#numbers }, (_, index) => index + 1);
  }
}

/** Returns the entries in the order of their keys. */
export function sorted<Key extends string | number, Value>(entries: ReadonlyMap<Key, Value>): [Key, Value][] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}
