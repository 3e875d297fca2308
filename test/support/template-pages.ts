import type { CallResult, ListedTemplate, Upstream } from '../../src/upstream/index.ts';
import { token } from './upstream-peer.ts';

/** Returns all pages of a listing of templates. */
export async function templatePages(upstream: Upstream): Promise<CallResult<ListedTemplate[]>[]> {
  const pages: CallResult<ListedTemplate[]>[] = [];
  for await (const page of upstream.listTemplates('55', token)) pages.push(page);
  return pages;
}
