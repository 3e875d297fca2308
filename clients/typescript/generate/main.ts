/** Writes `src/api-types.ts` from the OpenAPI file of a gateway that is started for it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServeProcess } from '../../../test/harness/serve-process.ts';
import { renderApiTypes } from './render-api-types.ts';

const dir = await mkdtemp(join(tmpdir(), 'fairway-api-types-'));
const gateway = await startServeProcess(join(dir, 'data'), { PORT: '0' });
try {
  const response = await fetch(`${gateway.baseUrl}/openapi.json`);
  await writeFile(
    join(import.meta.dirname, '../src/api-types.ts'),
    await renderApiTypes((await response.json()) as object),
  );
} finally {
  gateway.kill('SIGTERM');
  await gateway.ended;
  await rm(dir, { recursive: true, force: true });
}
