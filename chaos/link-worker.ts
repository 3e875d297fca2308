import { parentPort } from 'node:worker_threads';
import type { LinkOpened, LinkOrder } from './link-thread.ts';
import { TcpProxy } from './tcp-proxy.ts';

/** The thread behind LinkThread: opens proxies and has them misbehave as it is told. */
const proxies = new Map<number, TcpProxy>();

parentPort?.on('message', (order: LinkOrder) => {
  if (order.kind === 'open') void open(order.link, order.targets);
  else if (order.kind === 'misbehave') proxies.get(order.link)?.misbehave(order.fault);
  else proxies.get(order.link)?.resetAll();
});

async function open(link: number, targets: readonly number[]): Promise<void> {
  const proxy = await TcpProxy.open({ targets });
  proxies.set(link, proxy);
  parentPort?.postMessage({ link, port: proxy.port } satisfies LinkOpened);
}
