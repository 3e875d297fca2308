import { readChaosOptions } from './chaos-options.ts';
import { isClean } from './report.ts';
import { runChaos } from './run-chaos.ts';
import { runUnknownOutcomes } from './unknown-outcomes.ts';

// What is run here ends with this process: by its exit handlers, which a signal alone would not call.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const print = (line: string) => process.stdout.write(`${line}\n`);
const options = readChaosOptions(process.argv.slice(2));
if (options.unknown === null) {
  const { findings, report } = await runChaos(options, print);
  print(`\n${report}`);
  process.exitCode = isClean(findings, options.untimed) ? 0 : 1;
} else {
  const { report, isClean } = await runUnknownOutcomes(options.unknown, print);
  print(`\n${report}`);
  process.exitCode = isClean ? 0 : 1;
}
