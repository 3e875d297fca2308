import type { GraphError } from './graph-error.ts';

/** What an upstream error is about; the whole product's reaction to it follows from this. */
export type ErrorClass =
  | 'TRANSIENT'
  | 'THROTTLE_NUMBER'
  | 'THROTTLE_PAIR'
  | 'THROTTLE_WABA'
  | 'THROTTLE_APP'
  | 'CREDENTIAL'
  | 'ACCOUNT'
  | 'PERMANENT'
  | 'RECIPIENT'
  | 'TEMPLATE'
  | 'INBOUND';

export interface ErrorVerdict {
  class: ErrorClass;
  /**
   * What nothing passes through for now, so everything sent through it waits: until someone acts, or for `waitMs` when that is
   * given with it. Null when only this request is concerned.
   */
  parks: 'credential' | 'number' | 'waba' | null;
  /** How long trying again is known to be pointless, in milliseconds. */
  waitMs: number | null;
}

/**
 * Decides what an upstream error means. The code decides; the HTTP status only helps with codes that are not known here
 * (0 for an error that came by webhook).
 * `objectId` is the node the request addressed, which tells "the number is gone" from "the body names something missing".
 */
export function classifyError(error: GraphError, httpStatus: number, objectId?: string): ErrorVerdict {
  const known = findVerdict(error, objectId);
  if (error.isTransient) {
    // A throttle says more than is_transient does: it names the scope to slow down.
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
  // A setting of the app or of this gateway, which the message is not to pay for; it goes on once that is put right.
  if (code === 100 && /appsecret_proof/.test(error.message ?? ''))
    return verdict('CREDENTIAL', { parks: 'number', waitMs: minuteMs });
  if (code === 100 && error.subcode === 33) {
    const named = /\bID '([^']*)/.exec(error.message ?? '')?.[1];
    // A message with a dead media id must not park the number it was to leave from.
    const isAboutTheBody = named !== undefined && objectId !== undefined && named !== objectId;
    return isAboutTheBody ? verdict('PERMANENT') : verdict('ACCOUNT', { parks: 'number' });
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
  return { class: errorClass, parks, waitMs: null, ...extra };
}

function row(codes: number | [number, number], errorClass: ErrorClass, extra?: Partial<ErrorVerdict>): TableRow {
  const [from, to] = typeof codes === 'number' ? [codes, codes] : codes;
  return { from, to, verdict: verdict(errorClass, extra) };
}

const minuteMs = 60_000;

// Two things the HTTP status would get wrong: 3, 131045 and 134102 come as 500 although trying again cannot help, and
// every throttle comes as 400.
const table: readonly TableRow[] = [
  // The token: nothing sent with it will pass until it is replaced.
  row(0, 'CREDENTIAL'),
  row(3, 'CREDENTIAL'),
  row(10, 'CREDENTIAL'),
  row(102, 'CREDENTIAL'),
  row(104, 'CREDENTIAL'),
  row(190, 'CREDENTIAL'),
  row([200, 299], 'CREDENTIAL'),
  row(131005, 'CREDENTIAL'),

  // The number or the business account.
  row(33, 'ACCOUNT', { parks: 'number' }),
  row(368, 'ACCOUNT', { parks: 'waba' }),
  row(131031, 'ACCOUNT', { parks: 'waba' }),
  row(131037, 'ACCOUNT', { parks: 'number' }),
  row(131042, 'ACCOUNT', { parks: 'waba' }),
  row(131045, 'ACCOUNT', { parks: 'number' }),
  row(131064, 'ACCOUNT', { parks: 'waba' }),
  row(133000, 'ACCOUNT', { parks: 'number' }),
  row(133006, 'ACCOUNT', { parks: 'number' }),
  row([133008, 133010], 'ACCOUNT', { parks: 'number' }),
  // One feature is blocked (calls, payments, Direct Send); other messages still pass, so nothing is parked.
  row(131044, 'ACCOUNT'),
  row(134011, 'ACCOUNT'),
  row(139200, 'ACCOUNT'),

  row(4, 'THROTTLE_APP'),
  row(17, 'THROTTLE_APP'),
  row(32, 'THROTTLE_APP'),
  row(341, 'THROTTLE_APP'),
  row(613, 'THROTTLE_APP'),
  row([80007, 80008], 'THROTTLE_WABA'),
  row(130429, 'THROTTLE_NUMBER'),
  // A quality restriction, not a pace: it lasts hours.
  row(131048, 'THROTTLE_NUMBER', { waitMs: 15 * minuteMs }),
  row(133016, 'THROTTLE_NUMBER'),
  row(2494055, 'THROTTLE_NUMBER'),
  row(131056, 'THROTTLE_PAIR'),

  row([1, 2], 'TRANSIENT'),
  row(131000, 'TRANSIENT'),
  row(131016, 'TRANSIENT'),
  // The number is being upgraded or moved: every call for it fails meanwhile.
  row(131057, 'TRANSIENT', { parks: 'number', waitMs: minuteMs }),
  row(2494100, 'TRANSIENT', { parks: 'number', waitMs: 5 * minuteMs }),
  row(133004, 'TRANSIENT'),
  row(133015, 'TRANSIENT', { waitMs: 5 * minuteMs }),
  row(134101, 'TRANSIENT', { waitMs: 10 * minuteMs }),
  row(200002, 'TRANSIENT'),

  row(130403, 'RECIPIENT'),
  row(130472, 'RECIPIENT'),
  row(131026, 'RECIPIENT'),
  row([131049, 131050], 'RECIPIENT'),

  row([132015, 132016], 'TEMPLATE'),
  row([132068, 132069], 'TEMPLATE'),

  row(131035, 'INBOUND'),
  row(131052, 'INBOUND'),
  row(131060, 'INBOUND'),

  row(100, 'PERMANENT'),
  row(506, 'PERMANENT'),
  row(803, 'PERMANENT'),
  row(2500, 'PERMANENT'),
  row(130497, 'PERMANENT'),
  row([131008, 131009], 'PERMANENT'),
  row(131021, 'PERMANENT'),
  row(131030, 'PERMANENT'),
  row(131041, 'PERMANENT'),
  row(131047, 'PERMANENT'),
  row(131051, 'PERMANENT'),
  row(131053, 'PERMANENT'),
  row(131055, 'PERMANENT'),
  row([131062, 131063], 'PERMANENT'),
  row([132000, 132001], 'PERMANENT'),
  row(132005, 'PERMANENT'),
  row([132007, 132008], 'PERMANENT'),
  row(132012, 'PERMANENT'),
  row(132018, 'PERMANENT'),
  row(132021, 'PERMANENT'),
  row(133005, 'PERMANENT'),
  row(134100, 'PERMANENT'),
  row(134102, 'PERMANENT'),
  row(135000, 'PERMANENT'),
  row(137000, 'PERMANENT'),
  row([138000, 138023], 'PERMANENT'),
  row([139000, 139004], 'PERMANENT'),
  row([139100, 139103], 'PERMANENT'),
  row([147001, 147005], 'PERMANENT'),
  row([200005, 200007], 'PERMANENT'),
  row([2388000, 2388999], 'PERMANENT'),
  row([2593107, 2593108], 'PERMANENT'),
];
