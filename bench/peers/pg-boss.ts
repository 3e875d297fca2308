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
      // Records results one by one, so that one failed POST does not send the rest of its batch again.
      const options = {
        batchSize: 2_000,
        localConcurrency: 2,
        pollingIntervalSeconds: 0.5,
        burstWhenBatchFull: true,
        perJobResults: true,
      } as const;
      await boss.work<NaiveMessage>(QUEUE, options, (jobs) =>
        Promise.all(
          jobs.map(({ id, data }) =>
            send(data).then(
              () => ({ id, status: 'completed' as const }),
              () => ({ id, status: 'failed' as const }),
            ),
          ),
        ),
      );
    },
  },
  args,
);
