import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ByteBudget } from '../../../src/core/limits/byte-budget.ts';
import { type HttpServer, healthRoutes } from '../../../src/http/index.ts';
import { createBareServer } from '../../harness/bare-server.ts';
import { until } from '../../harness/tenant.ts';

const MIB = 1024 * 1024;
const CONNECTIONS_MAX = 610;

describe('load beyond capacity', () => {
  let app: HttpServer;
  let baseUrl: string;
  let port: number;
  let shedding = false;
  let served = 0;
  let held: Promise<void> | undefined;
  let began: (() => void) | undefined;
  const bodies = new ByteBudget(4 * MIB);

  before(async () => {
    app = await createBareServer({
      newRequestId: () => 'r-1',
      sheds: () => shedding,
      bodies,
      connectionsMax: CONNECTIONS_MAX,
    });
    healthRoutes(app, { isReady: async () => true, publicUrl: null });
    app.post('/v1/echo', async (request) => {
      served += 1;
      began?.();
      await held;
      return { bytes: (request.body as Buffer).length };
    });
    app.get('/admin/v1/anything', async () => ({ served: true }));
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as { port: number }).port;
    baseUrl = `http://127.0.0.1:${port}`;
  });
  afterEach(() => {
    shedding = false;
    held = undefined;
  });
  after(() => app.close());

  it('is refused with 503 as in api-rules#errors, a spread Retry-After, and keeps the connection', async () => {
    shedding = true;
    const before = served;
    const waits = new Set<string | null>();
    for (let request = 0; request < 40; request += 1) {
      const answer = await fetch(`${baseUrl}/v1/echo`, { method: 'POST', body: '{}' });
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('x-request-id'), 'r-1');
      assert.notEqual(answer.headers.get('connection'), 'close');
      const { code, message, request_id, error } = (await answer.json()) as Record<string, never>;
      assert.deepEqual([code, request_id], ['UNAVAILABLE', 'r-1']);
      assert.ok(message);
      assert.ok(error);
      waits.add(answer.headers.get('retry-after'));
    }
    assert.equal(served, before);
    assert.ok(waits.size > 1, 'those turned away together must not come back together');
    for (const wait of waits) assert.match(wait ?? '', /^[1-3]$/);
  });

  it('is refused before its body has arrived', async () => {
    shedding = true;
    const answer = await exchangePart('POST /v1/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n{');
    assert.match(answer, /^HTTP\/1\.1 503 /);
  });

  it('does not block health checks or the operator', async () => {
    shedding = true;
    for (const path of ['/healthz', '/readyz', '/admin/v1/anything']) {
      assert.equal((await fetch(baseUrl + path)).status, 200, path);
    }
  });

  it('bodies cannot fill the memory: excess is refused, and room returns', async () => {
    const body = Buffer.alloc(MIB - 10, 120);
    const head = `POST /v1/echo HTTP/1.1\r\nhost: x\r\ncontent-length: ${MIB}\r\n\r\n`;
    const sockets = Array.from({ length: 8 }, () => connect(port, '127.0.0.1'));
    const answers: string[] = [];
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.on('data', (chunk) => answers.push(chunk.toString()));
      socket.write(head);
      socket.write(body);
    }
    await until('seven of eight large bodies are refused', () => (answers.length === 7 ? true : undefined));
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n/s);
    assert.ok(bodies.bytes <= 2 * MIB, 'strangers get no more than half');
    for (const socket of sockets) socket.destroy();
    await until('the room is free again', () => (bodies.bytes === 0 ? true : undefined));
    const answer = await fetch(`${baseUrl}/v1/echo`, { method: 'POST', body });
    assert.deepEqual(await answer.json(), { bytes: body.length });
    assert.equal(bodies.bytes, 0);
  });

  it('parsed bodies cannot fill the memory, though twenty times as large as their text', async () => {
    const body = `[${Array.from({ length: 15_000 }, () => '{}').join(',')}]`;
    const holding = Promise.withResolvers<void>();
    held = holding.promise;
    const refused: Response[] = [];
    const posted = Array.from({ length: 4 }, async () => {
      const answer = await fetch(`${baseUrl}/v1/echo`, { method: 'POST', body });
      if (answer.status === 503) refused.push(answer);
      return answer.status;
    });
    await until('three do not fit', () => (refused.length === 3 ? true : undefined));
    assert.ok(bodies.bytes >= body.length * 20 && bodies.bytes <= 2 * MIB);
    for (const answer of refused) assert.equal(answer.headers.get('retry-after'), '1');
    holding.resolve();
    assert.deepEqual((await Promise.all(posted)).sort(), [200, 503, 503, 503]);
    await until('the room is free again', () => (bodies.bytes === 0 ? true : undefined));
    const more = `[${Array.from({ length: 30_000 }, () => '{}').join(',')}]`;
    const alone = await fetch(`${baseUrl}/v1/echo`, { method: 'POST', body: more });
    assert.equal(alone.status, 200, 'whatever it becomes, alone it fits');
    await until('the room is free again', () => (bodies.bytes === 0 ? true : undefined));
  });

  it('bodies in tiny chunks cannot fill the memory: such connections are closed', async (t) => {
    const collect = collector();
    const open = () => {
      const socket = connect(port, '127.0.0.1');
      t.after(() => socket.destroy());
      socket.on('error', () => {});
      socket.write('POST /v1/echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n');
      return socket;
    };
    collect();
    const before = heldBytes();
    const count = 6 * 1024;
    open().write(`50\r\n${'a'.repeat(80)}\r\n`.repeat(count));
    await until('all of it is there', () => bodies.bytes >= count * 80 || undefined);
    collect();
    const held = heldBytes() - before;
    assert.ok(held < 1.5 * MIB, `${Math.round(held / 1024)} KiB for half a mebibyte`);

    const splinters = open();
    splinters.write('1\r\na\r\n'.repeat(50_000));
    splinters.resume();
    await until('it is cut off', () => splinters.destroyed || undefined);
  });

  it('from one address leaves room for another address', async (t) => {
    const head = (bytes: number) => `POST /v1/echo HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`;
    const hogs = [1, 2].map(() => connect(port, '127.0.0.1').on('error', () => {}));
    t.after(() => {
      for (const hog of hogs) hog.destroy();
    });
    let isRefused = false;
    for (const hog of hogs) {
      hog.once('data', () => {
        isRefused = true;
      });
      hog.write(head(MIB) + 'x'.repeat(0.95 * MIB));
    }
    await until('one is refused or both are in', () => isRefused || bodies.bytes > 1.8 * MIB || undefined);
    const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    t.after(() => other.destroy());
    other.write(head(MIB / 4) + 'x'.repeat(MIB / 4));
    const answer = await new Promise((resolve) => other.once('data', resolve));
    assert.match(String(answer), /^HTTP\/1\.1 200 /);
    for (const socket of [...hogs, other]) socket.destroy();
    await until('the room is free again', () => (bodies.bytes === 0 ? true : undefined));
  });

  it('counts received bytes, not announced ones: slow clients block no others', async () => {
    const head = `POST /v1/echo HTTP/1.1\r\nhost: x\r\ncontent-length: ${MIB}\r\n\r\n{`;
    const sockets = Array.from({ length: 30 }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {}).write(head);
    await until('all have begun', () => (bodies.bytes >= 30 ? true : undefined));
    const answer = await fetch(`${baseUrl}/v1/echo`, { method: 'POST', body: 'x'.repeat(MIB / 2) });
    assert.equal(answer.status, 200);
    for (const socket of sockets) socket.destroy();
    await until('the room is free again', () => (bodies.bytes === 0 ? true : undefined));
  });

  it('a burst does not delay clients that connect later', async (t) => {
    const crowd = Array.from({ length: 600 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    t.after(() => {
      for (const socket of crowd) socket.destroy();
    });
    await untilConnected(crowd.length);
    const before = served;
    const servedBefore = await new Promise<number>((resolve, reject) => {
      began = () => {
        began = undefined;
        fetch(`${baseUrl}/healthz`).then(() => resolve(served - before), reject);
      };
      for (const socket of crowd)
        socket.resume().write('POST /v1/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}');
    });
    assert.ok(servedBefore < crowd.length / 2, `after ${servedBefore} of them`);
    await until('all are served', () => (served - before === crowd.length ? true : undefined));
  });

  it('excess connections are closed at once, existing ones go on', async () => {
    const idle = Array.from({ length: CONNECTIONS_MAX }, () => connect(port, '127.0.0.1'));
    for (const socket of idle) socket.on('error', () => {});
    await untilConnected(CONNECTIONS_MAX);
    const extra = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => extra.on('error', () => {}).once('close', () => resolve()));
    const [first] = idle;
    const answered = new Promise<string>((resolve) => first?.once('data', (chunk) => resolve(chunk.toString())));
    first?.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    assert.match(await answered, /^HTTP\/1\.1 200 /);
    for (const socket of idle) socket.destroy();
  });

  async function untilConnected(count: number): Promise<void> {
    const connections = () => new Promise<number>((done) => app.server.getConnections((_error, now) => done(now)));
    await until(`${count} are connected`, async () => ((await connections()) >= count ? true : undefined));
  }

  function exchangePart(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.once('error', reject);
      socket.once('data', (chunk) => {
        resolve(chunk.toString());
        socket.destroy();
      });
    });
  }
});

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Returns V8's garbage collector, which is exposed only by a flag. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
