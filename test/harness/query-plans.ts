import assert from 'node:assert/strict';
import type { Queryable, Statement } from '../../src/database/database.ts';

type Asked = Required<Omit<Statement, 'timeoutMs'>>;

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Subplan Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Records each distinct statement that `ask` sends to a database that answers every one with these rows. */
export async function statementsOf(
  ask: (noted: Queryable) => Promise<unknown>,
  rows: unknown[] = [],
): Promise<Asked[]> {
  const statements = new Map<string, Asked>();
  await ask({
    async query({ name = '', text, values = [] }: Statement) {
      statements.set(text, { name, text, values });
      return rows as never[];
    },
  });
  return [...statements.values()];
}

/** Returns the nodes of PostgreSQL's generic plan of a statement; with `values`, of its plan as executed with them. */
export async function planOf(db: Queryable, text = '', values?: Statement['values']): Promise<PlanNode[]> {
  const [row] = await db.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>({
    text: `EXPLAIN (${values === undefined ? 'GENERIC_PLAN' : 'ANALYZE'}, FORMAT JSON) ${text}`,
    ...(values && { values }),
  });
  assert.ok(row, text);
  return nodesOf(row['QUERY PLAN'].map(({ Plan }) => Plan));
}

/** Returns the number of rows that a node of an executed plan read. */
export function rowsRead(node: PlanNode): number {
  return ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0);
}

function nodesOf(plans: readonly PlanNode[]): PlanNode[] {
  return plans.flatMap((plan) => [plan, ...nodesOf(plan.Plans ?? [])]);
}
