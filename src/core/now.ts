/** A value, at hand or to come: what is remembered costs no turn of the event loop. */
export type Now<Value> = Value | Promise<Value>;

/** Applies `change` at once where the value is at hand. */
export function mapNow<In, Out>(value: Now<In>, change: (value: In) => Out): Now<Out> {
  return value instanceof Promise ? value.then(change) : change(value);
}

/** Three values together, at once where all are at hand. Rejects with the first that does. */
export function allNow<A, B, C>(a: Now<A>, b: Now<B>, c: Now<C>): Now<[A, B, C]> {
  const isPending = a instanceof Promise || b instanceof Promise || c instanceof Promise;
  return isPending ? Promise.all([a, b, c]) : [a, b, c];
}
