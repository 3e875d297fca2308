/** What a message is for; decides its flow's default weight. */
export type TrafficClass = (typeof trafficClasses)[keyof typeof trafficClasses];

export const trafficClasses = { authentication: 0, session: 1, utility: 2, marketing: 3 } as const;

/** The flow of one API key's traffic of one class. Inverse of `trafficClassOf` and `apiKeyNumberOf`. */
export function flowIdOf(apiKeyNumber: number, trafficClass: TrafficClass): number {
  return apiKeyNumber * 4 + trafficClass;
}

export function trafficClassOf(flowId: number): TrafficClass {
  return (flowId % 4) as TrafficClass;
}

export function apiKeyNumberOf(flowId: number): number {
  return Math.floor(flowId / 4);
}
