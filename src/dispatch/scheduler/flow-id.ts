/** Traffic class of a message; decides its flow's default weight. */
export type TrafficClass = (typeof trafficClasses)[keyof typeof trafficClasses];

export const trafficClasses = { authentication: 0, session: 1, utility: 2, marketing: 3 } as const;

/** Returns the flow of one API key's traffic of one class. Fits 32 signed bits for key numbers up to 2^29 - 1. */
export function flowIdOf(apiKeyNumber: number, trafficClass: TrafficClass): number {
  return apiKeyNumber * 4 + trafficClass;
}

/** Returns the class of a flow id. */
export function trafficClassOf(flowId: number): TrafficClass {
  return (flowId % 4) as TrafficClass;
}
