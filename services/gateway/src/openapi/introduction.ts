import { apiPrefix } from '@cardinal/contracts';
import { errorTable } from './components.ts';

/** What the document begins with: how to send a first request, and what holds for all of them. */
export const introduction = `Work tracking with identifiers that never break.

## Quick start
Where Cardinal runs on your machine (another address goes into the first line), with a token of the next chapter:

\`\`\`sh
API=http://127.0.0.1:8080${apiPrefix}
TOKEN=$(npm run --silent token)
post() { curl -sS -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%s)-$RANDOM" "$@"; }
post $API/boards -d '{"name": "Payments"}'                      # data.id is BOARD
post $API/boards/BOARD/columns -d '{"name": "To do"}'           # data.id is COLUMN
post $API/columns/COLUMN/cards -d '{"title": "Refund twice"}'   # data.identifier, such as MAIN-1
curl -H "Authorization: Bearer $TOKEN" $API/cards/by-identifier/MAIN-1
\`\`\`

All paths are relative to \`${apiPrefix}\`. On this page, put the token into Authentication, and press Test Request at an operation: an \`Idempotency-Key\` that you leave as it is becomes a new one at every send.

## Tokens
Every operation needs \`Authorization: Bearer …\`, a JWT of the issuer that the operator of this Cardinal chose: your organisation's sign-in (OpenID Connect) hands it out. A Cardinal of your own makes one for its demo workspace: \`npm run --silent token\` beside \`npm start\`, \`docker compose run --rm token\` with Docker. It names the workspace and the user, and what it may do: \`kanban:read\` for reads, \`kanban:write\` for writes, \`kanban:admin\` where an operation says so; each includes those before it. The scope that an operation needs ends its description.

## Names
Wherever a path has the id of a card, an identifier of it may stand, current or former, in any letter case: \`PATCH /cards/PAY-1\`. The answer is that of the id. \`POST /identifiers/resolve\` finds the cards of up to a hundred identifiers, or of those in a text.

## Errors
Every error has the same shape: \`{"error": {"code", "message", "request_id", "details"}}\`. \`code\` is for programs, \`message\` for people; \`details\` is there where there is more to tell. What you may not see answers 404, as what does not exist.

${errorTable}

## Client
\`@cardinal/client\` is the TypeScript client, for Node and browsers, in \`libs/client\` of the repository: typed, with keys and versions sent, pages walked through, and retries where they are safe. For other languages, generators of clients take this document.

## Assistants
\`/mcp\`, beside this API and no operation of it, speaks the Model Context Protocol: the same operations as tools, with the same tokens and limits, where the operator has not turned it off.

## Versions
The interface is \`v1\`, in the path. Within it nothing is taken away, renamed or given another meaning; fields of answers, operations, optional parameters and codes of errors may be added with any release, so ignore what you do not know. What would break clients comes as \`v2\` beside \`v1\`, which is then served for a year at least. The number above is that of the release, whose changes are in \`CHANGELOG.md\`.

## Pages
A list answers \`{"data": […], "page": {"next_cursor", "has_more"}}\`. \`limit\` is 1 to 100, 50 where it is left out; a page also ends at 1 MiB. Send \`next_cursor\` as \`cursor\` for the next page, with the same filters; a cursor of another list answers 400.

## Preconditions
A versioned resource comes with an \`ETag\`. Writes to it need \`If-Match\` with that \`ETag\`: without it 428, with an old one 412, and \`details.current_version\` tells the present one. Reads take \`If-None-Match\`, and answer 304 while nothing has changed.

## Idempotency
POSTs need an \`Idempotency-Key\` of your own, new for each new request. After a lost answer send the same request with the same key: what was done is not done again, and the first answer comes back with \`Idempotent-Replayed: true\`. The same key with another request answers 422. Keys count for one user and one operation, for a day at least. PUTs, and DELETEs of what is put, set a state: they need no headers and can be repeated freely.

## Limits
A user of a workspace has 2,000 requests in 10 seconds and a workspace 20,000 where the operator says nothing else; each begun 64 KiB of an answer counts as one. \`RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` tell with every answer what is left of whichever is used up first. Above it 429 comes with \`Retry-After\`. Bodies have 1 MiB at most, headers that are read 1 KiB.

## Uploads
Create a file, send its bytes to \`upload.url\` with \`upload.headers\`, once, and read the file until its \`status\` is \`clean\`. Only then can it be a cover, be linked or be downloaded.`;
