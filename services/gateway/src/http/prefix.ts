/** Where the API lives (api-decisions, "Requests, responses, errors"). */
export const apiPrefix = '/api/kanban/v1';

/** Whether a request target, query included, lies inside the API. */
export const isInApi = (url: string): boolean => {
  const path = url.split('?', 1)[0] ?? '';
  return path === apiPrefix || path.startsWith(`${apiPrefix}/`);
};
