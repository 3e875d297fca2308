import { createServer } from 'node:http';

// The baseline of all comparisons: parses the same JSON and answers the same JSON, and does nothing else.
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { to } = JSON.parse(Buffer.concat(chunks).toString()) as { to: string };
    const body = JSON.stringify({
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to.slice(1) }],
      messages: [{ id: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30', message_status: 'queued' }],
    });
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));
process.on('disconnect', () => process.exit(0));
