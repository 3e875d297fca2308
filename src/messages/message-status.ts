/** Ranks of spec 3.1; `failed` stands outside the order. */
export const STATUS = { queued: 0, sent: 1, delivered: 2, read: 3, failed: 4, received: 5 } as const;

/** One status as the upstream told it, reduced to what Fairway keeps. */
export interface StatusUpdate {
  wamid: string;
  phoneNumberId: string;
  /** the recipient's number in canonical form, when told */
  contact: string | undefined;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  atMs: number;
  errorCode: string | undefined;
  errorMessage: string | undefined;
  category: string | undefined;
  pricingType: string | undefined;
  callbackData: string | undefined;
}

/** All that a set of updates says about one wamid. Times are epoch milliseconds. */
export interface MergedStatus {
  wamid: string;
  phoneNumberId: string;
  contact: string | undefined;
  sentAtMs: number | undefined;
  deliveredAtMs: number | undefined;
  readAtMs: number | undefined;
  failedAtMs: number | undefined;
  errorCode: string | undefined;
  errorMessage: string | undefined;
  category: string | undefined;
  pricingType: string | undefined;
  callbackData: string | undefined;
}

/**
 * Folds updates into one entry per wamid. Order and repetition do not matter for the times (each is the earliest told); of
 * category and pricing the last non-empty value counts (upstream facts: later statuses may lack them).
 */
export function mergeUpdates(updates: readonly StatusUpdate[]): MergedStatus[] {
  const merged = new Map<string, MergedStatus>();
  for (const update of updates) {
    const known = merged.get(update.wamid) ?? blank(update);
    merged.set(update.wamid, known);
    known.contact ??= update.contact;
    known.callbackData ??= update.callbackData;
    known.category = update.category ?? known.category;
    known.pricingType = update.pricingType ?? known.pricingType;
    if (update.status === 'failed') {
      if (known.failedAtMs === undefined || update.atMs < known.failedAtMs) {
        known.failedAtMs = update.atMs;
        known.errorCode = update.errorCode;
        known.errorMessage = update.errorMessage;
      }
    } else {
      const field = FIELD_OF[update.status];
      known[field] = Math.min(known[field] ?? Number.POSITIVE_INFINITY, update.atMs);
    }
  }
  return [...merged.values()];
}

const FIELD_OF = { sent: 'sentAtMs', delivered: 'deliveredAtMs', read: 'readAtMs' } as const;

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
    callbackData: undefined,
  };
}
