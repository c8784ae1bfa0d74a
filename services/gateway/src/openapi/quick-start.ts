import { apiPrefix } from '@cardinal/contracts';

/** The origin of the API under `npm start` and in the compose file. A served document has the client's instead. */
export const usualOrigin = 'http://127.0.0.1:8080';

const api = `${usualOrigin}${apiPrefix}`;

// Without comments: an interactive zsh (macOS) does not accept them.
const inShell = `API=${api}
export TOKEN=\${TOKEN:-$(npm run --silent key)}
post() { curl -sSf -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%s)-$RANDOM" "$API$1" -d "$2"; }
pick() { grep -o "\\"$1\\":\\"[^\\"]*" | head -n 1 | cut -d '"' -f 4; }
BOARD=$(post /boards '{"name": "Payments"}' | pick id)
COLUMN=$(post /boards/$BOARD/columns '{"name": "To do"}' | pick id)
CARD=$(post /columns/$COLUMN/cards '{"title": "Refund twice"}' | pick identifier)
curl -sSf -H "Authorization: Bearer $TOKEN" "$API/cards/by-identifier/$CARD"`;

const inJavaScript = `const api = '${api}';
const send = async (method, path, body) => {
  const response = await fetch(api + path, {
    method,
    headers: {
      Authorization: \`Bearer \${process.env.TOKEN}\`,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()).data;
};
const board = await send('POST', '/boards', { name: 'Payments' });
const column = await send('POST', \`/boards/\${board.id}/columns\`, { name: 'To do' });
const card = await send('POST', \`/columns/\${column.id}/cards\`, { title: 'Refund twice' });
console.log(JSON.stringify(await send('GET', \`/cards/by-identifier/\${card.identifier}\`), null, 2));`;

// No empty line in the function: Python's prompt would end it there.
const inPython = `import json, os, urllib.request, uuid

api = "${api}"

def send(method, path, body=None):
    headers = {
        "Authorization": "Bearer " + os.environ["TOKEN"],
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    }
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(api + path, data, headers, method=method)) as answer:
        return json.load(answer)["data"]

board = send("POST", "/boards", {"name": "Payments"})
column = send("POST", f"/boards/{board['id']}/columns", {"name": "To do"})
card = send("POST", f"/columns/{column['id']}/cards", {"title": "Refund twice"})
print(json.dumps(send("GET", f"/cards/by-identifier/{card['identifier']}"), indent=2))`;

/** A first request in three languages; each block runs as it is copied (acceptance/quick-start). */
export const quickStart = `## Quick start
Each of these makes a board, a column in it and a card, and shows the card by its identifier. The first one is for a terminal, and needs \`curl\` alone. \`TOKEN\` is an API key or a token, as in the next chapter; where there is none it makes a key for the demo, in the folder of \`npm start\`.

\`\`\`sh
${inShell}
\`\`\`

### JavaScript
In Node 20 or later, with the \`TOKEN\` of that terminal: paste it at the prompt of \`node\`, or keep it as \`start.mjs\`.

\`\`\`js
${inJavaScript}
\`\`\`

### Python
In Python 3.8 or later, without a package, with the same \`TOKEN\`: paste it at the prompt of \`python3\`, or keep it as \`start.py\`.

\`\`\`python
${inPython}
\`\`\``;
