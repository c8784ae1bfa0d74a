import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Body, type Client, clientOf, type Stack } from '../workspace.ts';

/** What a tool answered: its data, or its refusal. */
export interface Told {
  data?: Body;
  error?: Body;
  /** Everything of the answer. */
  all: Body;
  text: string;
}

/** An assistant that is connected with a user's token; the latest revision of the protocol where none is named. */
export const assistantOf = async (stack: Stack, { token }: Pick<Client, 'token'>, era: 'auto' | 'legacy' = 'auto') => {
  const client = new McpClient({ name: 'acceptance', version: '1.0.0' }, { versionNegotiation: { mode: era } });
  const url = new URL('/mcp', stack.baseUrl);
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  return {
    client,
    /** Calls a tool. */
    async call(name: string, given: Record<string, unknown> = {}): Promise<Told> {
      const result = await client.callTool({ name, arguments: given });
      const [first] = result.content as { type: string; text: string }[];
      const text = first?.text ?? '';
      const all = JSON.parse(text);
      return result.isError ? { error: all.error, all, text } : { data: all.data, all, text };
    },
  };
};

export type Assistant = Awaited<ReturnType<typeof assistantOf>>;

/** The same for a new user. */
export const newAssistant = async (stack: Stack, who: { workspace?: string; scope?: string } = {}) =>
  assistantOf(stack, await clientOf(stack, who));
