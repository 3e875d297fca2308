/** Returns `value`. Throws RangeError with its name if it is not a positive finite number. */
export function positive(name: string, value: number): number {
  if (!(value > 0 && Number.isFinite(value))) throw new RangeError(`${name} must be positive: ${value}`);
  return value;
}
