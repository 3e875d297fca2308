import { type LoadResult, postRequest, putLoad } from './load.ts';
import { type BenchGateway, startBenchGateway, startHelper } from './processes.ts';

let recipient = 2_000_000;

/** A marketing template send to a person nobody else writes to, from the next number in turn. */
export function sendRequest(gateway: BenchGateway, keyed = false): string {
  recipient += 1;
  const number = gateway.numbers[recipient % gateway.numbers.length] ?? '';
  const body = `{"messaging_product":"whatsapp","recipient_type":"individual","to":"+1415${recipient}","type":"template","template":{"name":"bench_marketing","language":{"code":"en_US"},"components":[{"type":"body","parameters":[{"type":"text","text":"A-${recipient}"},{"type":"text","text":"a text of some length, as such parameters are"}]}]}}`;
  const headers: Record<string, string> = { authorization: `Bearer ${gateway.apiKey}` };
  if (keyed) headers['idempotency-key'] = `bench-${recipient}`;
  return postRequest(`/v1/${number}/messages`, headers, body);
}

export async function pauseAll(gateway: BenchGateway, paused: boolean): Promise<void> {
  for (const number of gateway.numbers) await gateway.admin('PATCH', `/numbers/${number}`, { paused });
}

if (import.meta.main) {
  const show = (name: string, result: LoadResult) =>
    console.log(name.padEnd(24), Math.round(result.perSecond), '/s p50', result.p50.toFixed(1), 'p99', result.p99.toFixed(1), JSON.stringify(result.statuses));
  const bare = await startHelper('bare-server.ts');
  const sink = await startHelper('upstream-sink.ts');
  const gateway = await startBenchGateway(sink.port);
  const seconds = Number(process.argv[2] ?? 5);
  const floor = await putLoad({ port: bare.port, connections: 64, seconds, request: () => sendRequest(gateway) });
  show('bare http', floor);
  await pauseAll(gateway, true);
  await putLoad({ port: gateway.port, connections: 64, seconds: 2, request: () => sendRequest(gateway) });
  const before = await gateway.cpu();
  const accept = await putLoad({ port: gateway.port, connections: 128, seconds, request: () => sendRequest(gateway) });
  const after = await gateway.cpu();
  show('accept', accept);
  console.log('ratio', (accept.perSecond / floor.perSecond).toFixed(3), 'us/msg gateway', ((after.gateway - before.gateway) / accept.answered * 1e6).toFixed(1), 'db', ((after.database - before.database) / accept.answered * 1e6).toFixed(1));
  const keyed = await putLoad({ port: gateway.port, connections: 128, seconds, request: () => sendRequest(gateway, true) });
  show('accept keyed', keyed);
  console.log('ratio', (keyed.perSecond / floor.perSecond).toFixed(3));
  const open = await putLoad({ port: gateway.port, connections: 128, seconds, perSecond: 1000, request: () => sendRequest(gateway) });
  show('accept 1000/s', open);
  await gateway.stop();
  await sink.stop();
  await bare.stop();
}
