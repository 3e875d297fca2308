import { request } from 'node:http';
import { takeOwnProcessorTime } from './own-processor-time.ts';
import type { RequestParts } from './requests.ts';

// Clients that connect for one request while a crowd keeps the server busy: one every 20 ms, and every fifth of them checks the health. The
// process reports the time from connecting to the end of the answer, by status.

const EVERY_MS = 20;
/** One client of this many checks the health. */
const HEALTH_EVERY = 5;
const HEALTH: RequestParts = { method: 'GET', path: '/healthz', headers: {}, body: '' };

takeOwnProcessorTime();

const port = Number(process.argv[2]);
/** Latencies by status, ms; `health` for the health checks. */
const latencies: Record<string, number[]> = {};
let count = 0;
let timer: NodeJS.Timeout | undefined;

function come(parts: RequestParts): void {
  count += 1;
  const asksHealth = count % HEALTH_EVERY === 0;
  const { method, path, headers, body } = asksHealth ? HEALTH : parts;
  const startedAt = performance.now();
  const note = (kind: string) => {
    const known = latencies[kind] ?? [];
    latencies[kind] = known;
    known.push(performance.now() - startedAt);
  };
  request({ port, host: '127.0.0.1', agent: false, method, path, headers }, (answer) => {
    answer.resume().on('end', () => note(asksHealth ? 'health' : String(answer.statusCode)));
  })
    .on('error', () => note('failed'))
    .end(body);
}

/** Receives the request to repeat from now on; or `end`, which is answered with the latencies. */
process.on('message', (message: RequestParts | 'end') => {
  if (message === 'end') {
    clearInterval(timer);
    process.send?.(latencies);
    return;
  }
  timer = setInterval(() => come(message), EVERY_MS);
  process.send?.({});
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port });
