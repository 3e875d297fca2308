const MEANINGS: readonly [reason: RegExp, meaning: string][] = [
  [/^pacing$/, 'The number sends as fast as it may. Nothing to do.'],
  [/^pair limit$/, 'The platform limits the messages to one person. It is sent after a short pause.'],
  [/^on its way$/, 'It was sent; the answer of the platform is missing yet.'],
  [/^retry$/, 'The last attempt failed for a passing reason, and the next one is planned.'],
  [
    /^unknown outcome$/,
    'The connection broke before the platform answered. It is not sent again until a status or the end of the hold shows that this is safe.',
  ],
  [/^paused$/, 'An operator paused the number; `fairway numbers resume` ends it.'],
  [/^parked: /, 'The platform refuses the number, its account or the app. `fairway doctor` says how to repair it.'],
  [/earlier to the same recipient$/, 'Messages to one person keep their order. Explain the earliest one of them.'],
  [/^being taken over$/, 'A node is taking over the number. Nothing to do.'],
  [/^another node$/, 'Another node sends for the number and knows the reason; `fairway queue` shows it.'],
  [/^no node$/, 'No node that dispatches has the number. Start a node with the role dispatch.'],
];

/** Returns the meaning of a reason for a wait; undefined for a reason that is unknown here. */
export function meaningOfWait(reason: string): string | undefined {
  return MEANINGS.find(([pattern]) => pattern.test(reason))?.[1];
}
