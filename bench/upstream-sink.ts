import { listenAsUpstream } from './upstream-server.ts';

// An upstream that accepts every message at once, so that Fairway alone is measured.
let taken = 0;
/** Time at which the first message since the last mark arrived, epoch ms. */
let firstAtMs: number | null = null;
/** Times from posting to arrival, ms, of messages that carry the time of posting. */
let waits: number[] = [];
const port = await listenAsUpstream({
  numbers: Number(process.argv[2] ?? 32),
  throughputLevel: 'HIGH',
  take({ body }) {
    taken += 1;
    firstAtMs ??= Date.now();
    const postedAt = body.includes('bench_at:') ? /bench_at:(\d+)/.exec(body)?.[1] : undefined;
    if (postedAt !== undefined) waits.push(Date.now() - Number(postedAt));
    return null;
  },
});
process.on('message', (question) => {
  if (question === 'mark') firstAtMs = null;
  process.send?.(question === 'waits?' ? { waits } : { taken, firstAtMs });
  if (question === 'waits?') waits = [];
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port });
