export type { Api } from './api.ts';
export { answerMessage } from './http.ts';
export { toolNames } from './server.ts';
