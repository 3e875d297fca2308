import { createHmac } from 'node:crypto';
import { pauseAll, sendRequest } from './accept.ts';
import { postRequest, putLoad } from './load.ts';
import { startBenchGateway, startHelper } from './processes.ts';

export function statusRequest(number: string, wamid: string, status: string, recipient: string): string {
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '100', changes: [{ field: 'messages', value: {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '12025550000', phone_number_id: number },
      statuses: [{ id: wamid, status, timestamp: String(Math.floor(Date.now() / 1000)), recipient_id: recipient,
        pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' } }],
    } }] }],
  });
  const signature = createHmac('sha256', 'bench-secret').update(body).digest('hex');
  return postRequest('/webhooks/upstream', { 'x-hub-signature-256': `sha256=${signature}` }, body);
}

if (import.meta.main) {
  const bare = await startHelper('bare-server.ts');
  const sink = await startHelper('upstream-sink.ts');
  const gateway = await startBenchGateway(sink.port);
  const seconds = Number(process.argv[2] ?? 5);
  const floor = await putLoad({ port: bare.port, connections: 64, seconds, request: () => sendRequest(gateway) });
  console.log('bare', Math.round(floor.perSecond));
  const sent = await putLoad({ port: gateway.port, connections: 64, seconds: seconds * 2, request: () => sendRequest(gateway) });
  await new Promise((r) => setTimeout(r, 4000));
  let n = 0;
  const kinds = ['sent', 'delivered', 'read'];
  const cpu0 = await gateway.cpu();
  const result = await putLoad({ port: gateway.port, connections: 96, seconds, request: () => {
    n += 1;
    return statusRequest(gateway.numbers[0]!, `wamid.bench.${sink.child.pid}.${1 + (n % sent.answered)}`, kinds[Math.floor(n / sent.answered) % 3]!, '14152000001');
  } });
  const cpu1 = await gateway.cpu();
  console.log('messages', sent.answered, 'statuses', Math.round(result.perSecond), '/s p50', result.p50.toFixed(1), 'p99', result.p99.toFixed(1), result.statuses, 'ratio', (result.perSecond / floor.perSecond).toFixed(3));
  console.log('us/status gateway', ((cpu1.gateway - cpu0.gateway) / result.answered * 1e6).toFixed(0), 'db', ((cpu1.database - cpu0.database) / result.answered * 1e6).toFixed(0));
  void pauseAll;
  await gateway.stop(); await sink.stop(); await bare.stop();
}
