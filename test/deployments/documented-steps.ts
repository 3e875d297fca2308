import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const GUIDE = join(import.meta.dirname, '../../docs/operations.md');

/** Returns the block of `docs/operations.md` in this language that contains `part`. Throws unless there is exactly one. */
export async function readSteps(language: 'sh' | 'sql' | 'ini' | 'nginx', part: string): Promise<string> {
  const guide = await readFile(GUIDE, 'utf8');
  const blocks = [...guide.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gm)]
    .filter(([, name = '', text = '']) => name === language && text.includes(part))
    .map(([, , text = '']) => text);
  if (blocks.length !== 1) throw new Error(`${blocks.length} blocks of operations.md have "${part}"`);
  return blocks[0] ?? '';
}
