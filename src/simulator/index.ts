export type { NumberSeed, TemplateSeed } from './records.ts';
export { runSimulatorCommand } from './run-simulator-command.ts';
export { SendLimits } from './send-limits.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
