import { describeMachine, type Line, renderTable } from './report.ts';
import { backlog, lightFlow } from './scenarios/backlog.ts';
import { deliveries } from './scenarios/deliveries.ts';
import { overload } from './scenarios/overload.ts';
import { throughput } from './scenarios/throughput.ts';

/** Each prints its lines; `npm run bench -- NAME …` runs the named ones, `--seconds N` sets the length of each measurement. */
const SCENARIOS: Record<string, (seconds: number) => Promise<Line[]>> = {
  throughput,
  backlog,
  'light-flow': lightFlow,
  overload,
  deliveries,
};

const args = process.argv.slice(2);
const secondsAt = args.indexOf('--seconds');
const seconds = secondsAt < 0 ? 8 : Number(args[secondsAt + 1]);
const named = args.filter((arg, index) => arg in SCENARIOS && index !== secondsAt + 1);
const chosen = named.length > 0 ? named : Object.keys(SCENARIOS);
if (!(seconds > 0 && seconds <= 600)) throw new Error('--seconds must be between 1 and 600.');

const lines: Line[] = [];
for (const name of chosen) {
  process.stderr.write(`${name} …\n`);
  lines.push(...((await SCENARIOS[name]?.(seconds)) ?? []));
}
process.stdout.write(`${describeMachine()}\n\n${renderTable(lines)}\n`);
