import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Api } from './api.ts';

/** Says that the API key ends, and the way out. @param end the time */
export const noticeOf = (end: string): string =>
  `The API key of this connection ends at ${end}; from then on every call is refused. Tell the user now: another key comes from \`cardinal keys create\`, with a token or a key that ends later, or from the operator, and takes the place of this one where the assistant is configured.`;

/**
 * Says in one answer of a session that the API key ends soon. A session is as long as the program runs here; where each message
 * has a server of its own, over HTTP, the instructions say it (server.ts).
 */
export const keyEndNotice = () => {
  let end: string | undefined;
  let isTold = false;
  return {
    /** The same requests; their answers name the end in the last 14 days of a key (CONTRACT 13.3). */
    listening:
      (api: Api): Api =>
      async (request) => {
        const answer = await api(request);
        end ??= answer.headers['cardinal-key-expires'];
        return answer;
      },
    /** The answer of a tool, the first one with the notice among its notes; a refusal goes as it is. */
    added(result: CallToolResult): CallToolResult {
      const [first] = result.content;
      if (end === undefined || isTold || result.isError || first?.type !== 'text') return result;
      isTold = true;
      const { notes = [], ...answer } = JSON.parse(first.text) as { notes?: string[] };
      return {
        ...result,
        content: [{ type: 'text', text: JSON.stringify({ ...answer, notes: [...notes, noticeOf(end)] }) }],
      };
    },
  };
};

/** What {@link keyEndNotice} makes. */
export type KeyEndNotice = ReturnType<typeof keyEndNotice>;
