import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';

const SOURCE = join(import.meta.dirname, '../src');
/** Shared vocabulary: every file of these folders may be imported directly. */
const OPEN_FOLDERS = new Set(['core', 'database']);

/** Files besides the configuration that pass the environment on to a child process, or read it in an example for clients. */
const ENVIRONMENT_READERS = new Set([
  'config.ts',
  'cli/environment.ts',
  'embedded-postgres/server-command.ts',
  'reference/code-samples.ts',
]);

/** Highest number of product files in a folder. */
const FILES_MAX = 16;

/** SQL keywords are written in capitals. */
const STATEMENT = /\b(?:SELECT|INSERT INTO|UPDATE \w+\s+SET|DELETE FROM|LEFT JOIN|TRUNCATE)\b/;

/** The sections of the API rules, in GitHub's spelling of their anchors. */
const RULES = new Set(
  [...readFileSync(join(import.meta.dirname, '../docs/api-rules.md'), 'utf8').matchAll(/^## (.+)$/gm)].map(
    ([, title = '']) => title.toLowerCase().replaceAll(' ', '-'),
  ),
);

/** The verbs of `docs/architecture.md#tables-and-their-writers`, in the order of its columns. */
const VERBS = ['insert', 'update', 'delete'] as const;

/** Writers of tables in the source. Each pattern captures the table; a fragment of another module names it by its function. */
const WRITES: readonly [verb: (typeof VERBS)[number], pattern: RegExp, table?: string][] = [
  ['insert', /\bINSERT INTO (?:\$\{)?([\w.]+)/g],
  ['insert', /(?<!function )\baddEvents\(/g, 'event'],
  ['insert', /(?<!function )\baddUsage\(/g, 'usage_recent'],
  ['update', /\bUPDATE (?:\$\{)?([\w.]+)\}?\s+(?:AS )?(?:\w+\s+)?SET\b/g],
  ['delete', /\bDELETE FROM (?:\$\{)?([\w.]+)/g],
  ['delete', /\bdeleteOlder\(\w+, '(\w+)'/g],
];

/** Names of tables that statements take as a parameter: one day of the messages, or any table. */
const TABLE_PARAMETERS = new Map([
  ['table.name', 'message'],
  ['messages', 'message'],
  ['table', undefined],
]);

interface Import {
  from: string;
  to: string;
}

/** Returns every relative import of a product file, as paths below `src/`. */
function listImports(): Import[] {
  return globSync('**/*.ts', { cwd: SOURCE })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(SOURCE, file), 'utf8');
      return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) => ({
        from: file,
        to: relative(SOURCE, join(SOURCE, dirname(file), path)),
      }));
    });
}

function moduleOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : '';
}

describe('the structure of the source', () => {
  const imports = listImports();

  it('a module: entered only through its index.ts', () => {
    const trespasses = imports.filter(({ from, to }) => {
      const target = moduleOf(to);
      return target !== '' && target !== moduleOf(from) && !OPEN_FOLDERS.has(target) && to !== `${target}/index.ts`;
    });
    const allowed = trespasses.filter(({ from, to }) => !(moduleOf(from) === '' && moduleOf(to) === 'cli'));
    assert.deepEqual(allowed, []);
  });

  it('modules: no circular imports', () => {
    const below = new Map<string, Set<string>>();
    for (const [from, to] of imports.map((one) => [moduleOf(one.from), moduleOf(one.to)] as const)) {
      // Files outside of all modules compose the modules, so they may import any.
      if (from !== '' && to !== '' && from !== to) below.set(from, (below.get(from) ?? new Set()).add(to));
    }
    for (let found = true; found; ) {
      const stands = [...below].find(([, others]) => ![...others].some((other) => below.has(other)));
      found = stands !== undefined && below.delete(stands[0]);
    }
    assert.deepEqual([...below.keys()], []);
  });

  it('the shared vocabulary: imports no module', () => {
    const wrong = imports.filter(({ from, to }) => moduleOf(from) === 'core' && moduleOf(to) !== 'core');
    assert.deepEqual(wrong, []);
    const wrongInDatabase = imports.filter(
      ({ from, to }) => moduleOf(from) === 'database' && !['database', 'core'].includes(moduleOf(to)),
    );
    assert.deepEqual(wrongInDatabase, []);
  });

  it('the MCP server: loaded by its command only, when it runs', () => {
    const users = globSync('**/*.ts', { cwd: SOURCE, exclude: ['mcp/**', 'cli/commands/mcp/gateway.ts'] }).filter(
      (file) =>
        /from '(?:@modelcontextprotocol\/|[./]+\/mcp\/index\.ts)/.test(readFileSync(join(SOURCE, file), 'utf8')),
    );
    assert.deepEqual(users, []);
  });

  it('SQL: only in query files and in the database', () => {
    const others = globSync('**/*.ts', { cwd: SOURCE, exclude: ['database/**', '**/queries.ts', '**/*-queries.ts'] })
      .filter((file) => !file.endsWith('.test.ts'))
      .filter((file) => STATEMENT.test(readFileSync(join(SOURCE, file), 'utf8')));
    assert.deepEqual(others, []);
  });

  it('the environment: read in one place', () => {
    const readers = globSync('**/*.ts', { cwd: SOURCE })
      .filter((file) => !file.endsWith('.test.ts') && /process\.env\b/.test(readFileSync(join(SOURCE, file), 'utf8')))
      .filter((file) => !ENVIRONMENT_READERS.has(file));
    assert.deepEqual(readers, []);
  });

  it('a folder: at most 16 product files, none of them for tests only', () => {
    const files = globSync('**/*.ts', { cwd: SOURCE, exclude: ['**/*.test.ts'] });
    const sizes = Map.groupBy(files, (file) => dirname(file));
    const crowded = [...sizes]
      .filter(([, own]) => own.length > FILES_MAX)
      .map(([folder, own]) => `${folder}: ${own.length}`);
    assert.deepEqual(crowded, []);
    assert.deepEqual(
      files.filter((file) => /(?:^|\/)testing\/|\.samples\.ts$/.test(file)),
      [],
    );
  });

  it('tables: written by the files that the architecture names, and by no others', () => {
    const written = globSync('**/*.ts', { cwd: SOURCE, exclude: ['**/*.test.ts'] }).flatMap((file) => {
      const text = readFileSync(join(SOURCE, file), 'utf8');
      return WRITES.flatMap(([verb, pattern, given]) =>
        [...text.matchAll(pattern)].flatMap(([, found = '']) => {
          const table = given ?? (TABLE_PARAMETERS.has(found) ? TABLE_PARAMETERS.get(found) : found);
          return table === undefined ? [] : [`${table}: ${verb} in ${file}`];
        }),
      );
    });
    const document = readFileSync(join(SOURCE, '../docs/architecture.md'), 'utf8');
    const [, section = ''] = /^## Tables and their writers$([\s\S]*?)^## /m.exec(document) ?? [];
    const rows = [...section.matchAll(/^\| `(\w+)` \|(.*)\|$/gm)];
    const stated = rows.flatMap(([, table, cells = '']) =>
      cells
        .split('|')
        .flatMap((cell, index) =>
          [...cell.matchAll(/`([^`]+)`/g)].map(([, file]) => `${table}: ${VERBS[index]} in ${file}.ts`),
        ),
    );
    assert.deepEqual(stated.sort(), [...new Set(written)].sort());
    const created = globSync('database/migrations/*.sql', { cwd: SOURCE }).flatMap((file) =>
      [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table]) => table),
    );
    assert.deepEqual(rows.map(([, table]) => table).sort(), created.sort());
  });

  it('comments: a document they cite → exists, with the cited section', () => {
    const root = join(import.meta.dirname, '..');
    const dead = globSync('{src,test,sim,chaos,bench}/**/*.{ts,sql,md}', {
      cwd: root,
      exclude: ['**/node_modules', 'test/generated-clients/out'],
    }).flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      // A path that begins with a slash is a page of the reference, not a file.
      const documents = [...text.matchAll(/(?<!(?<!\.)\/)\bdocs\/[\w/-]*\w/g)].filter(
        ([path]) => !isDocument(root, path),
      );
      const rules = [...text.matchAll(/api-rules#([\w-]+)/g)].filter(([, anchor = '']) => !RULES.has(anchor));
      return [...documents, ...rules].map(([reference]) => `${file}: ${reference}`);
    });
    assert.deepEqual(dead, []);
  });
});

/** Returns true if `docs/…` names a document, a folder of documents, or a decision by its number. */
function isDocument(root: string, path: string): boolean {
  return globSync(`${path}{,.md,-*.md}`, { cwd: root }).length > 0;
}
