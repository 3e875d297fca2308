import { request } from 'node:http';
import { takeOwnProcessorTime } from './own-processor-time.ts';

// Clients that connect for one request, while a crowd keeps the server busy: every so often one of them, and now and then one that
// asks whether the server lives. They tell how long it took from the first packet to the last, by what they were answered.

const EVERY_MS = 20;
/** Of so many one asks for the health. */
const HEALTH_EVERY = 5;

takeOwnProcessorTime();

const port = Number(process.argv[2]);
/** Of answers by status, `health` of those to that question: milliseconds. */
const latencies: Record<string, number[]> = {};
let text = '';
let count = 0;
let timer: NodeJS.Timeout | undefined;

function come(): void {
  count += 1;
  const asksHealth = count % HEALTH_EVERY === 0;
  const [head = '', body = ''] = asksHealth ? ['GET /healthz HTTP/1.1\r\nhost: x'] : text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const headers = Object.fromEntries(fields.map((field) => field.split(': ')));
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

/** A request to send again and again from now on; or `end`, which is answered with what came of it. */
process.on('message', (message: { request: string } | 'end') => {
  if (message === 'end') {
    clearInterval(timer);
    process.send?.(latencies);
    return;
  }
  text = message.request;
  timer = setInterval(come, EVERY_MS);
  process.send?.({});
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port });
