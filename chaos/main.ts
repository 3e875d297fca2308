import { readChaosOptions } from './chaos-options.ts';
import { isClean } from './report.ts';
import { runChaos } from './run-chaos.ts';

// What is run here ends with this process: by its exit handlers, which a signal alone would not call.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const { findings, report } = await runChaos(readChaosOptions(process.argv.slice(2)), (line) => {
  process.stdout.write(`${line}\n`);
});
process.stdout.write(`\n${report}`);
process.exitCode = isClean(findings) ? 0 : 1;
