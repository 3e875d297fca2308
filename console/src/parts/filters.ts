import { useNavigate, useSearch } from '@tanstack/react-router';

/** The query of the address: texts by name. */
export type Filters = { [name: string]: string | undefined };

/** Returns the filters in the address, and a function that changes some of them. A change of a filter returns to the first page. */
export function useFilters(): { filters: Filters; setFilters: (change: Filters, replace?: boolean) => void } {
  const filters = useSearch({ strict: false }) as Filters;
  const navigate = useNavigate();
  const setFilters = (change: Filters, replace = false) => {
    const search = (before: Filters) => withoutEmpty({ ...before, after: undefined, ...change });
    void navigate({ to: '.', search: search as never, replace });
  };
  return { filters, setFilters };
}

export function withoutEmpty(filters: Filters): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined && value !== ''));
}
