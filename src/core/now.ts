/** A value, at hand or to come: what is remembered costs no turn of the event loop. */
export type Now<Value> = Value | Promise<Value>;

/** Applies `change` at once where the value is at hand. */
export function mapNow<In, Out>(value: Now<In>, change: (value: In) => Out): Now<Out> {
  return value instanceof Promise ? value.then(change) : change(value);
}
