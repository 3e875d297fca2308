import { join } from 'node:path';
import { importTests } from './harness/import-tests.ts';

await importTests(join(import.meta.dirname, '../src'), { part: 2, of: 2 });
