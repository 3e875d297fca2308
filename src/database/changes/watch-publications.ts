import type { Database, Queryable, Statement } from '../database.ts';
import type { ChangeFeed } from './change-feed.ts';
import { PUBLISH_STATEMENT } from './change-queries.ts';

/** Returns `db`, with every transaction that publishes changes announced to `feed` until it has ended. */
export function watchPublications(db: Database, feed: Pick<ChangeFeed, 'publishing'>): Database {
  const isPublishing = ({ name }: Statement) => name === PUBLISH_STATEMENT;

  async function announced<Result>(work: (announce: () => void) => Promise<Result>): Promise<Result> {
    let end: (() => void) | undefined;
    const announce = () => {
      end ??= feed.publishing();
    };
    return await work(announce).finally(() => end?.());
  }

  const publish: Database['query'] = (statement) =>
    announced((announce) => {
      announce();
      return db.query(statement);
    });

  return {
    ...db,
    query: (statement) => (isPublishing(statement) ? publish(statement) : db.query(statement)),
    transaction: (work) =>
      announced((announce) =>
        db.transaction((tx) => {
          const watched: Queryable = {
            query(statement) {
              if (isPublishing(statement)) announce();
              return tx.query(statement);
            },
          };
          return work(watched);
        }),
      ),
  };
}
