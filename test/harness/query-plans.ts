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

/** What `ask` asks of a database that answers everything with these rows, each statement once. */
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

/** The nodes of the plan PostgreSQL makes of a statement whatever its parameters are; with `values`, what came of it with these. */
export async function planOf(db: Queryable, text = '', values?: Statement['values']): Promise<PlanNode[]> {
  const [row] = await db.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>({
    text: `EXPLAIN (${values === undefined ? 'GENERIC_PLAN' : 'ANALYZE'}, FORMAT JSON) ${text}`,
    ...(values && { values }),
  });
  assert.ok(row, text);
  return nodesOf(row['QUERY PLAN'].map(({ Plan }) => Plan));
}

/** How many rows a node of a plan went through, as it was carried out. */
export function rowsRead(node: PlanNode): number {
  return ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0);
}

function nodesOf(plans: readonly PlanNode[]): PlanNode[] {
  return plans.flatMap((plan) => [plan, ...nodesOf(plan.Plans ?? [])]);
}
