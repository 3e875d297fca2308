import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Highest length of a name, with `INSERTED` characters for each value that is inserted into it. */
const LENGTH_MAX = 90;
const INSERTED = 8;

/** Matches names that begin with a clause instead of the subject. */
const CLAUSE = /^(?:what|whatever|who|whoever|whether|where|how|of|by|that|those)\b/i;

/** Matches a call of the test runner whose first argument is a literal, in single, double or back quotes. */
const NAMED = /\b(?:test|it|describe)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** Returns the names of a file's tests and suites that break a rule, with the rule. */
function listFaults(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(NAMED)].flatMap(({ index, 2: name = '' }) => {
    const { length } = name.replace(/\$\{[^}]*\}/g, '$'.repeat(INSERTED)).replaceAll('\\', '');
    const faults = [
      ...(length > LENGTH_MAX ? [`${length} characters`] : []),
      ...(CLAUSE.test(name) ? ['begins with a clause'] : []),
    ];
    return faults.map((fault) => `${file}:${text.slice(0, index).split('\n').length}: ${fault}: ${name}`);
  });
}

const files = globSync(
  [
    '{src,sim,chaos,clients/typescript/src}/**/*.test.ts',
    'test/{*,{api,cli,console,database,journeys,media-corpus}/**/*}.ts',
  ],
  {
    cwd: ROOT,
  },
);
const faults = files.flatMap(listFaults);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`Name a test "subject: condition → result", in at most ${LENGTH_MAX} characters.`);
  process.exitCode = 1;
}
