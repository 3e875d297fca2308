export type { NumberSeed, TemplateSeed } from './records.ts';
export { runSimulatorCommand } from './run-simulator-command.ts';
export { type Simulator, startSimulator } from './simulator.ts';
