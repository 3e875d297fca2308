/** Traffic class of a message; decides its flow's default weight. */
export type TrafficClass = (typeof trafficClasses)[keyof typeof trafficClasses];
export type TrafficClassName = keyof typeof trafficClasses;

/** The number of each class is stored as a part of flow ids. */
export const trafficClasses = { authentication: 0, session: 1, utility: 2, marketing: 3 } as const;

/** Number of classes that a flow id can tell apart. Stored ids contain it: a change needs a migration of `flow_id`. */
const CLASS_PLACES = 4;
const CLASS_NAMES = Object.fromEntries(
  Object.entries(trafficClasses).map(([name, trafficClass]) => [trafficClass, name]),
) as Record<TrafficClass, TrafficClassName>;

/** Returns the flow of one API key's traffic of one class. Fits 32 signed bits for key numbers up to 2^29 - 1. */
export function flowIdOf(apiKeyNumber: number, trafficClass: TrafficClass): number {
  return apiKeyNumber * CLASS_PLACES + trafficClass;
}

/** Returns the class of a flow id. */
export function trafficClassOf(flowId: number): TrafficClass {
  return (flowId % CLASS_PLACES) as TrafficClass;
}

/** Returns the name of the class of a flow id. */
export function trafficClassNameOf(flowId: number): TrafficClassName {
  return CLASS_NAMES[trafficClassOf(flowId)];
}

/** Returns the values of all classes in the order of their numbers, for the parameter of `valueOfClassSql`. */
export function listByClass<Value>(values: Readonly<Record<TrafficClassName, Value>>): Value[] {
  return Object.entries(trafficClasses)
    .toSorted(([, a], [, b]) => a - b)
    .map(([name]) => values[name as TrafficClassName]);
}

/** SQL: the element for the class of a flow id, from an array that `listByClass` made. */
export function valueOfClassSql(array: string, flowId: string): string {
  return `(${array})[${flowId} % ${CLASS_PLACES} + 1]`;
}

/** SQL: the number of the API key of a flow id. */
export function keyNumberSql(flowId: string): string {
  return `${flowId} / ${CLASS_PLACES}`;
}
