export type { Api, ApiAnswer, ApiRequest } from './api.ts';
export { answerMessage } from './http.ts';
export { Refusal } from './refusals.ts';
export { mcpServer, toolNames } from './server.ts';
