import { readChaosOptions } from './chaos-options.ts';
import { runErasure } from './erasure-at-size.ts';
import { runChaos } from './run-chaos.ts';
import { runUnknownOutcomes } from './unknown-outcomes.ts';

// The exit handlers end the child processes; a signal alone would not run them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const print = (line: string) => process.stdout.write(`${line}\n`);
const options = readChaosOptions(process.argv.slice(2));
const { unknown, erasure } = options;
const run = () => {
  if (unknown !== null) return runUnknownOutcomes(unknown, print);
  return erasure === null ? runChaos(options, print) : runErasure(erasure, print);
};
const { report, isClean } = await run();
print(`\n${report}`);
process.exitCode = isClean ? 0 : 1;
