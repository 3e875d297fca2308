import { setTimeout as delay } from 'node:timers/promises';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { LiveScreen } from '../../terminal/live-screen.ts';
import { styled } from '../../terminal/output.ts';
import { clockTime } from '../../terminal/times.ts';
import { type Queue, renderQueue, totalOf } from './queue-table.ts';

/** Shows the queue again and again until Ctrl-C. While the gateway cannot be reached, the last state stays and is marked as old. */
export async function watchQueue(cli: Cli, read: () => Promise<Queue>, seconds: number): Promise<void> {
  const show = !cli.out.isJson && process.stdout.isTTY ? liveTable() : lines(cli);
  try {
    for (;;) {
      await show.state(await readOrReport(read));
      await delay(seconds * 1000, undefined, { signal: cli.signal });
    }
  } finally {
    await show.end();
  }
}

/** Returns the queue, or the failure if a later try may succeed. */
async function readOrReport(read: () => Promise<Queue>): Promise<Queue | CliError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.unavailable) return error;
    throw error;
  }
}

function liveTable() {
  const screen = new LiveScreen();
  let last: { queue: Queue; at: string } | undefined;
  return {
    async state(state: Queue | CliError) {
      const problem = state instanceof CliError ? state.message : undefined;
      if (!(state instanceof CliError)) last = { queue: state, at: new Date().toISOString() };
      await screen.draw(async () => [
        `${styled('bold', last === undefined ? 'no state yet' : totalOf(last.queue))}  ${styled('dim', last === undefined ? '' : clockTime(last.at))}  ${styled('dim', 'Ctrl-C ends')}`,
        ...(problem === undefined ? [] : [styled('red', `${problem} This state is old. Trying again.`)]),
        '',
        ...(last === undefined ? [] : (await renderQueue(last.queue)).split('\n')),
      ]);
    },
    end: () => screen.close(),
  };
}

/** Prints one state after the other: JSON lines, or tables if the output is no terminal. */
function lines(cli: Cli) {
  return {
    async state(state: Queue | CliError) {
      if (state instanceof CliError) return cli.out.note(state.message);
      const text = cli.out.isJson ? '' : `${totalOf(state)}\n${await renderQueue(state)}\n`;
      cli.out.item({ at: new Date().toISOString(), ...state }, () => text);
    },
    end: async () => {},
  };
}
