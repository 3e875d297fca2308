import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Command } from 'commander';
import { EXIT_MEANINGS } from '../../src/cli/exit-codes.ts';
import { createProgram } from '../../src/cli/program.ts';
import { startCli } from '../harness/cli.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');

/** Returns the commands that can be run, with their words. */
function commandsOf(command: Command, words: readonly string[] = []): [words: string, command: Command][] {
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
  if (children.length === 0) return [[words.join(' '), command]];
  return children.flatMap((child) => commandsOf(child, [...words, child.name()]));
}

describe('the commands', () => {
  const commands = commandsOf(createProgram());
  const names = commands.map(([words]) => words).sort();

  it('every command → run by a suite of its own', () => {
    const described = globSync('**/*.test.ts', { cwd: import.meta.dirname }).flatMap((file) =>
      [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/describeCommand\(\s*'([^']+)'/g)].map(
        ([, name]) => name,
      ),
    );
    assert.deepEqual(described.sort(), names);
  });

  it('every command → a section of the documentation', () => {
    const sections = [...guide.matchAll(/^### `fairway ([^`[<]+?)(?: [[<].*)?`$/gm)].map(([, name]) => name);
    assert.deepEqual(sections.sort(), names);
  });

  it('every exit code → in the documentation with its meaning', () => {
    for (const [code, meaning] of Object.entries(EXIT_MEANINGS))
      assert.ok(guide.includes(`| ${code} | ${meaning} |`), code);
  });

  it('every option → described in the documentation', () => {
    for (const [words, command] of commands)
      for (const { long } of command.options) assert.ok(guide.includes(`\`${long}`), `${words} ${long}`);
  });

  it('a mistyped command → a suggestion and exit code 2', async () => {
    const { code, stderr } = await startCli(['stauts']).ended;
    assert.equal(code, 2);
    assert.match(stderr, /Did you mean status\?/);
  });

  it('--help → ends with examples', async () => {
    const { code, stdout } = await startCli(['send', '--help']).ended;
    assert.equal(code, 0);
    assert.match(stdout, /Examples:\n {2}\$ fairway send/);
  });
});
