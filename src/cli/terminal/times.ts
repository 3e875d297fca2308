const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Returns the time since an ISO 8601 moment for people, such as `5 min ago`; `-` without one. */
export function ago(at: string | null | undefined, nowMs = Date.now()): string {
  return at == null ? '-' : `${span((nowMs - Date.parse(at)) / 1000)} ago`;
}

/** Returns the time until an ISO 8601 moment for people, such as `in 5 min`; `-` without one. */
export function ahead(at: string | null | undefined, nowMs = Date.now()): string {
  return at == null ? '-' : `in ${span((Date.parse(at) - nowMs) / 1000)}`;
}

/** Returns a length of time for people in its largest unit, such as `5 min`. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [unit, size] = UNITS.find(([, length]) => whole >= length) ?? ['s', 1];
  return `${Math.floor(whole / size)} ${unit}`;
}

/** Returns the time of day of an ISO 8601 moment, in the zone of the terminal. */
export function clockTime(at: string): string {
  return new Date(at).toTimeString().slice(0, 8);
}
