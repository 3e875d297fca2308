const SERVICE_WINDOW_MS = 24 * 3_600_000;
const FREE_ENTRY_POINT_MS = 72 * 3_600_000;
/** Smallest number of inbound ids kept for mark-as-read; at most twice as many are kept. */
const RECEIVED_MIN = 100_000;

interface Conversation {
  lastInboundAt: number;
  /** Time of the newest message that came through an ad. The answer to it opens the free entry point. */
  referredAt: number | null;
  freeEntryPointUntil: number;
  /** True while a business agent holds the conversation. */
  isHeldByAgent: boolean;
}

/**
 * The conversations of numbers with people and groups: service windows, free entry points, and the free tier of each number. A `holder` is the
 * key of a person or the id of a group.
 */
export class ConversationLedger {
  readonly #conversations = new Map<string, Conversation>();
  /** `number\0wamid`. The older generation is dropped whole. */
  #received = new Set<string>();
  #receivedEarlier = new Set<string>();
  readonly #serviceMessages = new Map<string, { month: string; count: number }>();

  /** Records who holds a conversation from now on: a business agent, or the business itself. */
  handOver(phoneNumberId: string, holder: string, to: 'agent' | 'business'): void {
    this.#conversation(phoneNumberId, holder).isHeldByAgent = to === 'agent';
  }

  isHeldByAgent(phoneNumberId: string, holder: string): boolean {
    return this.#conversations.get(keyOf(phoneNumberId, holder))?.isHeldByAgent === true;
  }

  /** Records a user's message that arrived at `atMs` (epoch milliseconds). Opens or extends the window. */
  recordInbound(phoneNumberId: string, holder: string, atMs: number, isReferral = false): void {
    const conversation = this.#conversation(phoneNumberId, holder);
    conversation.lastInboundAt = Math.max(conversation.lastInboundAt, atMs);
    if (isReferral) conversation.referredAt = atMs;
  }

  /** Stores the id of a user's message, so that it can be marked as read. */
  recordReceived(phoneNumberId: string, wamid: string): void {
    this.#received.add(`${phoneNumberId}\0${wamid}`);
    if (this.#received.size < RECEIVED_MIN) return;
    this.#receivedEarlier = this.#received;
    this.#received = new Set();
  }

  hasReceived(phoneNumberId: string, wamid: string): boolean {
    const key = `${phoneNumberId}\0${wamid}`;
    return this.#received.has(key) || this.#receivedEarlier.has(key);
  }

  /** Closes the window of a pair, as if the user had been silent for a day. */
  closeWindow(phoneNumberId: string, holder: string): void {
    this.#conversation(phoneNumberId, holder).lastInboundAt = Number.NEGATIVE_INFINITY;
  }

  isWindowOpen(phoneNumberId: string, holder: string, nowMs: number): boolean {
    const conversation = this.#conversations.get(keyOf(phoneNumberId, holder));
    return conversation !== undefined && nowMs < conversation.lastInboundAt + SERVICE_WINDOW_MS;
  }

  /**
   * Records an accepted business message and returns the end of its free entry point, or null. An answer to a referral within a day opens
   * the free entry point.
   */
  recordOutbound(phoneNumberId: string, holder: string, nowMs: number): number | null {
    const conversation = this.#conversations.get(keyOf(phoneNumberId, holder));
    if (conversation === undefined) return null;
    if (conversation.referredAt !== null && nowMs < conversation.referredAt + SERVICE_WINDOW_MS) {
      conversation.freeEntryPointUntil = nowMs + FREE_ENTRY_POINT_MS;
    }
    conversation.referredAt = null;
    return nowMs < conversation.freeEntryPointUntil ? conversation.freeEntryPointUntil : null;
  }

  /** Counts one service message of the number. Returns true if it is within the month's `free` ones. */
  takeFreeServiceMessage(phoneNumberId: string, nowMs: number, free: number): boolean {
    const month = new Date(nowMs).toISOString().slice(0, 7);
    const known = this.#serviceMessages.get(phoneNumberId);
    const count = (known?.month === month ? known.count : 0) + 1;
    this.#serviceMessages.set(phoneNumberId, { month, count });
    return count <= free;
  }

  /** Forgets the conversations of a number. */
  forget(phoneNumberId: string): void {
    for (const key of this.#conversations.keys()) {
      if (key.startsWith(keyOf(phoneNumberId, ''))) this.#conversations.delete(key);
    }
    this.#serviceMessages.delete(phoneNumberId);
  }

  clear(): void {
    this.#conversations.clear();
    this.#received.clear();
    this.#receivedEarlier.clear();
    this.#serviceMessages.clear();
  }

  #conversation(phoneNumberId: string, holder: string): Conversation {
    const key = keyOf(phoneNumberId, holder);
    let conversation = this.#conversations.get(key);
    if (conversation === undefined) {
      conversation = {
        lastInboundAt: Number.NEGATIVE_INFINITY,
        referredAt: null,
        freeEntryPointUntil: 0,
        isHeldByAgent: false,
      };
      this.#conversations.set(key, conversation);
    }
    return conversation;
  }
}

function keyOf(phoneNumberId: string, holder: string): string {
  return `${phoneNumberId}\0${holder}`;
}
