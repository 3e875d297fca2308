import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TLSSocket } from 'node:tls';
import { openDatabase } from '../../src/database/database.ts';
import { createTestDatabase } from '../harness/database.ts';

/** A length of 8 bytes and PostgreSQL's code for "may I use TLS". */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Listens as a PostgreSQL with TLS and a self-signed certificate for `localhost`, in front of one without. */
async function startTlsServer(target: URL, dir: string) {
  const [key, cert] = [join(dir, 'server.key'), join(dir, 'server.crt')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', cert, ...names],
    {
      stdio: 'ignore',
    },
  );
  const secured = new Set<Socket>();
  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', (first) => {
      const upstream = connect(Number(target.port), target.hostname);
      upstream.on('error', () => client.destroy());
      if (!first.equals(TLS_REQUEST)) {
        upstream.write(first);
        client.pipe(upstream).pipe(client);
        return;
      }
      client.write('S');
      const tls = new TLSSocket(client, { isServer: true, key: readFileSync(key), cert: readFileSync(cert) });
      tls.on('error', () => upstream.destroy());
      tls.on('close', () => upstream.destroy());
      secured.add(client);
      tls.pipe(upstream).pipe(tls);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, cert, secured, close: () => server.close() };
}

describe('a server with TLS and a self-signed certificate', () => {
  const dir = mkdtempSync(join(tmpdir(), 'fairway-tls-'));
  let server: Awaited<ReturnType<typeof startTlsServer>>;
  let database: URL;
  let drop: () => Promise<void>;
  before(async () => {
    const created = await createTestDatabase();
    drop = created.drop;
    database = new URL(created.connectionString);
    server = await startTlsServer(database, dir);
  });
  after(async () => {
    server.close();
    await drop();
    rmSync(dir, { recursive: true });
  });

  /** Runs a statement with these parameters of the URL; resolves with true if the connection had TLS. */
  async function connectWith(parameters: string, host = '127.0.0.1'): Promise<boolean> {
    const url = new URL(database);
    url.hostname = host;
    url.port = String(server.port);
    url.search = parameters;
    const db = openDatabase({ connectionString: url.href, connectionsMax: 1, onIdleError() {} });
    const before = server.secured.size;
    try {
      await db.query({ text: 'SELECT 1' });
      return server.secured.size > before;
    } finally {
      await db.close();
    }
  }

  it('sslmode absent, prefer, require or no-verify: connects with TLS', async () => {
    for (const mode of ['', 'prefer', 'require', 'no-verify'])
      assert.equal(await connectWith(mode === '' ? '' : `sslmode=${mode}`), true, mode);
  });

  it('sslmode=disable and allow: connect without TLS', async () => {
    for (const mode of ['disable', 'allow']) assert.equal(await connectWith(`sslmode=${mode}`), false, mode);
  });

  it('sslmode=verify-full: connects with sslrootcert and the right name only', async () => {
    const root = `sslrootcert=${server.cert}`;
    assert.equal(await connectWith(`sslmode=verify-full&${root}`, 'localhost'), true);
    await assert.rejects(connectWith('sslmode=verify-full', 'localhost'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await assert.rejects(connectWith(`sslmode=verify-full&${root}`), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('sslmode=verify-ca, or require with sslrootcert: another name → connects', async () => {
    for (const mode of ['verify-ca', 'require'])
      assert.equal(await connectWith(`sslmode=${mode}&sslrootcert=${server.cert}`), true);
  });

  it('channel_binding=require: the server does not bind → refused before the password', async () => {
    await assert.rejects(connectWith('sslmode=require&channel_binding=require'), {
      message: 'channel binding is required, but the server did not offer it',
    });
    assert.equal(await connectWith('sslmode=require&channel_binding=prefer'), true);
  });
});
