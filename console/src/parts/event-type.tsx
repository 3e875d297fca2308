import { Fragment } from 'react';

/** The type of an event. A narrow column breaks it behind a dot, not within a word. */
export function EventType({ type }: { type: string }) {
  return type.split('.').map((word, index) => (
    <Fragment key={word}>
      {index > 0 && (
        <>
          .<wbr />
        </>
      )}
      {word}
    </Fragment>
  ));
}
