import { putLoad } from './load.ts';
import { sendRequest, pauseAll } from './accept.ts';
import { startBenchGateway, startHelper } from './processes.ts';

const taken = async (sink: { child: import('node:child_process').ChildProcess }) => {
  const { once } = await import('node:events');
  const answer = once(sink.child, 'message');
  sink.child.send('taken?');
  return ((await answer) as [{ taken: number }])[0].taken;
};

if (import.meta.main) {
  const sink = await startHelper('upstream-sink.ts');
  const gateway = await startBenchGateway(sink.port);
  const seconds = Number(process.argv[2] ?? 5);
  await putLoad({ port: gateway.port, connections: 64, seconds: 1, request: () => sendRequest(gateway) });
  const t0 = performance.now();
  const before = await taken(sink);
  const cpu0 = await gateway.cpu();
  const accept = await putLoad({ port: gateway.port, connections: 96, seconds, request: () => sendRequest(gateway) });
  const atEnd = await taken(sink);
  const span = (performance.now() - t0) / 1000;
  let now = atEnd, last = -1;
  while (now !== last) { last = now; await new Promise(r => setTimeout(r, 500)); now = await taken(sink); }
  const cpu1 = await gateway.cpu();
  console.log('accept', Math.round(accept.perSecond), 'p99', accept.p99.toFixed(1), 'dispatched during', Math.round((atEnd - before) / span), '/s; total', now, 'mem', Math.round((await gateway.memory()) / 1e6));
  console.log('us/msg gateway', ((cpu1.gateway - cpu0.gateway) / accept.answered * 1e6).toFixed(0), 'db', ((cpu1.database - cpu0.database) / accept.answered * 1e6).toFixed(0));
  // drain rate from a backlog
  await pauseAll(gateway, true);
  await new Promise(r => setTimeout(r, 1500));
  await putLoad({ port: gateway.port, connections: 96, seconds, request: () => sendRequest(gateway) });
  const b0 = await taken(sink);
  await pauseAll(gateway, false);
  const d0 = performance.now();
  last = -1; now = b0; let lastAt = d0;
  while (now !== last || now === b0) { last = now; await new Promise(r => setTimeout(r, 100)); now = await taken(sink); if (now !== last) lastAt = performance.now(); if (performance.now() - d0 > 30000) break; }
  console.log('drain', Math.round((now - b0) / (lastAt - d0) * 1000), '/s of', now - b0);
  await gateway.stop();
  await sink.stop();
}
