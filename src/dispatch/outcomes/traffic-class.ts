import { type TrafficClass, trafficClasses } from '../scheduler/index.ts';

/**
 * The traffic class of a message by its category (api-rules#message): codes ahead of replies and notices, those ahead of
 * marketing. A category nobody knows yet counts as marketing, which disturbs nobody.
 */
export function trafficClassOfCategory(category: string): TrafficClass {
  switch (category) {
    case 'authentication':
      return trafficClasses.authentication;
    case 'service':
      return trafficClasses.session;
    case 'utility':
      return trafficClasses.utility;
    default:
      return trafficClasses.marketing;
  }
}
