import type { Fault } from '../control/faults.ts';

/** `+1 555 010 dddd`: the last four digits choose the behaviour. All other recipients behave normally. */
const magicPattern = /^1555010(\d)(\d{3})$/;

/** Error codes by the last three digits of a magic number: mostly the last three digits of the code itself. */
const codes = new Map<string, number>([
  ['000', 131000],
  ['001', 1],
  ['002', 2],
  ['003', 3],
  ['004', 4],
  ['005', 131005],
  ['008', 131008],
  ['009', 131009],
  ['010', 10],
  ['016', 131016],
  ['021', 131021],
  ['026', 131026],
  ['030', 131030],
  ['031', 131031],
  ['033', 33],
  ['037', 131037],
  ['042', 131042],
  ['045', 131045],
  ['047', 131047],
  ['048', 131048],
  ['049', 131049],
  ['050', 131050],
  ['051', 131051],
  ['053', 131053],
  ['056', 131056],
  ['057', 131057],
  ['062', 131062],
  ['063', 131063],
  ['064', 131064],
  ['100', 100],
  ['133', 133010],
  ['135', 135000],
  ['137', 137000],
  ['190', 190],
  ['200', 200],
  ['201', 132001],
  ['205', 132005],
  ['207', 132007],
  ['212', 132012],
  ['215', 132015],
  ['216', 132016],
  ['368', 368],
  ['403', 130403],
  ['429', 130429],
  ['472', 130472],
  ['497', 130497],
  ['807', 80007],
]);

const htmlPage = (title: string) =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body>${title}</body></html>`;
const htmlError = (httpStatus: number, title: string): Fault => ({
  kind: 'http',
  httpStatus,
  body: htmlPage(title),
  contentType: 'text/html; charset=utf-8',
});

/** `5ddd`: raw answers of a failing server. */
const serverTroubles = new Map<string, Fault>([
  ['000', { kind: 'error', code: 1, httpStatus: 500 }],
  ['001', { kind: 'http', httpStatus: 500 }],
  ['002', htmlError(502, 'Bad Gateway')],
  ['003', { kind: 'error', code: 2 }],
  ['004', htmlError(504, 'Gateway Timeout')],
  ['005', { kind: 'http', httpStatus: 200, body: 'not json', contentType: 'application/json' }],
  ['006', { kind: 'http', httpStatus: 429, body: '', contentType: 'text/plain' }],
]);

/** `7ddd`: answers that never arrive. */
const silences = new Map<string, Fault>([
  ['000', { kind: 'hang' }],
  ['001', { kind: 'reset_before' }],
  ['002', { kind: 'reset_after' }],
  ['003', { kind: 'reply_lost' }],
  ['004', { kind: 'reply_cut' }],
]);

/** `8ddd`: faulty webhooks; `81dd` is computed. */
const webhookTroubles = new Map<string, Fault>([
  ['000', { kind: 'webhook_lost' }],
  ['001', { kind: 'webhook_duplicated', copies: 3 }],
  ['002', { kind: 'webhook_reordered' }],
  ['003', { kind: 'webhook_first' }],
  ['004', { kind: 'webhook_lost', status: 'sent' }],
  ['005', { kind: 'webhook_lost', status: 'delivered' }],
  ['006', { kind: 'webhook_lost', status: 'read' }],
  ['007', { kind: 'webhook_unsigned' }],
  ['008', { kind: 'fail', code: 131026, after: 'delivered' }],
]);

/** `4Ndd`: a fault that hits the first dd sends to this recipient. */
const passing = new Map<string, Fault>([
  ['1', { kind: 'error', code: 130429 }],
  ['2', { kind: 'error', code: 131056 }],
  ['3', { kind: 'error', code: 80007 }],
  ['4', { kind: 'error', code: 4 }],
  ['5', { kind: 'error', code: 131000 }],
  ['6', { kind: 'http', httpStatus: 503 }],
  ['7', { kind: 'reset_before' }],
  ['8', htmlError(502, 'Bad Gateway')],
  ['9', { kind: 'reply_lost' }],
]);

/** Returns the fault that a recipient's digits name for its `attempt`-th send (from 1), or null for a normal recipient. Pure. */
export function magicFault(recipient: string, attempt: number): Fault | null {
  const match = magicPattern.exec(recipient);
  if (match === null) return null;
  const [, family = '', rest = ''] = match;
  const code = codes.get(rest);
  switch (family) {
    case '1':
      return code === undefined ? null : { kind: 'error', code };
    case '2':
      return code === undefined ? null : { kind: 'fail', code };
    case '3':
      return code === undefined ? null : { kind: 'fail', code, after: 'sent' };
    case '4':
      return attempt <= Number(rest.slice(1)) ? (passing.get(rest.slice(0, 1)) ?? null) : null;
    case '5':
      return serverTroubles.get(rest) ?? null;
    case '6':
      return { kind: 'slow', delayMs: Number(rest) * 10 };
    case '7':
      return silences.get(rest) ?? null;
    case '8':
      return rest.startsWith('1')
        ? { kind: 'webhook_late', delayMs: Number(rest.slice(1)) * 1000 }
        : (webhookTroubles.get(rest) ?? null);
    case '9':
      return held(rest);
    default:
      return null;
  }
}

/** Returns true if sends to this recipient must be counted. */
export function isMagic(recipient: string): boolean {
  return magicPattern.test(recipient);
}

function held(rest: string): Fault | null {
  const outcome = Number(rest) % 2 === 0 ? 'sent' : 'dropped';
  const fault = { kind: 'held', outcome, delayMs: 1000 } as const;
  if (rest === '000' || rest === '001') return fault;
  return rest === '002' || rest === '003' ? { ...fault, word: 'paused' } : null;
}

/** `91dd`: the person answers. Returns the seconds after which; null for other recipients. */
export function magicReplySeconds(recipient: string): number | null {
  const match = /^15550109(1\d\d)$/.exec(recipient);
  return match === null ? null : Number(match[1]) - 100;
}
