import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { percentilesOf } from './load.ts';

// Customers' endpoints: one answers at once, one is slow, one hangs, one is unreachable. `ports` are in this order. A delivery's latency
// counts from the `bench_at` of its status.
const SLOW_MS = 3_000;
let taken = 0;
let latencies: number[] = [];

const healthy = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    taken += 1;
    const at = /"bench_at":(\d+)/.exec(body)?.[1];
    if (at !== undefined) latencies.push(Date.now() - Number(at));
    response.writeHead(204).end();
  });
});
const slow = createServer((request, response) => {
  request.resume();
  setTimeout(() => response.writeHead(204).end(), SLOW_MS);
});
const hanging = createServer((request) => {
  request.resume();
});
const absent = createServer();

process.on('message', (question) => {
  if (question !== 'report') {
    process.send?.({ taken, ports });
    return;
  }
  const at = percentilesOf(latencies);
  process.send?.({ p50: at(0.5), p99: at(0.99), max: at(1) });
  latencies = [];
});
const portOf = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
const ports = [await portOf(healthy), await portOf(slow), await portOf(hanging), await portOf(absent)];
absent.close();
process.send?.({ port: ports[0] });
process.on('disconnect', () => process.exit(0));
