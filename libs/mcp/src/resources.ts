import { getBoard, getCard, listBoards } from '@cardinal/contracts';
import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { cutToSize } from './answers.ts';
import { type Api, perform } from './api.ts';
import { Refusal, refusalContent } from './refusals.ts';
import { declaredTools, type Tool } from './tools.ts';

const mimeType = 'application/json';

const readerOf = (id: string): Tool => {
  const tool = declaredTools.find(({ name }) => name === id);
  if (!tool) throw new Error(`There is no tool ${id}`);
  return tool;
};

const toolNameOf = ({ http }: typeof getCard | typeof getBoard) => http.tool?.name ?? '';

/** What a tool answers, as the content of a resource. @throws ProtocolError where it is refused */
const contentOf = (uri: URL, { isError, content }: CallToolResult): ReadResourceResult => {
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  if (!isError) return { contents: [{ uri: uri.href, mimeType, text }] };
  const { error } = JSON.parse(text) as { error: { code: string; message: string; what_to_do: string } };
  if (error.code === 'not_found') throw new ResourceNotFoundError(uri.href);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `${error.code}: ${error.message}. ${error.what_to_do}`,
    error,
  );
};

/** As many as an answer takes; the tool `list_boards` has all of them, page by page. */
const fitting = <Item>(items: Item[]): Item[] => {
  const { answer } = cutToSize({ data: items, notes: [] });
  return answer.data as Item[];
};

interface Named {
  id: string;
  name: string;
}

/** The boards that the caller sees. @throws ProtocolError where they cannot be read */
const boardsOf = async (api: Api): Promise<Named[]> => {
  try {
    return (await perform(api, listBoards.http, { params: {}, query: { limit: 100 } })).data as Named[];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${error.code}: ${error.message}`, refusalContent(error));
  }
};

const one = (value: string | string[] | undefined): string => {
  const [text = ''] = [value].flat();
  try {
    return decodeURIComponent(text);
  } catch {
    // A malformed encoding names nothing; the API's refusal says so.
    return text;
  }
};

/** Cards by any identifier and boards, as resources; they read as the tools do. */
export const registerResources = (server: McpServer, api: Api): void => {
  const [card, board] = [readerOf(toolNameOf(getCard)), readerOf(toolNameOf(getBoard))];
  server.registerResource(
    'card',
    new ResourceTemplate('cardinal://card/{card}', { list: undefined }),
    {
      title: 'A card',
      description: 'By its id, or any identifier that it has or ever had: cardinal://card/PAY-7',
      mimeType,
    },
    async (uri, variables) => contentOf(uri, await card.call(api, { card: one(variables.card) })),
  );
  server.registerResource(
    'board',
    new ResourceTemplate('cardinal://board/{board_id}', {
      list: async () => ({
        resources: fitting(
          (await boardsOf(api)).map(({ id, name }) => ({ uri: `cardinal://board/${id}`, name, mimeType })),
        ),
      }),
      complete: {
        board_id: async (begun) => {
          const isMeant = ({ id, name }: Named) =>
            id.startsWith(begun) || name.toLowerCase().startsWith(begun.toLowerCase());
          return (await boardsOf(api)).filter(isMeant).map(({ id }) => id);
        },
      },
    }),
    { title: 'A board with its columns', description: 'By its id.', mimeType },
    async (uri, variables) => contentOf(uri, await board.call(api, { board_id: one(variables.board_id) })),
  );
};
