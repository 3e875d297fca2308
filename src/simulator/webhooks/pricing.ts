import type { SendRoad } from '../messages/send-log.ts';
import type { Template } from '../records.ts';

/** Price that the statuses of a message report. */
export interface Pricing {
  type: 'regular' | 'free_customer_service' | 'free_entry_point' | 'free_group_customer_service';
  category: string;
  /** End of the free entry point, milliseconds since the epoch. */
  freeEntryPointUntil: number | null;
}

/** Price other than the rules give: a category that the platform moved, or another type. */
export interface MovedPrice {
  category?: string;
  pricingType?: Pricing['type'];
}

export interface PricingInput {
  template: Template | null;
  road: SendRoad;
  isDirectSend: boolean;
  freeEntryPointUntil: number | null;
  /** For service messages: true within the number's free ones of the month. */
  isFreeService: boolean;
  /** Price that a fault asks for. */
  moved: MovedPrice | undefined;
}

/** Returns the price of an accepted message under the rules of October 2026, unless a fault asks for another. Pure. */
export function priceMessage(input: PricingInput): Pricing {
  const ruled = rulePrice(input);
  return { ...ruled, type: input.moved?.pricingType ?? ruled.type, category: input.moved?.category ?? ruled.category };
}

function rulePrice(input: PricingInput): Pricing {
  const { freeEntryPointUntil } = input;
  if (freeEntryPointUntil !== null)
    return { type: 'free_entry_point', category: 'referral_conversion', freeEntryPointUntil };
  if (input.template !== null) {
    const category = input.road === 'messages' ? input.template.category.toLowerCase() : 'marketing_lite';
    return { type: 'regular', category, freeEntryPointUntil };
  }
  if (input.isDirectSend) return { type: 'regular', category: 'utility', freeEntryPointUntil };
  return { type: input.isFreeService ? 'free_customer_service' : 'regular', category: 'service', freeEntryPointUntil };
}
