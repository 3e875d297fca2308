/** Ranks of api-rules#status; `failed` and `received` are outside the order. */
export const STATUS = { queued: 0, sent: 1, delivered: 2, read: 3, failed: 4, received: 5 } as const;

/** The public words, by rank. */
export const STATUS_NAMES: readonly string[] = Object.keys(STATUS);

/** One status as the upstream reported it, reduced to the fields Fairway keeps. */
export interface StatusUpdate {
  wamid: string;
  phoneNumberId: string;
  /** the conversation key of the recipient's number, if reported */
  contact: string | undefined;
  /** the recipient's user id, if reported */
  userId?: string | undefined;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  atMs: number;
  errorCode: string | undefined;
  errorMessage: string | undefined;
  category: string | undefined;
  pricingType: string | undefined;
  callbackData: string | undefined;
  /** the webhook value's members about this status alone, word for word: a JSON object as text */
  value: string | undefined;
}

/** All facts about one wamid in a set of updates. Times are epoch milliseconds. */
export interface MergedStatus {
  wamid: string;
  phoneNumberId: string;
  contact: string | undefined;
  userId?: string | undefined;
  sentAtMs: number | undefined;
  deliveredAtMs: number | undefined;
  readAtMs: number | undefined;
  failedAtMs: number | undefined;
  errorCode: string | undefined;
  errorMessage: string | undefined;
  category: string | undefined;
  pricingType: string | undefined;
  /** Rank of the status that reported category and pricing type; 0 if none did. */
  pricingRank: number;
  callbackData: string | undefined;
  sentValue: string | undefined;
  deliveredValue: string | undefined;
  readValue: string | undefined;
  failedValue: string | undefined;
}

/**
 * Folds updates into one entry per wamid. Each time is the earliest reported, whatever the order and the repetitions. Category and pricing
 * are those of the highest status that has any: later statuses may lack them.
 */
export function mergeUpdates(updates: readonly StatusUpdate[]): MergedStatus[] {
  const merged = new Map<string, MergedStatus>();
  for (const update of updates) {
    const known = merged.get(update.wamid) ?? blank(update);
    merged.set(update.wamid, known);
    known.contact ??= update.contact;
    known.userId ??= update.userId;
    known.callbackData ??= update.callbackData;
    takePricing(known, update);
    const [timeField, valueField] = FIELDS_OF[update.status];
    if (update.atMs >= (known[timeField] ?? Number.POSITIVE_INFINITY)) continue;
    known[timeField] = update.atMs;
    known[valueField] = update.value;
    if (update.status === 'failed') {
      known.errorCode = update.errorCode;
      known.errorMessage = update.errorMessage;
    }
  }
  return [...merged.values()];
}

function takePricing(known: MergedStatus, { status, category, pricingType }: StatusUpdate): void {
  // `failed` reports no delivery, so its pricing counts least.
  const rank = status === 'failed' ? STATUS.queued : STATUS[status];
  if ((category ?? pricingType) === undefined || rank < known.pricingRank) return;
  known.category = category ?? known.category;
  known.pricingType = pricingType ?? known.pricingType;
  known.pricingRank = rank;
}

const FIELDS_OF = {
  sent: ['sentAtMs', 'sentValue'],
  delivered: ['deliveredAtMs', 'deliveredValue'],
  read: ['readAtMs', 'readValue'],
  failed: ['failedAtMs', 'failedValue'],
} as const;

function blank({ wamid, phoneNumberId }: StatusUpdate): MergedStatus {
  return {
    wamid,
    phoneNumberId,
    contact: undefined,
    sentAtMs: undefined,
    deliveredAtMs: undefined,
    readAtMs: undefined,
    failedAtMs: undefined,
    errorCode: undefined,
    errorMessage: undefined,
    category: undefined,
    pricingType: undefined,
    pricingRank: STATUS.queued,
    callbackData: undefined,
    sentValue: undefined,
    deliveredValue: undefined,
    readValue: undefined,
    failedValue: undefined,
  };
}
