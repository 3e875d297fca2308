import { useComputedColorScheme } from '@mantine/core';
import { useState } from 'react';
import { SERIES } from '../../parts/plot-colors.ts';

const GREY = { light: '#5c636a', dark: '#adb5bd' };

/** Returns a lookup of the place at which an organization was first seen, so that lanes and colours stay while turns pass. */
export function usePlaces(): (id: string) => number {
  const [seen] = useState(() => new Map<string, number>());
  return (id) => {
    const place = seen.get(id) ?? seen.size;
    seen.set(id, place);
    return place;
  };
}

/** Returns the colours by the places of organizations; grey without a place. */
export function useTints(): (place: number | null) => string {
  const scheme = useComputedColorScheme();
  return (place) => (place === null ? GREY : (SERIES[place % SERIES.length]?.color ?? GREY))[scheme];
}
