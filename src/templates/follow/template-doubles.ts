/**
 * A reading in which every pair of name and language occurs once. Upstream a deleted template may still be listed beside the one
 * that took its name; the one that stays is kept.
 */
export function withoutDoubles<Template extends { name: string; language: string; status: string }>(
  reading: readonly Template[],
): Template[] {
  const kept = new Map<string, Template>();
  for (const template of reading) {
    const key = `${template.language}/${template.name}`;
    const other = kept.get(key);
    if (other === undefined || (isLeaving(other) && !isLeaving(template))) kept.set(key, template);
  }
  return [...kept.values()];
}

/** Whether a template no longer holds its name, or soon will not. */
export function isLeaving(template: { status: string }): boolean {
  return template.status === 'DELETED' || template.status === 'PENDING_DELETION';
}
