/**
 * Returns a reading in which each pair of name and language occurs once. Upstream may list a deleted template beside its successor of the
 * same name; the successor is kept.
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

/** True if a template no longer holds its name, or is being deleted. */
export function isLeaving(template: { status: string }): boolean {
  return template.status === 'DELETED' || template.status === 'PENDING_DELETION';
}
