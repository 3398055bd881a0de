/** The queries of the operator's views. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';

const viewPath = (view: string): string => `/api/v1/operator/${view}`;

export const useView = <T,>(view: string) =>
  useQuery({ queryKey: ['operator', view], queryFn: () => call<T>(viewPath(view)) });

/** Properties of the table of a view that is a list. */
export const pagesOf = (view: string) => ({
  path: viewPath(view),
  queryKey: ['operator', view],
  empty: 'None.',
});
