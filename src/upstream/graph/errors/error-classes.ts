import type { GraphError } from './graph-error.ts';

/** The subject of an upstream error; it decides the product's whole reaction. */
export type ErrorClass =
  | 'TRANSIENT'
  | 'THROTTLE_NUMBER'
  | 'THROTTLE_PAIR'
  | 'THROTTLE_WABA'
  | 'THROTTLE_APP'
  | 'CREDENTIAL'
  | 'PERMANENT';

export interface ErrorVerdict {
  class: ErrorClass;
  /**
   * The thing through which no message can pass at the moment, so its messages wait: for `waitMs` if given, else until an operator acts.
   * Null if the error concerns this request only.
   */
  parks: 'credential' | 'number' | 'waba' | null;
  /** Milliseconds in which a retry is known to be pointless. */
  waitMs: number | null;
  /** True if the platform itself is out of order: no refusal is then counted against a message. */
  isOutage: boolean;
}

/**
 * Decides the meaning of an upstream error. The code decides; the HTTP status counts for unknown codes only.
 * `objectId` is the addressed node. It separates "the number is missing" from "the body names a missing object".
 */
export function classifyError(error: GraphError, httpStatus: number, objectId?: string): ErrorVerdict {
  const known = findVerdict(error, objectId);
  if (error.isTransient) {
    // A throttle says more than `is_transient`, because it names the scope to slow down.
    const isKnownToPass = known?.class === 'TRANSIENT' || known?.class.startsWith('THROTTLE_');
    return known !== undefined && isKnownToPass ? known : verdict('TRANSIENT');
  }
  if (known !== undefined) return known;
  if (httpStatus === 429) return verdict('THROTTLE_NUMBER');
  return verdict(httpStatus >= 500 || error.code === null ? 'TRANSIENT' : 'PERMANENT');
}

function findVerdict(error: GraphError, objectId: string | undefined): ErrorVerdict | undefined {
  const { code } = error;
  if (code === null) return undefined;
  // A wrong setting of the app or of this gateway. The message is not rejected for it, and is sent once the setting is right.
  if (code === 100 && /appsecret_proof/.test(error.message ?? ''))
    return verdict('CREDENTIAL', { parks: 'number', waitMs: minuteMs });
  if (code === 100 && error.subcode === 33) {
    const named = /\bID '([^']*)/.exec(error.message ?? '')?.[1];
    // Without this, a message with a dead media id would park its sending number.
    const isAboutTheBody = named !== undefined && objectId !== undefined && named !== objectId;
    return verdict('PERMANENT', { parks: isAboutTheBody ? null : 'number' });
  }
  return table.find((row) => row.from <= code && code <= row.to)?.verdict;
}

interface TableRow {
  from: number;
  to: number;
  verdict: ErrorVerdict;
}

function verdict(errorClass: ErrorClass, extra: Partial<ErrorVerdict> = {}): ErrorVerdict {
  const parks = errorClass === 'CREDENTIAL' ? 'credential' : null;
  return { class: errorClass, parks, waitMs: null, isOutage: false, ...extra };
}

/** Builds table rows from single codes and ranges. */
function rows(
  errorClass: ErrorClass,
  codes: readonly (number | [number, number])[],
  extra?: Partial<ErrorVerdict>,
): TableRow[] {
  return codes.map((code) => {
    const [from, to] = typeof code === 'number' ? [code, code] : code;
    return { from, to, verdict: verdict(errorClass, extra) };
  });
}

const minuteMs = 60_000;

// The HTTP status would mislead twice: 3, 131045 and 134102 come as 500 although no retry can help, and every throttle comes as 400.
const table: readonly TableRow[] = [
  // The token: no message passes with it until it is replaced.
  ...rows('CREDENTIAL', [0, 3, 10, 102, 104, 190, [200, 299], 131005]),

  // The number or the business account.
  ...rows('PERMANENT', [33, 131037, 131045, 133000, 133006, [133008, 133010]], { parks: 'number' }),
  ...rows('PERMANENT', [368, 131031, 131042], { parks: 'waba' }),
  // One feature is blocked (calls, payments, Direct Send). Other messages still pass, so nothing is parked.
  ...rows('PERMANENT', [131044, 134011, 139200]),

  ...rows('THROTTLE_APP', [4, 17, 32, 341, 613]),
  ...rows('THROTTLE_WABA', [[80007, 80008]]),
  // A penalty for templates of a wrong category. The platform lifts it after a while.
  ...rows('THROTTLE_WABA', [131064], { waitMs: 15 * minuteMs }),
  ...rows('THROTTLE_NUMBER', [130429, 133016, 2494055]),
  // A quality restriction rather than a rate limit: it lasts hours.
  ...rows('THROTTLE_NUMBER', [131048], { waitMs: 15 * minuteMs }),
  ...rows('THROTTLE_PAIR', [131056]),

  ...rows('TRANSIENT', [2, 131016, 133004], { isOutage: true }),
  // The platform also answers these codes, every time, for a message that it cannot interpret.
  ...rows('TRANSIENT', [1, 131000, 200002]),
  // The number is being upgraded or moved. Every call for it fails until that ends.
  ...rows('TRANSIENT', [131057], { parks: 'number', waitMs: minuteMs }),
  ...rows('TRANSIENT', [2494100], { parks: 'number', waitMs: 5 * minuteMs }),
  ...rows('TRANSIENT', [133015], { waitMs: 5 * minuteMs }),
  ...rows('TRANSIENT', [134101], { waitMs: 10 * minuteMs }),

  // The recipient.
  ...rows('PERMANENT', [130403, 130472, 131026, [131049, 131050]]),
  // The template.
  ...rows('PERMANENT', [
    [132000, 132001],
    132005,
    [132007, 132008],
    132012,
    [132015, 132016],
    132018,
    132021,
    [132068, 132069],
  ]),
  // A person's inbound message.
  ...rows('PERMANENT', [131035, 131052, 131060]),
  // The request itself.
  ...rows('PERMANENT', [
    100,
    506,
    803,
    2500,
    130497,
    [131008, 131009],
    131021,
    131030,
    131041,
    131047,
    131051,
    131053,
    131055,
    [131062, 131063],
    133005,
    134100,
    134102,
    135000,
    137000,
    [138000, 138023],
    [139000, 139004],
    [139100, 139103],
    [147001, 147005],
    [200005, 200007],
    [2388000, 2388999],
    [2593107, 2593108],
  ]),
];

/** The error codes that the gateway knows, as ranges with both ends included. */
export const KNOWN_ERROR_CODES: readonly Pick<TableRow, 'from' | 'to'>[] = table;
