import { listenAsUpstream } from './upstream-server.ts';

// An upstream that takes everything at once: what is measured against it is Fairway alone.
let taken = 0;
/** Of messages that carry the time they were posted at: how long they took to get here, in milliseconds. */
let waits: number[] = [];
const port = await listenAsUpstream({
  numbers: Number(process.argv[2] ?? 32),
  throughputLevel: 'HIGH',
  take({ body }) {
    taken += 1;
    const postedAt = body.includes('bench_at:') ? /bench_at:(\d+)/.exec(body)?.[1] : undefined;
    if (postedAt !== undefined) waits.push(Date.now() - Number(postedAt));
    return null;
  },
});
process.on('message', (question) => {
  process.send?.(question === 'waits?' ? { waits } : { taken });
  if (question === 'waits?') waits = [];
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port });
