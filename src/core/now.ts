/** A value, or a promise of one: a cached value costs no turn of the event loop. */
export type Now<Value> = Value | Promise<Value>;

/** Applies `change`, whose result may itself be a promise, at once if the value is available. */
export function mapNow<In, Out>(value: Now<In>, change: (value: In) => Now<Out>): Now<Out> {
  return value instanceof Promise ? value.then(change) : change(value);
}

/** Combines two values, at once if both are available. Rejects with the first rejection. */
export function allNow<A, B>(a: Now<A>, b: Now<B>): Now<[A, B]> {
  return a instanceof Promise || b instanceof Promise ? Promise.all([a, b]) : [a, b];
}
