import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

// An upstream that takes everything at once: what is measured against it is Fairway alone.
const NUMBERS = Number(process.argv[2] ?? 32);
let taken = 0;
let serial = 0;
/** Of messages that carry the time they were posted at: how long they took to get here, in milliseconds. */
let waits: number[] = [];
const bodyOf = (request: IncomingMessage, done: (body: string) => void) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(Buffer.concat(chunks).toString()));
};
const reply = (response: ServerResponse, body: string) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
};
const server = createServer((request, response) => {
  const path = (request.url ?? '').split('?')[0] ?? '';
  bodyOf(request, (body) => {
    if (request.method === 'POST' && path.endsWith('/messages')) {
      taken += 1;
      serial += 1;
      const postedAt = body.includes('bench_at:') ? /bench_at:(\d+)/.exec(body)?.[1] : undefined;
      if (postedAt !== undefined) waits.push(Date.now() - Number(postedAt));
      const to = /"to":\s*"\+?(\d+)"/.exec(body)?.[1] ?? '';
      reply(
        response,
        `{"messaging_product":"whatsapp","contacts":[{"input":"+${to}","wa_id":"${to}"}],"messages":[{"id":"wamid.bench.${process.pid}.${serial}"}]}`,
      );
    } else if (path.endsWith('/phone_numbers')) {
      const data = Array.from({ length: NUMBERS }, (_, index) => ({
        id: String(200_000_000 + index),
        display_phone_number: `+1 202 ${5_550_000 + index}`,
        status: 'CONNECTED',
        platform_type: 'CLOUD_API',
        throughput: { level: 'HIGH' },
      }));
      reply(response, JSON.stringify({ data }));
    } else if (path.endsWith('/message_templates')) {
      const data = ['MARKETING', 'UTILITY', 'AUTHENTICATION'].map((category, index) => ({
        id: String(300_000_000 + index),
        name: `bench_${category.toLowerCase()}`,
        language: 'en_US',
        category,
        status: 'APPROVED',
        components: [{ type: 'BODY', text: 'Hello' }],
      }));
      reply(response, JSON.stringify({ data }));
    } else reply(response, '{"success":true}');
  });
});
process.on('message', (question) => {
  process.send?.(question === 'waits?' ? { waits } : { taken });
  if (question === 'waits?') waits = [];
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));
process.on('disconnect', () => process.exit(0));
