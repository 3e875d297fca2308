import type { UploadedSample } from '../media/upload-sessions.ts';

export type TemplateCategory = 'AUTHENTICATION' | 'MARKETING' | 'UTILITY';

/** Facts about the whole template that the check of a component needs. */
export interface ComponentContext {
  category: TemplateCategory;
  format: 'NAMED' | 'POSITIONAL';
  hasOffer: boolean;
  /** Inside a carousel card. */
  isCard: boolean;
  findSample(handle: string): UploadedSample | undefined;
}
