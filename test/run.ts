import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const GROUPS_DIR = 'node_modules/.cache/test-groups';

/**
 * The tests that share processes, and the number of processes. Loading and warming up the product costs more than most tests, so a process
 * for each file would take longer.
 */
const SHARED = [
  { name: 'api', pattern: 'test/api/**/*.test.ts', processes: 4 },
  { name: 'database', pattern: 'test/database/**/*.test.ts', processes: 3 },
  { name: 'unit', pattern: '{src,sim,chaos}/**/*.test.ts', processes: 2 },
];

/** The tests that run in processes of their own. */
const SEPARATE = 'test/{*,journeys/**/*}.test.ts';

/** Deals the files to modules that import one share each, file after file, and returns the paths of the modules. */
function dealToGroups(): string[] {
  rmSync(join(ROOT, GROUPS_DIR), { recursive: true, force: true });
  mkdirSync(join(ROOT, GROUPS_DIR), { recursive: true });
  return SHARED.flatMap(({ name, pattern, processes }) => {
    const files = globSync(pattern, { cwd: ROOT }).sort();
    return Array.from({ length: processes }, (_, group) => {
      const path = `${GROUPS_DIR}/${name}-${group + 1}-of-${processes}.test.mjs`;
      const share = files.filter((_, place) => place % processes === group);
      const lines = share.map((file) => `await import('${relative(GROUPS_DIR, file)}');\n`);
      writeFileSync(join(ROOT, path), lines.join(''));
      return path;
    });
  });
}

/** Runs the files named in `args`, each in its own process, or else all tests. Passes options to the test runner. */
function runTests(args: readonly string[]): ChildProcess {
  const options = args.filter((arg) => arg.startsWith('-'));
  const named = args.filter((arg) => !arg.startsWith('-'));
  return spawn(
    process.execPath,
    [
      '--import=./test/harness/seed.ts',
      '--test',
      '--test-concurrency=3',
      '--test-timeout=180000',
      '--test-global-setup=test/harness/global-setup.ts',
      ...options,
      ...(named.length > 0 ? named : [...dealToGroups(), SEPARATE]),
    ],
    { cwd: ROOT, stdio: 'inherit' },
  );
}

// An interrupt reaches the test runner too, which stops the database before it ends.
process.on('SIGINT', () => {});
runTests(process.argv.slice(2)).on('exit', (code) => {
  process.exitCode = code ?? 1;
});
