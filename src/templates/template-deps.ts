import type { Accounts } from '../accounts/index.ts';
import type { Database } from '../database/database.ts';
import type { Upstream } from '../upstream/index.ts';
import type { WabaLookups } from './choose/waba-lookups.ts';
import type { SampleDeps } from './write/upload-samples.ts';

/** Dependencies of template actions. */
export interface TemplateDeps extends SampleDeps {
  db: Database;
  accounts: Pick<Accounts, 'findWaba' | 'tokenOf'>;
  upstream: Pick<
    Upstream,
    | 'createTemplate'
    | 'editTemplate'
    | 'deleteTemplates'
    | 'findTemplatesByName'
    | 'getTemplate'
    | 'summarizeTemplates'
    | 'uploadSample'
  >;
  /** Counts of templates read from the upstream, as JSON text. */
  summaries: WabaLookups<string>;
}
