import { usualOrigin } from './quick-start.ts';

// Like the first block of the quick start, those for a terminal have no comments, and no word that zsh would expand.
const listed = `get() { curl -sSf -H "Authorization: Bearer $TOKEN" "$API$1"; }
SEQ=$(get '/events?limit=2' | grep -o '"seq":[0-9]*' | tail -n 1 | cut -d : -f 2)
get "/events?limit=2&after=$SEQ"`;

const streamed = `curl -sSN -H "Authorization: Bearer $TOKEN" "$API/events/stream?after=$SEQ"`;

const receiver = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const key = Buffer.from(process.env.SECRET.replace('whsec_', ''), 'base64');
const isGenuine = (headers, body) => {
  const { 'webhook-id': id, 'webhook-timestamp': sent, 'webhook-signature': signatures = '' } = headers;
  const hmac = createHmac('sha256', key).update(\`\${id}.\${sent}.\`).update(body);
  const expected = Buffer.from(\`v1,\${hmac.digest('base64')}\`);
  const isRight = (given) => given.length === expected.length && timingSafeEqual(given, expected);
  return Math.abs(Date.now() / 1000 - sent) < 300 && signatures.split(' ').some((one) => isRight(Buffer.from(one)));
};
createServer(async (request, response) => {
  const body = await buffer(request);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  console.log('verified', JSON.parse(body).type);
  response.writeHead(204).end();
}).listen(9000, '127.0.0.1');`;

const hooked = `HOOK=$(post /webhooks '{"url": "http://127.0.0.1:9000/", "types": ["card.*"]}')
export SECRET=$(printf %s "$HOOK" | pick secret)
node receiver.mjs &
until curl -s http://127.0.0.1:9000/; do sleep 0.2; done
post /columns/$COLUMN/cards '{"title": "Refund in part"}' > /dev/null`;

const assistant = `{
  "mcpServers": {
    "cardinal": {
      "type": "http",
      "url": "${usualOrigin}/mcp",
      "headers": { "Authorization": "Bearer TOKEN" }
    }
  }
}`;

const commands = `npm run --silent build -w @cardinal/cli
cardinal() { node libs/cli/dist/cardinal.js "$@"; }
printf %s "$TOKEN" | cardinal login --url ${usualOrigin}
cardinal cards create --board "$BOARD" --column "To do" "Refund by cheque"
cardinal columns create "$BOARD" --name Done
cardinal move "$CARD" --column Done
cardinal show "$CARD"`;

/** What follows the first request, each in a block that runs as it is copied (deploy/local/test/readme). */
export const nextSteps = `### Follow events
In the terminal of the quick start. Every change of the workspace is an event. The first request lists the two oldest, the next one the two behind them: page with \`after=<last seq>\` until a page is empty, and you have every event that you may see.

\`\`\`sh
${listed}
\`\`\`

A stream sends those, and each further one within moments of its commit, until Ctrl-C. Where the connection breaks, continue after the last \`id\` with the header \`Last-Event-ID\`; an \`EventSource\` sends it by itself.

\`\`\`sh
${streamed}
\`\`\`

### Receive a webhook
Keep this as \`receiver.mjs\`. It verifies the signature, and refuses what was sent more than five minutes ago.

\`\`\`js
${receiver}
\`\`\`

Then make the webhook in the terminal of the quick start. Its \`TOKEN\` needs the scope \`kanban:admin\`: one for the demo is \`TOKEN=$(npm run --silent key -- --scope kanban:admin)\`. The card that the last line creates arrives as \`verified card.created\`.

\`\`\`sh
${hooked}
\`\`\`

The secret is shown once. Receivers at \`http\` or at addresses that are not public are for development: \`npm start\` allows them, other operators by \`WEBHOOK_HTTP\` and \`WEBHOOK_NETWORKS\`. Signatures are those of Standard Webhooks, for which most languages have a library; \`verifyWebhook\` of the TypeScript client is one.

### Connect an assistant
\`/mcp\`, beside this API and no operation of it, speaks the Model Context Protocol: the same operations as tools, with the same tokens, API keys and limits, where the operator has not turned it off. Most assistants read an \`mcp.json\` like this one, with your API key in the place of \`TOKEN\`; one with the scope \`kanban:read\` changes nothing.

\`\`\`json
${assistant}
\`\`\`

### On the command line
\`cardinal\` is the program, in \`libs/cli\` of the repository: a command for each operation, names in place of ids. In the terminal of the quick start, in the folder of the repository:

\`\`\`sh
${commands}
\`\`\`

\`cardinal --help\` lists the commands, \`cardinal events --follow\` shows what happens. \`npm pack -w @cardinal/cli\` makes a package for other folders and machines.`;
