import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { type NaiveMessage, naiveArguments, recordInPostgres, serveNaiveGateway } from '../naive-gateway.ts';

const QUEUE = 'send';
const CONCURRENCY = 256;

const args = naiveArguments();
const connection = { connectionString: args.connection, max: 20, migrate: true };
const queue = new Queue(QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } }, createPostgresBackend);
await queue.waitUntilReady();

serveNaiveGateway(
  {
    ...(await recordInPostgres(args.connection)),
    async enqueue(messages) {
      const [only] = messages;
      if (only !== undefined && messages.length === 1) await queue.add('send', only);
      else await queue.addBulk(messages.map((data) => ({ name: 'send', data })));
    },
    async work(send) {
      const worker = new Worker(
        QUEUE,
        (job) => send(job.data as NaiveMessage),
        { connection, concurrency: CONCURRENCY },
        createPostgresBackend,
      );
      worker.on('error', (error) => console.error(error));
      await worker.waitUntilReady();
    },
  },
  args,
);
