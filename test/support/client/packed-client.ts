import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../../..');

/** A strict program of a stranger. It takes its settings as an argument, so that it runs in every runtime. */
const PROGRAM = `
import { ApiError, type EventType, Fairway, type Message, type SendBody, verifyWebhook } from 'fairway-client';
import { FairwayAdmin } from 'fairway-client/admin';

export interface Settings { baseUrl: string; apiKey: string; adminToken: string; number: string; phoneNumber: string; to: string }

export async function main(settings: Settings): Promise<string> {
  const { baseUrl, apiKey, number, phoneNumber, to } = settings;
  const client = new Fairway({ baseUrl, apiKey });
  const after = await client.events.now();
  const body: SendBody = { to, type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } };
  const { id } = await client.messages.send(number, body);
  const message: Message = await client.messages.waitFor(id, { status: 'read', timeoutMs: 20_000 });
  const event = await client.events.waitFor({ after, messageId: id, types: ['message.read'] });
  const type: EventType = event.type;
  const file = new Blob(['Thank you'], { type: 'text/plain' });
  const { bytes } = await client.media.upload({ phoneNumber, file, filename: 'receipt.txt' });
  const secret = 'whsec_' + btoa('a secret of thirty-two bytes....');
  const key = await crypto.subtle.importKey(
    'raw', new TextEncoder().encode('a secret of thirty-two bytes....'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const at = String(Math.floor(Date.now() / 1000));
  const text = '{"type": "webhook.test", "timestamp": "2026-11-02T10:00:03.000Z", "data": {}}';
  const bits = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode('e1.' + at + '.' + text));
  const signature = 'v1,' + btoa(String.fromCharCode(...new Uint8Array(bits)));
  const headers = { 'webhook-id': 'e1', 'webhook-timestamp': at, 'webhook-signature': signature };
  const verified = await verifyWebhook({ headers, body: text, secret });
  const code = await client.messages.get('none').catch((error: unknown) => (error instanceof ApiError ? error.code : 'other'));
  const admin = new FairwayAdmin({ baseUrl, adminToken: settings.adminToken });
  const tenants = (await admin.listOrganizations().first()).data.length;
  return [message.status, type, bytes, verified.type, code, tenants > 0].join(' ');
}
`;

/** The words that the program returns after everything worked. */
export const PROGRAM_RESULT = 'read message.read 9 webhook.test INVALID_ID true';

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'nodenext',
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
  },
  files: ['program.ts'],
};

/** Packs the client, installs the file in `dir` as a stranger would, and compiles the program against it. */
export async function installPackedClient(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const source = join(ROOT, 'clients/typescript');
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', dir], { cwd: source });
  const packed: { filename: string }[] = Object.values(JSON.parse(stdout.slice(stdout.search(/[[{]/))));
  await writeFile(join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run('npm', ['install', '--offline', '--ignore-scripts', `./${packed[0]?.filename}`], { cwd: dir });
  await writeFile(join(dir, 'program.ts'), PROGRAM);
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const start =
    "import { main } from './program.js';\nconsole.log(await main(JSON.parse(globalThis.Deno?.args[0] ?? process.argv[2])));\n";
  await writeFile(join(dir, 'start.js'), start);
  await run(process.execPath, [join(source, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: dir }).catch(
    (error) => {
      throw new Error(error.stdout);
    },
  );
}
