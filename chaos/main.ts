import { readChaosOptions } from './chaos-options.ts';
import { isClean } from './report.ts';
import { runChaos } from './run-chaos.ts';

const { findings, report } = await runChaos(readChaosOptions(process.argv.slice(2)), (line) => {
  process.stdout.write(`${line}\n`);
});
process.stdout.write(`\n${report}`);
process.exitCode = isClean(findings) ? 0 : 1;
