import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '..');
/** Not below `node_modules`: the test runner skips files there, even if they are named. */
const GROUPS_DIR = mkdtempSync(join(tmpdir(), 'fairway-test-groups-'));

/**
 * The tests that share processes, and the number of processes. Loading and warming up the product costs more than most tests, so a process
 * for each file would take longer.
 */
const SHARED = [
  { name: 'api', pattern: 'test/api/**/*.test.ts', processes: 4 },
  { name: 'console', pattern: 'test/console/**/*.test.ts', processes: 1 },
  { name: 'cli', pattern: 'test/cli/**/*.test.ts', processes: 2 },
  { name: 'unit', pattern: '{src,clients/typescript/src}/**/*.test.ts', processes: 2 },
];

/** The tests that run in processes of their own: the simulation, for example, replaces the clock of its process. */
const SEPARATE = ['test/{*,{database,journeys}/**/*}.test.ts', '{sim,chaos}/**/*.test.ts'];

/** Deals the files to modules that import one share each, file after file, and returns the paths of the modules. */
function dealToGroups(): string[] {
  return SHARED.flatMap(({ name, pattern, processes }) => {
    const files = globSync(pattern, { cwd: ROOT }).sort();
    return Array.from({ length: processes }, (_, group) => {
      const path = join(GROUPS_DIR, `${name}-${group + 1}-of-${processes}.test.mjs`);
      const share = files.filter((_, place) => place % processes === group);
      const lines = share.map((file) => `await import('${pathToFileURL(join(ROOT, file))}');\n`);
      writeFileSync(path, lines.join(''));
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
      ...(named.length > 0 ? named : [...dealToGroups(), ...SEPARATE]),
    ],
    { cwd: ROOT, stdio: 'inherit' },
  );
}

// An interrupt reaches the test runner too, which stops the database before it ends.
process.on('SIGINT', () => {});
runTests(process.argv.slice(2)).on('exit', (code) => {
  rmSync(GROUPS_DIR, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
