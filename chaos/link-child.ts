import type { LinkOpened, LinkOrder } from './link-process.ts';
import { TcpProxy } from './tcp-proxy.ts';

/** The process behind LinkProcess: opens proxies and injects faults as ordered. */
const proxies = new Map<number, TcpProxy>();

// Ends with the runner, however that ends.
process.once('disconnect', () => process.exit());

process.on('message', (order: LinkOrder) => {
  if (order.kind === 'open') void open(order.link, order.targets);
  else if (order.kind === 'misbehave') proxies.get(order.link)?.misbehave(order.fault);
  else proxies.get(order.link)?.resetAll();
});

async function open(link: number, targets: readonly number[]): Promise<void> {
  const proxy = await TcpProxy.open(targets);
  proxies.set(link, proxy);
  process.send?.({ link, port: proxy.port } satisfies LinkOpened);
}
