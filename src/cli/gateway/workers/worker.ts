import { stopSignal } from '../stop-signal.ts';

// Loading the modules takes a moment; a stop signal must already work then.
const stop = stopSignal();
const { runWorker } = await import('./run-worker.ts');
await runWorker(stop);
