export type { NumberSeed, TemplateSeed } from './records.ts';
export { runSimulatorCommand } from './run-simulator-command.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
