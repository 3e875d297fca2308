import type { StatementModel } from '../model-store.ts';
import { acceptanceStatements } from './acceptance-statements.ts';
import { accountStatements } from './account-statements.ts';
import { cancellationStatements } from './cancellation-statements.ts';
import { directoryStatements } from './directory-statements.ts';
import { dispatchStatements } from './dispatch-statements.ts';
import { inboundStatements } from './inbound-statements.ts';
import { leaseStatements } from './lease-statements.ts';
import { marketingStatements } from './marketing-statements.ts';
import { peopleStatements } from './people-statements.ts';
import { queueStatements } from './queue-statements.ts';
import { statusStatements } from './status-statements.ts';

/** Every statement that the simulated part of the product issues, by name. */
export const statementModels: ReadonlyMap<string, StatementModel> = new Map(
  Object.entries({
    ...leaseStatements,
    ...queueStatements,
    ...dispatchStatements,
    ...acceptanceStatements,
    ...cancellationStatements,
    ...inboundStatements,
    ...statusStatements,
    ...directoryStatements,
    ...accountStatements,
    ...marketingStatements,
    ...peopleStatements,
  }),
);
