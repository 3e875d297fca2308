export { runSimulatorCommand } from './control/run-simulator-command.ts';
export { SendLimits } from './messages/send-limits.ts';
export type { NumberSeed, TemplateSeed } from './records.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export type { DeliverWebhook } from './webhooks/webhook-sender.ts';
