import type { Scheduler, SchedulerOptions } from './scheduler-types.ts';

/** An empty scheduler. */
export declare function createScheduler(options?: Partial<SchedulerOptions>): Scheduler;
