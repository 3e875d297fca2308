import { ACCEPTED, ACCEPTED_KEYED } from '../../src/messages/send/accept-queries.ts';
import { ALIASES } from '../../src/people/queries.ts';
import type { Coverage } from '../coverage.ts';
import type { EventLoop } from '../event-loop.ts';
import { readEnvelope } from '../sender.ts';
import { text, textOrNull, time } from '../store/columns.ts';
import type { ModelStore } from '../store/model-store.ts';
import { keyOfName } from '../store/statements/people-statements.ts';
import { type AliasRow, aliasKey, conversationKey, type NumberRow, type QueueRow } from '../store/tables.ts';
import type { Trace } from '../trace.ts';
import { watchWrites } from '../watch-writes.ts';
import { InvariantViolation } from '../witness.ts';
import type { Received } from './lives.ts';
import type { PeopleBook, Person } from './person.ts';

export interface PeopleJudgeOptions {
  loop: EventLoop;
  store: ModelStore;
  coverage: Coverage;
  trace: Trace;
  book: PeopleBook;
}

/** A send meets a merge if it is stored within this time after it, ms. */
const MEETS_MS = 20;

/** Keys of records have at least 16 digits. */
const RECORD = /^\d{16,}$/;

/** Compares the gateways' records of people with the people of the platform. */
export class PeopleJudge {
  readonly #options: PeopleJudgeOptions;
  /** Names that were written since the last comparison. */
  #written: AliasRow[] = [];
  /** By name: last time at which it was given another key. */
  readonly #movedAtMs = new Map<string, number>();
  /** Keys that merges have left. */
  readonly #mergedKeys = new Set<string>();

  constructor(options: PeopleJudgeOptions) {
    this.#options = options;
    watchWrites(options.store.tables.queue, (old, row) => {
      if (old === undefined) this.#judgeKey(row);
    });
    watchWrites(options.store.tables.aliases, (old, row) => this.#aliasWritten(old, row));
  }

  /** Returns true if the person's window is open for a message under a name: a message of the same record has been taken. */
  hasOpenWindow(number: NumberRow, name: string, received: readonly Received[]): boolean {
    const key = this.#keyOf(number, name);
    const here = received.filter(({ numberId }) => numberId === number.numberId);
    return key !== null && here.some(({ names }) => names.some((one) => this.#keyOf(number, one) === key));
  }

  /**
   * Checks, after every person has written under all names, that each is one record with the window of the newest message. People of numbers
   * that were disconnected are left out.
   */
  checkEnd(received: readonly Received[]): void {
    const { book, store } = this.#options;
    const keys = new Map<string, Person>();
    for (const person of book.people) {
      const { number, phone, userId } = person;
      const [row] = store.tables.numbersCalled(number.phoneNumberId);
      if (row === undefined || row.numberId !== number.numberId || row.releasedAtMs !== null) continue;
      const key = this.#keyOf(row, phone);
      const hasTwo = userId !== undefined && this.#keyOf(row, userId) !== key;
      assert(!hasTwo && key !== null, `person ${person.id} has the keys ${key} and ${this.#keyOf(row, userId ?? '')}`);
      const other = keys.get(`${row.numberId}/${key}`);
      assert(other === undefined, `the people ${other?.id} and ${person.id} have the key ${key}`);
      keys.set(`${row.numberId}/${key}`, person);
      const newestMs = Math.max(0, ...received.filter((one) => one.person === person).map(({ atMs }) => atMs));
      const openedMs = store.tables.conversations.get(conversationKey(row.organizationId, row.numberId, key)) ?? 0;
      assert(openedMs >= newestMs, `the window of person ${person.id} is from ${openedMs}, of ${newestMs} expected`);
    }
  }

  /** Counts rare paths that an executed statement reveals. */
  statementExecuted(name: string, values: readonly unknown[], rows: readonly Record<string, unknown>[]): void {
    const { coverage, store } = this.#options;
    switch (name) {
      case 'message_accept':
      case 'message_accept_journaled':
        for (const row of ACCEPTED.parse(values)) this.#sendStored(row);
        break;
      case 'message_accept_keyed':
      case 'message_accept_keyed_journaled':
        for (const row of ACCEPTED_KEYED.parse(values)) this.#sendStored(row);
        break;
      case 'person_list_writers':
        if (rows.length > 0) coverage.hit('merge waited for sends that were being stored');
        break;
      case 'person_list_waiting':
        if (rows.length > 1) coverage.hit('merge put off by waiting messages');
        break;
      case 'person_store_aliases':
        if (ALIASES.parse(values).some((row) => row.alias === row.person && time(row.learned_at) === 0))
          coverage.hit('number named before it is merged');
        break;
      case 'person_add_debts': {
        coverage.hit('people merged');
        this.#mergedKeys.add(text(values[3]));
        const hasDebt = [...store.tables.pairDebt.values()].some(({ contact }) => contact === values[2]);
        if (hasDebt) coverage.hit('pair debts of merged people added');
        break;
      }
      case 'queue_list_flow_heads':
        if (rows.some((row) => this.#mergedKeys.has(String(row.contact))))
          coverage.hit('queue of a merged person taken over');
        break;
    }
  }

  /** Counts a send that met a merge of its person. */
  #sendStored(row: ReturnType<typeof ACCEPTED.parse>[number]): void {
    const { coverage, loop } = this.#options;
    const name = textOrNull(row.user_id) ?? text(row.contact);
    const movedAtMs = this.#movedAtMs.get(aliasKey(text(row.organization_id), text(row.waba_id), name));
    if (movedAtMs === undefined) return;
    if (loop.nowMs - movedAtMs < MEETS_MS) coverage.hit('send stored beside a merge');
    // A lock is granted at the moment at which its holder commits.
    if (loop.nowMs === movedAtMs) coverage.hit('send waited for a merge');
  }

  #keyOf({ organizationId, wabaId }: NumberRow, name: string): string | null {
    return keyOfName(this.#options.store.tables, { organization_id: organizationId, waba_id: wabaId }, name);
  }

  /** Checks that a message is queued under the key that its name has at the commit. */
  #judgeKey({ messageId, numberId, contact }: QueueRow): void {
    const { messages, numbers } = this.#options.store.tables;
    const [message, number] = [messages.get(messageId), numbers.get(numberId)];
    if (message === undefined || number === undefined) return;
    const { label, name } = readEnvelope(message.body);
    const key = this.#keyOf(number, name);
    if (key !== contact)
      this.#options.loop.fail(
        new InvariantViolation(`${label} to ${name} is queued under ${contact} instead of ${key}`),
      );
  }

  #aliasWritten(old: AliasRow | undefined, row: AliasRow): void {
    const { organizationId: ofTenant, wabaId: ofAccount, alias } = row;
    if (old !== undefined && old.person !== row.person)
      this.#movedAtMs.set(aliasKey(ofTenant, ofAccount, alias), this.#options.loop.nowMs);
    this.#options.trace.note(`${alias} is a name of ${row.person}`);
    const isParted = old !== undefined && old.person !== row.person && row.kind === 0 && row.alias === row.person;
    if (isParted) this.#options.coverage.hit('number parted from a person');
    this.#written.push(row);
    if (this.#written.length > 1) return;
    // The rows of one commit are written one by one.
    this.#options.loop.in(0, () => {
      for (const { organizationId, wabaId, person } of this.#written.splice(0)) {
        this.#judgeRecord(organizationId, wabaId, person);
      }
    });
  }

  /** Checks that all names of a record have belonged to one person. */
  #judgeRecord(organizationId: string, wabaId: string, key: string): void {
    const { store, book, loop } = this.#options;
    const names = [...store.tables.aliases.values()]
      .filter((row) => row.organizationId === organizationId && row.wabaId === wabaId && row.person === key)
      .map(({ alias }) => alias)
      .filter((alias) => !RECORD.test(alias));
    const isOne = book.people.some((person) => names.every((name) => book.everHad(person, name)));
    if (names.length > 0 && !isOne) loop.fail(new InvariantViolation(`strangers have one record: ${names.join(', ')}`));
  }
}

function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}
