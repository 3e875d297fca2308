export { isTestNumberId, isTestWabaId, testAccountOf } from './test-account.ts';
export { TestSimulator } from './test-simulator.ts';
