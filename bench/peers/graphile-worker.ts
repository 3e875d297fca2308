import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { type NaiveMessage, naiveArguments, recordInPostgres, serveNaiveGateway } from '../naive-gateway.ts';

// Batching as graphile-worker's performance page advises for throughput, with the sizes that were fastest on this machine.
const worker = {
  concurrentJobs: 200,
  maxPoolSize: 20,
  localQueue: { size: 2_000 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
  logger: new Logger(() => () => undefined),
};

const args = naiveArguments();
const preset = { worker: { connectionString: args.connection, ...worker } };
const jobs = await makeWorkerUtils({ preset });
await jobs.migrate();

serveNaiveGateway(
  {
    ...(await recordInPostgres(args.connection)),
    async enqueue(messages) {
      const [only] = messages;
      if (only !== undefined && messages.length === 1) await jobs.addJob('send', only);
      else await jobs.addJobs(messages.map((payload) => ({ identifier: 'send', payload })));
    },
    async work(send) {
      await run({ preset, taskList: { send: (payload) => send(payload as NaiveMessage) }, noHandleSignals: true });
    },
  },
  args,
);
