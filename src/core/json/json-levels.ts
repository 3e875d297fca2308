/** Levels of a document whose keys the gateway acts on, as a tree that is walked along with the text. */
export interface JsonLevels {
  /** Path of this level for error messages, such as `template.language`; empty for the root. */
  readonly name: string;
  readonly members: ReadonlyMap<string, JsonLevels>;
  /** Levels inside each element, if this level is an array. */
  readonly elements: JsonLevels | undefined;
}

interface LevelBuilder {
  name: string;
  members: Map<string, LevelBuilder>;
  elements: LevelBuilder | undefined;
}

/**
 * Returns the levels named by dotted paths, in which `*` stands for every element of an array: `template.language`,
 * `components.*.example`. The root and every level on the way to a named one are included.
 * Call it once per kind of body, not per request.
 */
export function jsonLevels(...paths: string[]): JsonLevels {
  const root = emptyLevel('');
  for (const path of paths) {
    let level = root;
    for (const step of path.split('.')) level = nextLevel(level, step);
  }
  return root;
}

function nextLevel(level: LevelBuilder, step: string): LevelBuilder {
  const known = step === '*' ? level.elements : level.members.get(step);
  if (known !== undefined) return known;
  const next = emptyLevel(level.name === '' ? step : `${level.name}.${step}`);
  if (step === '*') level.elements = next;
  else level.members.set(step, next);
  return next;
}

function emptyLevel(name: string): LevelBuilder {
  return { name, members: new Map(), elements: undefined };
}
