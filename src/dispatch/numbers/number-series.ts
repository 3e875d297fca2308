import type { Metrics } from '../../telemetry/index.ts';

/** Posts of one number that reached the platform, or of all numbers without series of their own. */
export interface PostCounts {
  posts: number;
  throttled: number;
}

/** State of an open number, for its series. */
export interface NumberReading {
  phoneNumberId: string;
  posts: PostCounts;
  /** Messages per second that it may send now. */
  pacePerSecond: number;
  /** Messages per second that its settings and its throughput level allow. */
  allowedPerSecond: number;
  parked: boolean;
}

/** Numbers of a node with series of their own; 200 numbers are 1,000 series. The others share the label `other`. */
const NUMBERS_MAX = 200;
const OTHERS = 'other';

/**
 * Decides which numbers have series of their own, and publishes the series. A number keeps its place from its opening to its close. Without
 * this, the counter of the other numbers would fall when a number leaves them, which Prometheus reads as a restart.
 */
export class NumberSeries {
  readonly #places = new Set<PostCounts>();
  readonly #others: PostCounts = { posts: 0, throttled: 0 };

  /** Returns the counts for a number that is opened: its own while a place is free, else those of the other numbers. */
  enter(): PostCounts {
    if (this.#places.size >= NUMBERS_MAX) return this.#others;
    const counts = { posts: 0, throttled: 0 };
    this.#places.add(counts);
    return counts;
  }

  /** Frees the place of a number that is closed. */
  leave(counts: PostCounts): void {
    this.#places.delete(counts);
  }

  /** Publishes one series per number and metric; `list` is called at each reading. */
  publish(metrics: Metrics, list: () => readonly NumberReading[]): void {
    const counter = (name: string, help: string, count: keyof PostCounts) =>
      metrics.series('counter', name, help, 'phone_number_id', () => [
        ...this.#own(list()).map(({ phoneNumberId, posts }) => [phoneNumberId, posts[count]] as const),
        [OTHERS, this.#others[count]] as const,
      ]);
    const gauge = (name: string, help: string, read: (number: NumberReading) => number) =>
      metrics.series('gauge', name, help, 'phone_number_id', () =>
        list().map((number) => [number.posts === this.#others ? OTHERS : number.phoneNumberId, read(number)] as const),
      );
    counter('number_posts_total', 'Posts of a number that reached the upstream.', 'posts');
    counter('number_throttled_total', 'Of these, those that the upstream throttled.', 'throttled');
    gauge('number_pace_per_second', 'Messages a second that a number may send now.', (number) => number.pacePerSecond);
    gauge(
      'number_allowed_per_second',
      'Messages a second that a number may send if nothing slows it.',
      (number) => number.allowedPerSecond,
    );
    gauge('number_parked', '1 if a number sends nothing until its account is repaired.', ({ parked }) =>
      Number(parked),
    );
  }

  #own(numbers: readonly NumberReading[]): NumberReading[] {
    return numbers.filter(({ posts }) => posts !== this.#others);
  }
}
