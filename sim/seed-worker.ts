import { parentPort, workerData } from 'node:worker_threads';
import { describeReport } from './describe-report.ts';
import { runSeeds, type SeedRange, type Share } from './seed-run.ts';

/** A thread that runs its share of the seeds: posts every violation at once, and the totals at the end. */
const totals = await runSeeds(workerData as SeedRange, (report) => {
  if (report.violation !== undefined) parentPort?.postMessage(describeReport(report));
});
parentPort?.postMessage({ ...totals, coverage: totals.coverage.counts() } satisfies Share);
