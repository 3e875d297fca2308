import { join } from 'node:path';
import { importTests } from './harness/import-tests.ts';

await importTests(join(import.meta.dirname, 'api'), { part: 1, of: 4 });
