import type { UploadedSample } from '../media/upload-sessions.ts';

export type TemplateCategory = 'AUTHENTICATION' | 'MARKETING' | 'UTILITY';

/** What checking components needs to know of the whole template. */
export interface ComponentContext {
  category: TemplateCategory;
  format: 'NAMED' | 'POSITIONAL';
  hasOffer: boolean;
  /** Inside a carousel card. */
  isCard: boolean;
  findSample(handle: string): UploadedSample | undefined;
}
