import { type TrafficClass, trafficClasses } from '../scheduler/index.ts';

/** True if messages of a category are marketing, which people can opt out of. */
export function isMarketing(category: string): boolean {
  return trafficClassOfCategory(category) === trafficClasses.marketing;
}

/**
 * Returns the traffic class of a message by its category (api-rules#message): codes go before replies and notices, and these before
 * marketing. An unknown category counts as marketing, so that it delays no other class.
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
