import { Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useTexts } from '../../preferences/preferences.tsx';
import { useTints } from './tints.ts';
import classes from './turn-lanes.module.css';

export interface Lane {
  name: string;
  /** Place of its organization, which decides the colour; null for several organizations. */
  place: number | null;
  turns: readonly { key: string; place: number }[];
}

/** Distance of two turns in pixels. */
const STEP = 16;

/** A lane for each organization with a block for each of its turns. Blocks move to the left as turns pass. */
export function TurnLanes({ label, lanes }: { label: string; lanes: readonly Lane[] }) {
  const { queue } = useTexts();
  const tintOf = useTints();
  const { ref, width } = useElementSize();
  const fitting = Math.max(1, Math.floor(width / STEP));
  const summary = lanes.map(({ name, turns }) => queue.queue.turnsOf(name, turns.length)).join(', ');
  return (
    <div ref={ref} className={classes.lanes} role="img" aria-label={`${label}. ${summary}`}>
      {lanes.map(({ name, place: ofLane, turns }) => {
        const tint = tintOf(ofLane);
        return (
          <div key={name}>
            <Text size="xs" truncate>
              {name}
            </Text>
            <div className={classes.lane}>
              {turns
                .filter(({ place }) => place < fitting)
                .map(({ key, place }) => (
                  <span
                    key={key}
                    className={classes.turn}
                    style={{ transform: `translateX(${place * STEP}px)`, backgroundColor: tint }}
                  />
                ))}
            </div>
          </div>
        );
      })}
    </div>
  );
}
