import assert from 'node:assert/strict';
import pg from 'pg';
import type { Queryable, Statement } from '../../src/database/database.ts';
import { firstRow } from '../../src/database/first-row.ts';

const VERSION_WITH_GENERIC_PLAN = 16;

const EXPLAIN_GENERIC = `
  CREATE OR REPLACE FUNCTION explain_generic(statement text, parameters int, format text) RETURNS SETOF text LANGUAGE plpgsql AS $f$
  DECLARE line text;
  BEGIN
    EXECUTE 'PREPARE explained AS ' || statement;
    FOR line IN EXECUTE format(
      'EXPLAIN (FORMAT %s) EXECUTE explained%s', format,
      CASE WHEN parameters > 0 THEN '(' || rtrim(repeat('NULL,', parameters), ',') || ')' ELSE '' END
    ) LOOP
      RETURN NEXT line;
    END LOOP;
    DEALLOCATE explained;
  END $f$`;

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
    text: values === undefined ? await explainGenericPlan(db, text, 'JSON') : `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
    ...(values && { values }),
  });
  assert.ok(row, text);
  return nodesOf(row['QUERY PLAN'].map(({ Plan }) => Plan));
}

/** Returns the statement that shows the generic plan of another; each row has a part of it as `QUERY PLAN`. */
export async function explainGenericPlan(db: Queryable, text: string, format: 'JSON' | 'TEXT'): Promise<string> {
  if ((await readVersion(db)) >= VERSION_WITH_GENERIC_PLAN) return `EXPLAIN (GENERIC_PLAN, FORMAT ${format}) ${text}`;
  // One call prepares and explains in one session; the sessions of the gateway have generic plans only.
  await db.query({ text: EXPLAIN_GENERIC });
  const parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const result = format === 'JSON' ? 'plan::json' : 'plan';
  return `SELECT ${result} AS "QUERY PLAN" FROM explain_generic(${pg.escapeLiteral(text)}, ${parameters}, '${format}') AS plan`;
}

/** Returns the major version of the server. Versions before 17 do not know in which order the rows of a CTE come. */
export async function readVersion(db: Queryable): Promise<number> {
  const rows = await db.query<{ version: number }>({
    text: "SELECT current_setting('server_version_num')::int / 10000 AS version",
  });
  return firstRow(rows).version;
}

/** Returns the number of rows that a node of an executed plan read. */
export function rowsRead(node: PlanNode): number {
  return ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0);
}

function nodesOf(plans: readonly PlanNode[]): PlanNode[] {
  return plans.flatMap((plan) => [plan, ...nodesOf(plan.Plans ?? [])]);
}
