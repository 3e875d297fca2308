/** Length of a window in which posts are counted. */
const WINDOW_MS = 5_000;

/** Posts per second of one number over the last five to ten seconds, from the counts of two windows. */
export class PostRate {
  #windowEndsMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #countBefore = 0;

  count(nowMs: number): void {
    this.#roll(nowMs);
    this.#count += 1;
  }

  perSecond(nowMs: number): number {
    this.#roll(nowMs);
    // The window before counts for the part that the sliding span still covers.
    const shareOfBefore = Math.max(0, Math.min(1, (this.#windowEndsMs - nowMs) / WINDOW_MS));
    return ((this.#countBefore * shareOfBefore + this.#count) * 1_000) / WINDOW_MS;
  }

  #roll(nowMs: number): void {
    if (nowMs < this.#windowEndsMs) return;
    const isNext = nowMs < this.#windowEndsMs + WINDOW_MS;
    this.#countBefore = isNext ? this.#count : 0;
    this.#count = 0;
    this.#windowEndsMs = isNext ? this.#windowEndsMs + WINDOW_MS : nowMs + WINDOW_MS;
  }
}
