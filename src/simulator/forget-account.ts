import type { Platform } from './platform.ts';

/**
 * Forgets an account whole: its numbers, templates, conversations, uploads and the objects of its edges. Its files stay, within the bound of
 * all files, and so do the logs and the phones that its numbers have seen, which have bounds of their own.
 */
export function forgetAccount(platform: Platform, wabaId: string): void {
  const { world, edges, conversations, limits, magicAttempts, uploads } = platform;
  const waba = world.findWaba(wabaId);
  if (waba === undefined) return;
  for (const { id } of world.listNumbers(wabaId)) {
    edges.forgetNumber(id);
    conversations.forget(id);
    limits.forget(id);
    for (const pair of magicAttempts.keys()) if (pair.startsWith(`${id}\0`)) magicAttempts.delete(pair);
  }
  edges.forgetWaba(wabaId);
  uploads.forget(waba.accessToken);
  world.forgetWaba(wabaId);
}
