import { setPriority } from 'node:os';
import { startSimulator } from '../src/simulator/index.ts';

// The simulated platform with its limits in force, for numbers of the throughput level and the count given, and a book of when
// each number's messages arrived. It sends no webhooks.
const READ_EVERY_MS = 100;

/** What arrived from a number since the book was opened; times are nanoseconds. */
interface Arrivals {
  count: number;
  firstNs: bigint;
  lastNs: bigint;
}

// It stands for another machine: what waits for a core here would count as having arrived in a bunch. Needs the right to.
try {
  setPriority(-10);
} catch {}

const [level, count] = process.argv.slice(2);
const simulator = await startSimulator({
  appId: '1',
  appSecret: 'bench-secret',
  verifyToken: 'bench-token',
  limits: 'strict',
  sendLog: { recordsMax: 1_000, keepBodies: false },
});
const { world } = simulator;
world.addWaba({
  id: '100',
  accessToken: 'EAAbench',
  numbers: Array.from({ length: Number(count) }, (_, index) => ({
    id: String(200_000_000 + index),
    displayPhoneNumber: `+1 202 ${5_550_000 + index}`,
    throughputLevel: level === 'HIGH' ? 'HIGH' : 'STANDARD',
  })),
  templates: [
    {
      name: 'bench_marketing',
      language: 'en_US',
      category: 'MARKETING',
      components: [{ type: 'BODY', text: 'Hello {{1}}, {{2}}', example: { body_text: [['a', 'b']] } }],
    },
  ],
});

const book = new Map<string, Arrivals>();
let read = 0;
const readOn = () => {
  for (const { sequence, phoneNumberId, arrivedNs, outcome } of world.sends.list({ after: read })) {
    read = sequence;
    if (outcome.kind !== 'accepted') continue;
    const arrivals = book.get(phoneNumberId) ?? { count: 0, firstNs: arrivedNs, lastNs: arrivedNs };
    book.set(phoneNumberId, { ...arrivals, count: arrivals.count + 1, lastNs: arrivedNs });
  }
};
setInterval(readOn, READ_EVERY_MS);

/** `open` begins the book anew; both questions are answered with what is in it. */
process.on('message', (question) => {
  readOn();
  const numbers = Array.from(book, ([id, { count, firstNs, lastNs }]) => ({
    id,
    count,
    seconds: Number(lastNs - firstNs) / 1e9,
  }));
  process.send?.({ numbers, refused: world.violations.counts() });
  if (question === 'open') book.clear();
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port: simulator.port });
