import { type Query, readFirstText } from '../../http/index.ts';
import type { Edge } from '../table/edge.ts';
import { readFields } from './read-fields.ts';

/** Returns the parameters of a query that pass, each once; all others are left out, tokens among them. */
export function readQuery(query: Query, { query: names, fields }: Edge): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of names) {
    const value = readFirstText(query, name);
    if (value !== undefined) passed[name] = value;
  }
  const wanted = fields === undefined ? undefined : readFirstText(query, 'fields');
  return wanted === undefined || fields === undefined ? passed : { ...passed, fields: readFields(wanted, fields) };
}
