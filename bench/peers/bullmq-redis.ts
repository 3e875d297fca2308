import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type NaiveMessage, naiveArguments, serveNaiveGateway } from '../naive-gateway.ts';

const QUEUE = 'send';
const CONCURRENCY = 128;
const SENT = 'sent';

const args = naiveArguments();
const connect = () => new Redis(args.connection, { maxRetriesPerRequest: null });
const results = connect();
const queue = new Queue(QUEUE, { connection: connect(), defaultJobOptions: { removeOnComplete: true } });
await queue.waitUntilReady();

serveNaiveGateway(
  {
    async enqueue(messages) {
      const [only] = messages;
      if (only !== undefined && messages.length === 1) await queue.add('send', only);
      else await queue.addBulk(messages.map((data) => ({ name: 'send', data })));
    },
    async work(send) {
      const worker = new Worker<NaiveMessage>(QUEUE, (job) => send(job.data), {
        connection: connect(),
        concurrency: CONCURRENCY,
      });
      worker.on('error', (error) => console.error(error));
      await worker.waitUntilReady();
    },
    async record(sent) {
      await results.hset(SENT, Object.fromEntries(sent.map(({ id, wamid }) => [id, wamid])));
    },
    countRecorded: () => results.hlen(SENT),
  },
  args,
);
