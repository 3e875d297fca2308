export type { Fault, FaultRule, FaultScope, FaultSeed } from './faults.ts';
export type { InboundResult, InboundSeed } from './receive-inbound.ts';
export type { NumberSeed, PhoneNumber, Template, TemplateSeed, Waba, WabaSeed } from './records.ts';
export { runSimulatorCommand, type SimulatorCommand } from './run-simulator-command.ts';
export type { SendFilter, SendOutcome, SendRecord } from './send-log.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export type { Violation } from './violation-log.ts';
export type { WebhookDelivery } from './webhook-sender.ts';
export type { WorldControl } from './world-control.ts';
