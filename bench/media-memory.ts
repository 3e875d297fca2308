import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { startSimulator } from '../src/simulator/index.ts';
import { type BenchGateway, startBenchGateway } from './processes.ts';

const MIB = 1024 * 1024;
const UPLOADS = 50;
const FILE_BYTES = 16 * MIB;
/** Design goal: most bytes that fifty parallel uploads of 16 MB may add to the gateway's resident memory. */
const GROWTH_BYTES_MAX = 64 * MIB;
const SAMPLE_EVERY_MS = 20;
const PHONE_NUMBER = '15550783881';

/** A form around a file of `bytes` bytes, as the pieces to write. */
interface Form {
  contentType: string;
  pieces(bytes: number): Iterable<Buffer>;
}

const multipart: Form = {
  contentType: 'multipart/form-data; boundary=bench',
  *pieces(bytes) {
    const part = (name: string) => `--bench\r\ncontent-disposition: form-data; name="${name}"`;
    yield Buffer.from(`${part('file')}; filename="a.mp4"\r\ncontent-type: video/mp4\r\n\r\n`);
    yield* blocks(Buffer.alloc(64 * 1024), bytes);
    yield Buffer.from(`\r\n${part('phone_number')}\r\n\r\n${PHONE_NUMBER}\r\n--bench--\r\n`);
  },
};

const urlencoded: Form = {
  contentType: 'application/x-www-form-urlencoded',
  *pieces(bytes) {
    yield Buffer.from('file=data:video/mp4;base64,');
    yield* blocks(Buffer.from(Buffer.alloc(48 * 1024).toString('base64')), (bytes / 3) * 4);
    yield Buffer.from(`&phone_number=${PHONE_NUMBER}`);
  },
};

function* blocks(block: Buffer, bytes: number): Iterable<Buffer> {
  const total = bytes - (bytes % 4);
  for (let sent = 0; sent < total; sent += block.length) yield block.subarray(0, Math.min(block.length, total - sent));
}

async function upload(gateway: BenchGateway, form: Form, bytes: number): Promise<void> {
  const outgoing = request({
    host: '127.0.0.1',
    port: gateway.port,
    path: '/v1/media/upload',
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': form.contentType },
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  for (const piece of form.pieces(bytes)) if (!outgoing.write(piece)) await once(outgoing, 'drain');
  outgoing.end();
  const [response] = await answered;
  let text = '';
  for await (const chunk of response) text += String(chunk);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
}

async function uploadMany(gateway: BenchGateway, form: Form, bytes: number): Promise<void> {
  await Promise.all(Array.from({ length: UPLOADS }, () => upload(gateway, form, bytes)));
}

/** Returns the highest memory sample while `work` runs. */
async function peakDuring(gateway: BenchGateway, work: () => Promise<void>): Promise<number> {
  let peakBytes = 0;
  const timer = setInterval(async () => {
    peakBytes = Math.max(peakBytes, await gateway.memory());
  }, SAMPLE_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peakBytes;
}

if (import.meta.main) {
  const simulator = await startSimulator({ appId: '1', appSecret: 'bench-secret', verifyToken: 'bench-token' });
  simulator.world.addWaba({
    id: '100',
    accessToken: 'EAAbench',
    numbers: [{ id: '101', displayPhoneNumber: `+${PHONE_NUMBER}` }],
  });
  const gateway = await startBenchGateway(simulator.port);
  try {
    for (const [name, form] of [
      ['multipart', multipart],
      ['urlencoded', urlencoded],
    ] as const) {
      // The first round creates connections, code and caches, so that later growth is due to the files alone.
      await uploadMany(gateway, form, 64 * 1024);
      const before = await gateway.memory();
      const startedMs = performance.now();
      const growth = (await peakDuring(gateway, () => uploadMany(gateway, form, FILE_BYTES))) - before;
      const seconds = (performance.now() - startedMs) / 1000;
      const verdict = growth < GROWTH_BYTES_MAX ? 'ok' : 'TOO MUCH';
      console.log(
        `${name}: ${UPLOADS} x ${FILE_BYTES / MIB} MiB in ${seconds.toFixed(1)} s, resident memory ` +
          `${(before / MIB).toFixed(0)} MiB + ${(growth / MIB).toFixed(0)} MiB: ${verdict}`,
      );
      if (growth >= GROWTH_BYTES_MAX) process.exitCode = 1;
    }
  } finally {
    await gateway.stop();
    await simulator.close();
  }
}
