import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test } from 'node:test';
import { systemClock } from '../core/time/clock.ts';
import { createHostResolver } from './resolve-host.ts';

const A = 1;
const AAAA = 28;

/** Records in wire format, by name and type; a name that is not listed does not exist. */
const records: Record<string, Partial<Record<number, Buffer[]>>> = {
  'both.test': { [A]: [Buffer.from([192, 0, 2, 1]), Buffer.from([192, 0, 2, 2])], [AAAA]: [Buffer.alloc(16, 0x20)] },
  'old.test': { [A]: [Buffer.from([192, 0, 2, 3])] },
  'new.test': { [AAAA]: [Buffer.alloc(16, 0x20)] },
};

async function startDnsServer(): Promise<{ address: string; asked: Buffer[] } & AsyncDisposable> {
  const socket = createSocket('udp4');
  const asked: Buffer[] = [];
  socket.on('message', (query, sender) => {
    asked.push(query);
    if (!query.includes('silent')) socket.send(answer(query), sender.port, sender.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function answer(query: Buffer): Buffer {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query.readUInt8(offset); length > 0; length = query.readUInt8(offset)) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  const type = query.readUInt16BE(offset + 1);
  const question = query.subarray(12, offset + 5);
  const known = records[labels.join('.').toLowerCase()];
  const found = known?.[type] ?? [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  const answers = found.map((address) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(address.length, 10);
    return Buffer.concat([record, address]);
  });
  return Buffer.concat([header, question, ...answers]);
}

test('resolve host: name → all its addresses of both families, or none', async () => {
  await using server = await startDnsServer();
  const resolveHost = createHostResolver({
    clock: systemClock,
    timeoutMs: 2_000,
    usesSystemNames: false,
    servers: [server.address],
  });
  const ipv6 = '2020:2020:2020:2020:2020:2020:2020:2020';
  assert.deepEqual([...(await resolveHost('both.test'))].sort(), ['192.0.2.1', '192.0.2.2', ipv6]);
  assert.deepEqual(await resolveHost('old.test'), ['192.0.2.3']);
  assert.deepEqual(await resolveHost('new.test'), [ipv6]);
  assert.deepEqual(await resolveHost('absent.test'), []);
});

test('resolve host: names of the machine itself → known only with an allow-list', async () => {
  await using server = await startDnsServer();
  const options = { clock: systemClock, timeoutMs: 2_000, servers: [server.address] };
  const lab = await createHostResolver({ ...options, usesSystemNames: true })('localhost');
  assert.ok(
    lab.some((address) => address === '127.0.0.1' || address === '::1'),
    lab.join(),
  );
  // Silent servers, as without a network, would use up the time limit of a name.
  assert.deepEqual(server.asked, []);
  assert.deepEqual(await createHostResolver({ ...options, usesSystemNames: false })('localhost'), []);
});

test('resolve host: silent servers → no system look-up; other system look-ups → one at a time', async () => {
  await using server = await startDnsServer();
  const lookedUp: string[] = [];
  const begun = Promise.withResolvers<void>();
  const found = Promise.withResolvers<string[]>();
  const resolveHost = createHostResolver({
    clock: systemClock,
    timeoutMs: 300,
    usesSystemNames: true,
    servers: [server.address],
    lookUp(hostname) {
      lookedUp.push(hostname);
      begun.resolve();
      return found.promise;
    },
  });
  assert.deepEqual(await resolveHost('silent.test'), []);
  const first = resolveHost('first.test');
  await begun.promise;
  assert.deepEqual(await resolveHost('second.test'), []);
  const third = resolveHost('third.test');
  found.resolve(['192.0.2.9']);
  assert.deepEqual([await first, await third], [['192.0.2.9'], ['192.0.2.9']]);
  assert.deepEqual(lookedUp, ['first.test', 'third.test']);
});
