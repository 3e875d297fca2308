import { PgBoss } from 'pg-boss';
import { type NaiveMessage, naiveArguments, recordInPostgres, serveNaiveGateway } from '../naive-gateway.ts';

const QUEUE = 'send';

const args = naiveArguments();
const boss = new PgBoss({ connectionString: args.connection, max: 20, useListenNotify: true });
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue(QUEUE, { notify: true });

serveNaiveGateway(
  {
    ...(await recordInPostgres(args.connection)),
    async enqueue(messages) {
      const [only] = messages;
      if (only !== undefined && messages.length === 1) await boss.send(QUEUE, only);
      else
        await boss.insert(
          QUEUE,
          messages.map((data) => ({ data })),
        );
    },
    async work(send) {
      const options = { batchSize: 200, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
      await boss.work<NaiveMessage>(QUEUE, options, async (jobs) => {
        await Promise.all(jobs.map(({ data }) => send(data)));
      });
    },
  },
  args,
);
